"""Loop of requests to a model: ask, check the reply, return its faults, and give up after a number of attempts.

`ModelLoop` is the loop; `TypedRequest` asks for one typed object. The agent's rounds of tool calls are its other
subclass.
"""

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Generic, Literal, TypeVar

from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelMessage, ModelRequest
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
"""Called for each unusable reply with the phase, the wanted output, the reply's number from 1, and its faults."""

_MOST_FAULTS = 12


Way = Literal["schema", "tool", "text"]
"""How an object is requested.

`schema`: the server constrains the reply to a JSON schema; `tool`: the reply is a call of an output tool; `text`: the
reply is JSON in text, and the system prompt contains the schema."""


class ModelLoop(ABC, Generic[T]):
    """Sends requests to a model until a reply can be used.

    Subclasses define the allowed replies (`_parameters`), and how a reply is handled (`_take`): it becomes the result,
    or leads to the next message.
    """

    _gave_up = "after {} replies that could not be used"

    def __init__(
        self, connection: Connection, wanted: str, on_rejected: OnRejected, *, replies: int, repairs: int
    ) -> None:
        """Create a loop that gives up after `repairs` rejected replies."""
        self.connection, self._wanted, self._on_rejected = connection, wanted, on_rejected
        self._replies, self._repairs = replies, repairs
        self._phase = ""
        self.rejected = 0
        self.left = replies

    async def run(self, phase: str, messages: list[ModelMessage]) -> T:
        """Request replies until one can be used, and return its result."""
        self._phase, self.rejected = phase, 0
        for number in range(1, self._replies + 1):
            self.left = self._replies - number
            with named(self._phase_of(number)):
                response = await model_request(
                    self.connection.model, messages, model_request_parameters=self._parameters()
                )
            reply = read_reply(response)
            if reply.calls or reply.text:
                messages.append(make_sendable(response))
            outcome = await self._take(reply)
            if not isinstance(outcome, ModelRequest):
                return outcome
            messages.append(outcome)
        raise ModelReplyError(f"no answer within {self._replies} rounds; the model kept calling tools")

    def reject(self, faults: Sequence[str]) -> None:
        """Count and record an unusable reply; raise ModelReplyError if it was one too many."""
        self.rejected += 1
        self._on_rejected(self._phase, self._wanted, self.rejected, tuple(faults[:_MOST_FAULTS]))
        if self.rejected > self._repairs or not self.left:
            raise ModelReplyError(f"{self._gave_up.format(self.rejected)}: {'; '.join(faults[:_MOST_FAULTS])}")

    def _phase_of(self, number: int) -> str:
        return self._phase if number == 1 else f"{self._phase}_repair_{number - 1}"

    @abstractmethod
    def _parameters(self) -> ModelRequestParameters:
        """Return what the model may reply with."""

    @abstractmethod
    async def _take(self, reply: ParsedReply) -> T | ModelRequest:
        """Return the result, or the next message."""


