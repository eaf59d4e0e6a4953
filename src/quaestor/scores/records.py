"""The records that a score leaves, and lists of judged turns: what they are asked for, and what they give.

A score holds verdicts and counts. It has no field for a reference answer or program, nor for what a run answered.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from pydantic import JsonValue

from quaestor.scoring.metrics import are_same_answer
from quaestor.store.listing import TurnListing


@dataclass(frozen=True, slots=True)
class ScoreRecord:
    """One scoring of a run. Unique by `id`.

    Attributes:
        metrics: By the name of each scorer `correct`, `total`, `value` and the 95 % interval `low` to `high`, drawn
            from `pages` pages.
        correct_answers: How many of them are right by the benchmark (`quaestor.scoring.scorers.Measures.right`).
        references_digest: SHA-256 of the labelled file as it was scored with; None if the references were not read
            from one, and in scores of before it was kept.
    """

    id: str
    run: str
    dataset: str
    dataset_digest: str
    scored: datetime
    version: str
    metrics: dict[str, JsonValue]
    conversations: int
    turns: int
    correct_answers: int
    accuracy: float
    unanswered: int
    mean_turns: float
    mean_tool_calls: float
    references_digest: str | None = None


@dataclass(frozen=True, slots=True)
class ConversationScoreRecord:
    """How one conversation did in the latest scoring of its run. Unique by `(run, conversation)`."""

    score: str
    run: str
    conversation: str
    turns: int
    correct_answers: int
    accuracy: float
    failed_turns: list[JsonValue] = field(default_factory=list)
    mean_tool_calls: float = 0.0


@dataclass(frozen=True, slots=True)
class VerdictRecord:
    """Right or wrong of one turn, in the latest scoring of its run. Unique by `(run, conversation, index)`.

    Attributes:
        program_correct: By official program accuracy; None if the reference has no program.
        cause: Why it is wrong, as `quaestor.scoring.cause` names it; None if it is right, and in verdicts of before
            causes were kept.
    """

    score: str
    run: str
    conversation: str
    index: int
    correct: bool
    program_correct: bool | None
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class ScoreRecords:
    """All that one scoring leaves."""

    score: ScoreRecord
    conversations: Sequence[ConversationScoreRecord]
    verdicts: Sequence[VerdictRecord]


Outcome = Literal["both", "first", "second", "neither", "unjudged"]
"""Of a turn of two runs: right in both, in the first alone, in the second alone, wrong in both; not judged in one."""


@dataclass(frozen=True, slots=True)
class VerdictFilter:
    """Which turns are listed by their verdict; None lets all through."""

    correct: bool | None = None
    cause: str | None = None


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """A turn with its verdict."""

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
    """Which turns of two runs are listed; None lets all through."""

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
    """How two runs compare over the turns that both have; `outcomes` leaves out those that no turn has."""

    outcomes: Mapping[Outcome, int]
    differ: int
    total: int
