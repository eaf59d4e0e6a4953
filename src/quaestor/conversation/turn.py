"""Turns of a conversation, the memory of earlier turns, and corrections."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from time import perf_counter
from typing import Annotated, Literal

from pydantic import Discriminator, JsonValue

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import Event, QuestionPart, convert_to_storable
from quaestor.conversation.references.expressions import References
from quaestor.core import serial
from quaestor.core.provenance import Source
from quaestor.core.quantity import Quantity
from quaestor.core.renaming import renamed_attributes, renamed_fields
from quaestor.llm.usage import Usage
from quaestor.plan.execute import StepResult
from quaestor.plan.scales import Dimension
from quaestor.questions.question import Question, read_question


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call in a turn.

    Attributes:
        input: The arguments as JSON, or as text if they are not JSON.
        output: The result as JSON, or as text.
        started: The time of the call, in UTC; None in old records that lack it.
    """

    tool: str
    input: JsonValue
    output: JsonValue
    seconds: float
    started: datetime | None = None

    @classmethod
    def ended(cls, tool: str, arguments: JsonValue, result: JsonValue, begun: float | None = None) -> "ToolCall":
        """Create the record of a call that has just ended, in a form that stores accept.

        Args:
            arguments: The arguments, as JSON or as JSON text.
            begun: `time.perf_counter()` at the start of the call; None for now.
        """
        seconds = 0.0 if begun is None else round(perf_counter() - begun, 6)
        started = datetime.now(UTC) - timedelta(seconds=seconds)
        return cls(tool, _as_json(arguments), _as_json(result), seconds, started)

    @classmethod
    def of_record(cls, stored: JsonValue) -> "ToolCall":
        """Load a stored call, including old records with input and output as JSON text."""
        call = serial.restore(cls, stored)
        return replace(call, input=_as_json(call.input), output=_as_json(call.output))


def _as_json(value: JsonValue) -> JsonValue:
    """Parse text with a JSON object or list; return other values unchanged."""
    if isinstance(value, str):
        try:
            read = json.loads(value)
        except (ValueError, RecursionError):
            return value
        value = read if isinstance(read, dict | list) else value
    return convert_to_storable(value)


@renamed_attributes(asked="full_question")
@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation.

    Attributes:
        verified: Whether the plan, executed again independently of the solver, gave the answer's value; False for an
            answer without a plan, such as an imported one.
        events: What happened between question and answer, in order.
        references: What the question refers to in earlier turns, resolved by rules.
        registers: The result of each step of the plan when it was executed again.
        error: The named error that left the turn without an answer, or None.
        started: The time of the question, in UTC, to the millisecond.
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
    def full_question(self) -> str:
        """The question as typed by the person, which earlier versions split if it contained several."""
        return next((event.full_question for event in self.events if isinstance(event, QuestionPart)), self.question)


@renamed_attributes(asked="parsed_questions")
@dataclass(frozen=True, slots=True)
class Memory:
    """The conversation so far: questions with the solver's answers, oldest first."""

    turns: tuple[Turn, ...] = ()

    def add(self, turn: Turn) -> "Memory":
        """Return the memory with another turn."""
        return Memory((*self.turns, turn))

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The answers so far, oldest first; `Ref(-1)` refers to the last."""
        return tuple(turn.answer for turn in self.turns)

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions so far, oldest first."""
        return tuple(turn.question for turn in self.turns)

    @property
    def parsed_questions(self) -> tuple[Question, ...]:
        """The parsed questions so far, oldest first."""
        return tuple(read_question(turn.question) for turn in self.turns)

    @property
    def registers(self) -> tuple[StepResult | None, ...]:
        """The answers as results for plans to refer to, oldest first; None if a turn has no answer."""
        return tuple(
            None if a.value is None else StepResult(a.value, a.scale, a.unit, a.sources, a.in_ones, a.fraction)
            for a in self.answers
        )

    @property
    def counts(self) -> tuple[Dimension | None, ...]:
        """The dimensions of the answers, oldest first; None if a turn has no answer."""
        return tuple(None if register is None else register.counts for register in self.registers)

    @property
    def entity_in_focus(self) -> str | None:
        """The entity of the latest answer with one, or None."""
        return next((turn.answer.entity for turn in reversed(self.turns) if turn.answer.entity), None)


# Corrections of a conversation by a person: author, time, reason, and the changed answers. Records are only added.
#
# Corrections are computed in `quaestor.repair` and contain their results, so that the document is not needed to read
# them.


@dataclass(frozen=True, slots=True)
class NumberCorrection:
    """Correction of a misread number in the document, which applies to all answers that use it and to later questions.

    Attributes:
        source: The cell, or the span of a sentence.
        was: The number as it was read; None if none was read.
    """

    source: Annotated[Source, Discriminator("kind")]
    was: Quantity | None
    now: Quantity
    kind: Literal["number"] = field(default="number", kw_only=True)


