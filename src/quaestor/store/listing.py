"""Filters, pages and entries of lists of runs and turns, without large fields."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from pydantic import ConfigDict, JsonValue

from quaestor.store.records import ExampleStatus, RunKind, RunStatus, TurnStatus

T = TypeVar("T")
R = TypeVar("R")
TurnOrder = Literal["conversation", "confidence"]
TurnClass = Literal["index", "kind", "operation", "origin"]

MOST = 500
"""Maximum number of items in one part of a list."""


@dataclass(frozen=True, slots=True)
class ListPart:
    """Requested part of a list."""

    offset: int = 0
    limit: int = 50

    def __post_init__(self) -> None:
        if not 0 <= self.offset < 1 << 62 or not 1 <= self.limit <= MOST:
            raise ValueError(f"{self} is not a valid part of a list; it starts at 0 or later and has 1 to {MOST} items")

    def page(self, items: Iterable[T], total: int) -> "ListPage[T]":
        """Return the page with the items of this part."""
        return ListPage(tuple(items), total, self.offset, self.limit)

    def page_of(self, items: Sequence[T]) -> "ListPage[T]":
        """Return the page with this part of all items."""
        return self.page(items[self.offset : self.offset + self.limit], len(items))


@dataclass(frozen=True, slots=True)
class ListPage(Generic[T]):
    """A part of a list.

    Attributes:
        total: The number of items in the whole list.
        offset: The number of items skipped.
        limit: The maximum number of items.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    items: tuple[T, ...]
    total: int
    offset: int
    limit: int

    def map(self, change: Callable[[T], R]) -> "ListPage[R]":
        """Apply a function to each item."""
        return ListPage(tuple(map(change, self.items)), self.total, self.offset, self.limit)


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Filter of runs; None matches all."""

    kinds: tuple[RunKind, ...] | None = None
    datasets: tuple[str, ...] | None = None
    solver: str | None = None
    model: str | None = None
    status: RunStatus | None = None


@dataclass(frozen=True, slots=True)
class RunChoices:
    """Available values of run filters, sorted and without duplicates."""

    datasets: tuple[str, ...]
    solvers: tuple[str, ...]
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TurnFilter:
    """Filter of a run's turns from the current attempts; None matches all.

    Attributes:
        text: Text in the question, ignoring the case of ASCII letters; "" matches all.
        index: Index in the conversation, from 0.
        low: Minimum confidence; excludes turns without one.
        high: Maximum confidence; excludes turns without one.
        order: `conversation`: by conversation and index; `confidence`: lowest first, turns without one last.
    """

    text: str = ""
    conversation: str | None = None
    index: int | None = None
    kind: str | None = None
    operation: str | None = None
    origin: str | None = None
    low: float | None = None
    high: float | None = None
    order: TurnOrder = "conversation"


@dataclass(frozen=True, slots=True)
class TurnListing:
    """List entry of a turn. Its attributes are those of `TurnRecord` and `TurnClasses`."""

    conversation: str
    index: int
    question: str
    answer: dict[str, JsonValue]
    number: str | None
    error: str | None
    status: TurnStatus
    kind: str
    operation: str | None
    origin: str | None
    confidence: float | None


@dataclass(frozen=True, slots=True)
class ConversationCounts:
    """Counts of the conversations of a run that were begun."""

    statuses: Mapping[ExampleStatus, int]
    turns: int
    graphs: int
    frozen: int
    usage: Mapping[str, int]


TurnCounts = Mapping[str | int | None, int]
"""Number of turns in each class."""
