"""What is kept of a report: verdicts and figures, and nothing by which an answer could be told."""

import secrets
from collections.abc import Mapping, Sequence
from importlib.metadata import version

from pydantic import JsonValue

from quaestor.core import serial
from quaestor.scores.records import ConversationScoreRecord, KeptScore, ScoreRecord, VerdictRecord
from quaestor.scoring.report import Report
from quaestor.scoring.verdicts import TurnScore
from quaestor.store.records import RunRecord, now


def kept_score(
    run: RunRecord, dataset: str, report: Report, called: Mapping[str, int], references_digest: str | None = None
) -> KeptScore:
    """Returns what is kept of a run's score.

    The breakdowns are left out: of a run of one conversation they would say what its reference programs do.

    Args:
        run: The run.
        dataset: The path of the labelled file.
        report: The verdicts.
        called: Calls of tools in each conversation, by its id.
        references_digest: SHA-256 of the labelled file.
    """
    scored, judged = now(), report.turns
    name = f"{scored:%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"
    by_conversation: dict[str, list[TurnScore]] = {}
    for turn in judged:
        by_conversation.setdefault(turn.conversation, []).append(turn)
    right = _right(judged)
    score = ScoreRecord(
        id=name,
        run=run.id,
        dataset=dataset,
        dataset_digest=run.dataset_digest,
        scored=scored,
        version=version("quaestor"),
        metrics=_metrics(report),
        conversations=len(by_conversation),
        turns=len(judged),
        correct_answers=right,
        accuracy=_mean(right, len(judged)),
        unanswered=report.score.unanswered,
        mean_turns=_mean(len(judged), len(by_conversation)),
        mean_tool_calls=_mean(sum(called.get(id, 0) for id in by_conversation), len(judged)),
        references_digest=references_digest,
    )
    return KeptScore(
        score,
        tuple(_conversation(score, id, found, called.get(id, 0)) for id, found in by_conversation.items()),
        tuple(
            VerdictRecord(name, run.id, turn.conversation, turn.turn, turn.correct, _program(turn), turn.cause)
            for turn in judged
        ),
    )


def _conversation(score: ScoreRecord, id: str, judged: Sequence[TurnScore], called: int) -> ConversationScoreRecord:
    right = _right(judged)
    return ConversationScoreRecord(
        score=score.id,
        run=score.run,
        conversation=id,
        turns=len(judged),
        correct_answers=right,
        accuracy=_mean(right, len(judged)),
        failed_turns=[turn.turn for turn in judged if not turn.correct],
        mean_tool_calls=_mean(called, len(judged)),
    )


def _metrics(report: Report) -> dict[str, JsonValue]:
    return {name: {**serial.dump(found), "value": found.value} for name, found in report.score.results.items()}


def _right(judged: Sequence[TurnScore]) -> int:
    return sum(turn.correct for turn in judged)


def _program(turn: TurnScore) -> bool | None:
    verdict = turn.verdicts.get("program")
    return None if verdict is None else bool(verdict)


def _mean(count: int, among: int) -> float:
    return count / among if among else 0.0
