"""How an answer came about, as JSON: its grounds, what it was nearly read as, its steps, its trace, what it used."""

from collections.abc import Sequence

from pydantic import JsonValue

from quaestor.application.answers import answer_objects
from quaestor.application.plan_steps import PlanNode, plan_nodes
from quaestor.application.source_objects import source_objects
from quaestor.conversation.answer import Answer
from quaestor.conversation.display import correction_note, show_number
from quaestor.conversation.event_lines import event_lines
from quaestor.conversation.references.expressions import reading_line
from quaestor.conversation.turn import Turn
from quaestor.core import serial
from quaestor.documents.document import Document
from quaestor.errors import InputError
from quaestor.plan.formula import render_formula


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
    (said,) = answer_objects(turns[: place + 1], document, run, place)
    answer = turn.answer
    return {
        **said,
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