@dataclass(frozen=True, slots=True)
class SourceChoice:
    """Choice of another number of the document for a step.

    Attributes:
        turn: The turn's index in the conversation, from 0.
        step: The step of its plan, from 1.
    """

    turn: int
    step: int
    source: Annotated[Source, Discriminator("kind")]
    kind: Literal["source"] = field(default="source", kw_only=True)


@dataclass(frozen=True, slots=True)
class ReadingChoice:
    """Choice of another reading of a question, or of the original one.

    Attributes:
        turn: The turn's index in the conversation, from 0.
        reading: The number of the other reading, from 1; 0 for the original one.
    """

    turn: int
    reading: int
    kind: Literal["reading"] = field(default="reading", kw_only=True)


@dataclass(frozen=True, slots=True)
class OperationChoice:
    """Choice of another operation for a step.

    Attributes:
        turn: The turn's index in the conversation, from 0.
        step: The step of its plan, from 1.
        operation: A name of `quaestor.plan.operations`.
        swapped: Whether to swap its two operands.
    """

    turn: int
    step: int
    operation: str
    swapped: bool = False
    kind: Literal["operation"] = field(default="operation", kw_only=True)


@dataclass(frozen=True, slots=True)
class Undo:
    """Reversal of an earlier correction."""

    of: int
    kind: Literal["undo"] = field(default="undo", kw_only=True)


Choice = SourceChoice | ReadingChoice | OperationChoice
"""A correction of one turn."""

Act = Annotated[
    NumberCorrection | SourceChoice | ReadingChoice | OperationChoice | Undo,
    Discriminator("kind"),
]
"""Any action of a person."""


@dataclass(frozen=True, slots=True)
class ChangedAnswer:
    """An answer changed by a correction.

    Attributes:
        turn: The turn's index in the conversation, from 0.
        was: The previous answer, as displayed.
        verified: Whether executing its plan again gave the answer.
        registers: The result of each step of its plan.
        error: The named error that leaves it without a value, or None.
    """

    turn: int
    was: str
    answer: Answer
    verified: bool
    registers: tuple[StepResult, ...] = ()
    error: str | None = None


@renamed_fields(made="time")
@dataclass(frozen=True, slots=True)
class Correction:
    """Record of one correction.

    Attributes:
        number: Its number in the conversation, from 1.
        turns: The number of questions answered before it; later questions took it into account.
        time: In UTC, to the millisecond.
        reason: The author's reason, or "".
    """

    number: int
    act: Act
    turns: int
    author: str
    time: datetime
    reason: str = ""
    changes: tuple[ChangedAnswer, ...] = ()


def active_corrections(corrections: Iterable[Correction]) -> tuple[Correction, ...]:
    """Return the corrections that are not undone, in order, without the `Undo` records."""
    found: dict[int, Correction] = {}
    for correction in corrections:
        if isinstance(correction.act, Undo):
            found.pop(correction.act.of, None)
        else:
            found[correction.number] = correction
    return tuple(found.values())


def apply_corrections(turns: Sequence[Turn], corrections: Iterable[Correction]) -> tuple[Turn, ...]:
    """Return turns with corrected answers; questions, events and costs are unchanged.

    Args:
        corrections: All recorded corrections, in order.
    """
    found = list(turns)
    for correction in corrections:
        for change in correction.changes:
            if change.turn < len(found):
                found[change.turn] = apply_change(found[change.turn], change)
    return tuple(found)


def apply_change(turn: Turn, change: ChangedAnswer) -> Turn:
    """Return a turn with a changed answer."""
    return replace(turn, answer=change.answer, verified=change.verified, registers=change.registers, error=change.error)


def remaining_corrections(corrections: Iterable[Correction], turns: int) -> tuple[Correction, ...]:
    """Return the corrections that remain if the last questions are withdrawn; they keep their numbers.

    Corrections of withdrawn questions are dropped. Corrected numbers stay, for later questions.

    Args:
        turns: The number of remaining questions.
    """
    left: list[Correction] = []
    for correction in corrections:
        match correction.act:
            case Undo(of=number):
                stays = number in {other.number for other in left}
            case NumberCorrection():
                stays = True
            case act:
                stays = act.turn < turns
        if stays:
            changes = tuple(change for change in correction.changes if change.turn < turns)
            left.append(replace(correction, turns=min(correction.turns, turns), changes=changes))
    return tuple(left)


def missing_answer(number: int, turns: Sequence[Turn]) -> str:
    """Return the message that a conversation has no answer with this number."""
    return f"answer {number} does not exist; the conversation has {len(turns)} answer{'s' * (len(turns) != 1)}"
