"""The judged turns of a run, column by column: what comparisons and reports count and draw from.

Owns that a run of a hundred thousand turns is counted without an object a turn; one is made where a turn is looked at.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, overload

from quaestor.scores.columns import JudgedColumns
from quaestor.scoring.bootstrap import group_places
from quaestor.scoring.scorers import Measures, Verdict

if TYPE_CHECKING:
    from quaestor.scoring.bootstrap import Numbers

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ComparedTurn:
    """A turn of a run, as far as a comparison needs it.

    Attributes:
        conversation: The conversation's id.
        turn: Its place in it, from 0.
        page: The document's id.
        company: Whose document it is.
        classes: Its class in each breakdown, by the breakdown's property.
        answer: As `quaestor.core.answer_value.value_to_text` writes it, or None.
        verdicts: By the name of each scorer.
        confidence: The solver's probability that the answer is right, or None.
        cause: Why it is wrong, where that was asked for.
    """

    conversation: str
    turn: int
    page: str
    company: str
    classes: Mapping[str, str]
    answer: str | None
    verdicts: Mapping[str, Verdict]
    confidence: float | None = None
    cause: str | None = None


class _Column(Sequence[T]):
    """A column that is unpacked when a value of it is first asked for."""

    def __init__(self, unpack: Callable[[], Sequence[T]], length: int) -> None:
        self._unpack, self._length = unpack, length

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        return iter(self._unpack())

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return self._unpack()[index]


@dataclass(frozen=True, eq=False)
class JudgedTurns(Sequence[ComparedTurn]):
    """The judged turns of a run; each attribute has the value of every turn, in one order.

    Attributes:
        conversations: As in ComparedTurn, like the others.
        places: Its `turn`.
        pages: Its `page`.
        companies: Its `company`.
        classes: By the breakdown's property; "" of a turn that has no such class.
        answers: Its `answer`.
        verdicts: By the name of each scorer.
        confidences: Its `confidence`.
        causes: Its `cause`.
        asked: Equal in runs that are known to have the same turns in one order; None where that is not known.
    """

    conversations: Sequence[str]
    places: Sequence[int]
    pages: Sequence[str]
    companies: Sequence[str]
    classes: Mapping[str, Sequence[str]]
    answers: Sequence[str | None]
    verdicts: Mapping[str, Sequence[Verdict]]
    confidences: Sequence[float | None]
    causes: Sequence[str | None]
    asked: Sequence[bytes] | None = None

    def __len__(self) -> int:
        return len(self.places)

    @cached_property
    def page_groups(self) -> "Numbers":
        """The page of each turn, as its place among all of them."""
        return group_places(self.pages)

    @cached_property
    def company_groups(self) -> "Numbers":
        """The company of each turn, likewise."""
        return group_places(self.companies)

    def verdicts_of(self, scorer: str) -> "Numbers":
        """Returns the verdicts of a scorer as floats; where it cannot judge, what is not a number."""
        import numpy as np

        return np.array(self.verdicts[scorer], dtype=float)

    @overload
    def __getitem__(self, index: int) -> ComparedTurn: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ComparedTurn]: ...
    def __getitem__(self, index: int | slice) -> ComparedTurn | Sequence[ComparedTurn]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        return ComparedTurn(
            self.conversations[index],
            self.places[index],
            self.pages[index],
            self.companies[index],
            {by: names[index] for by, names in self.classes.items()},
            self.answers[index],
            {name: verdicts[index] for name, verdicts in self.verdicts.items()},
            self.confidences[index],
            self.causes[index],
        )

    def __iter__(self) -> Iterator[ComparedTurn]:
        return (self[place] for place in range(len(self)))

    @classmethod
    def of(cls, turns: Sequence[ComparedTurn]) -> "JudgedTurns":
        """Returns turns column by column."""
        properties = dict.fromkeys(by for turn in turns for by in turn.classes)
        scorers = dict.fromkeys(name for turn in turns for name in turn.verdicts)
        return cls(
            [turn.conversation for turn in turns],
            [turn.turn for turn in turns],
            [turn.page for turn in turns],
            [turn.company for turn in turns],
            {by: [turn.classes.get(by, "") for turn in turns] for by in properties},
            [turn.answer for turn in turns],
            {name: [turn.verdicts[name] for turn in turns] for name in scorers},
            [turn.confidence for turn in turns],
            [turn.cause for turn in turns],
        )

    @classmethod
    def kept(cls, columns: JudgedColumns, measures: Measures) -> "JudgedTurns":
        """Returns what is kept of a run's latest score.

        Args:
            columns: The verdicts with what was answered.
            measures: What was measured.
        """
        pages = columns.documents
        companies = {page: page.partition("/")[0] for page in dict.fromkeys(pages)}
        names = [f"turn {place + 1}" for place in range(max(columns.indexes, default=-1) + 1)]
        return cls(
            _Column(lambda: columns.conversations, len(pages)),
            columns.indexes,
            pages,
            [companies[page] for page in pages],
            {"turn": [names[place] for place in columns.indexes]},
            columns.numbers,
            {measures.right: columns.correct, measures.beside: _Column(lambda: columns.program_correct, len(pages))},
            _Column(lambda: columns.confidences, len(pages)),
            _Column(lambda: columns.causes, len(pages)),
            columns.asked,
        )

    def order_of(self, other: "JudgedTurns") -> Sequence[int] | None:
        """Returns at which place of another run's turns each of these stands; None where they are other turns."""
        if self.asked is not None and self.asked == other.asked:
            return range(len(self))
        places = {key: place for place, key in enumerate(zip(other.conversations, other.places, strict=True))}
        mine = list(zip(self.conversations, self.places, strict=True))
        if places.keys() != set(mine):
            return None
        return [places[key] for key in mine]

    def taken(self, order: Sequence[int]) -> "JudgedTurns":
        """Returns the turns at some places, in that order."""
        if list(order) == list(range(len(self))):
            return self
        return JudgedTurns.of([self[place] for place in order])
