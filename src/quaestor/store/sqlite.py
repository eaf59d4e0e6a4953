"""The embedded run store: one SQLite file, no server.

Owns the statements; the tables are in sqlite_schema.py. The write-ahead log and one transaction an operation let it
survive `kill -9` at any moment; several processes may write at once. Operations run one after the other, in the order
in which they were called, in a thread of the store's own: neither a large graph nor a wait for another writer holds the
event loop up.
"""

import asyncio
import json
import sqlite3
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import fields
from datetime import UTC, datetime
from functools import partial, wraps
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from quaestor.core.triples import Triple
from quaestor.errors import StoreError, UnknownRunError
from quaestor.store import errors as refusals
from quaestor.store.records import (
    ConversationRecord,
    ExampleStatus,
    PromptRecord,
    RunRecord,
    RunStatus,
    TurnRecord,
    now,
)
from quaestor.store.sqlite_schema import APPLICATION_ID, SCHEMA_VERSION, STEPS

BUSY_SECONDS = 30.0

_JSON = frozenset({"spec", "answer", "events", "references", "sources", "tool_calls", "usage", "kg_stats"})
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

Record = TypeVar("Record", RunRecord, ConversationRecord, TurnRecord, PromptRecord)


P = ParamSpec("P")
R = TypeVar("R")


def _in_order(
    operation: Callable[Concatenate["SqliteStore", P], R],
) -> Callable[Concatenate["SqliteStore", P], Coroutine[Any, Any, R]]:
    """Makes an operation one that is awaited, and runs in the store's thread, after those that were called before."""

    @wraps(operation)
    async def run(store: "SqliteStore", /, *args: P.args, **kwargs: P.kwargs) -> R:
        work = partial(operation, store, *args, **kwargs)
        # A store that is closed has no thread any more, and says so itself.
        return work() if store._closed else await asyncio.get_running_loop().run_in_executor(store._thread, work)

    return run


