"""What lists of runs and turns are asked for, and what they give: filters, pages, and rows without what is large."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from pydantic import JsonValue

from quaestor.store.records import ExampleStatus, RunKind, RunStatus, TurnStatus

T = TypeVar("T")
R = TypeVar("R")
TurnOrder = Literal["conversation", "confidence"]
TurnClass = Literal["index", "kind", "operation", "origin"]

MOST = 500
"""The longest part of a list that is given at once."""


@dataclass(frozen=True, slots=True)
class ListPart:
    """Which part of a list is wanted.

    Attributes:
        limit: How many it has at most; 1 to MOST.
    """

    offset: int = 0
    limit: int = 50

    def __post_init__(self) -> None:
        if not 0 <= self.offset < 1 << 62 or not 1 <= self.limit <= MOST:
            raise ValueError(f"{self} is not a valid part of a list; it starts at 0 or later and has 1 to {MOST} items")


@dataclass(frozen=True, slots=True)
class ListPage(Generic[T]):
    """A part of a list."""

    items: tuple[T, ...]
    total: int
    part: ListPart = field(default_factory=ListPart)

    def map(self, change: Callable[[T], R]) -> "ListPage[R]":
        """Return the same part with each item changed."""
        return ListPage(tuple(map(change, self.items)), self.total, self.part)


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs are listed; None lets all through."""

    kinds: tuple[RunKind, ...] | None = None
    datasets: tuple[str, ...] | None = None
    solver: str | None = None
    model: str | None = None
    status: RunStatus | None = None


@dataclass(frozen=True, slots=True)
class RunChoices:
    """What there is to filter runs by; each sorted, each value once."""

    datasets: tuple[str, ...]
    solvers: tuple[str, ...]
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TurnFilter:
    """Which turns of a run are listed; None lets all through. Those of the attempt that counts alone.

    Attributes:
        text: What the question has in it, whatever the case of its ASCII letters; "" lets all through.
        index: At this place of their conversation, from 0.
        low: With a confidence of at least this; turns without one are left out.
        high: With a confidence of at most this, likewise.
        order: `conversation`: by conversation and index; `confidence`: the least sure first, those without one last.
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
    """A turn as a list shows it. The attributes are those of `TurnRecord` and `TurnClasses`."""

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
    """The conversations of a run, as far as they were begun, counted.

    Attributes:
        frozen: Of how many of those it was taken from the store, and not built.
        usage: What they used of models, all attempts included, by the names of `ConversationRecord.usage`.
    """

    statuses: Mapping[ExampleStatus, int]
    turns: int
    graphs: int
    frozen: int
    usage: Mapping[str, int]


TurnCounts = Mapping[str | int | None, int]
"""How many turns have each class."""
