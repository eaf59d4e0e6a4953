"""What a scored run leaves for other programs: the score as JSON, and one object a turn."""

from collections.abc import Iterator

from pydantic import JsonValue

from quaestor.application.answer_kinds import benchmark_json, plain_value, stored_kind_objects
from quaestor.application.files import OutputFile, json_line
from quaestor.application.score_service import ScoredRun
from quaestor.application.source_objects import source_object
from quaestor.core.answer_value import AnswerValue, Number
from quaestor.datasets.dataset import Dataset
from quaestor.scoring.figures import score_to_json
from quaestor.scoring.verdicts import TurnScore


def write_report(file: OutputFile, scored: ScoredRun, dataset: Dataset) -> None:
    """Writes one JSON object a turn, in the order of the dataset.

    Raises:
        InputError: The file cannot be written, or may not be replaced.
    """
    file.write("".join(json_line(line) for line in turn_objects(scored, dataset)))


def score_json(scored: ScoredRun) -> dict[str, JsonValue]:
    """Returns the score as JSON, with the share beside each numerator and denominator."""
    run = scored.run
    return {
        "run": run.id,
        "solver": run.spec.get("solver"),
        "dataset": run.dataset,
        "dataset_digest": run.dataset_digest,
        "score": _with_shares(score_to_json(scored.report.score)),
    }


def _with_shares(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_with_shares(item) for item in value]
    if not isinstance(value, dict):
        return value
    correct, total = value.get("correct"), value.get("total")
    if isinstance(correct, int | float) and isinstance(total, int):
        return {"value": correct / total if total else None, **value}
    return {name: _with_shares(item) for name, item in value.items()}


def turn_objects(run: ScoredRun, dataset: Dataset) -> Iterator[dict[str, JsonValue]]:
    """Yields each labelled turn: question, answer, program, sources, gold and verdicts.

    Units: `answer` is a number by the benchmark's convention (a computed ratio is a fraction), or yes, no, or null;
        `answerable` is the probability that the document holds an answer, or null.
    """
    conversations = {conversation.id: conversation for conversation in dataset.conversations}
    for scored in run.report.turns:
        conversation = conversations[scored.conversation]
        turn = run.turns.get((scored.conversation, scored.turn))
        yield {
            "conversation": scored.conversation,
            "turn": scored.turn,
            "question": conversation.questions[scored.turn],
            "answer": benchmark_json(scored.predicted),
            **stored_kind_objects(turn),
            "program": scored.program,
            "gold": _gold_json(scored.gold),
            "gold_program": scored.gold_program,
            "correct": scored.correct,
            "program_correct": scored.program_correct,
            "cause": scored.cause,
            "sources": [source_object(source, conversation.document) for source in turn.sources] if turn else [],
            "error": scored.error if turn else "not played",
            "confidence": scored.confidence,
            **_stated_objects(scored),
        }


def _stated_objects(scored: TurnScore) -> dict[str, JsonValue]:
    """What is told of a turn whose reference is a stated answer besides."""
    reference = scored.kind.stated
    if reference is None:
        return {}
    answer = scored.stated
    return {
        "stated": list(answer.spans) if answer else [],
        "stated_scale": answer.scale if answer else "",
        "gold_stated": list(reference.answer.spans),
        "gold_scale": reference.answer.scale,
        "gold_kind": reference.kind,
        "source": reference.source,
        "f1": scored.verdicts["f1"],
    }


def _gold_json(value: AnswerValue) -> JsonValue:
    return float(value.value) if isinstance(value, Number) else plain_value(value)
