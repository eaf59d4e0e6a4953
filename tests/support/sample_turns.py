"""Turns with only the fields that a test needs."""

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Turn
from quaestor.plan.execute import StepResult
from quaestor.store.records import now


def a_turn(question: str, answer: Answer, registers: tuple[StepResult, ...] = (), error: str | None = None) -> Turn:
    return Turn(question, answer, False, now(), now(), error=error, registers=registers)
