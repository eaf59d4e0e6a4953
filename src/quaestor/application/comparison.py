"""Two judged runs of the same questions, turn beside turn, and what that comes to.

Owns the pairing. Whether a difference is more than chance is
computed in `quaestor.scoring.paired`; which runs are compared, and by whose verdicts, in `compared_runs`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from quaestor.application.score_service import ScoredRun
from quaestor.errors import InputError
from quaestor.scoring.paired import PairedFigures, paired_figures
from quaestor.scoring.sameness import says_the_same
from quaestor.scoring.scorers import Verdict
from quaestor.scoring.verdicts import TurnScore


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


def compare_runs(first: ScoredRun, second: ScoredRun, scorer: str | None = None) -> RunComparison[TurnScore]:
    """Returns the turns of two runs, paired.

    Args:
        first: One run, as `score_run` returns it.
        second: The other, of the same questions.
        scorer: The name of the scorer whose verdicts are compared; by default the one that says whether a turn is
            right. By one that gives shares, a turn is right where it has all of it.

    Raises:
        InputError: The runs are of different questions, or no turn has a verdict of that name.
    """
    if first.run.dataset_digest != second.run.dataset_digest:
        raise InputError(
            f"runs {first.run.id} and {second.run.id} are not of the same questions "
            f"({first.run.dataset}, {second.run.dataset}): compare runs of one file"
        )
    scorer = first.report.score.measures.right if scorer is None else scorer
    return pair_turns(first.report.turns, second.report.turns, scorer)


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
        raise InputError("the runs are not of the same turns: compare runs of one file")
    pairs = [PairedTurn(turn, others[turn.conversation, turn.turn]) for turn in first]
    known = sorted({name for pair in pairs for name in pair.first.verdicts})
    if scorer not in known:
        raise InputError(f"no turn has a verdict of the scorer {scorer!r}: there are {', '.join(known)}")
    found: dict[tuple[bool, bool] | None, list[PairedTurn[T]]] = {}
    for pair in pairs:
        one, other = pair.first.verdicts[scorer], pair.second.verdicts[scorer]
        found.setdefault(None if one is None or other is None else (one == 1, other == 1), []).append(pair)

    def those(key: tuple[bool, bool] | None) -> tuple[PairedTurn[T], ...]:
        return tuple(found.get(key, ()))

    return RunComparison(
        scorer, those((True, True)), those((True, False)), those((False, True)), those((False, False)), those(None)
    )


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
    differences: tuple[PairedTurn[ComparedTurn], ...] = field(repr=False)


def report_pair(
    runs: tuple[str, str], first: Sequence[ComparedTurn], second: Sequence[ComparedTurn], scorer: str
) -> PairReport:
    """Returns what the comparison of two runs comes to.

    Args:
        runs: Their ids.
        first: The turns of one.
        second: The turns of the other.
        scorer: The name of the scorer whose verdicts are compared.

    Raises:
        InputError: The runs are not of the same turns, or no turn has a verdict of that name.
    """
    found = pair_turns(first, second, scorer)
    pairs = found.judged
    properties = list(dict.fromkeys(by for pair in pairs for by in pair.first.classes))
    return PairReport(
        *runs,
        figures=_figures(pairs, scorer),
        agreement=_agreement(pairs, scorer),
        breakdowns=tuple(_breakdown(by, pairs, scorer) for by in properties),
        unjudged=len(found.unjudged),
        differences=(*found.only_first, *found.only_second),
    )


def _figures(pairs: Sequence[PairedTurn[ComparedTurn]], scorer: str) -> PairedFigures:
    return paired_figures(
        [pair.first.verdicts[scorer] == 1 for pair in pairs],
        [pair.second.verdicts[scorer] == 1 for pair in pairs],
        [pair.first.page for pair in pairs],
        [pair.first.company for pair in pairs],
    )


def _breakdown(by: str, pairs: Sequence[PairedTurn[ComparedTurn]], scorer: str) -> PairedBreakdown:
    members: dict[str, list[PairedTurn[ComparedTurn]]] = {}
    for pair in pairs:
        members.setdefault(pair.first.classes.get(by, ""), []).append(pair)

    def order(name: str) -> tuple[int, str]:
        """Turns in their own order, other classes by size."""
        return members[name][0].first.turn if by == "turn" else -len(members[name]), name

    return PairedBreakdown(
        by, tuple(PairedGroup(name, _figures(members[name], scorer)) for name in sorted(members, key=order))
    )


def _agreement(pairs: Sequence[PairedTurn[ComparedTurn]], scorer: str) -> Agreement:
    counts = {True: [0, 0, 0], False: [0, 0, 0]}
    for pair in pairs:
        count = counts[says_the_same(pair.first.answer, pair.second.answer)]
        count[0] += 1
        count[1] += pair.first.verdicts[scorer] == 1
        count[2] += pair.second.verdicts[scorer] == 1
    return Agreement(*counts[True], *counts[False])
