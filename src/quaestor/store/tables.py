"""Interface between stores and databases: rows of tables, addressed by column names.

All databases share one schema. The stores (`RunStore`, `ScoreStore`) are implemented once on top of these operations,
and a database implements nothing else.
"""

from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache, partial, wraps
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, Protocol, Self, TypeVar

from quaestor.core.computing import compute
from quaestor.errors import UnknownRunError
from quaestor.store.listing import ListPart

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    D = TypeVar("D", bound=DataclassInstance)

P = ParamSpec("P")
R = TypeVar("R")
Row = dict[str, Any]
Verb = Literal["read", "write to"]

KEYS: Mapping[str, tuple[str, ...]] = {
    "runs": ("id",),
    "examples": ("run", "conversation"),
    "turns": ("run", "conversation", "attempt", "index"),
    "prompt_logs": ("run", "conversation", "attempt", "turn", "number"),
    "corrections": ("run", "conversation", "attempt", "number"),
    "graphs": ("run", "conversation"),
    "frozen_graphs": ("document", "digest", "ontology", "version"),
    "ontologies": ("digest",),
    "ontology": ("digest", "s", "p", "o"),
    "contents": ("digest",),
    "scores": ("run", "id"),
    "scored_examples": ("run", "conversation", "score"),
    "scored_turns": ("run", "conversation", "index", "score"),
}
"""Tables with the columns of their keys. The triples in `ontology` are only for people who query the database."""

LATEST_TURNS, JUDGED_TURNS = "latest_turns", "judged_turns"
"""The turns of the current attempts; the same with the columns of their verdicts."""

OF_RUNS = (
    "scores", "scored_examples", "scored_turns", "graphs", "prompt_logs", "examples", "turns",
    "corrections",
)  # fmt: skip
"""Tables whose rows belong to a run, in order of deletion: the row that makes others valid goes first."""

JSON_COLUMNS = frozenset({
    "spec", "answer", "events", "references", "sources", "tool_calls", "usage", "kg_stats", "metrics", "failed_turns",
    "history", "registers", "act", "changes",
})  # fmt: skip
FLAGS = frozenset({"verified", "correct", "program_correct"})


@dataclass(frozen=True, slots=True)
class Among:
    """Matches any of several values."""

    values: Iterable[str | int | bytes]


@dataclass(frozen=True, slots=True)
class Between:
    """Matches an inclusive range; None means no limit."""

    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Containing:
    """Matches text that contains another text, ignoring the case of ASCII letters."""

    text: str


@dataclass(frozen=True, slots=True)
class Other:
    """Matches any other value; with None, any value that is set."""

    value: str | float | None


@dataclass(frozen=True, slots=True)
class Exactly:
    """Matches exactly this value; None matches missing values."""

    value: str | float | None


Where = Mapping[str, Any]
"""Columns with the required value or a condition; None matches all. `spec.solver` addresses a value inside JSON."""


class KeyTakenError(Exception):
    """The key of a row already exists."""


class Tables(Protocol):
    """Database interface. Every operation may raise StoreError.

    Attributes:
        transactional: Whether a store's operations run as transactions, in a thread that may block; otherwise an
            operation may be retried after its reply was lost.
        reference: The column by which other columns refer to contents.
    """

    name: str
    transactional: bool
    reference: str

    async def perform(self, work: Callable[[], Coroutine[Any, Any, R]], verb: Verb) -> R:
        """Run an operation that awaits only operations of this object, atomically if the database has transactions."""

    @property
    def done_before(self) -> bool:
        """Whether the operation is being retried, so that it may find its own results."""

    async def insert(self, table: str, rows: Iterable[Row]) -> None:
        """Add rows. Raises KeyTakenError if a key exists."""

    async def replace(self, table: str, rows: Sequence[Row]) -> list[Any]:
        """Insert rows, replacing those with the same keys; return the references to contents."""

    async def change(self, table: str, where: Where, values: Row) -> int:
        """Set columns of rows; return the number of rows."""

    async def delete(self, table: str, where: Where) -> int:
        """Delete rows; return the number of rows."""

    async def find(
        self, table: str, columns: Sequence[str], where: Where, order: Sequence[str] = (), part: ListPart | None = None
    ) -> list[Row]:
        """Return columns of rows; `-` before a column sorts it descending, and rows without a value come last."""

    async def count(self, table: str, by: Sequence[str], where: Where) -> list[tuple[Any, ...]]:
        """Return the distinct combinations of values, each with its number of rows; `number?`: if there is one."""

    async def clock(self) -> float:
        """Return the time in seconds by a clock that all users of the database share."""

    async def find_damage(self) -> list[str]:
        """Return low-level damage, one line each: of the file, an index, or a reference."""

    async def compact(self) -> tuple[int, int] | None:
        """Compact the database; return the size in bytes before and after, or None for a server."""

    async def close(self) -> None:
        """Close files and connections. May be called repeatedly."""