class SqliteStore:
    """A RunStore in one SQLite file. It is opened at once; every operation then runs in a thread of its own."""

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
        self._db.execute("PRAGMA foreign_keys = ON")
        with self._transaction("DEFERRED"):
            version = self._version()
        if version < SCHEMA_VERSION:
            with self._transaction():
                # Looked up again: another process may have made the tables while this one waited.
                for step in STEPS[self._version() :]:
                    for statement in step:
                        self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
                self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        self._db.execute("PRAGMA journal_mode = WAL")
        # In the write-ahead log NORMAL survives the end of the process; only a power cut may cost the last commits.
        self._db.execute("PRAGMA synchronous = NORMAL")

    def _version(self) -> int:
        """Returns 0 for an empty file and 1 to SCHEMA_VERSION for ours; anything else is a StoreError.

        Called within a transaction: between two of its looks another process may make the tables.
        """
        version = int(self._db.execute("PRAGMA user_version").fetchone()[0])
        application = int(self._db.execute("PRAGMA application_id").fetchone()[0])
        tables = int(self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
        if tables == 0 and version == 0:
            return 0
        if application != APPLICATION_ID:
            raise StoreError(f"{self._name} is a SQLite database of another program: name another file")
        if not 0 < version <= SCHEMA_VERSION:
            raise StoreError(
                f"{self._name} has schema version {version}, this quaestor reads up to {SCHEMA_VERSION}: "
                "use the quaestor that wrote it, or name another file"
            )
        return version

    @_in_order
    def create_run(self, run: RunRecord) -> None:
        """Adds a run."""
        with self._reporting("write to"), self._transaction():
            try:
                self._insert("runs", run)
            except sqlite3.IntegrityError as error:
                raise refusals.run_taken(self._name, run.id) from error

    @_in_order
    def resume_run(self, run: str) -> None:
        """Sets a run back to `running`."""
        self._set_status(run, "running", None)

    @_in_order
    def finish_run(self, run: str, status: RunStatus, finished: datetime) -> None:
        """Sets how a run came to its end."""
        self._set_status(run, status, finished)

    @_in_order
    def delete_run(self, run: str) -> None:
        """Takes a run away with all that belongs to it. The file keeps its size; later runs use the room."""
        with self._reporting("write to"), self._transaction():
            self._require(run)
            self._db.execute("DELETE FROM instances WHERE graph IN (SELECT id FROM graphs WHERE run = ?)", (run,))
            # What refers to others goes before them.
            for table in ("graphs", "prompt_logs", "turns", "examples"):
                self._db.execute(f"DELETE FROM {table} WHERE run = ?", (run,))
            self._db.execute("DELETE FROM runs WHERE id = ?", (run,))

    def _set_status(self, run: str, status: RunStatus, finished: datetime | None) -> None:
        with self._reporting("write to"), self._transaction():
            self._require(run)
            values = (status, _encode("finished", finished), run)
            self._db.execute("UPDATE runs SET status = ?, finished = ? WHERE id = ?", values)

    @_in_order
    def runs(self) -> tuple[RunRecord, ...]:
        """Returns all runs, the latest first."""
        return self._select(RunRecord, "runs ORDER BY started DESC, id DESC")

    @_in_order
    def run(self, run: str) -> RunRecord:
        """Returns one run."""
        self._check_run(run)
        return self._select(RunRecord, "runs WHERE id = ?", run)[0]

    @_in_order
    def begin_example(self, example: ConversationRecord) -> None:
        """Notes that a conversation is being played, and drops the turns and prompts of an earlier attempt."""
        with self._reporting("write to"), self._transaction():
            self._replace_example(example)
            key = (example.run, example.conversation)
            self._db.execute("DELETE FROM prompt_logs WHERE run = ? AND conversation = ?", key)

    @_in_order
    def complete_example(self, example: ConversationRecord, turns: Sequence[TurnRecord]) -> None:
        """Keeps a conversation's end and all its turns, or nothing."""
        refusals.check_turns(example, turns)
        with self._reporting("write to"), self._transaction():
            self._replace_example(example)
            for turn in turns:
                self._insert("turns", turn)

    def _replace_example(self, example: ConversationRecord) -> None:
        self._require(example.run)
        key = (example.run, example.conversation)
        row = self._db.execute("SELECT status FROM examples WHERE run = ? AND conversation = ?", key).fetchone()
        if row and row["status"] == "complete":
            raise refusals.complete_already(self._name, example)
        self._db.execute("DELETE FROM turns WHERE run = ? AND conversation = ?", key)
        self._db.execute("DELETE FROM examples WHERE run = ? AND conversation = ?", key)
        self._insert("examples", example)

    @_in_order
    def examples(self, run: str) -> tuple[ConversationRecord, ...]:
        """Returns a run's conversations as far as they were begun, by id."""
        self._check_run(run)
        return self._select(ConversationRecord, "examples WHERE run = ? ORDER BY conversation", run)

    @_in_order
    def progress(self, run: str) -> Mapping[ExampleStatus, int]:
        """Returns how many of a run's conversations have each status."""
        self._check_run(run)
        with self._reporting("read"):
            rows = self._db.execute("SELECT status, count(*) FROM examples WHERE run = ? GROUP BY status", (run,))
            return dict(rows)

    @_in_order
    def turns(self, run: str, conversation: str | None = None) -> tuple[TurnRecord, ...]:
        """Returns the turns of a run or of one of its conversations, by conversation and index."""
        return self._turns(run, conversation)

    @_in_order
    def turn(self, run: str, conversation: str, index: int) -> TurnRecord:
        """Returns one turn."""
        return refusals.pick_turn(self._turns(run, conversation), run, conversation, index)

    def _turns(self, run: str, conversation: str | None) -> tuple[TurnRecord, ...]:
        self._check_run(run)
        if conversation is None:
            return self._select(TurnRecord, 'turns WHERE run = ? ORDER BY conversation, "index"', run)
        return self._select(TurnRecord, 'turns WHERE run = ? AND conversation = ? ORDER BY "index"', run, conversation)

    @_in_order
    def log_prompt(self, prompt: PromptRecord) -> None:
        """Keeps a request to a model and its reply."""
        with self._reporting("write to"), self._transaction():
            self._require(prompt.run)
            try:
                self._insert("prompt_logs", prompt)
            except sqlite3.IntegrityError as error:
                raise refusals.prompt_taken(self._name, prompt) from error

    @_in_order
    def prompts(self, run: str, conversation: str, turn: int | None = None) -> tuple[PromptRecord, ...]:
        """Returns the prompts of a conversation or of one of its turns, in the order of turns and numbers."""
        self._check_run(run)
        where = "prompt_logs WHERE run = ? AND conversation = ? AND turn = coalesce(?, turn) ORDER BY turn, number"
        return self._select(PromptRecord, where, run, conversation, turn)

    @_in_order
    def save_ontology(self, digest: str, triples: Iterable[tuple[str, str, str]]) -> None:
        """Keeps a frozen ontology under the digest of its content; one that is there already stays."""
        with self._reporting("write to"), self._transaction():
            made = "INSERT INTO ontologies (digest, created) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING id"
            for row in self._db.execute(made, (digest, _encode("created", now()))).fetchall():
                self._db.executemany("INSERT INTO ontology VALUES (?, ?, ?, ?)", _rows(row["id"], triples))

    @_in_order
    def load_ontology(self, digest: str) -> tuple[Triple, ...]:
        """Returns an ontology's triples, sorted."""
        with self._reporting("read"):
            rows = self._db.execute("SELECT id, digest FROM ontologies ORDER BY created DESC, id DESC").fetchall()
            for row in rows:
                if row["digest"] == digest:
                    return self._triples("ontology WHERE ontology = ?", row["id"])
        raise refusals.no_ontology(self._name, digest, [row["digest"] for row in rows[:3]])

    @_in_order
    def save_graph(self, run: str, conversation: str, triples: Iterable[tuple[str, str, str]]) -> None:
        """Keeps the graph of a conversation's document, instead of one that may be there."""
        with self._reporting("write to"), self._transaction():
            self._require(run)
            made = (
                "INSERT INTO graphs (run, conversation, created) VALUES (?, ?, ?) "
                "ON CONFLICT DO UPDATE SET created = excluded.created RETURNING id"
            )
            graph = self._db.execute(made, (run, conversation, _encode("created", now()))).fetchone()["id"]
            self._db.execute("DELETE FROM instances WHERE graph = ?", (graph,))
            self._db.executemany("INSERT INTO instances VALUES (?, ?, ?, ?)", _rows(graph, triples))

    @_in_order
    def load_graph(self, run: str, conversation: str) -> tuple[Triple, ...]:
        """Returns a graph's triples, sorted."""
        self._check_run(run)
        key = (run, conversation)
        with self._reporting("read"):
            row = self._db.execute("SELECT id FROM graphs WHERE run = ? AND conversation = ?", key).fetchone()
            if row is None:
                raise refusals.no_graph(self._name, run, conversation)
            return self._triples("instances WHERE graph = ?", row["id"])

    async def close(self) -> None:
        """Lets go of the file."""
        if not self._closed:
            self._closed = True
            await asyncio.get_running_loop().run_in_executor(self._thread, self._let_go)
            self._thread.shutdown(wait=False)

    def _let_go(self) -> None:
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
    def _transaction(self, mode: str = "IMMEDIATE") -> Iterator[None]:
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
            raise StoreError(f"cannot {verb} {self._name}: a text holds half a surrogate pair") from error
        except StoreError:
            raise
        except OSError as error:
            raise StoreError(f"cannot {verb} {self._name}: {error.strerror}") from error

    def _check_run(self, run: str) -> None:
        with self._reporting("read"):
            self._require(run)

    def _require(self, run: str) -> None:
        if self._db.execute("SELECT 1 FROM runs WHERE id = ?", (run,)).fetchone() is None:
            raise self._unknown(run)

    def _unknown(self, run: str) -> UnknownRunError:
        ids = [row["id"] for row in self._db.execute("SELECT id FROM runs ORDER BY started DESC, id DESC")]
        return refusals.unknown_run(self._name, run, ids)

    def _insert(self, table: str, record: RunRecord | ConversationRecord | TurnRecord | PromptRecord) -> None:
        names = [item.name for item in fields(record)]
        columns, marks = ", ".join(f'"{name}"' for name in names), ", ".join("?" * len(names))
        values = [_encode(name, getattr(record, name)) for name in names]
        self._db.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", values)

    def _select(self, kind: type[Record], rest: str, *values: str | int | None) -> tuple[Record, ...]:
        with self._reporting("read"):
            rows = self._db.execute(f"SELECT * FROM {rest}", values).fetchall()
        return tuple(kind(**{name: _decode(name, row[name]) for name in row.keys()}) for row in rows)  # noqa: SIM118

    def _triples(self, rest: str, *values: str | int) -> tuple[Triple, ...]:
        return tuple(Triple(*row) for row in self._db.execute(f"SELECT s, p, o FROM {rest} ORDER BY s, p, o", values))


def _rows(owner: int, triples: Iterable[tuple[str, str, str]]) -> list[tuple[int, str, str, str]]:
    return [(owner, s, p, o) for s, p, o in set(triples)]


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
