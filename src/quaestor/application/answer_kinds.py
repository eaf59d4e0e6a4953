"""What is told of an answer in every JSON: its kind, whether there is one to be found, its value as plain JSON."""

from pydantic import JsonValue

from quaestor.conversation.answer import Answer
from quaestor.core import serial
from quaestor.core.answer_value import AnswerValue, YesNo, print_value, value_from_text, value_to_plain
from quaestor.store.records import TurnRecord


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
