"""The embedded store: one SQLite file, no server.

The write-ahead log and transactions that hold whole operations let it survive `kill -9` at any moment; several
processes may write at once. Operations run one after the other, in the order in which they were called, in a thread of
the file's own: neither a large graph nor a wait for another writer holds the event loop up.
"""

import asyncio
import json
import os
import sqlite3
import time
import zlib
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from quaestor.core.private_files import make_private_folder, open_private, tighten
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
"""A folder of this name is ours: it is taken from other users too."""

BUSY_SECONDS = 30.0
_SIDE_FILES = ("-wal", "-shm", "-journal")
_AGAIN = 0.02
"""Seconds."""

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
"""What reading a value raises that is not as this package wrote it: text that is not JSON or UTF-8, half a record."""

R = TypeVar("R")

_LATEST = "(SELECT run, conversation, attempt FROM examples) CROSS JOIN turns t USING (run, conversation, attempt)"
"""From the conversations on: of each all turns are side by side in the index."""
_FROM = {LATEST_TURNS: _LATEST, JUDGED_TURNS: f'{_LATEST} LEFT JOIN scored_turns USING (run, conversation, "index")'}
_ABSENT = {
    "graphs": ("triples",), "frozen_graphs": ("triples",), "scored_columns": ("score",), JUDGED_TURNS: ("score",),
    "turns": ("superseded",), "contents": ("used",),
}  # fmt: skip
"""Columns that a file has no need of: of verdicts only those of the latest scoring are kept."""

_FEW = 20
"""How many damaged places are named."""
_MARKED = 9
"""Up to how many values a condition has a mark each: a statement for each number of them is kept."""
_MOST = 64
"""Operations of one group: they hold other processes up no longer than a large one does."""


@dataclass(slots=True, eq=False)
class _WaitingCall:
    work: Callable[[], Any]
    little: bool
    ended: "Future[Any]" = field(default_factory=Future)


class OperationLine:
    """Operations that wait for the file's thread, in the order in which they came; little ones in groups.

    Those that wait at the same time share a transaction, and each ends when all of it is committed.
    If one fails nothing of it is kept, and each is made again alone: so it fails, or does not, as it would.
    """

    def __init__(self, thread: ThreadPoolExecutor, together: Callable[[], AbstractContextManager[None]]) -> None:
        """Take the one thread that makes them."""
        self._thread, self._together, self._line = thread, together, deque[_WaitingCall]()

    def add(self, work: Callable[[], Any], *, little: bool) -> "Future[Any]":
        """Return the result of an operation; one that is cancelled before it begins is not made.

        Args:
            little: Whether it is a short one that writes, and may be made in a group: made again it does the same.
        """
        waiting = _WaitingCall(work, little)
        self._line.append(waiting)
        self._thread.submit(self._make_next)
        return waiting.ended

    def _make_next(self) -> None:
        """Make what comes next, if another call has not made it in its group: one operation, or little ones."""
        group: list[_WaitingCall] = []
        while self._line and len(group) < _MOST and (not group or (group[-1].little and self._line[0].little)):
            group.append(self._line.popleft())
        begun = [one for one in group if one.ended.set_running_or_notify_cancel()]
        if len(begun) < 2 or not self._make_together(begun):
            for one in begun:
                try:
                    one.ended.set_result(one.work())
                except BaseException as error:  # noqa: BLE001 - it is raised where the operation was called
                    one.ended.set_exception(error)

    def _make_together(self, group: list[_WaitingCall]) -> bool:
        """Make operations in one transaction; False if they have to be made again, one by one."""
        try:
            with self._together():
                results = [one.work() for one in group]
        except Exception:  # noqa: BLE001 - whatever it is, the operation that it is of raises it again
            return False
        for one, result in zip(group, results, strict=True):
            one.ended.set_result(result)
        return True


