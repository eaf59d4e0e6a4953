"""One question with its answer, and how it came about."""

from dataclasses import dataclass, field
from datetime import datetime

from quaestor.conversation.answer import Answer
from quaestor.conversation.events.kinds import Event
from quaestor.conversation.references.resolved import References
from quaestor.llm.usage import Usage


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool within a turn.

    Attributes:
        tool: The tool's name.
        input: Its arguments as JSON text.
        output: Its result as JSON text.
        seconds: How long it took.
    """

    tool: str
    input: str
    output: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation.

    Attributes:
        question: As asked.
        answer: What the solver answered.
        verified: True where the plan, executed again independently of the solver, gave the answer's value.
        events: What happened between question and answer, in order.
        references: What the question referred to of the turns before it, by rule.
        tool_calls: In the order of the calls.
        usage: What was asked of models: requests, tokens, money.
        error: The named error that left the turn without an answer, or None.
        started: When the question was put, in UTC, to the millisecond.
        finished: When the answer was there.
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
