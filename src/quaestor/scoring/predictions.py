"""Predicted answers in the form that scoring compares with references."""

from dataclasses import dataclass

from quaestor.conversation.answer import Answer
from quaestor.conversation.display import is_shown_as_percentage
from quaestor.core import serial
from quaestor.core.answer_value import AnswerValue
from quaestor.plan.steps import Plan
from quaestor.scoring.gold import StatedAnswer
from quaestor.scoring.metrics import parse_answer
from quaestor.scoring.stated import stated_answer, stated_value
from quaestor.store.records import TurnRecord


@dataclass(frozen=True, slots=True)
class Prediction:
    """A solver's answer to one turn.

    Attributes:
        number: The answer by the benchmark's convention, written as by `quaestor.core.answer_value.value_to_text`; None
            without an answer.
        plan: The steps, with the cells and spans that they read, if any.
        as_percentage: Whether the number is displayed times a hundred, with a percent sign.
        statement: The displayed answer, for benchmarks of stated answers; None if unknown.
        evidence_rank: Rank, from 1, of the first shown block with the question's evidence; 0 if none has it, None if
            unknown.
    """

    conversation: str
    turn: int
    number: str | None
    program: str | None = None
    error: str | None = None
    confidence: float | None = None
    plan: Plan | None = None
    as_percentage: bool = False
    statement: StatedAnswer | None = None
    answer: Answer | None = None
    evidence_rank: int | None = None

    @property
    def stated(self) -> StatedAnswer | None:
        """The stated answer; None if there is no answer or it failed."""
        value = self.value
        return None if value is None else self.statement or stated_value(value)

    @property
    def full_answer(self) -> Answer:
        """The complete answer; without a value if there is no answer or it failed."""
        if self.error or self.answer is None:
            return Answer(self.value)
        return self.answer

    @property
    def value(self) -> AnswerValue | None:
        """The value to compare; None if there is no answer, it failed, or it cannot be parsed."""
        return None if self.error else parse_answer(self.number)


def prediction_of(turn: TurnRecord) -> Prediction:
    """Return the prediction of a stored turn."""
    answer = serial.restore(Answer, turn.answer)
    return Prediction(
        turn.conversation,
        turn.index,
        turn.number,
        turn.program,
        turn.error,
        answer.confidence,
        answer.plan,
        is_shown_as_percentage(answer),
        stated_answer(answer, turn.question),
        answer,
    )
