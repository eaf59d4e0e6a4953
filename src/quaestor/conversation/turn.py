"""One question with its answer, and how it came about."""

import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from time import perf_counter

from pydantic import JsonValue

from quaestor.conversation.answer import Answer
from quaestor.conversation.events.kinds import Event, TakenApart, holdable
from quaestor.conversation.references.resolved import References
from quaestor.core import serial
from quaestor.llm.usage import Usage
from quaestor.plan.execute import StepResult


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool within a turn.

    Attributes:
        input: Its arguments as JSON; the text of what is not JSON.
        output: Its result, the same way.
        seconds: How long it took.
        started: When it was called, in UTC; None in records of before that was kept.
    """

    tool: str
    input: JsonValue
    output: JsonValue
    seconds: float
    started: datetime | None = None

    @classmethod
    def ended(cls, tool: str, said: JsonValue, told: JsonValue, begun: float | None = None) -> "ToolCall":
        """Return a call that has just come to its end, as stores can hold it.

        Args:
            said: Its arguments, as JSON or as JSON text.
            told: Its result, the same way.
            begun: What `time.perf_counter` said when it was called; None is just now.
        """
        seconds = 0.0 if begun is None else round(perf_counter() - begun, 6)
        started = datetime.now(UTC) - timedelta(seconds=seconds)
        return cls(tool, _as_json(said), _as_json(told), seconds, started)

    @classmethod
    def of_record(cls, stored: JsonValue) -> "ToolCall":
        """Return a call as it was stored, be it when input and output were JSON text."""
        call = serial.restore(cls, stored)
        return replace(call, input=_as_json(call.input), output=_as_json(call.output))


def _as_json(said: JsonValue) -> JsonValue:
    """Return the object that a text says in JSON, and everything else as it is."""
    if isinstance(said, str):
        try:
            read = json.loads(said)
        except (ValueError, RecursionError):
            return said
        said = read if isinstance(read, dict | list) else said
    return holdable(said)


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
        registers: What each step of the plan came to when it was executed again, in order.
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
