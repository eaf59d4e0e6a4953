"""What earlier turns took and found, in the solver's own terms."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from quaestor.plan.scales import Dimension
from quaestor.questions.question import Question

PLAIN = Dimension()
"""A plain number: no scale, no unit."""

LIST = "items"
"""The operation of a turn that answered with a list of numbers."""

Kind = Literal["leaf", "result", "constant", "group"]


@dataclass(frozen=True, slots=True)
class Operand:
    """What is on one side of an operation.

    Attributes:
        kind: A leaf of the page, the result of an earlier turn, or a constant; while plans are ranked, a group of them.
        index: The leaf's, the turn's or the group's index, from 0; for a constant 0.
        value: The number, as printed or as computed.
    """

    kind: Kind
    index: int
    value: float


@dataclass(frozen=True, slots=True)
class TurnAction:
    """What one turn did: one operation on its operands.

    Attributes:
        operation: `lookup`, `subtract`, `add`, `divide`, `multiply`, `greater`, `percentage_change`, `sum`,
            `average`, or another name.
        operands: In the operation's order.
        value: The result; None if there is none, 1 or 0 for yes or no.
        counts: The result's scale and unit.
    """

    operation: str
    operands: tuple[Operand, ...]
    value: float | None
    counts: Dimension = PLAIN


@dataclass(frozen=True)
class DialogueState:
    """The conversation so far.

    Attributes:
        questions: Oldest first.
    """

    questions: tuple[Question, ...] = ()
    outcomes: tuple[TurnAction, ...] = ()

    def after(self, question: Question, outcome: TurnAction) -> "DialogueState":
        """Return the state with one more turn."""
        return DialogueState((*self.questions, question), (*self.outcomes, outcome))

    @cached_property
    def used_leaves(self) -> Mapping[int, int]:
        """Each leaf that an earlier turn took itself, with the last turn that did."""
        return {
            operand.index: turn
            for turn, outcome in enumerate(self.outcomes)
            for operand in outcome.operands
            if operand.kind == "leaf"
        }

    @cached_property
    def lookups(self) -> Mapping[int, int]:
        """The turns that only looked a leaf up, with that leaf."""
        return {
            turn: outcome.operands[0].index
            for turn, outcome in enumerate(self.outcomes)
            if outcome.operation == "lookup" and outcome.operands and outcome.operands[0].kind == "leaf"
        }

    @property
    def last_list(self) -> tuple[Operand, ...]:
        """The numbers of the page that the last turn listed; none if it did not answer with a list of such."""
        if not self.outcomes or self.outcomes[-1].operation != LIST:
            return ()
        listed = self.outcomes[-1].operands
        return listed if all(operand.kind == "leaf" for operand in listed) else ()

    def leaves_of(self, turn: int) -> frozenset[int]:
        """Return every leaf that a turn's result rests on, through earlier results too."""
        found: set[int] = set()
        for operand in self.outcomes[turn].operands:
            if operand.kind == "leaf":
                found.add(operand.index)
            elif operand.kind == "result":
                found |= self.leaves_of(operand.index)
        return frozenset(found)