class TypedRequest(ModelLoop[T]):
    """Request for one typed object, which may be repeated in the same conversation with the model.

    Instructions on how to reply are added to the prompts, which therefore do not depend on the output mode: a tool
    call, JSON constrained to a schema by the server, or JSON in text.
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
        check: Callable[[T], Sequence[str]] = lambda _: (),
        doubt: Callable[[T], Sequence[str]] = lambda _: (),
        shown: type | None = None,
    ) -> None:
        """Create a request.

        Args:
            kind: A frozen dataclass that `core.serial` can load. Types without free keys (`dict`) can be enforced
                strictly.
            attempts: Limit of replies for each call of `ask`, at least 1.
            check: Returns the faults of an object, as sentences that the model can act on.
            doubt: Returns objections to a valid object, which are raised once, but not after the last reply.
            shown: A type with a subset of the fields whose schema is shown to the model, to save tokens; None to show
                that of `kind`.
        """
        super().__init__(connection, name, on_rejected, replies=attempts, repairs=attempts - 1)
        self._kind, self._check, self._doubt = kind, check, doubt
        self._doubted = False
        self._shown = shown or kind
        self._way = choose_way(connection, self._shown)
        strict = connection.spec.profile.strict
        self._allowed = request_parameters(self._way, self._shown, name, description, strict)
        self._talk: list[ModelMessage] = []
        self._last_object: ParsedReply | None = None

    @property
    def has_reply(self) -> bool:
        """Whether the model has returned an object before, so that it has the earlier messages."""
        return self._last_object is not None

    async def ask(self, prompt: str, phase: str, system: str = "") -> T:
        """Ask the model for an object.

        Args:
            prompt: The prompt; in a conversation that has begun, only the new part.
            phase: The phase recorded for the first request; further ones are `PHASE_repair_1`, `PHASE_repair_2`, ...
        """
        how = render("structured/reply", way=self._way, tool=self._wanted, schema=None)
        prompt = f"{prompt}\n\n{how}"
        if self._last_object is not None:  # a continued conversation needs only the new part
            talk = [*self._talk, return_results([(call, "noted") for call in self._last_object.calls], prompt)]
        else:
            if self._way == "text":  # at the end of the system prompt, so that all requests share a prefix
                schema = json.dumps(plain_schema(self._shown))
                system = f"{system}\n\n{render('structured/schema', schema=schema)}"
            talk = initial_messages(system, prompt)
        messages = list(talk)
        self._doubted = False
        found = await self.run(phase, messages)
        self._talk = [*talk, messages[-1]]  # without the unusable replies
        return found

    def _parameters(self) -> ModelRequestParameters:
        return self._allowed

    async def _take(self, reply: ParsedReply) -> T | ModelRequest:
        try:
            found = self._object(reply)
            # Checks look numbers up and run queries, so they run in a thread while other conversations continue.
            faults = await asyncio.to_thread(self._faults, found)
        except ModelReplyError as error:
            faults = [str(error)]
        else:
            if not faults:
                self._last_object = reply
                return found
        self.reject(faults)
        note = render("structured/repair", faults=faults[:_MOST_FAULTS], way=self._way, tool=self._wanted)
        return return_results([(call, "not used") for call in reply.calls], note)

    def _faults(self, found: T) -> list[str]:
        faults = self._check(found)
        if self.left and not (faults or self._doubted):
            faults = self._doubt(found)
            self._doubted = bool(faults)
        return [sentence.rstrip(".") for sentence in faults]

    def _object(self, reply: ParsedReply) -> T:
        """Parse the object from the call of the output tool, else from the text, in any output mode."""
        content = next((call.arguments for call in reply.calls if call.tool == self._wanted), reply.text)
        try:
            if not content and not isinstance(content, dict):
                others = ", ".join(dict.fromkeys(call.tool[:60] for call in reply.calls))
                raise ModelReplyError(f"there is no tool {others}" if others else "the reply was empty")
            return read_json(self._kind, content)
        except ModelReplyError:
            # A reply that was truncated after its object is valid.
            reply.require_whole()
            raise


def choose_way(connection: Connection, kind: type) -> Way:
    """Choose how to request a type: by the first of schema, tool and text that the model supports.

    Anthropic's models use the tool. If a server enforces schemas strictly, they are used only for types without free
    keys, which strict modes would silently empty.
    """
    profile = connection.spec.profile
    has_schema = profile.json_schema and bool(connection.model.profile.get("supports_json_schema_output", False))
    if has_schema and connection.spec.protocol == "openai" and (not profile.strict or is_closed(kind)):
        return "schema"
    return "tool" if profile.tools else "text"


def request_parameters(way: Way, kind: type, name: str, description: str, strict: bool) -> ModelRequestParameters:
    """Return what the model may reply with."""
    if way == "tool":
        # Not strict because a type may have free keys.
        tool = ToolDefinition(
            name=name, parameters_json_schema=plain_schema(kind), description=description, strict=False, kind="output"
        )
        return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)
    strict = strict and way == "schema"
    schema = whole_schema(kind) if strict else plain_schema(kind)
    return ModelRequestParameters(
        output_mode="native" if way == "schema" else "prompted",
        output_object=OutputObjectDefinition(schema, name=name, description=description, strict=strict),
        prompted_output_template=False,  # the system prompt contains the schema if needed
        allow_text_output=True,
    )
