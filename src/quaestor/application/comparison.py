"""Two judged runs of the same questions, turn beside turn, and what that comes to.

Owns the pairing. Whether a difference is more than chance is
computed in `quaestor.scoring.paired`; which runs are compared, and by whose verdicts, in `compared_runs`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, overload

from quaestor.application.judged_turns import ComparedTurn, JudgedTurns
from quaestor.errors import InputError, unknown_name
from quaestor.scoring.bootstrap import group_members, group_places
from quaestor.scoring.paired import PairedFigures, paired_figures
from quaestor.scoring.sameness import same_answers
from quaestor.scoring.scorers import Verdict

if TYPE_CHECKING:
    from quaestor.scoring.bootstrap import Numbers


class Judged(Protocol):
    """A turn of a run with verdicts, by the names of scorers."""

    @property
    def conversation(self) -> str:
        """The conversation's id."""

    @property
    def turn(self) -> int:
        """The turn's place in it, from 0."""

    @property
    def verdicts(self) -> Mapping[str, Verdict]:
        """Right or wrong, by the name of each scorer; None where it cannot judge."""


T = TypeVar("T", bound=Judged)


@dataclass(frozen=True, slots=True)
class PairedTurn(Generic[T]):
    """One turn of two runs.

    Attributes:
        first: Its score in the first run.
        second: Its score in the second.
    """

    first: T
    second: T


@dataclass(frozen=True, slots=True)
class RunComparison(Generic[T]):
    """The turns of two runs, each once, by what a scorer says of them.

    Attributes:
        scorer: The name of the scorer.
        both: Right in both runs.
        only_first: Right in the first run alone.
        only_second: Right in the second run alone.
        neither: Wrong in both.
        unjudged: Those that the scorer cannot judge in one of the runs, for want of what it needs.
    """

    scorer: str
    both: tuple[PairedTurn[T], ...]
    only_first: tuple[PairedTurn[T], ...]
    only_second: tuple[PairedTurn[T], ...]
    neither: tuple[PairedTurn[T], ...]
    unjudged: tuple[PairedTurn[T], ...]

    @property
    def judged(self) -> tuple[PairedTurn[T], ...]:
        """The turns that were judged in both runs."""
        return (*self.both, *self.only_first, *self.only_second, *self.neither)


def pair_turns(first: Sequence[T], second: Sequence[T], scorer: str) -> RunComparison[T]:
    """Returns the judged turns of two runs of the same questions, paired.

    Args:
        first: The turns of one run.
        second: Those of the other, in any order.
        scorer: The name of the scorer whose verdicts are compared.

    Raises:
        InputError: A turn is in one run alone, or none has a verdict of that name.
    """
    others = {(turn.conversation, turn.turn): turn for turn in second}
    if others.keys() != {(turn.conversation, turn.turn) for turn in first}:
        raise InputError(_OTHER_TURNS)
    pairs = [PairedTurn(turn, others[turn.conversation, turn.turn]) for turn in first]
    known = {name for pair in pairs for name in pair.first.verdicts}
    if scorer not in known:
        raise InputError(_no_verdict(scorer, known))
    found: dict[tuple[bool, bool] | None, list[PairedTurn[T]]] = {}
    for pair in pairs:
        one, other = pair.first.verdicts[scorer], pair.second.verdicts[scorer]
        found.setdefault(None if one is None or other is None else (one == 1, other == 1), []).append(pair)

    def those(key: tuple[bool, bool] | None) -> tuple[PairedTurn[T], ...]:
        return tuple(found.get(key, ()))

    return RunComparison(
        scorer, those((True, True)), those((True, False)), those((False, True)), those((False, False)), those(None)
    )


_OTHER_TURNS = "the runs have different turns: compare runs of the same file"


def _no_verdict(scorer: str, known: Iterable[str]) -> str:
    return unknown_name("scorer", scorer, sorted(known), where="for these runs")


@dataclass(frozen=True, slots=True)
class Agreement:
    """How right two runs are where they say the same, and where they do not.

    Which answers are the same says `quaestor.scoring.sameness`.

    Attributes:
        same: Turns with the same answer.
        first_right: How many of them are right in the first run.
        second_right: How many are right in the second, which may have rounded them away.
        different: The other turns, those included that one of the two does not answer.
        first_right_apart: How many of those are right in the first run.
        second_right_apart: How many are right in the second.
    """

    same: int
    first_right: int
    second_right: int
    different: int
    first_right_apart: int
    second_right_apart: int


