"""What lists of judged turns are asked for, and what they give: turns with verdicts, counts, two runs side by side.

Holds verdicts, never a reference answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from quaestor.scores.records import VerdictRecord
from quaestor.scoring.sameness import are_same_answer
from quaestor.store.listing import TurnListing

Outcome = Literal["both", "first", "second", "neither", "unjudged"]
"""Of a turn of two runs: right in both, in the first alone, in the second alone, wrong in both; not judged in one."""


@dataclass(frozen=True, slots=True)
class VerdictFilter:
    """Which turns are listed by their verdict; None lets all through.

    Attributes:
        correct: Right, or wrong.
    """

    correct: bool | None = None
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """A turn with its verdict.

    Attributes:
        verdict: Right or wrong; None if it was not judged.
    """

    turn: TurnListing
    verdict: VerdictRecord | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """How many turns of one class are right."""

    right: int
    judged: int
    turns: int


@dataclass(frozen=True, slots=True)
class PairFilter:
    """Which turns of two runs are listed; None lets all through.

    Attributes:
        differ: Whose answers do not say the same, or do, by `quaestor.scoring.sameness`.
    """

    outcome: Outcome | None = None
    differ: bool | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class TurnPair:
    """One turn of two runs, each with its verdict."""

    first: JudgedTurn
    second: JudgedTurn

    @property
    def differ(self) -> bool:
        """Whether the answers do not say the same."""
        return not are_same_answer(self.first.turn.number, self.second.turn.number)


@dataclass(frozen=True, slots=True)
class PairCounts:
    """How two runs compare over the turns that both have.

    Attributes:
        outcomes: How many turns have each outcome; those that none has are left out.
        differ: In how many the answers do not say the same.
    """

    outcomes: Mapping[Outcome, int]
    differ: int
    total: int
