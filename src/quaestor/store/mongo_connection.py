"""The way to a MongoDB server: its URI, its time limits, its indexes, and its errors in one clear line each.

An operation on a server that is away for a moment is done again, for a while, and with the same effect: a primary that
changes, a connection that breaks and a server that does not answer end a run no more than a busy file does.
"""

import asyncio
import warnings
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
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

SCHEMA_VERSION = 9

DATABASE = "quaestor"
# In force where the URI does not say otherwise. A write counts when it is in the server's journal: like one of
# SQLite, it survives a server that is killed.
DEFAULTS: Mapping[str, int | bool] = {
    "serverSelectionTimeoutMS": 5_000,
    "connectTimeoutMS": 5_000,
    "socketTimeoutMS": 20_000,
    "journal": True,
}
GOODBYE_SECONDS = 1.0

_VERSION = "store"
"""The name of the collection that holds the version of the schema."""

_TOO_LARGE = "a record is larger than the 16 MB that MongoDB allows"
_ADVICE = {
    13: "the user is not authorized; grant it the role readWrite on the database",
    18: "the user name or the password is wrong",
    **dict.fromkeys((10334, 17419, 17420), _TOO_LARGE),
}

PATIENCE_SECONDS = 60.0
"""How long a server that has answered before is waited for, from when an operation was begun."""

_PAUSES = (0.05, 0.2, 0.5, 1.0, 2.0)
_PASSING = frozenset({6, 7, 50, 64, 89, 91, 112, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436})
"""Codes of a server that is not a primary, has stepped down, shuts down, or took too long."""

Index = tuple[Mapping[str, int], bool]
"""Keys with their direction, and whether it is unique."""

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
    # The attempt is in the key because two processes may play one conversation; only one of them completes it.
    "turns": [
        (_RUN_AND_CONVERSATION | {"turnIndex": 1, "attempt": 1}, True),
        # What the figures of a run are made of, so that no turn is read for them.
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
        # What is freed is looked up by both.
        ({"prompt": 1}, False),
        ({"response": 1}, False),
    ],
    "corrections": [(_RUN_AND_CONVERSATION | {"number": 1, "attempt": 1}, True)],
    "scores": [({"scoreId": 1}, True), ({"runId": 1, "scoredAt": -1}, False)],
    # Two processes may score one run: the latest scoring counts.
    "scored_examples": [(_RUN_AND_CONVERSATION | {"scoreId": 1}, True), ({"runId": 1, "results.accuracy": 1}, False)],
    "scored_turns": [
        (_RUN_AND_CONVERSATION | {"turnIndex": 1, "scoreId": 1}, True),
        ({"runId": 1, "correct": 1}, False),
    ],
    "scored_columns": [({"runId": 1, "scoreId": 1, "name": 1}, True)],
}

OUTDATED: Mapping[str, Sequence[Mapping[str, int]]] = {
    "prompt_logs": [_RUN_AND_CONVERSATION | {"turnIndex": 1, "number": 1}]
}
"""Keys of indexes that earlier versions made, and that are in the way now."""

_again: ContextVar[bool] = ContextVar("again", default=False)


class MongoConnection:
    """One database of a server. Belongs to the event loop that first uses it."""

    def __init__(self, uri: str, upgrade: Callable[[], Coroutine[Any, Any, None]], *, create: bool) -> None:
        """Read the URI; the server is first asked by the first operation.

        Args:
            uri: The database is `quaestor` if it names none. Its options win over DEFAULTS.
            upgrade: Rewrites what an older version has written. Can be done twice: another process may be at it too.
        """
        address, _, query = uri.partition("?")
        given = {name.lower() for name, _ in parse_qsl(query.replace(";", "&"))}
        options: dict[str, Any] = {name: value for name, value in DEFAULTS.items() if name.lower() not in given}
        try:
            with warnings.catch_warnings():
                # An option that is unknown or malformed would only be warned of, and left aside.
                warnings.simplefilter("error", UserWarning)
                self._client: AsyncMongoClient[Document] = AsyncMongoClient(uri, connect=False, **options)
            codec: CodecOptions[Document] = CodecOptions(tz_aware=True, tzinfo=UTC)
            self._db: Database = self._client.get_default_database(DATABASE, codec_options=codec)
        except (PyMongoError, ValueError, TypeError, UserWarning) as error:
            # Pieces of a URI in pymongo's words may be pieces of a password.
            why = "" if "@" in uri else f" ({error})"
            form = "mongodb://[USER:PASSWORD@]HOST[:PORT]/DATABASE, with %40, %2F, %3A for @, / and : in a password"
            raise StoreError(f"invalid store URI{why}; write {form}") from error
        hosts = address.partition("://")[2].rpartition("@")[2].partition("/")[0]
        self.name = f"MongoDB {hosts}/{self._db.name}"
        self._create, self._upgrade, self._ready, self._lock = create, upgrade, False, asyncio.Lock()

    @property
    def database(self) -> Database:
        """The database; `perform` makes it ready."""
        return self._db

    async def perform(self, work: Callable[[], Coroutine[Any, Any, R]], verb: str) -> R:
        """Return the result of an operation, which is done again while the server is away, up to PATIENCE_SECONDS.

        A server that has never answered is not waited for: its address may be wrong.
        """
        end, number = monotonic() + PATIENCE_SECONDS, 0
        token = _again.set(False)
        try:
            while True:
                try:
                    async with self._using(verb):
                        return await work()
                except StoreError as error:
                    pause = _PAUSES[min(number, len(_PAUSES) - 1)]
                    if not self._ready or not _passes(error) or monotonic() + pause > end:
                        raise
                await asyncio.sleep(pause)
                number += 1
                _again.set(True)
        finally:
            _again.reset(token)

    @asynccontextmanager
    async def _using(self, verb: str) -> AsyncIterator[None]:
        with self._reporting(verb):
            async with self._lock:
                if not self._ready:
                    await self._prepare()
                    self._ready = True
            yield

    async def close(self) -> None:
        """Let go of the connections. A server that does not answer is not waited for."""
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
            # After that come the driver's settings and its view of the whole topology.
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


def done_before() -> bool:
    """Return whether the operation that asks is done again: what it finds may be its own."""
    return _again.get()


def _passes(error: StoreError) -> bool:
    """Return whether what an operation failed with may be over when it is done again."""
    cause = error.__cause__
    if isinstance(cause, BulkWriteError):
        failed = [*cause.details.get("writeErrors", ()), *cause.details.get("writeConcernErrors", ())]
        return bool(failed) and all(one.get("code") in _PASSING for one in failed)
    if isinstance(cause, OperationFailure):
        return cause.code in _PASSING or cause.has_error_label("RetryableWriteError")
    return isinstance(cause, ConnectionFailure) or (isinstance(cause, PyMongoError) and cause.timeout)
