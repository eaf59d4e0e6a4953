"""Answers as JSON for other programs: the number as it is printed, where it is from, and how it came about."""

from collections.abc import Iterable, Iterator, Sequence

from pydantic import JsonValue

from quaestor.application.plan_steps import PlanNode, plan_nodes
from quaestor.conversation.answer import Answer, cite_explanation, sentence_objects
from quaestor.conversation.display import correction_note, labels_of, locate_source, show_number, show_source
from quaestor.conversation.event_lines import event_lines
from quaestor.conversation.references.expressions import reading_line
from quaestor.conversation.turn import Turn
from quaestor.core import serial
from quaestor.core.answer_value import AnswerValue, YesNo, print_value, value_from_text, value_to_json, value_to_plain
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.documents.document import Document
from quaestor.errors import InputError
from quaestor.evaluation.recording import program_of, stored_number
from quaestor.plan.formula import render_formula
from quaestor.store.records import TurnRecord


def answer_objects(
    turns: Sequence[Turn], document: Document, run: str | None = None, first: int = 0
) -> Iterator[dict[str, JsonValue]]:
    """Yield one object a question.

    Args:
        turns: One a question, all of the conversation: the program of one may go on from those before.
        first: The place of the first that is yielded, from 0.

    Units: `value` is exact, as decimal text in units of `scale` (a computed ratio is a fraction), or yes or no as true
        or false; `answer` is the same by the benchmark's convention, rounded; `display` is for people. `answerable`
        is the probability that the document holds an answer, or null. `readings` are what the question may ask for
        instead, the likeliest first. `explanation` has sentences, and for spans of them the step of the plan and the
        numbers, from 1, of the sources that they rest on.
    """
    for index, turn in enumerate(turns[first:], start=first):
        answer = turn.answer
        yield {
            "question": turn.question,
            "asked": turn.asked,
            "value": None if answer.value is None else value_to_json(answer.value),
            "scale": answer.scale.value,
            "unit": answer.unit,
            "answer": benchmark_json(stored_number(turn)),
            **kind_objects(answer),
            "display": show_number(answer),
            "explanation": _explanation_object(answer, document),
            "formula": (answer.formula or None) if answer.value is not None else None,
            "program": program_of(turn, turns[:index]),
            "sources": [*source_objects(answer.sources, document)],
            "confidence": answer.confidence,
            "grounds": answer.grounds,
            "readings": [
                {"display": one.shown, "description": one.description, "confidence": one.confidence}
                for one in answer.other_readings
            ],
            "verified": turn.verified,
            "reason": answer.reason if turn.error is None else None,
            "error": turn.error,
            "run": run,
        }


def _explanation_object(answer: Answer, document: Document) -> JsonValue:
    cited = cite_explanation(answer)
    if cited is None:
        return None
    return {"sentences": sentence_objects(answer), "sources": [*source_objects(cited.sources, document)]}


def source_objects(sources: Iterable[Source], document: Document) -> list[dict[str, JsonValue]]:
    """Return sources with their places in words, and where those are in their file."""
    return [_place_object(source, document) for source in sources]


def _place_object(source: Source, document: Document) -> dict[str, JsonValue]:
    where, (row, column) = locate_source(source, document), labels_of(source, document)
    return {
        **_in_words(source, serial.dump(source), document),
        "file": where.file or document.id,
        "page": where.page,
        "section_path": list(where.section),
        "table_title": where.title or None,
        "row_label": row,
        "column_label": column,
        "anchor": where.anchor,
    }


def source_object(stored: JsonValue, document: Document) -> dict[str, JsonValue]:
    """Return a source as it is stored, with its place and its text in words."""
    assert isinstance(stored, dict)
    return _in_words(stored_source(stored), stored, document)


def _in_words(source: Source, stored: dict[str, JsonValue], document: Document) -> dict[str, JsonValue]:
    shown = show_source(source, document)
    return {**stored, "place": shown.place, "text": shown.span if source.kind == "sentence" else shown.text}