class SqliteTables:
    """The tables in one SQLite file of ours, which is opened at once."""

    transactional, done_before = True, False
    reference = "id"

    def __init__(self, path: Path | None, *, create: bool = True) -> None:
        """Open the file, and make it and its folder where they are missing and `create` is set."""
        self._path, self.name = path, str(path) if path else "the store in memory"
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
        with self._transaction("DEFERRED"):
            version = self._version()
        self._tighten()
        if version < SCHEMA_VERSION:
            with self._transaction():
                self._bring_up_to_date()
        self._db.execute("PRAGMA foreign_keys = ON")
        self._write_ahead()
        # In the write-ahead log NORMAL survives the end of the process; only a power cut may cost the last commits.
        self._db.execute("PRAGMA synchronous = NORMAL")

    def _bring_up_to_date(self) -> None:
        version = self._version()  # again: another process may have made the tables while this one waited
        older = set_aside(self._db) if 0 < version < SAME_TABLES else {}
        if version < SAME_TABLES:
            create_tables(self._db)
            _drive(copy_older(self._db, self, older))
        self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")

    def _tighten(self) -> None:
        """Take the file, known to be ours now, from other users: it has the questions and answers of its owner."""
        if self._path is not None:
            real = self._path.resolve()
            for path in (real, *(real.with_name(real.name + end) for end in _SIDE_FILES)):
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
            raise StoreError(f"{self.name} is a SQLite database of another program; choose another file")
        if not 0 < version <= SCHEMA_VERSION:
            raise StoreError(
                f"{self.name} has schema version {version}, but this quaestor reads up to {SCHEMA_VERSION}; "
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

    async def perform(self, work: Callable[[], Coroutine[Any, Any, R]], verb: Verb, *, short: bool) -> R:
        """Return the result of an operation: made in the file's thread, in a transaction."""

        def whole() -> R:
            with self._reporting(verb), self._transaction("DEFERRED" if verb == "read" else "IMMEDIATE"):
                return _drive(work())

        return await self._run_in_order(whole, short=short)

    async def _run_in_order(self, work: Callable[[], R], *, short: bool = False) -> R:
        # A file that is closed has no thread any more, and says so itself.
        if self._closed:
            return work()
        made: R = await asyncio.wrap_future(self._line.add(work, little=short))
        return made

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
        """Write rows. What refers to one that is there stays: it may not be taken away and put back."""
        return [self._write(table, row, instead=True) for row in rows]

    def _write(self, table: str, row: Row, *, instead: bool = False) -> int | None:
        values = [_encode(name, value) for name, value in row.items() if name not in _ABSENT.get(table, ())]
        return self._db.execute(_insertion(table, tuple(row), instead), values).lastrowid

    async def change(self, table: str, where: Where, values: Row) -> int:
        """Set columns of rows."""
        kept = {name: value for name, value in values.items() if name not in _ABSENT.get(table, ())}
        if not kept:
            return 0
        condition, given = _condition(table, where)
        changes, encoded = ", ".join(f'"{name}" = ?' for name in kept), [_encode(*item) for item in kept.items()]
        return self._db.execute(f"UPDATE {table} SET {changes} WHERE {condition}", (*encoded, *given)).rowcount

    async def delete(self, table: str, where: Where) -> int:
        """Take rows away."""
        condition, given = _condition(table, where)
        self._db.execute("PRAGMA defer_foreign_keys = ON")  # until the transaction ends
        return self._db.execute(f"DELETE FROM {table} WHERE {condition}", given).rowcount

    async def find(
        self, table: str, columns: Sequence[str], where: Where, order: Sequence[str] = (), part: ListPart | None = None
    ) -> list[Row]:
        """Return columns of rows."""
        # A part of a list is found in its order, until there is enough of it: not by what verdicts say.
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
        """Return the values that rows have together, each with their number."""
        condition, given = _condition(table, where)
        names = "".join(
            f"{_column(name[:-1])} IS NOT NULL, " if name[-1] == "?" else f"{_column(name)}, " for name in by
        )
        grouped = f" GROUP BY {', '.join(str(place + 1) for place in range(len(by)))}" if by else ""
        counted = f"SELECT {names}count(*) FROM {_FROM.get(table, table)} WHERE {condition}{grouped}"
        return [tuple(row) for row in self._db.execute(counted, given).fetchall()]

    async def clock(self) -> float:
        """Return the time by the machine's clock: all who open the file share it."""
        return time.time()

    async def find_damage(self) -> list[str]:
        """Return what is broken in the file, and which rows refer to what is not there."""
        found = [str(row[0]) for row in self._db.execute(f"PRAGMA integrity_check({_FEW})")]
        if damage := [f"the file is damaged: {line}" for line in found if line != "ok"]:
            return damage
        lost = Counter((table, parent) for table, _, parent, _ in self._db.execute("PRAGMA foreign_key_check"))
        return [f"{count} rows of {table} refer to missing {parent}" for (table, parent), count in lost.items()]

    async def compact(self) -> tuple[int, int] | None:
        """Make the file as small as it can be."""
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
    """Make a file that is missing: SQLite would make it for all to read, and the files beside it as it is."""
    make_private_folder(path.parent)
    try:
        os.close(open_private(path, os.O_CREAT | os.O_EXCL | os.O_RDWR))
    except FileExistsError:
        return


def _drive(work: Coroutine[Any, Any, R]) -> R:
    """Return the result of a coroutine that waits for nothing."""
    try:
        work.send(None)
    except StopIteration as ended:
        result: R = ended.value
        return result
    raise RuntimeError("an operation on a file waits for something else")


@lru_cache
def _insertion(table: str, columns: tuple[str, ...], instead: bool) -> str:
    """Return the statement that adds a row, or writes it instead of the one with its key."""
    names = [f'"{name}"' for name in columns if name not in _ABSENT.get(table, ())]
    changes = ", ".join(f"{name} = excluded.{name}" for name in names)
    marks = ", ".join("?" * len(names))
    rest = f" ON CONFLICT DO UPDATE SET {changes}" if instead else ""
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks}){rest}"


@lru_cache
def _column(name: str) -> str:
    """Return a column in SQL; that of a value in a JSON is looked up."""
    column, _, path = name.partition(".")
    return f"json_extract({column}, '$.{path}')" if path else f'"{column}"'


def _order_by(name: str) -> str:
    if name.startswith("-"):
        return f'"{name[1:]}" DESC'
    return f'"{name}" IS NULL, "{name}"' if name == "confidence" else f'"{name}"'


def _condition(table: str, where: Where, verdicts: str = "") -> tuple[str, list[Any]]:
    """Return a condition in SQL with its values; a plus as `verdicts` keeps these from being looked up by an index."""
    conditions, values = ["1"], list[Any]()
    for name, wanted in where.items():
        if wanted is None or name in _ABSENT.get(table, ()):
            continue
        column = f"{verdicts}{_column(name)}" if name in ("correct", "cause") else _column(name)
        match wanted:
            case str() | int():
                conditions.append(f"{column} = ?")
                values.append(wanted)
            case Among():
                given = [*wanted.values]
                few = len(given) <= _MARKED
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
    """Return a value as the column of that name keeps it."""
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
    """A RunStore in one SQLite file."""

    def __init__(self, path: Path | None, *, create: bool = True) -> None:
        """Open the file (None: in memory), and make it if it is missing and `create` is set.

        Raises:
            StoreError: The file cannot be opened, is not a run store, or has another version's schema.
        """
        super().__init__(SqliteTables(path, create=create))
