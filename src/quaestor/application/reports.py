"""Output of a run for other programs: its score as JSON, and one object per turn, with verdicts or with its trace."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from quaestor.application.live_traces import PROMPT_FIELDS
from quaestor.application.run_service import find_run
from quaestor.application.score_service import ScoredRun
from quaestor.application.stored_turns import kind_objects
from quaestor.conversation.answer import Answer
from quaestor.conversation.display import show_source
from quaestor.core import serial
from quaestor.core.answer_value import Number, value_from_text, value_to_benchmark
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.datasets.dataset import Dataset
from quaestor.documents.document import Document
from quaestor.scoring.figures import score_to_json
from quaestor.scoring.filing_answers import find_judgement
from quaestor.scoring.verdicts import TurnScore
from quaestor.store.base import RunStore
from quaestor.store.records import PromptRecord, TurnRecord


def score_json(scored: ScoredRun) -> dict[str, JsonValue]:
    """Return the score as JSON, with the fraction beside each numerator and denominator."""
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
    """Yield an object for each labelled turn: question, answer, program, sources, gold and verdicts.

    Units: `answer` is a number by the benchmark's convention (a computed ratio is a fraction), or yes, no, or null;
        `answerable` is the probability that the document contains an answer, or null.
    """
    conversations = {conversation.id: conversation for conversation in dataset.conversations}
    for scored in run.report.turns:
        conversation, gold = conversations[scored.conversation], scored.gold
        turn = run.turns.get((scored.conversation, scored.turn))
        yield {
            "conversation": scored.conversation,
            "turn": scored.turn,
            "question": conversation.questions[scored.turn],
            "answer": None if scored.predicted is None else value_to_benchmark(value_from_text(scored.predicted)),
            **kind_objects(turn),
            "program": scored.program,
            "gold": float(gold.value) if isinstance(gold, Number) else value_to_benchmark(gold),
            "gold_program": scored.gold_program,
            "correct": scored.correct,
            "program_correct": scored.program_correct,
            "cause": scored.cause,
            "sources": [_source_object(source, conversation.document) for source in turn.sources] if turn else [],
            "error": scored.error if turn else "not run",
            "confidence": scored.confidence,
            **_stated_objects(scored),
            **_filing_objects(scored, turn),
        }


def _source_object(stored: JsonValue, document: Document) -> dict[str, JsonValue]:
    """Return a stored source with its place and its text."""
    assert isinstance(stored, dict)
    kind: type[Source] = SentenceRef if stored["kind"] == "sentence" else CellRef
    shown = show_source(serial.restore(kind, stored), document)
    return {**stored, "place": shown.place, "text": shown.span if kind is SentenceRef else shown.text}


def _stated_objects(scored: TurnScore) -> dict[str, JsonValue]:
    """Return the additional fields of a turn whose reference is a stated answer."""
    reference, answer = scored.kind.stated, scored.stated
    if reference is None:
        return {}
    return {
        "stated": list(answer.spans) if answer else [],
        "stated_scale": answer.scale if answer else "",
        "gold_stated": list(reference.answer.spans),
        "gold_scale": reference.answer.scale,
        "gold_kind": reference.kind,
        "source": reference.source,
        "f1": scored.verdicts["f1"],
    }


def _filing_objects(scored: TurnScore, turn: TurnRecord | None) -> dict[str, JsonValue]:
    """Return the additional fields of a turn whose reference is about a whole document."""
    reference = scored.kind.filing
    if reference is None:
        return {}
    answer = serial.restore(Answer, turn.answer) if turn else None
    judged = find_judgement(answer, reference) is not None
    return {
        "told": None if answer is None or answer.value is None else str(answer),
        "gold_told": str(reference.wanted),
        "gold_kind": reference.kind,
        "judged_by": "judge" if judged else "rule" if scored.verdicts["words"] is None else "words",
        "evidence_1": scored.verdicts["evidence_1"],
        "evidence_5": scored.verdicts["evidence_5"],
    }


TracedTurns = Mapping[tuple[str, int], tuple[TurnRecord | None, Sequence[PromptRecord]]]
"""By conversation and index: the turn (None if its conversation did not finish), and its exchanges with a model."""


async def read_traces(store: RunStore, run: str) -> TracedTurns:
    """Read the turns of a run with their exchanges; unfinished conversations have only the exchanges."""
    record = await find_run(store, run)
    found: dict[tuple[str, int], tuple[TurnRecord | None, Sequence[PromptRecord]]] = {
        (turn.conversation, turn.index): (turn, ()) for turn in await store.turns(record.id)
    }
    for example in await store.examples(record.id):
        by_turn: defaultdict[int, list[PromptRecord]] = defaultdict(list)
        for prompt in await store.prompts(record.id, example.conversation):
            by_turn[prompt.turn].append(prompt)
        for index, prompts in by_turn.items():
            turn, _ = found.get((example.conversation, index), (None, ()))
            found[example.conversation, index] = turn, prompts
    return found


def trace_objects(turns: TracedTurns) -> Iterator[dict[str, JsonValue]]:
    """Yield each turn with its trace, and with every request and reply in the order sent."""
    for (conversation, index), (turn, prompts) in sorted(turns.items()):
        line: dict[str, JsonValue] = {"conversation": conversation, "turn": index}
        if turn is not None:
            line |= serial.dump(turn)
            line["turn"] = line.pop("index")
            line |= kind_objects(turn)
        exchanges = sorted(prompts, key=lambda prompt: prompt.number)
        line["exchanges"] = [{name: serial.dump(prompt)[name] for name in PROMPT_FIELDS} for prompt in exchanges]
        yield line
