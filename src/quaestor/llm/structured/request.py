"""The loop of every request to a model: ask, check the reply, give its faults back, and give up after so many.

`ModelLoop` is the loop; `TypedRequest` asks for one typed object. The agent's rounds of tool calls are the other loop.
"""

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Generic, Literal, TypeVar

from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, SystemPromptPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.tools import ToolDefinition

from quaestor.errors import ModelReplyError
from quaestor.llm.models import Connection
from quaestor.llm.structured.replies import (
    ParsedReply,
    initial_messages,
    make_sendable,
    read_json,
    read_reply,
    return_results,
)
from quaestor.llm.structured.schema import is_closed, plain_schema, whole_schema
from quaestor.llm.transcript import phase as named
from quaestor.prompts import render

T = TypeVar("T")
OnRejected = Callable[[str, str, int, tuple[str, ...]], None]
"""Is called for each reply that cannot be used: the phase, what was wanted, which one it is from 1, its faults."""

_MOST_FAULTS = 12


class ModelLoop(ABC, Generic[T]):
    """Requests to a model until a reply can be used.

    A subclass says what the model may reply with (`_parameters`), how that is read (`_read`), and what becomes of it
    (`_take`): the result, or the next message.

    Attributes:
        rejected: How many replies could not be used so far.
        left: How many more may be asked for.
    """

    _gave_up = "after {} replies that could not be used"

    def __init__(
        self, connection: Connection, wanted: str, on_rejected: OnRejected, *, replies: int, repairs: int
    ) -> None:
        """Take whom to ask, and how often.

        Args:
            repairs: How many replies may be rejected before it is given up.
        """
        self.connection, self._wanted, self._on_rejected = connection, wanted, on_rejected
        self._replies, self._repairs = replies, repairs
        self._phase = ""
        self.rejected = 0
        self.left = replies

    async def run(self, phase: str, messages: list[ModelMessage]) -> T:
        """Return what can be used of a reply.

        Args:
            messages: The messages to send; replies and the faults found in them are appended.

        Raises:
            ModelReplyError: No reply could be used, or the server does not take the request.
            OutageError: The model cannot be asked.
        """
        self._phase, self.rejected = phase, 0
        for number in range(1, self._replies + 1):
            self.left = self._replies - number
            with named(self._phase_of(number)):
                response = await model_request(
                    self.connection.model, messages, model_request_parameters=self._parameters()
                )
            reply = self._read(response)
            if reply.calls or reply.text:
                messages.append(make_sendable(response))
            taken = await self._take(reply)
            if not isinstance(taken, ModelRequest):
                return taken
            messages.append(taken)
        raise ModelReplyError(f"no answer within {self._replies} rounds; the model kept calling tools")

    def reject(self, faults: Sequence[str]) -> None:
        """Count a reply that cannot be used, and put it on record.

        Raises:
            ModelReplyError: There were too many of them, or it was the last.
        """
        self.rejected += 1
        self._on_rejected(self._phase, self._wanted, self.rejected, tuple(faults[:_MOST_FAULTS]))
        if self.rejected > self._repairs or not self.left:
            raise ModelReplyError(f"{self._gave_up.format(self.rejected)}: {'; '.join(faults[:_MOST_FAULTS])}")

    def _phase_of(self, number: int) -> str:
        return self._phase if number == 1 else f"{self._phase}_repair_{number - 1}"

    @abstractmethod
    def _parameters(self) -> ModelRequestParameters:
        """Return what the model may reply with."""

    def _read(self, response: ModelResponse) -> ParsedReply:
        return read_reply(response)

    @abstractmethod
    async def _take(self, reply: ParsedReply) -> T | ModelRequest:
        """Return the result, or the next message."""


def _no_faults(_found: object) -> Sequence[str]:
    return ()


