"""Connection to a MongoDB server: URI, timeouts, indexes, and readable error messages.

Operations are retried for a while if the server is temporarily unavailable, with the same effect as a single execution:
a change of the primary, a lost connection or a timeout does not end a run.
"""

import asyncio
import warnings
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import fields
from datetime import UTC
from time import monotonic
from typing import Any, TypeAlias, TypeVar
from urllib.parse import parse_qsl

from bson.codec_options import CodecOptions
from bson.errors import InvalidDocument
from pymongo import AsyncMongoClient, IndexModel, timeout
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import (
    BulkWriteError,
    ConnectionFailure,
    DocumentTooLarge,
    InvalidOperation,
    OperationFailure,
    PyMongoError,
    ServerSelectionTimeoutError,
)

from quaestor.errors import StoreError
from quaestor.store.turn_summary import TurnMeasures

Document: TypeAlias = dict[str, Any]
Database: TypeAlias = AsyncDatabase[Document]
R = TypeVar("R")

SCHEMA_VERSION = 10

DATABASE = "quaestor"
# Defaults for options that the URI does not set. Writes are acknowledged once they are in the server's journal, so
# that, as in SQLite, they survive a killed server.
DEFAULTS: Mapping[str, int | bool] = {
    "serverSelectionTimeoutMS": 5_000,
    "connectTimeoutMS": 5_000,
    "socketTimeoutMS": 20_000,
    "journal": True,
}
GOODBYE_SECONDS = 1.0

_VERSION = "store"
"""Collection with the version of the schema."""

_TOO_LARGE = "a record is larger than the 16 MB that MongoDB allows"
_ADVICE = {
    13: "the user is not authorized; grant it the role readWrite on the database",
    18: "the user name or the password is wrong",
    **dict.fromkeys((10334, 17419, 17420), _TOO_LARGE),
}

PATIENCE_SECONDS = 60.0
"""Seconds from the start of an operation during which a server that has answered before is retried."""

_PAUSES = (0.05, 0.2, 0.5, 1.0, 2.0)
_TEMPORARY = frozenset({6, 7, 50, 64, 89, 91, 112, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436})
"""Error codes of a server that is not the primary, has stepped down, shuts down, or timed out."""

Index = tuple[Mapping[str, int], bool]
"""Keys with their directions, and whether the index is unique."""

_RUN_AND_CONVERSATION = {"runId": 1, "conversationId": 1}
_PAGE = {"documentId": 1, "digest": 1, "ontology": 1, "version": 1}
_SPO = {"s": 1, "p": 1, "o": 1, "type": 1}

INDEXES: Mapping[str, Sequence[Index]] = {
    "ontologies": [({"digest": 1}, True)],
    "ontology": [(_SPO | {"digest": 1}, True), ({"type": 1}, False), ({"digest": 1}, False)],
    "graphs": [(_RUN_AND_CONVERSATION, True), ({"content": 1}, False)],
    "frozen_graphs": [(_PAGE, True), ({"ontology": 1}, False), ({"content": 1}, False)],
    "contents": [({"base": 1}, False), ({"usedAt": 1}, False)],
    "content_parts": [({"content": 1, "part": 1}, True), ({"createdAt": 1}, False)],
    "evaluation_runs": [({"runId": 1}, True), ({"startedAt": -1}, False)],
    "examples": [
        ({"runId": 1, "exampleId": 1}, True),
        (_RUN_AND_CONVERSATION, False),
        ({"runId": 1, "status": 1}, False),
    ],
    # The attempt is in the key because two processes may run one conversation; only one of them completes it.
    "turns": [
        (_RUN_AND_CONVERSATION | {"turnIndex": 1, "attempt": 1}, True),
        # Covers the figures of a run, so that no turn is read for them.
        (
            {"runId": 1}
            | {f"measures.{item.name}": 1 for item in fields(TurnMeasures)}
            | dict.fromkeys(("number", "verified", "status", "superseded"), 1),
            False,
        ),
        ({"runId": 1, "classes.operation": 1, "classes.origin": 1, "classes.kind": 1, "classes.confidence": 1}, False),
    ],
    "prompt_logs": [
        (_RUN_AND_CONVERSATION | {"turnIndex": 1, "number": 1, "attempt": 1}, True),
        ({"phase": 1}, False),
        # Freeing contents queries both.
        ({"prompt": 1}, False),
        ({"response": 1}, False),
    ],
    "corrections": [(_RUN_AND_CONVERSATION | {"number": 1, "attempt": 1}, True)],
    "scores": [({"scoreId": 1}, True), ({"runId": 1, "scoredAt": -1}, False)],
    # Two processes may score the same run; the latest scoring is valid.
    "scored_examples": [(_RUN_AND_CONVERSATION | {"scoreId": 1}, True), ({"runId": 1, "results.accuracy": 1}, False)],
    "scored_turns": [
        (_RUN_AND_CONVERSATION | {"turnIndex": 1, "scoreId": 1}, True),
        ({"runId": 1, "correct": 1}, False),
    ],
}

