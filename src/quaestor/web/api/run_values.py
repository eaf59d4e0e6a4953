"""What a run is told as: who answered what, how far it is, how right it was; its turns."""

from collections.abc import Mapping
from datetime import datetime

from pydantic import JsonValue

from quaestor.application.replies import Value
from quaestor.application.run_views import RunCounts, RunView
from quaestor.scores.listing import JudgedTurn
from quaestor.scores.records import ScoreRecord
from quaestor.store.records import ExampleStatus, RunKind, RunStatus, TurnStatus
from quaestor.web.api.values import PartReply
from quaestor.web.runs.words import answer_words, dataset_name, model_name


class ProportionReply(Value):
    """A share with its 95 % interval.

    Attributes:
        correct: The number of right turns, or the sum of the metric if turns can be partly right.
        total: The number of turns.
        value: The share, from 0 to 1; null if there are no turns.
        low: The lower bound of the interval.
        high: The upper bound of the interval.
        pages: The number of pages that the interval is resampled from.
    """

    correct: float
    total: int
    value: float | None
    low: float
    high: float
    pages: int


class ScoreReply(Value):
    """The score of a run.

    Attributes:
        version: The version of quaestor that scored it.
        dataset: The labelled file.
        accuracy: The share of right turns.
        correct_answers: The number of right turns.
        turns: The number of labelled turns.
        unanswered: The number of turns without an answer.
        mean_turns: The mean number of turns per conversation.
        mean_tool_calls: The mean number of tool calls per turn.
        metrics: The result of each scorer by its name.
    """

    scored: datetime
    version: str
    dataset: str
    accuracy: float
    correct_answers: int
    turns: int
    unanswered: int
    conversations: int
    mean_turns: float
    mean_tool_calls: float
    metrics: dict[str, ProportionReply]


class RunReply(Value):
    """A run.

    Attributes:
        kind: Questions of a dataset, questions of a person, or answers of another program.
        dataset: The name of the dataset file.
        model: The model that the solver asked, or null.
        conversations: The number of conversations in the run.
        progress: The number of conversations with each status; empty if the run is complete.
        finished: When it last finished, or null.
        score: Its latest score; null if it is not scored, or continued after it was scored.
        outdated: Whether it continued after it was scored.
    """

    id: str
    kind: RunKind
    status: RunStatus
    dataset: str
    dataset_digest: str
    solver: str
    model: str | None
    options: dict[str, JsonValue]
    conversations: int
    played: int
    progress: dict[ExampleStatus, int]
    started: datetime
    finished: datetime | None
    score: ScoreReply | None
    outdated: bool


class RunList(PartReply[RunReply]):
    """Runs, latest first."""


class TallyReply(Value):
    """The number of right, scored and all turns of a class."""

    name: str | int | None
    right: int
    judged: int
    turns: int


class ScoresReply(Value):
    """The accuracy of a run, overall and by class of turn.

    Attributes:
        score: The latest score; null if it is not scored, or continued after it was scored.
        outdated: Whether it continued after it was scored.
        breakdowns: By number of the turn (from 1), operation, source of the numbers and type of the answer.
        causes: The number of wrong turns with each cause.
    """

    run: str
    score: ScoreReply | None
    outdated: bool
    breakdowns: dict[str, tuple[TallyReply, ...]]
    causes: dict[str, int]


class VerdictReply(Value):
    """Right or wrong.

    Attributes:
        correct: Whether the answer is right by the benchmark's rules.
        program_correct: Whether the program is right by official program accuracy; null without a reference program.
        cause: Why it is wrong, or null.
    """

    correct: bool
    program_correct: bool | None
    cause: str | None


class RunTurnReply(Value):
    """A turn of a run without its trace.

    Attributes:
        number: Its number in the conversation, from 1.
        display: The answer for people.
        kind: The type of the answer.
        operation: The last operation of its plan, or null.
        origin: The source of its numbers, or null.
        confidence: The probability that it is right, or null.
        error: The error that prevented an answer, or null.
        verdict: Right or wrong; null if it is not scored.
    """

    conversation: str
    number: int
    question: str
    display: str
    status: TurnStatus
    kind: str
    operation: str | None
    origin: str | None
    confidence: float | None
    error: str | None
    verdict: VerdictReply | None


class RunTurnList(PartReply[RunTurnReply]):
    """Turns of a run."""


def run_of(view: RunView) -> RunReply:
    """Return a run as it is told."""
    options = view.run.spec.get("solver_options")
    return RunReply.of(
        view,
        view.run,
        dataset=dataset_name(view.run.dataset),
        solver=str(view.run.spec.get("solver", "")),
        model=model_name(view.run) or None,
        options=options if isinstance(options, dict) else {},
        score=_score(view.score),
    )


def scores_of(view: RunView, counts: RunCounts) -> ScoresReply:
    """Return how right a run is."""
    breakdowns = {
        "turn" if by == "index" else by: [
            TallyReply.of(one, name=name + 1 if isinstance(name, int) else name)
            for name, one in sorted(tallies.items(), key=lambda found: (found[0] is None, str(found[0]).zfill(9)))
        ]
        for by, tallies in counts.tallies.items()
    }
    return ScoresReply.of(view, counts, run=view.run.id, score=_score(view.score), breakdowns=breakdowns)


def turn_of(judged: JudgedTurn) -> RunTurnReply:
    """Return a turn as it is listed."""
    verdict = VerdictReply.of(judged.verdict) if judged.verdict else None
    return RunTurnReply.of(
        judged.turn, number=judged.turn.index + 1, display=answer_words(judged.turn), verdict=verdict
    )


def _score(score: ScoreRecord | None) -> ScoreReply | None:
    if score is None:
        return None
    metrics = {
        name: {field: kept.get(field) for field in ProportionReply.model_fields}
        for name, kept in score.metrics.items()
        if isinstance(kept, Mapping)
    }
    return ScoreReply.of(score, dataset=dataset_name(score.dataset), metrics=metrics)
