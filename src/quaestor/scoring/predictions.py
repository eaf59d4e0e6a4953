"""What a solver answered, as scoring compares it with the references."""

from dataclasses import dataclass

from quaestor.conversation.answer import Answer
from quaestor.conversation.display import is_shown_as_percentage
from quaestor.core import serial
from quaestor.core.answer_value import AnswerValue, value_from_text
from quaestor.errors import InputError
from quaestor.plan.steps import Plan
from quaestor.scoring.gold import StatedAnswer
from quaestor.scoring.stated import stated_answer, stated_value
from quaestor.store.records import TurnRecord


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a solver answered to one turn.

    Attributes:
        number: The answer by the benchmark's convention, as `quaestor.core.answer_value.value_to_text` writes it; None
            if there is none.
        plan: The steps, with the cells and spans that they read; None if there are none.
        as_percentage: Whether people are shown the number times a hundred, with a percent sign.
        statement: The answer as it is shown to people, for benchmarks of stated answers; None if that is not known.
        evidence_rank: Which of the places shown first has the evidence of the question, from 1; 0 if none has, None
            where that is not known.
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
        """The answer as it is stated; None if there is none, or where it failed."""
        value = self.value
        return None if value is None else self.statement or stated_value(value)

    @property
    def given(self) -> Answer:
        """The answer as it was given; one without a value if there is none, or where it failed."""
        if self.error or self.answer is None:
            return Answer(self.value)
        return self.answer

    @property
    def value(self) -> AnswerValue | None:
        """The answer as it is compared; None if there is none, if it failed, or if it does not read."""
        try:
            return None if self.number is None or self.error else value_from_text(self.number)
        except InputError:
            return None


def prediction_of(turn: TurnRecord) -> Prediction:
    """Return what a stored turn answered."""
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
