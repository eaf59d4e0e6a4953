"""The embedded run store: one SQLite file, no server.

Owns the schema and its version. The write-ahead log and one transaction an operation let it survive `kill -9` at
any moment; several processes may write at once. Statements are short (tens of microseconds), so they run where they
are called instead of in a thread; only a wait for another writer can hold the event loop up.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from rapidfuzz import process

from quaestor.errors import DuplicateRecordError, StoreError, UnknownRunError
from quaestor.store.records import ExampleRecord, ExampleStatus, RunRecord, RunStatus, TurnRecord

SCHEMA_VERSION = 1
APPLICATION_ID = 0x51554145  # "QUAE": tells our files from other SQLite databases
BUSY_SECONDS = 30.0

# A new collection is a table here, a record in records.py, and a raised SCHEMA_VERSION.
_SCHEMA = (
    """CREATE TABLE runs (
        id TEXT PRIMARY KEY, spec JSON NOT NULL, spec_digest TEXT NOT NULL, dataset TEXT NOT NULL,
        dataset_digest TEXT NOT NULL, conversations INTEGER NOT NULL, started TEXT NOT NULL, status TEXT NOT NULL,
        finished TEXT)""",
    """CREATE TABLE examples (
        run TEXT NOT NULL REFERENCES runs (id), conversation TEXT NOT NULL, document TEXT NOT NULL,
        status TEXT NOT NULL, turns INTEGER NOT NULL, started TEXT, finished TEXT, error TEXT,
        PRIMARY KEY (run, conversation))""",
    """CREATE TABLE turns (
        run TEXT NOT NULL, conversation TEXT NOT NULL, "index" INTEGER NOT NULL, question TEXT NOT NULL,
        answer JSON NOT NULL, program TEXT, number TEXT, verified INTEGER NOT NULL, started TEXT NOT NULL,
        finished TEXT NOT NULL, error TEXT, sources JSON NOT NULL, understanding TEXT, tool_calls JSON NOT NULL,
        usage JSON NOT NULL, PRIMARY KEY (run, conversation, "index"),
        FOREIGN KEY (run, conversation) REFERENCES examples (run, conversation))""",
)
_JSON = frozenset({"spec", "answer", "sources", "tool_calls", "usage"})
_TIMES = frozenset({"started", "finished"})
_FLAGS = frozenset({"verified"})

_ADVICE = {
    "SQLITE_NOTADB": "it is not a SQLite database; name another file",
    "SQLITE_CORRUPT": "the file is damaged; name another file, or restore this one from a copy",
    "SQLITE_READONLY": "it is read-only",
    "SQLITE_FULL": "the disk is full",
    "SQLITE_BUSY": f"another process has been writing for {BUSY_SECONDS:.0f} s; try again later",
    "SQLITE_CANTOPEN": "it cannot be opened; is its folder there, and may you write to it?",
}

Record = TypeVar("Record", RunRecord, ExampleRecord, TurnRecord)


class SqliteStore:
    """A RunStore in one SQLite file. Belongs to the thread that opened it."""

    def __init__(self, path: Path | None, *, create: bool = True) -> None:
        """Opens the file, and makes it and its folder where they are missing and `create` is set.

        Args:
            path: The file; None keeps everything in memory.
            create: Whether a missing file is made.

        Raises:
            StoreError: The file cannot be opened, is not a run store, or has another version's schema.
        """
        self._name = str(path) if path else "the store in memory"
        if path and path.is_dir():
            raise StoreError(f"{path} is a folder, not a run store: name a file in it, such as {path / 'runs.db'}")
        if path and not create and not path.exists():
            raise StoreError(f"there is no run store at {path}: a first run makes one, or name another")
        with self._reporting("open"):
            if path:
                path.parent.mkdir(parents=True, exist_ok=True)
            # Autocommit: every transaction is begun by hand, as a writer from its first statement.
            self._db = sqlite3.connect(path or ":memory:", timeout=BUSY_SECONDS, isolation_level=None)
        try:
            with self._reporting("open"):
                self._prepare()
        except BaseException:
            self._db.close()
            raise

    def _prepare(self) -> None:
        self._db.row_factory = sqlite3.Row
        self._db.execute("PRAGMA foreign_keys = ON")
        if self._version() == 0:
            with self._transaction():
                # Looked up again: another process may have made the tables while this one waited.
                if self._version() == 0:
                    for statement in _SCHEMA:
                        self._db.execute(statement)
                    self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
                    self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        self._db.execute("PRAGMA journal_mode = WAL")
        # In the write-ahead log NORMAL survives the end of the process; only a power cut may cost the last commits.
        self._db.execute("PRAGMA synchronous = NORMAL")

    def _version(self) -> int:
        """Returns 0 for an empty file and SCHEMA_VERSION for ours; anything else is a StoreError."""
        version = int(self._db.execute("PRAGMA user_version").fetchone()[0])
        application = int(self._db.execute("PRAGMA application_id").fetchone()[0])
        tables = int(self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
        if tables == 0 and version == 0:
            return 0
        if application != APPLICATION_ID:
            raise StoreError(f"{self._name} is a SQLite database of another program: name another file")
        if version != SCHEMA_VERSION:
            raise StoreError(
                f"{self._name} has schema version {version}, this quaestor reads {SCHEMA_VERSION}: "
                "use the quaestor that wrote it, or name another file"
            )
        return version

    async def create_run(self, run: RunRecord) -> None:
        """Adds a run."""
        with self._reporting("write to"), self._transaction():
            try:
                self._insert("runs", run)
            except sqlite3.IntegrityError as error:
                raise DuplicateRecordError(f"{self._name} has a run {run.id!r} already") from error

    async def resume_run(self, run: str) -> None:
        """Sets a run back to `running`."""
        self._set_status(run, "running", None)

    async def finish_run(self, run: str, status: RunStatus, finished: datetime) -> None:
        """Sets how a run came to its end."""
        self._set_status(run, status, finished)

    def _set_status(self, run: str, status: RunStatus, finished: datetime | None) -> None:
        with self._reporting("write to"), self._transaction():
            self._require(run)
            values = (status, _encode("finished", finished), run)
            self._db.execute("UPDATE runs SET status = ?, finished = ? WHERE id = ?", values)

    async def runs(self) -> tuple[RunRecord, ...]:
        """Returns all runs, the latest first."""
        return self._select(RunRecord, "runs ORDER BY started DESC, id DESC")

    async def run(self, run: str) -> RunRecord:
        """Returns one run."""
        found = self._select(RunRecord, "runs WHERE id = ?", run)
        if not found:
            raise self._unknown(run)
        return found[0]

    async def begin_example(self, example: ExampleRecord) -> None:
        """Notes that a conversation is being played."""
        with self._reporting("write to"), self._transaction():
            self._replace_example(example)

    async def complete_example(self, example: ExampleRecord, turns: Sequence[TurnRecord]) -> None:
        """Keeps a conversation's end and all its turns, or nothing."""
        with self._reporting("write to"), self._transaction():
            self._replace_example(example)
            for turn in turns:
                try:
                    self._insert("turns", turn)
                except sqlite3.IntegrityError as error:
                    where = f"turn {turn.index} of conversation {turn.conversation!r} in run {turn.run!r}"
                    raise DuplicateRecordError(f"{self._name} has {where} already, or not its conversation") from error

    def _replace_example(self, example: ExampleRecord) -> None:
        self._require(example.run)
        key = (example.run, example.conversation)
        row = self._db.execute("SELECT status FROM examples WHERE run = ? AND conversation = ?", key).fetchone()
        if row and row["status"] == "complete":
            raise DuplicateRecordError(
                f"conversation {example.conversation!r} of run {example.run!r} is complete already ({self._name}): "
                "is another process finishing this run?"
            )
        self._db.execute("DELETE FROM turns WHERE run = ? AND conversation = ?", key)
        self._db.execute("DELETE FROM examples WHERE run = ? AND conversation = ?", key)
        self._insert("examples", example)

    async def examples(self, run: str) -> tuple[ExampleRecord, ...]:
        """Returns a run's conversations as far as they were begun, by id."""
        await self.run(run)
        return self._select(ExampleRecord, "examples WHERE run = ? ORDER BY conversation", run)

    async def progress(self, run: str) -> Mapping[ExampleStatus, int]:
        """Returns how many of a run's conversations have each status."""
        await self.run(run)
        with self._reporting("read"):
            rows = self._db.execute("SELECT status, count(*) FROM examples WHERE run = ? GROUP BY status", (run,))
            return dict(rows)

    async def turns(self, run: str, conversation: str | None = None) -> tuple[TurnRecord, ...]:
        """Returns the turns of a run or of one of its conversations, by conversation and index."""
        await self.run(run)
        if conversation is None:
            return self._select(TurnRecord, 'turns WHERE run = ? ORDER BY conversation, "index"', run)
        return self._select(TurnRecord, 'turns WHERE run = ? AND conversation = ? ORDER BY "index"', run, conversation)

    async def turn(self, run: str, conversation: str, index: int) -> TurnRecord:
        """Returns one turn."""
        turns = await self.turns(run, conversation)
        for turn in turns:
            if turn.index == index:
                return turn
        kept = f"it has {len(turns)} turns there, counted from 0" if turns else "nothing is stored for it"
        raise StoreError(f"run {run!r} has no turn {index} of conversation {conversation!r}: {kept}")

    async def close(self) -> None:
        """Lets go of the file."""
        with self._reporting("close"):
            self._db.close()

    async def __aenter__(self) -> Self:
        """Returns the store; leaving the block closes it."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes the store."""
        await self.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
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
            raise StoreError(f"cannot {verb} {self._name}: a text holds half a surrogate pair") from error
        except StoreError:
            raise
        except OSError as error:
            raise StoreError(f"cannot {verb} {self._name}: {error.strerror}") from error

    def _require(self, run: str) -> None:
        if self._db.execute("SELECT 1 FROM runs WHERE id = ?", (run,)).fetchone() is None:
            raise self._unknown(run)

    def _unknown(self, run: str) -> UnknownRunError:
        ids = [row["id"] for row in self._db.execute("SELECT id FROM runs ORDER BY started DESC, id DESC")]
        near = [match[0] for match in process.extract(run, ids, limit=3, score_cutoff=75)]
        if near:
            hint = f"the nearest are {', '.join(near)}"
        else:
            hint = f"the latest are {', '.join(ids[:3])}" if ids else "it has no runs yet"
        return UnknownRunError(f"{self._name} has no run {run!r}: {hint}")

    def _insert(self, table: str, record: RunRecord | ExampleRecord | TurnRecord) -> None:
        names = [item.name for item in fields(record)]
        columns, marks = ", ".join(f'"{name}"' for name in names), ", ".join("?" * len(names))
        values = [_encode(name, getattr(record, name)) for name in names]
        self._db.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", values)

    def _select(self, kind: type[Record], rest: str, *values: str) -> tuple[Record, ...]:
        with self._reporting("read"):
            rows = self._db.execute(f"SELECT * FROM {rest}", values).fetchall()
        return tuple(kind(**{name: _decode(name, row[name]) for name in row.keys()}) for row in rows)  # noqa: SIM118


def _encode(name: str, value: object) -> str | int | None:
    if name in _JSON:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="milliseconds")
    assert value is None or isinstance(value, str | int)
    return value


def _decode(name: str, value: Any) -> Any:
    if name in _JSON:
        return json.loads(value)
    if name in _TIMES and value is not None:
        return datetime.fromisoformat(value)
    return bool(value) if name in _FLAGS else value
