"""The SQLite file that a store is kept in: opened, brought up to date, written to in transactions."""

import asyncio
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime
from functools import partial, wraps
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from quaestor.core.private_files import make_private_folder, open_private, tighten
from quaestor.errors import StoreError, UnknownRunError
from quaestor.store import errors as refusals
from quaestor.store.sqlite_line import OperationLine
from quaestor.store.sqlite_schema import APPLICATION_ID, SCHEMA_VERSION, bring_up_to_date

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

OWN_FOLDER = ".quaestor"
"""A folder of this name is ours: it is taken from other users too."""

BUSY_SECONDS = 30.0
_BESIDE = ("-wal", "-shm", "-journal")
_AGAIN = 0.02
"""Seconds."""

_JSON = frozenset({
    "spec", "answer", "events", "references", "sources", "tool_calls", "usage", "kg_stats", "metrics", "failed_turns",
    "history", "registers", "act", "changes",
})  # fmt: skip
_TIMES = frozenset({"started", "finished", "scored", "made"})
_FLAGS = frozenset({"verified", "correct", "program_correct"})

_ADVICE = {
    "SQLITE_NOTADB": "it is not a SQLite database; choose another file",
    "SQLITE_CORRUPT": "the file is damaged; restore it from a backup, or choose another file",
    "SQLITE_READONLY": "it is read-only",
    "SQLITE_FULL": "the disk is full",
    "SQLITE_IOERR": "the operating system reports an I/O error; is the disk full, over quota or disconnected?",
    "SQLITE_BUSY": f"another process has been writing for {BUSY_SECONDS:.0f} s; try again later",
    "SQLITE_CANTOPEN": "it cannot be opened; does its folder exist, and is it writable?",
}

_DAMAGED = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, zlib.error, RecursionError)
"""What reading a value raises that is not as this package wrote it: text that is not JSON or UTF-8, half a record."""

S = TypeVar("S", bound="SqliteFile")
P = ParamSpec("P")
R = TypeVar("R")
D = TypeVar("D", bound="DataclassInstance")


def in_order(
    operation: Callable[Concatenate[S, P], R],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, R]]:
    """Make an operation one that is awaited, and runs in the store's thread, after those that were called before."""
    return _awaited(operation, little=False)


def in_group(
    operation: Callable[Concatenate[S, P], R],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, R]]:
    """Does the same of a short one that writes: it may share a transaction with others that wait, and ends with it."""
    return _awaited(operation, little=True)


