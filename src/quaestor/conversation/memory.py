"""The turns so far, as the solver answered them."""

from dataclasses import dataclass

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Turn
from quaestor.plan.execute import StepResult
from quaestor.plan.scales import Dimension
from quaestor.questions.question import Question, read_question


@dataclass(frozen=True, slots=True)
class Memory:
    """The conversation so far: questions and the solver's own answers, oldest first."""

    turns: tuple[Turn, ...] = ()

    def add(self, turn: Turn) -> "Memory":
        """Return the memory with one more turn."""
        return Memory((*self.turns, turn))

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The answers so far, oldest first; `Ref(-1)` is the last of them."""
        return tuple(turn.answer for turn in self.turns)

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions so far, oldest first."""
        return tuple(turn.question for turn in self.turns)

    @property
    def asked(self) -> tuple[Question, ...]:
        """The questions so far as they were read, oldest first."""
        return tuple(read_question(turn.question) for turn in self.turns)

    @property
    def registers(self) -> tuple[StepResult | None, ...]:
        """The answers as a plan refers to them, oldest first; None if a turn has no answer."""
        return tuple(
            None if a.value is None else StepResult(a.value, a.scale, a.unit, a.sources, a.in_ones, a.fraction)
            for a in self.answers
        )

    @property
    def counts(self) -> tuple[Dimension | None, ...]:
        """What the answers count, oldest first; None if a turn has no answer."""
        return tuple(None if register is None else register.counts for register in self.registers)

    @property
    def entity_in_focus(self) -> str | None:
        """The entity of the latest answer that names one, or None."""
        return next((turn.answer.entity for turn in reversed(self.turns) if turn.answer.entity), None)
