"""Embedded run store: one SQLite file, no server.

With the write-ahead log, and each operation in a transaction, it survives `kill -9` at any moment, and several
processes can write concurrently. Operations run in call order in a dedicated thread, so that neither a large graph nor
waiting for another writer blocks the event loop.
"""

import asyncio
import json
import os
import sqlite3
import time
import zlib
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from quaestor.core.private_files import make_private_folder, open_private, restrict_to_owner
from quaestor.errors import StoreError
from quaestor.store.base import RunStore
from quaestor.store.listing import ListPart
from quaestor.store.sqlite_schema import (
    APPLICATION_ID,
    SAME_TABLES,
    SCHEMA_VERSION,
    copy_older,
    create_tables,
    set_aside,
)
from quaestor.store.tables import (
    FLAGS,
    JSON_COLUMNS,
    JUDGED_TURNS,
    LATEST_TURNS,
    Among,
    Between,
    Containing,
    Exactly,
    KeyTakenError,
    Other,
    Row,
    Verb,
    Where,
)

OWN_FOLDER = ".quaestor"
"""A folder of this name belongs to quaestor, and is made private like the file."""

BUSY_SECONDS = 30.0
_SIDE_FILES = ("-wal", "-shm", "-journal")
_RETRY_SECONDS = 0.02
"""Seconds between attempts to switch to the write-ahead log."""

_TIMES = frozenset({"started", "finished", "scored", "made", "created"})

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
"""Errors raised by decoding damaged values: text that is not JSON or UTF-8, or incomplete records."""

R = TypeVar("R")

_LATEST = "(SELECT run, conversation, attempt FROM examples) CROSS JOIN turns t USING (run, conversation, attempt)"
"""Join order: for each conversation all turns are adjacent in the index."""
_FROM = {LATEST_TURNS: _LATEST, JUDGED_TURNS: f'{_LATEST} LEFT JOIN scored_turns USING (run, conversation, "index")'}
_UNUSED_COLUMNS = {
    "graphs": ("triples",), "frozen_graphs": ("triples",), JUDGED_TURNS: ("score",),
    "turns": ("superseded",), "contents": ("used",),
}  # fmt: skip
"""Columns that a file does not need; for example, it keeps only the verdicts of the latest scoring."""

_MOST_DAMAGED = 20
"""Maximum number of damaged places to list."""
_MOST_PLACEHOLDERS = 9
"""Maximum number of values with a placeholder each, as each number of placeholders is a separate cached statement."""


