"""Records of a score, and the filters and results of lists of judged turns.

A score has verdicts and counts, but no field for reference answers, reference programs, or a run's answers.
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from typing import Literal

from pydantic import ConfigDict, JsonValue

from quaestor.core import serial
from quaestor.scoring.figures import Score
from quaestor.scoring.scorers import PROGRAMS, measures_of
from quaestor.scoring.turn_frame import TurnFrame
from quaestor.store.listing import TurnListing
from quaestor.store.records import RunRecord, now
from quaestor.store.tables import Row


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
        cause: Why it is wrong, a name from `quaestor.scoring.taxonomy`; null if it is right, and in older verdicts.
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


def frame_of_rows(
    rows: Sequence[Row], turns: Sequence[Row], pages: Mapping[str, str], scorers: Iterable[str]
) -> TurnFrame:
    """Return the frame of verdicts and their turns, empty if they were not run; `pages` is by conversation."""
    try:
        measures = measures_of(scorers)
    except ValueError:  # the score was stored by another version
        measures = PROGRAMS
    documents = [pages[row["conversation"]] for row in rows]
    both = [(row["correct"], row.get("program_correct")) for row in rows]
    verdicts = {one: {measures.right: one[0], measures.second: one[1]} for one in set(both)}
    classes = {index: (f"turn {index + 1}",) for index in {row["index"] for row in rows}}
    return TurnFrame(
        measures,
        ("turn",),
        [row["conversation"] for row in rows],
        [row["index"] for row in rows],
        documents,
        [page.partition("/")[0] for page in documents],
        [turn.get("number") for turn in turns],
        [turn.get("confidence") for turn in turns],
        [row.get("cause") for row in rows],
        [verdicts[one] for one in both],
        [classes[row["index"]] for row in rows],
    )


def make_score_records(
    run: RunRecord,
    dataset: str,
    turns: TurnFrame,
    figures: Score,
    called: Mapping[str, int],
    references_digest: str | None = None,
) -> ScoreRecords:
    """Return the records of a run's score.

    Breakdowns are left out: for a run with a single conversation they would reveal its reference programs.
    """
    scored = now()
    places: dict[str, list[int]] = {}
    for place, conversation in enumerate(turns.conversations):
        places.setdefault(conversation, []).append(place)
    right = sum(map(turns.correct, range(len(turns))))
    score = ScoreRecord(
        id=f"{scored:%Y%m%d-%H%M%S}-{secrets.token_hex(4)}",
        run=run.id,
        dataset=dataset,
        dataset_digest=run.dataset_digest,
        scored=scored,
        version=version("quaestor"),
        metrics={name: {**serial.dump(found), "value": found.value} for name, found in figures.results.items()},
        conversations=len(places),
        turns=len(turns),
        correct_answers=right,
        accuracy=_mean(right, len(turns)),
        unanswered=figures.unanswered,
        mean_turns=_mean(len(turns), len(places)),
        mean_tool_calls=_mean(sum(called.get(id, 0) for id in places), len(turns)),
        references_digest=references_digest,
    )

    def conversation_score(id: str) -> ConversationScoreRecord:
        members = places[id]
        right = sum(map(turns.correct, members))
        return ConversationScoreRecord(
            score=score.id,
            run=run.id,
            conversation=id,
            turns=len(members),
            correct_answers=right,
            accuracy=_mean(right, len(members)),
            failed_turns=[turns.places[place] for place in members if not turns.correct(place)],
            mean_tool_calls=_mean(called.get(id, 0), len(members)),
        )

    verdicts = {}
    for at, turn in enumerate(zip(turns.conversations, turns.places, strict=True)):
        program = turns.verdicts[at].get("program")
        verdicts[turn] = Verdict(turns.correct(at), None if program is None else bool(program), turns.causes[at])
    return ScoreRecords(score, tuple(map(conversation_score, places)), verdicts)


def _mean(count: int, among: int) -> float:
    return count / among if among else 0.0
