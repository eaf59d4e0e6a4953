"""Operations on a MongoDB server that is away for a moment: done again, for a while, and with the same effect.

A primary that changes, a connection that breaks and a server that does not answer end a run no more than a busy file
does. Owns which errors pass, and how long they are waited for; an operation that is done again may find that it was
done, and the reply lost.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from time import monotonic
from typing import Any, TypeVar

from pymongo.errors import BulkWriteError, ConnectionFailure, OperationFailure, PyMongoError

from quaestor.errors import StoreError

PATIENCE_SECONDS = 60.0
"""How long a server that has answered before is waited for, from when an operation was begun."""

_PAUSES = (0.05, 0.2, 0.5, 1.0, 2.0)
_PASSING = frozenset({6, 7, 50, 64, 89, 91, 112, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436})
"""Codes of a server that is not a primary, has stepped down, shuts down, or took too long."""

R = TypeVar("R")

_again: ContextVar[bool] = ContextVar("again", default=False)


def done_before() -> bool:
    """Return whether the operation that asks is done again: what it finds may be its own."""
    return _again.get()


async def retry(work: Callable[[], Coroutine[Any, Any, R]], has_answered: Callable[[], bool]) -> R:
    """Return the result of an operation, which is done again while the server is away, up to PATIENCE_SECONDS.

    A server that has never answered is not waited for: its address may be wrong.
    """
    end, number = monotonic() + PATIENCE_SECONDS, 0
    token = _again.set(False)
    try:
        while True:
            try:
                return await work()
            except StoreError as error:
                pause = _PAUSES[min(number, len(_PAUSES) - 1)]
                if not has_answered() or not passes(error) or monotonic() + pause > end:
                    raise
            await asyncio.sleep(pause)
            number += 1
            _again.set(True)
    finally:
        _again.reset(token)


def passes(error: StoreError) -> bool:
    """Return whether what an operation failed with may be over when it is done again."""
    cause = error.__cause__
    if isinstance(cause, BulkWriteError):
        failed = [*cause.details.get("writeErrors", ()), *cause.details.get("writeConcernErrors", ())]
        return bool(failed) and all(one.get("code") in _PASSING for one in failed)
    if isinstance(cause, OperationFailure):
        return cause.code in _PASSING or cause.has_error_label("RetryableWriteError")
    return isinstance(cause, ConnectionFailure) or (isinstance(cause, PyMongoError) and cause.timeout)
