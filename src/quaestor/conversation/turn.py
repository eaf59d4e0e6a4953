"""The turns of a conversation: each with its question and answer, what is remembered, and corrections."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from time import perf_counter
from typing import Annotated, Literal

from pydantic import Discriminator, JsonValue

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import Event, TakenApart, holdable
from quaestor.conversation.references.expressions import References
from quaestor.core import serial
from quaestor.core.provenance import Source
from quaestor.core.quantity import Quantity
from quaestor.llm.usage import Usage
from quaestor.plan.execute import StepResult
from quaestor.plan.scales import Dimension
from quaestor.questions.question import Question, read_question


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool within a turn.

    Attributes:
        input: Its arguments as JSON; the text of what is not JSON.
        output: Its result, the same way.
        seconds: How long it took.
        started: When it was called, in UTC; None in records from before it was stored.
    """

    tool: str
    input: JsonValue
    output: JsonValue
    seconds: float
    started: datetime | None = None

    @classmethod
    def ended(cls, tool: str, arguments: JsonValue, result: JsonValue, begun: float | None = None) -> "ToolCall":
        """Return a call that has just come to its end, as stores can hold it.

        Args:
            arguments: Its arguments, as JSON or as JSON text.
            result: Its result, the same way.
            begun: The `time.perf_counter` of the call; None is now.
        """
        seconds = 0.0 if begun is None else round(perf_counter() - begun, 6)
        started = datetime.now(UTC) - timedelta(seconds=seconds)
        return cls(tool, _as_json(arguments), _as_json(result), seconds, started)

    @classmethod
    def of_record(cls, stored: JsonValue) -> "ToolCall":
        """Return a call as it was stored, be it when input and output were JSON text."""
        call = serial.restore(cls, stored)
        return replace(call, input=_as_json(call.input), output=_as_json(call.output))


def _as_json(value: JsonValue) -> JsonValue:
    """Return the object that a text has in JSON, and everything else as it is."""
    if isinstance(value, str):
        try:
            read = json.loads(value)
        except (ValueError, RecursionError):
            return value
        value = read if isinstance(read, dict | list) else value
    return holdable(value)


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation.

    Attributes:
        verified: True if the plan, executed again independently of the solver, gave the answer's value; False of an
            answer without a plan, such as one that was imported.
        events: What happened between question and answer, in order.
        references: What the question referred to of the turns before it, by rule.
        tool_calls: In the order of the calls.
        usage: What was asked of models: requests, tokens, money.
        registers: The result of each step of the plan when it was executed again, in order.
        error: The named error that left the turn without an answer, or None.
        started: When the question was put, in UTC, to the millisecond.
    """

    question: str
    answer: Answer
    verified: bool
    started: datetime
    finished: datetime
    events: tuple[Event, ...] = ()
    references: References = field(default_factory=References)
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    error: str | None = None
    registers: tuple[StepResult, ...] = ()

    @property
    def asked(self) -> str:
        """What a person asked: the question, or what earlier versions took it from, asked together with others."""
        return next((event.asked for event in self.events if isinstance(event, TakenApart)), self.question)


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


# What a person corrected in a conversation: who, when, why, and what became of the answers. Records are only added.
#
# Computes nothing: `quaestor.repair` does, and each correction has what it came to, so that a reader needs
# no document to know the answers.


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
    """An earlier correction is undone."""

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
        registers: The result of each step of its plan.
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


def active_corrections(corrections: Iterable[Correction]) -> tuple[Correction, ...]:
    """Return the corrections that are not undone, in their order, without the undoing."""
    found: dict[int, Correction] = {}
    for correction in corrections:
        if isinstance(correction.act, Undo):
            found.pop(correction.act.of, None)
        else:
            found[correction.number] = correction
    return tuple(found.values())


def apply_corrections(turns: Sequence[Turn], corrections: Iterable[Correction]) -> tuple[Turn, ...]:
    """Return turns as they read with the corrections made to them; question, events and cost are those of before.

    Args:
        corrections: All that are on record, in their order.
    """
    found = list(turns)
    for correction in corrections:
        for change in correction.changes:
            if change.turn < len(found):
                found[change.turn] = apply_change(found[change.turn], change)
    return tuple(found)


def apply_change(turn: Turn, change: ChangedAnswer) -> Turn:
    """Return a turn with the answer that it has now."""
    return replace(turn, answer=change.answer, verified=change.verified, registers=change.registers, error=change.error)


def remaining_corrections(corrections: Iterable[Correction], turns: int) -> tuple[Correction, ...]:
    """Return the corrections that are left when the last questions are withdrawn; they keep their numbers.

    What is about a question that is withdrawn goes with it. A number stays corrected, for the questions to come.

    Args:
        turns: How many questions stay.
    """
    left: list[Correction] = []
    for correction in corrections:
        act = correction.act
        withdrawn = act.of not in {other.number for other in left} if isinstance(act, Undo) else _about(act) >= turns
        if not withdrawn:
            changes = tuple(change for change in correction.changes if change.turn < turns)
            left.append(replace(correction, turns=min(correction.turns, turns), changes=changes))
    return tuple(left)


def _about(act: NumberCorrection | Choice) -> int:
    """The turn that an act is about; -1 of the document."""
    return -1 if isinstance(act, NumberCorrection) else act.turn


def missing_answer(number: int, turns: Sequence[Turn]) -> str:
    """Return in words that a conversation has no answer of this number."""
    return f"answer {number} does not exist; the conversation has {len(turns)} answer{'s' * (len(turns) != 1)}"
