"""Records of a score, and the filters and results of lists of judged turns.

A score has verdicts and counts, but no field for reference answers, reference programs, or a run's answers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from pydantic import ConfigDict, JsonValue

from quaestor.store.listing import TurnListing


@dataclass(frozen=True, slots=True)
class ScoreRecord:
    """Scoring of a run. Unique by `id`.

    Attributes:
        metrics: For each scorer's name, `correct`, `total`, `value` and the 95 % interval from `low` to `high`,
            resampled from `pages` pages.
        correct_answers: Turns that are right by the benchmark (`quaestor.scoring.scorers.Measures.right`).
        references_digest: SHA-256 of the labelled file used for scoring; None if the references came from elsewhere,
            and in older scores.
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
    """Score of a conversation in the latest scoring of its run. Unique by `(run, conversation)`."""

    score: str
    run: str
    conversation: str
    turns: int
    correct_answers: int
    accuracy: float
    failed_turns: list[JsonValue] = field(default_factory=list)
    mean_tool_calls: float = 0.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """Right or wrong.

    Attributes:
        correct: Whether the answer is right by the benchmark's rules.
        program_correct: Whether the program is right by official program accuracy; null without a reference program.
        cause: Why it is wrong, a name from `quaestor.scoring.cause`; null if it is right, and in older verdicts.
    """

    __pydantic_config__ = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)

    correct: bool
    program_correct: bool | None
    cause: str | None = None


Verdicts = Mapping[tuple[str, int], Verdict]
"""Verdicts on turns, by conversation and index."""


@dataclass(frozen=True, slots=True)
class ScoreRecords:
    """All records of one scoring."""

    score: ScoreRecord
    conversations: Sequence[ConversationScoreRecord]
    verdicts: Verdicts


Outcome = Literal["both", "first", "second", "neither", "unjudged"]
"""Outcome of a turn in two runs: right in both, only the first, only the second, or neither; or unjudged in one."""


@dataclass(frozen=True, slots=True)
class VerdictFilter:
    """Filter of turns by verdict; None matches all."""

    correct: bool | None = None
    cause: str | None = None


JudgedTurn = tuple[TurnListing, Verdict | None]
"""A turn with its verdict, if it has one."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The number of right, scored and all turns of a class."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: str | int | None
    right: int
    judged: int
    turns: int


@dataclass(frozen=True, slots=True)
class PairFilter:
    """Filter of the turns of two runs; None matches all."""

    outcome: Outcome | None = None
    differ: bool | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Comparison of two runs over their shared turns; `outcomes` omits those without a turn."""

    outcomes: Mapping[Outcome, int]
    differ: int
    total: int