class TypedRequest(ModelLoop[T]):
    """One typed object from a model, asked for until it can be used, and asked for again in the same talk.

    How to reply is added to the last message, so that prompts need not know whether the model replies with a tool
    call, with JSON that its server holds to a schema, or with JSON in text.
    """

    def __init__(
        self,
        connection: Connection,
        kind: type[T],
        name: str,
        description: str,
        *,
        attempts: int,
        on_rejected: OnRejected = lambda *_: None,
        check: Callable[[T], Sequence[str]] = _no_faults,
        doubt: Callable[[T], Sequence[str]] = _no_faults,
        salvage: Callable[[str], T | None] | None = None,
        shown: type | None = None,
    ) -> None:
        """Take what is asked for.

        Args:
            kind: A frozen dataclass that `core.serial` reads. Types without free keys (`dict`) can be held to the
                letter.
            attempts: Replies in all each time that it is asked for, at least 1.
            check: Returns what is wrong with an object, in sentences that the model can act on.
            doubt: Returns what to object once to an object that can be used, unless it is in the last reply.
            salvage: Reads a reply that is not JSON of the type, or was cut off; None if that cannot be done without
                guessing.
            shown: The type whose schema the model is shown, if that is a part of what can be read: every word of a
                schema is paid for. None if it is shown all.
        """
        super().__init__(connection, name, on_rejected, replies=attempts, repairs=attempts - 1)
        self._kind, self._check, self._doubt, self._salvage = kind, check, doubt, salvage
        self._doubted = False
        self._mode = choose_output_mode(connection, shown or kind, name, description)
        self._talk: list[ModelMessage] = []
        self._given: ParsedReply | None = None

    @property
    def begun(self) -> bool:
        """Whether the model has given an object before, and so has the messages of then."""
        return self._given is not None

    async def ask(self, prompt: str, phase: str, system: str = "") -> T:
        """Return an object, as a model says it.

        Args:
            prompt: The prompt; in a conversation that has begun, only what is new.
            phase: What the first request is on record as; the next ones are `PHASE_repair_1`, `PHASE_repair_2`, ...

        Raises:
            ModelReplyError: No reply could be used, or the server does not take the request.
            OutageError: The model cannot be asked.
        """
        talk = initial_messages(system, prompt)
        if self._given is not None:  # whoever keeps the beginning of what was said reads only what is new
            talk = [*self._talk, return_results([(call, "noted") for call in self._given.calls], prompt)]
        asked = _with_way(talk, self._mode)
        said = list(asked)
        self._doubted = False
        found = await self.run(phase, said)
        self._talk = [*asked, said[-1]]  # without the replies that could not be used
        return found

    def _parameters(self) -> ModelRequestParameters:
        return self._mode.parameters

    async def _take(self, reply: ParsedReply) -> T | ModelRequest:
        try:
            found = self._object(reply)
            # A check looks numbers up and runs queries: other conversations go on meanwhile.
            faults = await asyncio.to_thread(self._faults, found)
        except ModelReplyError as error:
            faults = [str(error)]
        else:
            if not faults:
                self._given = reply
                return found
        self.reject(faults)
        mode = self._mode
        note = render("structured/repair", faults=faults[:_MOST_FAULTS], way=mode.way, tool=mode.name)
        return return_results([(call, "not used") for call in reply.calls], note)

    def _faults(self, found: T) -> list[str]:
        faults = self._check(found)
        if self.left and not (faults or self._doubted):
            faults = self._doubt(found)
            self._doubted = bool(faults)
        return [sentence.rstrip(".") for sentence in faults]

    def _object(self, reply: ParsedReply) -> T:
        """Return the object in a reply: of the output tool's call, else of the text, whatever was asked for."""
        said = next((call.arguments for call in reply.calls if call.tool == self._wanted), reply.text)
        try:
            if not said and not isinstance(said, dict):
                others = ", ".join(dict.fromkeys(call.tool[:60] for call in reply.calls))
                raise ModelReplyError(f"there is no tool {others}" if others else "the reply was empty")
            return read_json(self._kind, said)
        except ModelReplyError:
            if self._salvage and not reply.refused:
                found = self._salvage(said if isinstance(said, str) else json.dumps(said, ensure_ascii=False))
                if found is not None:
                    return found
            # A reply that was cut off after its object is as good as any.
            reply.require_whole()
            raise


# The three forms in which a model can be held to a type: JSON of a schema, the arguments of a tool, JSON in text. A
# schema is held to the letter only where the server does so and the type has no object of free keys, which strict modes
# would empty in silence.

Way = Literal["schema", "tool", "text"]