class SqliteTables:
    """Tables in one SQLite file, which is opened immediately."""

    transactional, done_before = True, False
    reference = "id"

    def __init__(self, path: Path | None, *, create: bool = True) -> None:
        """Open the file; create it and its folder if they are missing and `create` is set."""
        self._path, self.name = path, str(path) if path else "the store in memory"
        if path and path.is_dir():
            raise StoreError(f"{path} is a folder, not a run store; choose a file in it, such as {path / 'runs.db'}")
        if path and not create and not path.exists():
            raise StoreError(f"run store {path} does not exist; the first run creates it, or choose another")
        with self._reporting("open"):
            if path:
                _make_private(path)
            # Autocommit: transactions are begun explicitly, and write transactions with IMMEDIATE.
            self._db = sqlite3.connect(
                path or ":memory:", timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
        self._thread, self._closed = ThreadPoolExecutor(1, "sqlite"), False
        try:
            with self._reporting("open"):
                self._prepare()
        except BaseException:
            self._db.close()
            raise

    def _prepare(self) -> None:
        self._db.row_factory = sqlite3.Row
        with self._transaction("DEFERRED"):
            version = self._version()
        self._make_files_private()
        if version < SCHEMA_VERSION:
            with self._transaction():
                self._upgrade()
        self._db.execute("PRAGMA foreign_keys = ON")
        self._write_ahead()
        # With a write-ahead log, NORMAL survives the end of the process; a power failure may lose the last commits.
        self._db.execute("PRAGMA synchronous = NORMAL")

    def _upgrade(self) -> None:
        version = self._version()  # read again: another process may have created the tables meanwhile
        older = set_aside(self._db) if 0 < version < SAME_TABLES else {}
        if version < SAME_TABLES:
            create_tables(self._db)
            _run_sync(copy_older(self._db, self, older))
        self._db.execute(
            "DROP TABLE IF EXISTS scored_columns"
        )  # verdicts of earlier versions, which `scored_turns` has
        self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")

    def _make_files_private(self) -> None:
        """Make the file, which is now known to be ours, private: it has its owner's questions and answers."""
        if self._path is not None:
            real = self._path.resolve()
            for path in (real, *(real.with_name(real.name + end) for end in _SIDE_FILES)):
                restrict_to_owner(path)
            if real.parent.name == OWN_FOLDER:
                restrict_to_owner(real.parent)

    def _write_ahead(self) -> None:
        """Switch the file to a write-ahead log. SQLite's busy timeout does not apply here, so the switch is retried."""
        last = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > last:
                    raise
                time.sleep(_RETRY_SECONDS)
            else:
                return

    def _version(self) -> int:
        """Return the schema version, 0 for an empty file; raise StoreError if the file is foreign or newer.

        Must be called within a transaction, as another process may create the tables between the queries.
        """
        version = int(self._db.execute("PRAGMA user_version").fetchone()[0])
        application = int(self._db.execute("PRAGMA application_id").fetchone()[0])
        tables = int(self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
        if tables == 0 and version == 0:
            return 0
        if application != APPLICATION_ID:
            raise StoreError(f"{self.name} is a SQLite database of another program; choose another file")
        if not 0 < version <= SCHEMA_VERSION:
            raise StoreError(
                f"{self.name} has schema version {version}, but this quaestor reads up to {SCHEMA_VERSION}; "
                "use the quaestor that wrote it, or choose another file"
            )
        return version

    async def close(self) -> None:
        """Close the file."""
        if not self._closed:
            self._closed = True
            await asyncio.get_running_loop().run_in_executor(self._thread, self._close_file)
            self._thread.shutdown(wait=False)

    def _close_file(self) -> None:
        with self._reporting("close"):
            self._db.close()

    @contextmanager
    def _transaction(self, mode: str = "IMMEDIATE") -> Iterator[None]:
        """Commit the block, or roll it back on an error."""
        self._db.execute(f"BEGIN {mode}")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            # If the disk is full, SQLite has already rolled back.
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
            raise StoreError(f"cannot {verb} {self.name}: {advice}") from error
        except UnicodeEncodeError as error:
            raise StoreError(f"cannot {verb} {self.name}: a text contains an unpaired surrogate") from error
        except StoreError:
            raise
        except OSError as error:
            raise StoreError(f"cannot {verb} {self.name}: {error.strerror}") from error
        except _DAMAGED as error:
            if verb not in ("open", "read"):
                raise
            raise StoreError(f"cannot {verb} {self.name}: {_ADVICE['SQLITE_CORRUPT']}") from error

    async def perform(self, work: Callable[[], Coroutine[Any, Any, R]], verb: Verb) -> R:
        """Run an operation in the file's thread, in a transaction."""

        def whole() -> R:
            with self._reporting(verb), self._transaction("DEFERRED" if verb == "read" else "IMMEDIATE"):
                return _run_sync(work())

        return await self._run_in_order(whole)

    async def _run_in_order(self, work: Callable[[], R]) -> R:
        # After closing there is no thread, and the database itself reports the error.
        if self._closed:
            return work()
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def insert(self, table: str, rows: Iterable[Row]) -> None:
        """Add rows."""
        try:
            for row in rows:
                self._write(table, row)
        except sqlite3.IntegrityError as error:
            if error.sqlite_errorname in ("SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_UNIQUE"):
                raise KeyTakenError from error
            raise

    async def replace(self, table: str, rows: Sequence[Row]) -> list[Any]:
        """Replace or insert rows. An existing row is updated in place, as other rows may refer to it."""
        return [self._write(table, row, instead=True) for row in rows]

    def _write(self, table: str, row: Row, *, instead: bool = False) -> int | None:
        values = [_encode(name, value) for name, value in row.items() if name not in _UNUSED_COLUMNS.get(table, ())]
        return self._db.execute(_insertion(table, tuple(row), instead), values).lastrowid

    async def change(self, table: str, where: Where, values: Row) -> int:
        """Set columns of rows."""
        columns = {name: value for name, value in values.items() if name not in _UNUSED_COLUMNS.get(table, ())}
        if not columns:
            return 0
        condition, given = _condition(table, where)
        changes, encoded = ", ".join(f'"{name}" = ?' for name in columns), [_encode(*item) for item in columns.items()]
        return self._db.execute(f"UPDATE {table} SET {changes} WHERE {condition}", (*encoded, *given)).rowcount

    async def delete(self, table: str, where: Where) -> int:
        """Delete rows."""
        condition, given = _condition(table, where)
        self._db.execute("PRAGMA defer_foreign_keys = ON")  # until the end of the transaction
        return self._db.execute(f"DELETE FROM {table} WHERE {condition}", given).rowcount

    async def find(
        self, table: str, columns: Sequence[str], where: Where, order: Sequence[str] = (), part: ListPart | None = None
    ) -> list[Row]:
        """Return columns of rows."""
        # A part of a list is read in order until it is full, and not through an index on verdicts.
        condition, given = _condition(table, where, "+" if table == JUDGED_TURNS else "")
        names, rest = ", ".join(map(_column, columns)), ""
        if order:
            rest = f" ORDER BY {', '.join(map(_order_by, order))}"
        if part:
            rest, given = f"{rest} LIMIT ? OFFSET ?", [*given, part.limit, part.offset]
        found = self._db.execute(f"SELECT {names} FROM {_FROM.get(table, table)} WHERE {condition}{rest}", given)
        rows = [dict(zip(columns, row, strict=True)) for row in found.fetchall()]
        for name in _DECODE.keys() & {*columns}:
            read = _DECODE[name]
            for row in rows:
                if row[name] is not None:
                    row[name] = read(row[name])
        return rows

    async def count(self, table: str, by: Sequence[str], where: Where) -> list[tuple[Any, ...]]:
        """Return the distinct combinations of values, each with its number of rows."""
        condition, given = _condition(table, where)
        names = "".join(
            f"{_column(name[:-1])} IS NOT NULL, " if name[-1] == "?" else f"{_column(name)}, " for name in by
        )
        grouped = f" GROUP BY {', '.join(str(place + 1) for place in range(len(by)))}" if by else ""
        counted = f"SELECT {names}count(*) FROM {_FROM.get(table, table)} WHERE {condition}{grouped}"
        return [tuple(row) for row in self._db.execute(counted, given).fetchall()]

    async def clock(self) -> float:
        """Return the machine's time, which all users of the file share."""
        return time.time()

    async def find_damage(self) -> list[str]:
        """Return damage in the file, and missing rows that others refer to."""
        found = [str(row[0]) for row in self._db.execute(f"PRAGMA integrity_check({_MOST_DAMAGED})")]
        if damage := [f"the file is damaged: {line}" for line in found if line != "ok"]:
            return damage
        lost = Counter((table, parent) for table, _, parent, _ in self._db.execute("PRAGMA foreign_key_check"))
        return [f"{count} rows of {table} refer to missing {parent}" for (table, parent), count in lost.items()]

    async def compact(self) -> tuple[int, int] | None:
        """Compact the file."""
        return await self._run_in_order(self._compact)

    def _compact(self) -> tuple[int, int] | None:
        with self._reporting("write to"):
            before = self._bytes()
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            return (before, self._bytes()) if self._path else None

    def _bytes(self) -> int:
        pages, size = (self._db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        return int(pages * size)


def _make_private(path: Path) -> None:
    """Create a missing file as private; SQLite would make it and its side files readable for all users."""
    make_private_folder(path.parent)
    try:
        os.close(open_private(path, os.O_CREAT | os.O_EXCL | os.O_RDWR))
    except FileExistsError:
        return


def _run_sync(work: Coroutine[Any, Any, R]) -> R:
    """Run a coroutine that never suspends."""
    try:
        work.send(None)
    except StopIteration as ended:
        result: R = ended.value
        return result
    raise RuntimeError("an operation on a file waits for something else")


@lru_cache
def _insertion(table: str, columns: tuple[str, ...], instead: bool) -> str:
    """Return the statement that inserts a row, or updates the row with the same key if `instead`."""
    names = [f'"{name}"' for name in columns if name not in _UNUSED_COLUMNS.get(table, ())]
    changes = ", ".join(f"{name} = excluded.{name}" for name in names)
    marks = ", ".join("?" * len(names))
    rest = f" ON CONFLICT DO UPDATE SET {changes}" if instead else ""
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks}){rest}"


@lru_cache
def _column(name: str) -> str:
    """Return a column in SQL; a value inside JSON is extracted."""
    column, _, path = name.partition(".")
    return f"json_extract({column}, '$.{path}')" if path else f'"{column}"'


def _order_by(name: str) -> str:
    if name.startswith("-"):
        return f'"{name[1:]}" DESC'
    return f'"{name}" IS NULL, "{name}"' if name == "confidence" else f'"{name}"'


def _condition(table: str, where: Where, verdicts: str = "") -> tuple[str, list[Any]]:
    """Return a condition in SQL with its values; `verdicts="+"` keeps SQLite from using an index on verdict columns."""
    conditions, values = ["1"], list[Any]()
    for name, wanted in where.items():
        if wanted is None or name in _UNUSED_COLUMNS.get(table, ()):
            continue
        column = f"{verdicts}{_column(name)}" if name in ("correct", "cause") else _column(name)
        match wanted:
            case str() | int():
                conditions.append(f"{column} = ?")
                values.append(wanted)
            case Among():
                given = [*wanted.values]
                few = len(given) <= _MOST_PLACEHOLDERS
                marks = ", ".join("?" * len(given)) if few else "SELECT value FROM json_each(?)"
                conditions.append(f"{column} IN ({marks})")
                values += given if few else [json.dumps(given)]
            case Between():
                for sign, limit in ((">=", wanted.low), ("<=", wanted.high)):
                    if limit is not None:
                        conditions.append(f"{column} {sign} ?")
                        values.append(limit)
            case Containing():
                conditions.append(f"instr(lower({column}), lower(?))")
                values.append(wanted.text)
            case Exactly():
                conditions.append(f"{column} IS ?")
                values.append(wanted.value)
            case Other():
                conditions.append(f"{column} IS NOT NULL" if wanted.value is None else f"{column} != ?")
                values += [] if wanted.value is None else [wanted.value]
    return " AND ".join(conditions), values


def _encode(name: str, value: Any) -> Any:
    if name in JSON_COLUMNS:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="milliseconds")
    return value


_DECODE: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(JSON_COLUMNS, json.loads),
    **dict.fromkeys(_TIMES, datetime.fromisoformat),
    **dict.fromkeys(FLAGS, bool),
}


class SqliteStore(RunStore):
    """RunStore in one SQLite file."""

    def __init__(self, path: Path | None, *, create: bool = True) -> None:
        """Open the file (None: in memory); create it if it is missing and `create` is set."""
        super().__init__(SqliteTables(path, create=create))
