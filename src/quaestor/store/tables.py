"""What a database does for the stores: rows of tables, written and found by the names of their columns.

One schema for all databases. What a store does is written once over these operations (`RunStore`, `ScoreStore`); a
database has nothing but them to implement.
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
    "scored_columns": ("run", "score", "name"),
}
"""The tables, each with the columns that find one row. The triples of `ontology` are for people alone."""

LATEST_TURNS, JUDGED_TURNS = "latest_turns", "judged_turns"
"""The turns of those attempts that count; the same, each with the columns of its verdict beside its own."""

OF_RUNS = (
    "scores", "scored_examples", "scored_turns", "scored_columns", "graphs", "prompt_logs", "examples", "turns",
    "corrections",
)  # fmt: skip
"""The tables whose rows belong to a run; each loses first that by which it counts."""

JSON_COLUMNS = frozenset({
    "spec", "answer", "events", "references", "sources", "tool_calls", "usage", "kg_stats", "metrics", "failed_turns",
    "history", "registers", "act", "changes",
})  # fmt: skip
FLAGS = frozenset({"verified", "correct", "program_correct"})


@dataclass(frozen=True, slots=True)
class Among:
    """One of some values."""

    values: Iterable[str | int | bytes]


@dataclass(frozen=True, slots=True)
class Between:
    """From one number to another; None means no limit."""

    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Containing:
    """A text that has another one in it, whatever the case of its ASCII letters."""

    text: str


@dataclass(frozen=True, slots=True)
class Other:
    """Any value but this one; of None, any value."""

    value: str | float | None


@dataclass(frozen=True, slots=True)
class Exactly:
    """This value; None means that there is none."""

    value: str | float | None


Where = Mapping[str, Any]
"""Columns with the value that is wanted, or a condition; None lets all through. `spec.solver` is a value in a JSON."""


class KeyTakenError(Exception):
    """A row with that key is there."""


class Tables(Protocol):
    """A database. Every operation may raise StoreError.

    Attributes:
        transactional: Whether an operation of a store is made as a whole, in a thread that may compute; else it may be
            made again after its reply was lost.
        reference: The column by which others refer to contents.
    """

    name: str
    transactional: bool
    reference: str

    async def perform(self, work: Callable[[], Coroutine[Any, Any, R]], verb: Verb, *, short: bool) -> R:
        """Return the result of an operation of a store; it is whole to other processes, if there are transactions.

        Args:
            work: Awaits nothing but operations of this object, and can be begun again.
            short: Whether it is a small one that writes, and may share a transaction with others.
        """
        ...

    @property
    def done_before(self) -> bool:
        """Whether the operation is being done again: what it finds may be its own."""
        ...

    async def insert(self, table: str, rows: Iterable[Row]) -> None:
        """Add rows. Raises KeyTakenError where a key is taken."""
        ...

    async def replace(self, table: str, rows: Sequence[Row]) -> list[Any]:
        """Write rows instead of those with their keys, if there are any; returns what refers to each, of contents."""
        ...

    async def change(self, table: str, where: Where, values: Row) -> int:
        """Set columns of rows; returns of how many."""
        ...

    async def delete(self, table: str, where: Where) -> int:
        """Take rows away; returns how many."""
        ...

    async def find(
        self, table: str, columns: Sequence[str], where: Where, order: Sequence[str] = (), part: ListPart | None = None
    ) -> list[Row]:
        """Return columns of rows.

        Args:
            order: Columns; one with a minus from the largest down. Rows without a value come last.
        """
        ...

    async def count(self, table: str, by: Sequence[str], where: Where) -> list[tuple[Any, ...]]:
        """Return the values of columns that rows have together, each with the number of rows that have them.

        Args:
            by: `number?` is whether a row has a number.
        """
        ...

    async def clock(self) -> float:
        """Return the time in seconds by the clock that all who share the database go by."""
        ...

    async def find_damage(self) -> list[str]:
        """Return what is broken below the tables, a line each: the file, an index, what a row refers to."""
        ...

    async def compact(self) -> tuple[int, int] | None:
        """Make a file as small as it can be; returns its bytes before and after, None of a server."""
        ...

    async def close(self) -> None:
        """Let go of files and connections. A second call does nothing."""
        ...


async def compute_for(tables: Tables, work: Callable[..., R], *given: Any) -> R:
    """Return what takes a while to compute, as part of an operation: elsewhere than in the event loop."""
    return work(*given) if tables.transactional else await compute(work, *given)


class TableStore:
    """A store over the tables of a database; leaving a block of it closes it."""

    def __init__(self, tables: Tables) -> None:
        self._tables, self._name = tables, tables.name

    async def close(self) -> None:
        """Let go of files and connections. A second call does nothing."""
        await self._tables.close()

    async def __aenter__(self) -> Self:
        """Return the store."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
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


def operation(verb: Verb, *, short: bool = False) -> Callable[[Operation[S, P, R]], Operation[S, P, R]]:
    """Make a method one operation of its database, as `Tables.perform` has it."""

    def decorate(work: Operation[S, P, R]) -> Operation[S, P, R]:
        @wraps(work)
        async def run(store: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
            given: Any = args
            if not store._tables.transactional:  # what can be read but once is read here
                given = tuple(tuple(one) if isinstance(one, Iterator) else one for one in args)
            return await store._tables.perform(partial(work, store, *given, **kwargs), verb, short=short)

        return run

    return decorate


@lru_cache
def columns_of(kind: "type[DataclassInstance]") -> tuple[str, ...]:
    """Return the columns that a record is kept in."""
    return tuple(item.name for item in fields(kind))


@lru_cache
def _numbers(kind: "type[DataclassInstance]") -> tuple[str, ...]:
    return tuple(item.name for item in fields(kind) if item.type in (int, float, int | None, float | None))


def row_of(*records: "DataclassInstance") -> Row:
    """Return the row that some records are together."""
    return {name: getattr(record, name) for record in records for name in columns_of(type(record))}


def record_of(kind: "type[D]", row: Row) -> "D":
    """Return the record that a row is; what older rows lack has its default. Raises ValueError if it is damaged."""
    if any(isinstance(row.get(name), str | bytes) for name in _numbers(kind)):
        raise ValueError("a number is stored as text")
    return kind(**{name: row[name] for name in columns_of(kind) if name in row})


def turns_where(run: str, text: str = "", low: float | None = None, high: float | None = None, **same: Any) -> Row:
    """Return the condition that a filter of turns is."""
    sure = None if low is None and high is None else Between(low, high)
    return {"run": run, **same, "confidence": sure, "question": Containing(text) if text else None}