@dataclass(frozen=True, slots=True)
class PairedGroup:
    """One class of a breakdown: its name, and the figures over its turns."""

    name: str
    figures: PairedFigures


@dataclass(frozen=True, slots=True)
class PairedBreakdown:
    """The turns of two runs split by one property, as `quaestor.scoring.figures.Breakdown`."""

    by: str
    groups: tuple[PairedGroup, ...]


@dataclass(frozen=True, slots=True)
class PairReport:
    """What the comparison of two runs comes to.

    Attributes:
        first: The id of one run.
        second: That of the other.
        figures: Over all turns that were judged in both.
        agreement: How right they are where they agree.
        breakdowns: By turn, operation, origin and kind of conversation, or what else the turns are split by.
        unjudged: Turns that could not be judged in one of the runs.
        differences: The turns that one of them alone has right: the first's, then the second's, in the file's order.
    """

    first: str
    second: str
    figures: PairedFigures
    agreement: Agreement
    breakdowns: tuple[PairedBreakdown, ...]
    unjudged: int
    differences: Sequence[PairedTurn[ComparedTurn]] = field(repr=False)


class _Pairs(Sequence[PairedTurn[ComparedTurn]]):
    """Turns of two runs side by side, made as they are looked at."""

    def __init__(self, first: JudgedTurns, second: JudgedTurns, places: Sequence[int]) -> None:
        self._first, self._second, self._places = first, second, places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> PairedTurn[ComparedTurn]: ...
    @overload
    def __getitem__(self, index: slice) -> "_Pairs": ...
    def __getitem__(self, index: int | slice) -> "PairedTurn[ComparedTurn] | _Pairs":
        if isinstance(index, slice):
            return _Pairs(self._first, self._second, self._places[index])
        place = self._places[index]
        return PairedTurn(self._first[place], self._second[place])


def report_pair(runs: tuple[str, str], first: JudgedTurns, second: JudgedTurns, scorer: str) -> PairReport:
    """Returns what the comparison of two runs comes to.

    Args:
        runs: Their ids.
        first: The turns of one.
        second: The turns of the other.
        scorer: The name of the scorer whose verdicts are compared.

    Raises:
        InputError: The runs are not of the same turns, or no turn has a verdict of that name.
    """
    import numpy as np

    order = first.order_of(second)
    if order is None:
        raise InputError(_OTHER_TURNS)
    second = second.taken(order)
    if scorer not in first.verdicts:
        raise InputError(_no_verdict(scorer, first.verdicts))
    one, other = first.verdicts_of(scorer), second.verdicts_of(scorer)
    judged = np.flatnonzero(~(np.isnan(one) | np.isnan(other)))
    right, beside = one[judged] == 1, other[judged] == 1
    groups = first.page_groups[judged], first.company_groups[judged]
    turns = np.array(first.places)[judged]
    same = np.array(same_answers(first.answers, second.answers), dtype=bool)[judged]
    return PairReport(
        *runs,
        figures=paired_figures(right, beside, *groups),
        agreement=Agreement(
            *(int(count) for says in (same, ~same) for count in (says.sum(), right[says].sum(), beside[says].sum()))
        ),
        breakdowns=tuple(
            PairedBreakdown(by, _paired_groups(by, names, judged, turns, (right, beside, *groups)))
            for by, names in first.classes.items()
        ),
        unjudged=len(first) - len(judged),
        differences=_Pairs(first, second, [*judged[right & ~beside].tolist(), *judged[~right & beside].tolist()]),
    )


def _paired_groups(
    by: str, names: Sequence[str], judged: "Numbers", turns: "Numbers", columns: "Sequence[Numbers]"
) -> tuple[PairedGroup, ...]:
    """Returns the figures of each class of a breakdown that has judged turns.

    Args:
        by: The property.
        names: The class of every turn.
        judged: Which turns are judged.
        turns: Their places in their conversations.
        columns: Of each of them what `paired_figures` takes.
    """
    found = [
        (
            PairedGroup(names[judged[members[0]]], paired_figures(*(of[members] for of in columns))),
            int(turns[members[0]]),
        )
        for members in group_members(group_places(names)[judged])
    ]

    def order(one: tuple[PairedGroup, int]) -> tuple[int, str]:
        """Turns in their own order, other classes by size."""
        group, turn = one
        return turn if by == "turn" else -group.figures.turns, group.name

    return tuple(group for group, _ in sorted(found, key=order))
