"""Coroutines from plain code: in a script, and in a notebook, whose event loop runs already."""

import asyncio
import contextvars
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def run_sync(coroutine: Coroutine[object, object, T]) -> T:
    """Returns what a coroutine returns; where a loop runs in this thread already, from another thread.

    >>> async def answer() -> int:
    ...     return 42
    >>> run_sync(answer())
    42
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    done: Future[T] = Future()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            done.set_result(context.run(asyncio.run, coroutine))
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits, interrupts too
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return done.result()