def in_order_read(
    operation: Callable[Concatenate[S, P], R],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, R]]:
    """Does the same as `in_order` of one that only reads: what it cannot make sense of is damage, and a StoreError."""

    @wraps(operation)
    def read(store: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with store._reporting("read"):
            return operation(store, *args, **kwargs)

    return _awaited(read, little=False)


def _awaited(
    operation: Callable[Concatenate[S, P], R], *, little: bool
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, R]]:
    @wraps(operation)
    async def run(store: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        work = partial(operation, store, *args, **kwargs)
        # A store that is closed has no thread any more, and says so itself.
        if store._closed:
            return work()
        made: R = await asyncio.wrap_future(store._line.add(work, little=little))
        return made

    return run


class SqliteFile:
    """One SQLite file of ours. It is opened at once; the operations of a subclass run in a thread of its own."""

    def __init__(self, path: Path | None, *, create: bool = True) -> None:
        """Open the file, and make it and its folder where they are missing and `create` is set.

        Args:
            path: The file; None keeps everything in memory.
            create: Whether a missing file is made.

        Raises:
            StoreError: The file cannot be opened, is not a run store, or has another version's schema.
        """
        self._path, self._name = path, str(path) if path else "the store in memory"
        if path and path.is_dir():
            raise StoreError(f"{path} is a folder, not a run store; choose a file in it, such as {path / 'runs.db'}")
        if path and not create and not path.exists():
            raise StoreError(f"run store {path} does not exist; the first run creates it, or choose another")
        with self._reporting("open"):
            if path:
                _make_private(path)
            # Autocommit: every transaction is begun by hand, as a writer from its first statement.
            self._db = sqlite3.connect(
                path or ":memory:", timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
        self._thread, self._closed = ThreadPoolExecutor(1, "sqlite"), False
        self._line = OperationLine(self._thread, self._transaction)
        try:
            with self._reporting("open"):
                self._prepare()
        except BaseException:
            self._db.close()
            raise

    def _prepare(self) -> None:
        self._db.row_factory = sqlite3.Row
        self._db.execute("PRAGMA foreign_keys = ON")
        with self._transaction("DEFERRED"):
            version = self._version()
        self._tighten()
        if version < SCHEMA_VERSION:
            with self._transaction():
                # Looked up again: another process may have made the tables while this one waited.
                bring_up_to_date(self._db, self._version())
                self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
                self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        self._write_ahead()
        # In the write-ahead log NORMAL survives the end of the process; only a power cut may cost the last commits.
        self._db.execute("PRAGMA synchronous = NORMAL")

    def _tighten(self) -> None:
        """Take the file, known to be ours now, from other users: it has the questions and answers of its owner."""
        if self._path is not None:
            real = self._path.resolve()
            for path in (real, *(real.with_name(real.name + end) for end in _BESIDE)):
                tighten(path)
            if real.parent.name == OWN_FOLDER:
                tighten(real.parent)

    def _write_ahead(self) -> None:
        """Switches the file to a write-ahead log. Here SQLite does not wait for whoever writes: it is asked again."""
        last = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > last:
                    raise
                time.sleep(_AGAIN)
            else:
                return

    def _version(self) -> int:
        """Return 0 for an empty file and 1 to SCHEMA_VERSION for ours; anything else is a StoreError.

        Called within a transaction: between two of its looks another process may make the tables.
        """
        version = int(self._db.execute("PRAGMA user_version").fetchone()[0])
        application = int(self._db.execute("PRAGMA application_id").fetchone()[0])
        tables = int(self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
        if tables == 0 and version == 0:
            return 0
        if application != APPLICATION_ID:
            raise StoreError(f"{self._name} is a SQLite database of another program; choose another file")
        if not 0 < version <= SCHEMA_VERSION:
            raise StoreError(
                f"{self._name} has schema version {version}, but this quaestor reads up to {SCHEMA_VERSION}; "
                "use the quaestor that wrote it, or choose another file"
            )
        return version

    async def close(self) -> None:
        """Let go of the file."""
        if not self._closed:
            self._closed = True
            await asyncio.get_running_loop().run_in_executor(self._thread, self._let_go)
            self._thread.shutdown(wait=False)

    def _let_go(self) -> None:
        with self._reporting("close"):
            self._db.close()

    async def __aenter__(self) -> Self:
        """Return the store; leaving the block closes it."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        await self.close()

    @contextmanager
    def _transaction(self, mode: str = "IMMEDIATE") -> Iterator[None]:
        """Commits what is done inside, or takes it back; within another one it is a part of that."""
        if self._db.in_transaction:
            # What fails in it fails the whole, which is taken back.
            yield
            return
        self._db.execute(f"BEGIN {mode}")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            # A full disk has rolled back on its own.
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    @contextmanager
    def _reporting(self, verb: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            name = getattr(error, "sqlite_errorname", None) or ""
            advice = next((text for code, text in _ADVICE.items() if name.startswith(code)), str(error))
            raise StoreError(f"cannot {verb} {self._name}: {advice}") from error
        except UnicodeEncodeError as error:
            raise StoreError(f"cannot {verb} {self._name}: a text contains an unpaired surrogate") from error
        except StoreError:
            raise
        except OSError as error:
            raise StoreError(f"cannot {verb} {self._name}: {error.strerror}") from error
        except _DAMAGED as error:
            if verb not in ("open", "read"):
                raise
            raise StoreError(f"cannot {verb} {self._name}: {_ADVICE['SQLITE_CORRUPT']}") from error

    def _check_run(self, run: str) -> None:
        with self._reporting("read"):
            self._require(run)

    def _require(self, run: str) -> None:
        if self._db.execute("SELECT 1 FROM runs WHERE id = ?", (run,)).fetchone() is None:
            raise self._unknown(run)

    def _unknown(self, run: str) -> UnknownRunError:
        ids = [row["id"] for row in self._db.execute("SELECT id FROM runs ORDER BY started DESC, id DESC")]
        return refusals.unknown_run(self._name, run, ids)

    def _insert(
        self,
        table: str,
        *records: "DataclassInstance",
        verb: str = "INSERT",
        instead: Mapping[str, int | None] | None = None,
    ) -> None:
        """Write a row of all that some records hold together, with the numbers of contents instead of these."""
        found = {item.name: getattr(record, item.name) for record in records for item in fields(record)}
        found |= instead or {}
        columns, marks = ", ".join(f'"{name}"' for name in found), ", ".join("?" * len(found))
        values = [encode(name, value) for name, value in found.items()]
        self._db.execute(f"{verb} INTO {table} ({columns}) VALUES ({marks})", values)

    def _select(self, kind: type[D], rest: str, *values: str | int | float | None) -> tuple[D, ...]:
        with self._reporting("read"):
            return tuple(kind(**row) for row in self._values(kind, rest, *values))

    def _values(
        self, kind: "type[DataclassInstance]", rest: str, *values: str | int | float | None
    ) -> list[dict[str, Any]]:
        """Return the rows that records of a kind are made of."""
        names = [item.name for item in fields(kind)]
        numbers = [item.name for item in fields(kind) if item.type in (int, float, int | None, float | None)]
        columns = ", ".join(f'"{name}"' for name in names)
        with self._reporting("read"):
            rows = self._db.execute(f"SELECT {columns} FROM {rest}", values).fetchall()
            if any(isinstance(row[name], str | bytes) for row in rows for name in numbers):
                raise ValueError("a number is stored as text")
            return [{name: _decode(name, row[name]) for name in names} for row in rows]


def _make_private(path: Path) -> None:
    """Make a file that is missing: SQLite would make it for all to read, and the files beside it as it is."""
    make_private_folder(path.parent)
    try:
        os.close(open_private(path, os.O_CREAT | os.O_EXCL | os.O_RDWR))
    except FileExistsError:
        return


def encode(name: str, value: object) -> str | int | float | None:
    """Return a value as the column of that name keeps it."""
    if name in _JSON:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="milliseconds")
    assert value is None or isinstance(value, str | int | float)
    return value


def _decode(name: str, value: Any) -> Any:
    if name in _JSON:
        return json.loads(value)
    if name in _TIMES and value is not None:
        return datetime.fromisoformat(value)
    return bool(value) if name in _FLAGS and value is not None else value
