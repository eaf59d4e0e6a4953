"""What a run is told as: who answered what, how far it is, how right it was; its turns."""

from collections.abc import Mapping
from datetime import datetime

from pydantic import JsonValue

from quaestor.application.run_views import RunCounts, RunView
from quaestor.scores.listing import JudgedTurn
from quaestor.scores.records import ScoreRecord, VerdictRecord
from quaestor.store.records import ExampleStatus, RunKind, RunStatus, TurnStatus
from quaestor.web.api.values import PartReply, Value
from quaestor.web.runs.words import answer_words, dataset_name, model_name


class ProportionReply(Value):
    """A share with its 95 % interval.

    Attributes:
        correct: How many are right; of a metric that is no share of whole turns their sum.
        total: Of how many.
        value: The share, from 0 to 1; null of none.
        low: Where the interval begins.
        high: Where it ends.
        pages: From how many pages it is drawn.
    """

    correct: float
    total: int
    value: float | None
    low: float
    high: float
    pages: int


class ScoreReply(Value):
    """How right a run is.

    Attributes:
        scored: When.
        version: Of quaestor that scored.
        dataset: The labelled file.
        accuracy: The share of the turns that are right.
        correct_answers: How many are.
        turns: How many labelled turns there are.
        unanswered: How many have no answer.
        conversations: How many were scored.
        mean_turns: Turns a conversation.
        mean_tool_calls: Tool calls a turn.
        metrics: By the name of each scorer.
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
        id: By which it is asked for.
        kind: Over a dataset, questions of a person, or answers of another program.
        status: How it stands.
        dataset: The file that was asked, without its folders.
        dataset_digest: Over the documents and questions that were read.
        solver: Who answered.
        model: The model that was asked, or null.
        options: What the solver was built with.
        conversations: How many are to be played.
        played: How many came to their end.
        progress: How many have each status; empty of a run that is complete.
        started: When it was begun.
        finished: When it last came to an end, or null.
        score: Its latest score; null where it was not scored, or went on since.
        outdated: Whether it went on after it was scored last.
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
    """Runs, the latest first."""


class TallyReply(Value):
    """How many turns of a class are right, of those that were judged, of all."""

    name: str | int | None
    right: int
    judged: int
    turns: int


class ScoresReply(Value):
    """How right a run is, in all and by the classes of its turns.

    Attributes:
        run: Its id.
        score: The latest score; null where it was not scored, or went on since.
        outdated: Whether it went on after it was scored last.
        breakdowns: By the turn of the conversation (from 1), operation, origin of the numbers and kind of the answer.
        causes: For how many wrong turns each cause is kept.
    """

    run: str
    score: ScoreReply | None
    outdated: bool
    breakdowns: dict[str, tuple[TallyReply, ...]]
    causes: dict[str, int]


class VerdictReply(Value):
    """Right or wrong.

    Attributes:
        correct: By the benchmark.
        program_correct: By official program accuracy; null where the reference has no program.
        cause: Why it is wrong, or null.
    """

    correct: bool
    program_correct: bool | None
    cause: str | None


class RunTurnReply(Value):
    """A turn of a run as it is listed.

    Attributes:
        conversation: The id of its conversation.
        number: Its place in it, from 1.
        question: As asked.
        display: The answer for people.
        status: How far it is.
        kind: What the answer is.
        operation: What its plan ends in, or null.
        origin: Where its numbers stand, or null.
        confidence: The probability that it is right, or null.
        error: What went wrong, or null.
        verdict: Null where it was not judged.
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
    """Returns a run as it is told."""
    run = view.run
    options = run.spec.get("solver_options")
    return RunReply(
        id=run.id,
        kind=run.kind,
        status=run.status,
        dataset=dataset_name(run.dataset),
        dataset_digest=run.dataset_digest,
        solver=str(run.spec.get("solver", "")),
        model=model_name(run) or None,
        options=options if isinstance(options, dict) else {},
        conversations=run.conversations,
        played=view.played,
        progress=dict(view.progress),
        started=run.started,
        finished=run.finished,
        score=_score(view.score),
        outdated=view.outdated,
    )


def scores_of(view: RunView, counts: RunCounts) -> ScoresReply:
    """Returns how right a run is.

    Args:
        view: The run.
        counts: Its turns, counted.
    """
    breakdowns = {
        "turn" if by == "index" else by: tuple(
            TallyReply(
                name=name + 1 if isinstance(name, int) else name, right=one.right, judged=one.judged, turns=one.turns
            )
            for name, one in sorted(tallies.items(), key=lambda found: (found[0] is None, str(found[0]).zfill(9)))
        )
        for by, tallies in counts.tallies.items()
    }
    return ScoresReply(
        run=view.run.id,
        score=_score(view.score),
        outdated=view.outdated,
        breakdowns=breakdowns,
        causes=dict(counts.causes),
    )


def turn_of(judged: JudgedTurn) -> RunTurnReply:
    """Returns a turn as it is listed."""
    turn = judged.turn
    return RunTurnReply(
        conversation=turn.conversation,
        number=turn.index + 1,
        question=turn.question,
        display=answer_words(turn),
        status=turn.status,
        kind=turn.kind,
        operation=turn.operation,
        origin=turn.origin,
        confidence=turn.confidence,
        error=turn.error,
        verdict=_verdict(judged.verdict),
    )


def _verdict(verdict: VerdictRecord | None) -> VerdictReply | None:
    if verdict is None:
        return None
    return VerdictReply(correct=verdict.correct, program_correct=verdict.program_correct, cause=verdict.cause)


def _score(score: ScoreRecord | None) -> ScoreReply | None:
    if score is None:
        return None
    return ScoreReply(
        scored=score.scored,
        version=score.version,
        dataset=dataset_name(score.dataset),
        accuracy=score.accuracy,
        correct_answers=score.correct_answers,
        turns=score.turns,
        unanswered=score.unanswered,
        conversations=score.conversations,
        mean_turns=score.mean_turns,
        mean_tool_calls=score.mean_tool_calls,
        metrics={name: _proportion(kept) for name, kept in score.metrics.items() if isinstance(kept, Mapping)},
    )


def _proportion(kept: Mapping[str, JsonValue]) -> ProportionReply:
    return ProportionReply.model_validate({name: kept.get(name) for name in ProportionReply.model_fields})
