"""The way to a MongoDB server: its URI, its time limits, its indexes, and its errors in one clear line each."""

import asyncio
import warnings
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC
from typing import Any, TypeAlias
from urllib.parse import parse_qsl

from bson.codec_options import CodecOptions
from bson.errors import InvalidDocument
from pymongo import AsyncMongoClient, IndexModel, timeout
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import (
    ConnectionFailure,
    DocumentTooLarge,
    InvalidOperation,
    OperationFailure,
    PyMongoError,
    ServerSelectionTimeoutError,
)

from quaestor.errors import StoreError
from quaestor.store.mongo_documents import INDEXES, OUTDATED, SCHEMA_VERSION
from quaestor.store.mongo_migrations import file_turn_documents, pack_documents

Document: TypeAlias = dict[str, Any]
Database: TypeAlias = AsyncDatabase[Document]

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

_ADVICE = {
    13: "the user is not authorized; grant it the role readWrite on the database",
    18: "the user name or the password is wrong",
}


class MongoConnection:
    """One database of a server. Belongs to the event loop that first uses it.

    Attributes:
        name: For people; without user and password.
    """

    def __init__(self, uri: str, *, create: bool) -> None:
        """Read the URI; the server is first asked by the first operation.

        Args:
            uri: The database is `quaestor` if it names none. Its options win over DEFAULTS.
            create: Whether indexes are made in a database that no run store is in.

        Raises:
            StoreError: The URI is malformed.
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
        self._create, self._ready, self._lock = create, False, asyncio.Lock()

    @property
    def database(self) -> Database:
        """The database; `using` makes it ready."""
        return self._db

    @property
    def has_answered(self) -> bool:
        """Whether the server has answered an operation yet."""
        return self._ready

    @asynccontextmanager
    async def using(self, verb: str) -> AsyncIterator[Database]:
        """Yield the database for one operation, with its indexes made.

        Args:
            verb: What is being done to the store, for errors.

        Raises:
            StoreError: Whatever goes wrong with the server.
        """
        with self._reporting(verb):
            async with self._lock:
                if not self._ready:
                    await self._prepare()
                    self._ready = True
            yield self._db

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
        # Each step can be done twice: another process may be at it too.
        for collection, outdated in OUTDATED.items() if found else ():
            for keys in outdated:
                with suppress(OperationFailure):
                    await self._db[collection].drop_index(list(keys.items()))
        for collection, indexes in INDEXES.items():
            models = [IndexModel(list(keys.items()), unique=unique) for keys, unique in indexes]
            await self._db[collection].create_indexes(models)
        if found:
            await file_turn_documents(self._db)
            await pack_documents(self._db)
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
            why = "a record is larger than the 16 MB that MongoDB allows"
        elif isinstance(error, InvalidOperation) and "close" in message:
            why = "it is closed"
        elif isinstance(error, OperationFailure):
            why = _ADVICE.get(error.code or 0, message.partition(", full error:")[0])
        return " ".join(why.split())