@dataclass(frozen=True, slots=True)
class OutputMode:
    """How one typed object is asked for.

    Attributes:
        way: `schema`: the reply is held to a JSON schema; `tool`: it is the call of an output tool; `text`: JSON in
            text, whose schema is in the prompt.
    """

    way: Way
    kind: type
    name: str
    description: str
    strict: bool

    @property
    def shown(self) -> str | None:
        """The schema for the prompt, where the server takes it as no tool and no response format; else None."""
        return _written(self.kind) if self.way == "text" else None

    @property
    def parameters(self) -> ModelRequestParameters:
        """What the model may reply with."""
        return _mode_parameters(self)


def choose_output_mode(connection: Connection, kind: type, name: str, description: str) -> OutputMode:
    """Return the mode in which a model is asked for a type: the first of schema, tool and text that it has.

    Anthropic's models go by the tool. A server that holds schemas to the letter is asked so only for types that can
    be held so.
    """
    profile = connection.spec.profile
    has_schema = profile.json_schema and bool(connection.model.profile.get("supports_json_schema_output", False))
    if has_schema and connection.spec.protocol == "openai" and (not profile.strict or is_closed(kind)):
        return OutputMode("schema", kind, name, description, profile.strict)
    return OutputMode("tool" if profile.tools else "text", kind, name, description, strict=False)


@lru_cache(maxsize=256)
def _written(kind: type) -> str:
    return json.dumps(plain_schema(kind))


@lru_cache(maxsize=256)
def _mode_parameters(mode: OutputMode) -> ModelRequestParameters:
    if mode.way == "tool":
        return ModelRequestParameters(
            output_mode="tool",
            output_tools=[output_tool(mode.kind, mode.name, mode.description)],
            allow_text_output=False,
        )
    schema = whole_schema(mode.kind) if mode.strict else plain_schema(mode.kind)
    output = OutputObjectDefinition(schema, name=mode.name, description=mode.description, strict=mode.strict)
    return ModelRequestParameters(
        output_mode="native" if mode.way == "schema" else "prompted",
        output_object=output,
        prompted_output_template=False,  # the prompt has the schema where it is needed
        allow_text_output=True,
    )


def output_tool(kind: type, name: str, description: str) -> ToolDefinition:
    """Return the tool whose arguments are the reply. It is not strict: a type may have free keys."""
    return ToolDefinition(
        name=name, parameters_json_schema=plain_schema(kind), description=description, strict=False, kind="output"
    )


def _with_way(messages: Sequence[ModelMessage], mode: OutputMode) -> list[ModelMessage]:
    """Return the messages with the way to reply at the end of the prompt, in one message with it.

    A schema that the model has to read is sent once: at the end of the system's instructions, so that it is the same at
    the head of every request; in a talk that has begun without it, in the prompt.
    """
    schema = mode.shown
    if schema and any(schema in text for text in _texts(messages)):
        schema = None
    elif schema and (headed := _add_schema(messages, render("structured/schema", schema=schema))):
        messages, schema = headed, None
    *before, last = messages
    how = render("structured/reply", way=mode.way, tool=mode.name, schema=schema)
    assert isinstance(last, ModelRequest)
    *parts, prompt = last.parts
    if isinstance(prompt, UserPromptPart) and isinstance(prompt.content, str):
        extended = [*parts, replace(prompt, content=f"{prompt.content}\n\n{how}")]
    else:
        extended = [*last.parts, UserPromptPart(how)]
    return [*before, replace(last, parts=extended)]


def _add_schema(messages: Sequence[ModelMessage], schema: str) -> list[ModelMessage] | None:
    """Return the first request of a talk with a schema after the system's instructions; None if it has none."""
    first, *rest = messages
    if rest or not isinstance(first, ModelRequest):
        return None
    place = next((i for i, part in enumerate(first.parts) if isinstance(part, SystemPromptPart)), None)
    if place is None:
        return None
    parts = list(first.parts)
    system = parts[place]
    assert isinstance(system, SystemPromptPart)
    parts[place] = replace(system, content=f"{system.content}\n\n{schema}")
    return [replace(first, parts=parts)]


def _texts(messages: Sequence[ModelMessage]) -> Iterator[str]:
    for message in messages:
        for part in message.parts:
            if isinstance(part, UserPromptPart | SystemPromptPart) and isinstance(part.content, str):
                yield part.content