async def compute_for(tables: Tables, work: Callable[..., R], *given: Any) -> R:
    """Run a long computation within an operation, without blocking the event loop."""
    return work(*given) if tables.transactional else await compute(work, *given)


class TableStore:
    """Store over the tables of a database; an async context manager that closes it."""

    def __init__(self, tables: Tables) -> None:
        self._tables, self._name = tables, tables.name

    async def close(self) -> None:
        """Close files and connections. May be called repeatedly."""
        await self._tables.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _require(self, run: str) -> None:
        if not await self._tables.find("runs", ("id",), {"id": run}):
            raise await self._unknown_run(run)

    async def _unknown_run(self, run: str) -> UnknownRunError:
        from rapidfuzz import process  # only needed for a message

        found = await self._tables.find("runs", ("id",), {}, ("-started", "-id"))
        ids = [row["id"] for row in found]
        if near := [match[0] for match in process.extract(run, ids, limit=3, score_cutoff=75)]:
            hint = f"did you mean {' or '.join(near)}?"
        else:
            hint = f"the latest are {', '.join(ids[:3])}" if ids else "it is empty"
        return UnknownRunError(f"{self._name} does not contain run {run!r}; {hint}")

    async def _records(
        self, kind: "type[D]", table: str, where: Where, order: Sequence[str] = (), part: ListPart | None = None
    ) -> "tuple[D, ...]":
        return tuple(
            record_of(kind, row) for row in await self._tables.find(table, columns_of(kind), where, order, part)
        )

    async def _total(self, table: str, where: Where) -> int:
        return sum(count for (count,) in await self._tables.count(table, (), where))


S = TypeVar("S", bound=TableStore)
Operation = Callable[Concatenate[S, P], Coroutine[Any, Any, R]]


def operation(verb: Verb) -> Callable[[Operation[S, P, R]], Operation[S, P, R]]:
    """Make a method run as one operation of its database, through `Tables.perform`."""

    def decorate(work: Operation[S, P, R]) -> Operation[S, P, R]:
        @wraps(work)
        async def run(store: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
            given: Any = args
            if not store._tables.transactional:  # the operation may be retried, so iterators are read first
                given = tuple(tuple(one) if isinstance(one, Iterator) else one for one in args)
            return await store._tables.perform(partial(work, store, *given, **kwargs), verb)

        return run

    return decorate


@lru_cache
def columns_of(kind: "type[DataclassInstance]") -> tuple[str, ...]:
    """Return the columns of a record type."""
    return tuple(item.name for item in fields(kind))


@lru_cache
def _numbers(kind: "type[DataclassInstance]") -> tuple[str, ...]:
    return tuple(item.name for item in fields(kind) if item.type in (int, float, int | None, float | None))


def row_of(*records: "DataclassInstance") -> Row:
    """Merge records into one row."""
    return {name: getattr(record, name) for record in records for name in columns_of(type(record))}


def record_of(kind: "type[D]", row: Row) -> "D":
    """Return the record of a row, with defaults for missing columns. Raises ValueError if it is damaged."""
    if any(isinstance(row.get(name), str | bytes) for name in _numbers(kind)):
        raise ValueError("a number is stored as text")
    return kind(**{name: row[name] for name in columns_of(kind) if name in row})