OUTDATED: Mapping[str, Sequence[Mapping[str, int]]] = {
    "prompt_logs": [_RUN_AND_CONVERSATION | {"turnIndex": 1, "number": 1}]
}
"""Indexes of earlier versions that conflict with the current ones."""

_retrying: ContextVar[bool] = ContextVar("retrying", default=False)


class MongoConnection:
    """Connection to one database of a server. Bound to the event loop that first uses it."""

    def __init__(self, uri: str, *, create: bool) -> None:
        """Parse the URI; the first operation contacts the server.

        Args:
            uri: Its default database is `quaestor`, and its options override DEFAULTS.
        """
        address, _, query = uri.partition("?")
        given = {name.lower() for name, _ in parse_qsl(query.replace(";", "&"))}
        options: dict[str, Any] = {name: value for name, value in DEFAULTS.items() if name.lower() not in given}
        try:
            with warnings.catch_warnings():
                # By default pymongo only warns of unknown or malformed options and ignores them.
                warnings.simplefilter("error", UserWarning)
                self._client: AsyncMongoClient[Document] = AsyncMongoClient(uri, connect=False, **options)
            codec: CodecOptions[Document] = CodecOptions(tz_aware=True, tzinfo=UTC)
            self._db: Database = self._client.get_default_database(DATABASE, codec_options=codec)
        except (PyMongoError, ValueError, TypeError, UserWarning) as error:
            # pymongo's message may quote parts of the URI, such as the password.
            why = "" if "@" in uri else f" ({error})"
            form = "mongodb://[USER:PASSWORD@]HOST[:PORT]/DATABASE, with %40, %2F, %3A for @, / and : in a password"
            raise StoreError(f"invalid store URI{why}; write {form}") from error
        hosts = address.partition("://")[2].rpartition("@")[2].partition("/")[0]
        self.name = f"MongoDB {hosts}/{self._db.name}"
        self._create, self._ready, self._lock = create, False, asyncio.Lock()

    async def _upgrade(self) -> None:
        """Convert what an older version has written. Must be repeatable, as another process may run it too."""

    @property
    def done_before(self) -> bool:
        """Whether the operation is being retried, so that it may find its own results."""
        return _retrying.get()

    async def perform(self, work: Callable[[], Coroutine[Any, Any, R]], verb: str) -> R:
        """Return the result of an operation, which is retried while the server is unavailable, up to PATIENCE_SECONDS.

        A server that has never answered is not retried, as its address may be wrong.
        """
        end, number = monotonic() + PATIENCE_SECONDS, 0
        token = _retrying.set(False)
        try:
            while True:
                try:
                    async with self._using(verb):
                        return await work()
                except StoreError as error:
                    pause = _PAUSES[min(number, len(_PAUSES) - 1)]
                    if not self._ready or not _is_temporary(error) or monotonic() + pause > end:
                        raise
                await asyncio.sleep(pause)
                number += 1
                _retrying.set(True)
        finally:
            _retrying.reset(token)

    @asynccontextmanager
    async def _using(self, verb: str) -> AsyncIterator[None]:
        with self._reporting(verb):
            async with self._lock:
                if not self._ready:
                    await self._prepare()
                    self._ready = True
            yield

    async def close(self) -> None:
        """Close the connections, without waiting for an unresponsive server."""
        with self._reporting("close"), timeout(GOODBYE_SECONDS):
            await self._client.close()

    async def _prepare(self) -> None:
        versions = self._db[_VERSION]
        found = await versions.find_one({"_id": "schema"})
        if found is None:
            if not self._create:
                raise StoreError(f"run store {self.name} does not exist; the first run creates it, or choose another")
        elif found["version"] > SCHEMA_VERSION:
            raise StoreError(
                f"{self.name} has schema version {found['version']}, but this quaestor reads up to {SCHEMA_VERSION}; "
                "use the quaestor that wrote it, or choose another database"
            )
        elif found["version"] == SCHEMA_VERSION:
            return
        for collection, outdated in OUTDATED.items() if found else ():
            for keys in outdated:
                with suppress(OperationFailure):
                    await self._db[collection].drop_index(list(keys.items()))
        for collection, indexes in INDEXES.items():
            models = [IndexModel(list(keys.items()), unique=unique) for keys, unique in indexes]
            await self._db[collection].create_indexes(models)
        if found:
            await self._upgrade()
        await versions.update_one({"_id": "schema"}, {"$set": {"version": SCHEMA_VERSION}}, upsert=True)

    @contextmanager
    def _reporting(self, verb: str) -> Iterator[None]:
        try:
            yield
        except UnicodeEncodeError as error:
            raise StoreError(f"cannot {verb} {self.name}: a text contains an unpaired surrogate") from error
        except (PyMongoError, InvalidDocument) as error:
            raise StoreError(f"cannot {verb} {self.name}: {self._explain(error)}") from error

    def _explain(self, error: Exception) -> str:
        options, message = self._client.options, str(error)
        limit = options.timeout or options.pool_options.socket_timeout or 0
        why = message
        if isinstance(error, ServerSelectionTimeoutError):
            limit = options.timeout or options.server_selection_timeout
            # The rest of the message is the driver's settings and its view of the whole topology.
            cause = message.partition(" (configured")[0].partition(", Timeout:")[0]
            why = f"no server answered within {limit:g} s ({cause}); is it running, and is the address right?"
        elif isinstance(error, PyMongoError) and error.timeout:
            why = f"the server did not answer within {limit:g} s; try again later"
        elif isinstance(error, ConnectionFailure):
            why = f"the connection was lost ({message.partition(' (configured')[0]}); try again later"
        elif isinstance(error, DocumentTooLarge):
            why = _TOO_LARGE
        elif isinstance(error, InvalidOperation) and "close" in message:
            why = "it is closed"
        elif isinstance(error, OperationFailure):
            failed = (error.details or {}).get("writeErrors") or [{"code": error.code, "errmsg": message}]
            why = _ADVICE.get(failed[0]["code"], failed[0]["errmsg"].partition(", full error:")[0])
        return " ".join(why.split())


def failed_only_with(error: BulkWriteError, codes: Collection[int]) -> bool:
    """Return whether all failed writes have one of some error codes."""
    failed = [*error.details.get("writeErrors", ()), *error.details.get("writeConcernErrors", ())]
    return bool(failed) and all(one.get("code") in codes for one in failed)


def _is_temporary(error: StoreError) -> bool:
    """Return whether an error is temporary, so that a retry may succeed."""
    cause = error.__cause__
    if isinstance(cause, BulkWriteError):
        return failed_only_with(cause, _TEMPORARY)
    if isinstance(cause, OperationFailure):
        return cause.code in _TEMPORARY or cause.has_error_label("RetryableWriteError")
    return isinstance(cause, ConnectionFailure) or (isinstance(cause, PyMongoError) and cause.timeout)
