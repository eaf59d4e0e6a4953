"""What a person corrected in a conversation: who, when, why, and what became of the answers. Records are only added.

Computes nothing: `quaestor.repair` does, and what it came to is kept with each correction, so that a reader needs no
document to know the answers.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Discriminator

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Turn
from quaestor.core.provenance import Source
from quaestor.core.quantity import Quantity
from quaestor.plan.execute import StepResult


@dataclass(frozen=True, slots=True)
class NumberCorrection:
    """A number of the document was misread: it counts for every answer that takes it, and for later questions.

    Attributes:
        source: The cell, or the span of a sentence.
        was: The number as it was read there; None if a cell had none.
    """

    source: Annotated[Source, Discriminator("kind")]
    was: Quantity | None
    now: Quantity
    kind: Literal["number"] = field(default="number", kw_only=True)


@dataclass(frozen=True, slots=True)
class SourceChoice:
    """A step takes another number of the document.

    Attributes:
        turn: The turn's place in the conversation, from 0.
        step: The step of its plan, from 1.
    """

    turn: int
    step: int
    source: Annotated[Source, Discriminator("kind")]
    kind: Literal["source"] = field(default="source", kw_only=True)


@dataclass(frozen=True, slots=True)
class ReadingChoice:
    """A question is read as the solver read it next, or again as it read it first.

    Attributes:
        turn: The turn's place in the conversation, from 0.
        reading: 1 for the first of the answer's other readings; 0 for the one that was given.
    """

    turn: int
    reading: int
    kind: Literal["reading"] = field(default="reading", kw_only=True)


@dataclass(frozen=True, slots=True)
class OperationChoice:
    """A step computes something else.

    Attributes:
        turn: The turn's place in the conversation, from 0.
        step: The step of its plan, from 1.
        operation: A name of `quaestor.plan.operations`.
        swapped: Whether its two operands change places.
    """

    turn: int
    step: int
    operation: str
    swapped: bool = False
    kind: Literal["operation"] = field(default="operation", kw_only=True)


@dataclass(frozen=True, slots=True)
class Undo:
    """An earlier correction no longer stands."""

    of: int
    kind: Literal["undo"] = field(default="undo", kw_only=True)


Choice = SourceChoice | ReadingChoice | OperationChoice
"""What is about one turn."""

Act = Annotated[
    NumberCorrection | SourceChoice | ReadingChoice | OperationChoice | Undo,
    Discriminator("kind"),
]
"""What a person did."""


@dataclass(frozen=True, slots=True)
class ChangedAnswer:
    """An answer that a correction changed.

    Attributes:
        turn: The turn's place in the conversation, from 0.
        was: The answer before, as it was shown.
        verified: Whether its plan, executed again, gave it.
        registers: What each step of its plan came to.
        error: The named error that leaves it without a value, or None.
    """

    turn: int
    was: str
    answer: Answer
    verified: bool
    registers: tuple[StepResult, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Correction:
    """One correction, on record.

    Attributes:
        number: Its place among those of the conversation, from 1.
        turns: How many questions were answered when it was made: those after them were asked with it.
        made: When, in UTC, to the millisecond.
        reason: Why, in the author's words, or "".
    """

    number: int
    act: Act
    turns: int
    author: str
    made: datetime
    reason: str = ""
    changes: tuple[ChangedAnswer, ...] = ()


def standing(corrections: Iterable[Correction]) -> tuple[Correction, ...]:
    """Return the corrections that are not undone, in their order, without the undoing."""
    found: dict[int, Correction] = {}
    for correction in corrections:
        if isinstance(correction.act, Undo):
            found.pop(correction.act.of, None)
        else:
            found[correction.number] = correction
    return tuple(found.values())


def as_corrected(turns: Sequence[Turn], corrections: Iterable[Correction]) -> tuple[Turn, ...]:
    """Return turns as they read with the corrections made to them; question, events and cost are those of before.

    Args:
        corrections: All that are on record, in their order.
    """
    found = list(turns)
    for correction in corrections:
        for change in correction.changes:
            if change.turn < len(found):
                found[change.turn] = changed_turn(found[change.turn], change)
    return tuple(found)


def changed_turn(turn: Turn, change: ChangedAnswer) -> Turn:
    """Return a turn with the answer that it has now."""
    return replace(turn, answer=change.answer, verified=change.verified, registers=change.registers, error=change.error)


def taken_back(corrections: Iterable[Correction], turns: int) -> tuple[Correction, ...]:
    """Return the corrections that are left when the last questions are taken back; they keep their numbers.

    What is about a question that is gone goes with it. A number stays corrected, for the questions to come.

    Args:
        turns: How many questions stay.
    """
    kept: list[Correction] = []
    for correction in corrections:
        act = correction.act
        gone = act.of not in {other.number for other in kept} if isinstance(act, Undo) else _about(act) >= turns
        if not gone:
            changes = tuple(change for change in correction.changes if change.turn < turns)
            kept.append(replace(correction, turns=min(correction.turns, turns), changes=changes))
    return tuple(kept)


def _about(act: NumberCorrection | Choice) -> int:
    """The turn that an act is about; -1 of the document."""
    return -1 if isinstance(act, NumberCorrection) else act.turn