def stored_source(stored: JsonValue) -> Source:
    """Return a source of those that are stored with a turn."""
    assert isinstance(stored, dict)
    kind: type[Source] = SentenceRef if stored["kind"] == "sentence" else CellRef
    return serial.restore(kind, stored)


def kind_objects(answer: Answer) -> dict[str, JsonValue]:
    """Return the kind of an answer, and whether the document holds one.

    Units: `answerable` is a probability from 0 to 1, or null if the solver gives none.
    """
    return {"kind": answer.kind, "answerable": answer.answerable}


def stored_kind_objects(turn: TurnRecord | None) -> dict[str, JsonValue]:
    """Return the same of a turn as it was stored.

    Args:
        turn: The turn; one that was not played, or has not ended, has no answer.
    """
    stored = serial.restore(Answer, turn.answer) if turn is not None and turn.answer else Answer(value=None)
    return kind_objects(stored)


def benchmark_json(number: str | None) -> JsonValue:
    """Return an answer of the benchmark's convention as JSON: a number, yes, no, or null."""
    return None if number is None else plain_value(value_from_text(number))


def plain_value(value: AnswerValue) -> JsonValue:
    """Return a value as JSON: a number, or yes or no in words."""
    return print_value(value) if isinstance(value, YesNo) else value_to_plain(value)


def explanation_object(
    turns: Sequence[Turn], number: int, document: Document, run: str | None = None
) -> dict[str, JsonValue]:
    """Return a turn with all that is known of how it came about.

    Args:
        number: The place of the turn in its conversation, from 1; from -1 backwards.

    Raises:
        InputError: There is no such turn.
    """
    place = number - 1 if number > 0 else len(turns) + number
    if not turns:
        raise InputError("no answers yet in this conversation: ask a question first")
    if not 0 <= place < len(turns):
        raise InputError(f"the conversation has turns 1 to {len(turns)}, but not turn {number}")
    turn = turns[place]
    (fields,) = answer_objects(turns[: place + 1], document, run, place)
    answer = turn.answer
    return {
        **fields,
        "turn": place + 1,
        "description": answer.description or None,
        "grounds": answer.grounds,
        "other_readings": [*_readings(answer, turns[:place])],
        "refers_to": reading_line(turn.references, lambda earlier: f"the answer of turn {earlier + 1}") or None,
        "steps": step_objects(turn, turns[:place], document),
        "trace": list(event_lines(turn.events)),
        "tool_calls": [serial.dump(call) for call in turn.tool_calls],
        "corrected": correction_note(answer),
        "seconds": round((turn.finished - turn.started).total_seconds(), 3),
        "usage": serial.dump(turn.usage),
    }


def step_objects(turn: Turn, earlier: Sequence[Turn], document: Document) -> list[JsonValue]:
    """Return the steps of a turn's plan, each after those that it takes; none if it has no plan."""
    plan = turn.answer.plan
    if plan is None or not plan.steps:
        return []
    shown = [show_number(one.answer) for one in earlier]
    return [_node(node, document) for node in plan_nodes(plan, turn.registers, shown)]


def _node(node: PlanNode, document: Document) -> JsonValue:
    return {
        "key": node.key,
        "kind": node.kind,
        "title": node.title,
        "value": node.value or None,
        "takes": list(node.inputs),
        "turn": None if node.turn is None else node.turn + 1,
        "sources": [*source_objects(node.sources, document)],
    }


def _readings(answer: Answer, earlier: Sequence[Turn]) -> list[JsonValue]:
    formulas = [turn.answer.formula or None for turn in earlier]
    return [
        {
            "display": reading.shown,
            "description": reading.description or None,
            "confidence": reading.confidence,
            "formula": render_formula(reading.plan, formulas),
        }
        for reading in answer.other_readings
    ]
