"""What stands at the top of all that is told of an answer: its kind, and whether there is one to be found."""

from pydantic import JsonValue

from quaestor.conversation.answer import Answer
from quaestor.core import serial
from quaestor.store.records import TurnRecord


def kind_objects(answer: Answer) -> dict[str, JsonValue]:
    """Returns the kind of an answer, and whether the document holds one.

    Units: `answerable` is a probability from 0 to 1, or null where the solver gives none.
    """
    return {"kind": answer.kind, "answerable": answer.answerable}


def stored_kind_objects(turn: TurnRecord | None) -> dict[str, JsonValue]:
    """Returns the same of a turn as it was stored.

    Args:
        turn: The turn; one that was not played, or has not ended, has no answer.
    """
    stored = serial.load(Answer, turn.answer) if turn is not None and turn.answer else Answer(value=None)
    return kind_objects(stored)
