"""Parse a model's reply into calls and text, and build the messages around it."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from pydantic import JsonValue, ValidationError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    SystemPromptPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from quaestor.core import serial
from quaestor.core.words import singular
from quaestor.errors import ModelReplyError

T = TypeVar("T")

_LONGEST = 20_000
_LONGEST_FAULT, _MOST_FAULTS = 400, 6


@dataclass(frozen=True, slots=True)
class RequestedCall:
    """One tool call."""

    tool: str
    arguments: str | dict[str, JsonValue]
    identity: str | None = None

    @property
    def text(self) -> str:
        """The arguments in a normalized form, to detect repeated calls."""
        if isinstance(self.arguments, str):
            try:
                return json.dumps(json.loads(self.arguments), sort_keys=True)
            except (ValueError, RecursionError):
                return self.arguments
        return json.dumps(self.arguments, sort_keys=True)


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """The content of a reply."""

    calls: tuple[RequestedCall, ...]
    text: str
    cut: bool = False
    refused: bool = False

    def require_whole(self) -> None:
        """Raise ModelReplyError unless the reply is complete."""
        if self.refused:
            raise ModelReplyError(f"the reply was withheld by the provider: {quoted(self.text)}")
        if self.cut:
            raise ModelReplyError("the reply was cut off at its limit of tokens: be brief")


def read_reply(response: ModelResponse) -> ParsedReply:
    """Return the calls and the text of a reply."""
    calls = tuple(
        RequestedCall(part.tool_name, part.args if part.args is not None else {}, part.tool_call_id)
        for part in response.tool_calls
    )
    return ParsedReply(
        calls,
        (response.text or "").strip(),
        cut=response.finish_reason == "length",
        refused=response.finish_reason == "content_filter",
    )


def read_json(kind: type[T], reply: object) -> T:
    """Parse a reply that is a JSON object, or text around one."""
    value = _object_in(reply) if isinstance(reply, str) else reply
    try:
        return serial.load(kind, value)
    except ValidationError as error:
        raise ModelReplyError(f"the JSON does not fit its schema: {'; '.join(_faults(error, value))}") from error


def _faults(error: ValidationError, value: object) -> list[str]:
    """Describe the faults of each field by its place in the reply: `step 2, operand 1: ...`."""
    wrong: dict[str, dict[str, str]] = {}
    for fault in error.errors(include_url=False):
        given = "" if fault["type"] == "missing" else f", not {quoted(str(fault['input']))}"
        words = serial.fault_words(fault)[:_LONGEST_FAULT]
        wrong.setdefault(_place(fault["loc"], value), {})[words] = given
    listed = [f"{place}: {' or '.join(faults)}{next(iter(faults.values()))}" for place, faults in wrong.items()]
    return listed[:_MOST_FAULTS]


def _place(loc: Sequence[int | str], value: object) -> str:
    """Describe a place in a reply, with entries counted from 1; tags of union types are omitted."""
    named: list[str] = []
    for key in loc:
        if isinstance(key, int) and isinstance(value, list) and key < len(value):
            named[-1:] = [f"{singular(named[-1]) if named else 'entry'} {key + 1}"]
            value = value[key]
        elif isinstance(value, dict) and (key in value or key == loc[-1]):
            named.append(str(key))
            value = value.get(key)
    return ", ".join(named) or "it"


def _object_in(text: str) -> JsonValue:
    """Return the first JSON object in a text, such as one in a code fence."""
    start = text.find("{")
    if start < 0:
        raise ModelReplyError(f"the reply holds no JSON object: {quoted(text)}")
    try:
        # Parsed as floats; text of decimals would not validate as numbers.
        value: JsonValue = json.JSONDecoder().raw_decode(text[:_LONGEST], start)[0]
    except (ValueError, RecursionError) as error:
        raise ModelReplyError(f"the reply is not valid JSON: {str(error)[:200]}") from error
    return value


def shorten_line(text: str, most: int) -> str:
    """Return a text in one line of at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."


def quoted(text: str, most: int = 120) -> str:
    """Return the beginning of a reply, for messages."""
    return repr(shorten_line(text, most))


def initial_messages(system: str, prompt: str) -> list[ModelMessage]:
    """Return the first messages of a phase."""
    return [ModelRequest([SystemPromptPart(system), UserPromptPart(prompt)])]


def make_sendable(response: ModelResponse) -> ModelResponse:
    """Return a reply that can be sent back: clients fail on arguments that are not an object."""
    parts = [
        replace(part, args=json.dumps(part.args))
        if isinstance(part, ToolCallPart) and not isinstance(part.args, str | dict | None)
        else part
        for part in response.parts
    ]
    return replace(response, parts=parts)


def return_results(results: Iterable[tuple[RequestedCall, JsonValue]], note: str = "") -> ModelRequest:
    """Return a request with the results of calls, in the format of each call."""
    parts: list[ModelRequestPart] = []
    lines: list[str] = []
    for called, result in results:
        written = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
        if called.identity is None:
            lines.append(f"RESULT of {called.tool}: {written}")
        else:
            parts.append(ToolReturnPart(called.tool, written, called.identity))
    if text := "\n".join([*lines, *([note] if note else [])]):
        parts.append(UserPromptPart(text))
    return ModelRequest(parts)
