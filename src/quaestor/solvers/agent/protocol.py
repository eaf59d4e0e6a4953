"""A model's reply as calls and text, however the model makes calls.

Owns the two bindings of the one toolbox: native tool calls, and lines `TOOL: name({json})` for models without them. A
model that has native calls and writes lines all the same is understood too. Decides nothing about what is called.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

from pydantic import JsonValue
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
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from quaestor.solvers.agent.messages import ANSWER, UNDERSTAND, FinalAnswer, Understanding
from quaestor.solvers.tools.schema import plain_schema
from quaestor.solvers.tools.toolbox import TOOLS

_LINE = re.compile(r"TOOL:\s*([\w.-]{1,60})\s*\(")
_FINAL = re.compile(r"^[\s*]*ANSWER\W*?:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Called:
    """One call of a tool.

    Attributes:
        tool: Its name, as the model spells it.
        arguments: JSON text, or what it reads as.
        identity: What a native call is answered under; None for a line.
    """

    tool: str
    arguments: str | dict[str, JsonValue]
    identity: str | None = None

    @property
    def text(self) -> str:
        """The arguments in one spelling, to tell repeated calls."""
        if isinstance(self.arguments, str):
            try:
                return json.dumps(json.loads(self.arguments), sort_keys=True)
            except (ValueError, RecursionError):
                return self.arguments
        return json.dumps(self.arguments, sort_keys=True)


@dataclass(frozen=True, slots=True)
class Reading:
    """What is in a reply.

    Attributes:
        calls: In their order.
        text: What is said besides.
        cut: Whether the model ran into its limit of tokens.
        refused: Whether the provider withheld the reply.
    """

    calls: tuple[Called, ...]
    text: str
    cut: bool = False
    refused: bool = False


def read_reply(response: ModelResponse) -> Reading:
    """Returns the calls and the text of a reply."""
    text = (response.text or "").strip()
    calls = tuple(
        Called(part.tool_name, part.args if part.args is not None else {}, part.tool_call_id)
        for part in response.tool_calls
    )
    return Reading(
        calls or written_calls(text),
        text,
        cut=response.finish_reason == "length",
        refused=response.finish_reason == "content_filter",
    )


def kept(response: ModelResponse) -> ModelResponse:
    """Returns a reply as it can be sent back: arguments that are no object would break the client."""
    parts = [
        replace(part, args=json.dumps(part.args))
        if isinstance(part, ToolCallPart) and not isinstance(part.args, str | dict | None)
        else part
        for part in response.parts
    ]
    return replace(response, parts=parts)


def written_calls(text: str) -> tuple[Called, ...]:
    """Returns the calls that a text writes as lines; of an answer on a line of its own, the call of the answer tool.

    >>> written_calls('First: TOOL: list_entities({"entityType": "CashFlow"})')[0].arguments
    '{"entityType": "CashFlow"}'
    """
    calls = [Called(found[1], _arguments(text, found.end())) for found in _LINE.finditer(text)]
    if not calls and (found := _FINAL.search(text)):
        calls.append(Called(ANSWER, text[found.end() :].strip(" *\n")))
    return tuple(calls)


def _arguments(text: str, start: int) -> str:
    """Returns the JSON after an opening parenthesis; where it is none, the rest of the line, for the tool to refuse."""
    begin = start + len(text[start:]) - len(text[start:].lstrip())
    try:
        _, end = json.JSONDecoder().raw_decode(text, begin)
    except (ValueError, RecursionError):
        rest = text[begin:].partition("\n")[0].rstrip()
        return rest.removesuffix(")") or "{}"
    return text[begin:end]


def opening(system: str, prompt: str) -> list[ModelMessage]:
    """Returns the messages that a phase begins with."""
    return [ModelRequest([SystemPromptPart(system), UserPromptPart(prompt)])]


def answered(results: Iterable[tuple[Called, JsonValue]], note: str = "") -> ModelRequest:
    """Returns the request that hands back the results of calls, each the way in which it was called."""
    parts: list[ModelRequestPart] = []
    lines: list[str] = []
    for called, result in results:
        written = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
        if called.identity is None:
            lines.append(f"RESULT of {called.tool}: {written}")
        else:
            parts.append(ToolReturnPart(called.tool, written, called.identity))
    if said := "\n".join([*lines, *([note] if note else [])]):
        parts.append(UserPromptPart(said))
    return ModelRequest(parts)


@cache
def understanding_request(native: bool) -> ModelRequestParameters:
    """Returns what a model may reply with in the first phase."""
    return _request((), UNDERSTAND, Understanding, "Say how you understand the question.") if native else _text()


@cache
def answer_request(native: bool, tools: tuple[str, ...]) -> ModelRequestParameters:
    """Returns what a model may reply with in the second phase."""
    return _request(tools, ANSWER, FinalAnswer, "Give the answer.") if native else _text()


def _text() -> ModelRequestParameters:
    return ModelRequestParameters(output_mode="text", allow_text_output=True)


def _request(tools: tuple[str, ...], output: str, kind: type, description: str) -> ModelRequestParameters:
    return ModelRequestParameters(
        # Not strict: a filter may have any key, which schemas held to the letter cannot say.
        function_tools=[
            ToolDefinition(
                name=name,
                parameters_json_schema=TOOLS[name].schema,
                description=TOOLS[name].description,
                strict=False,
            )
            for name in tools
        ],
        output_mode="tool",
        output_tools=[
            ToolDefinition(
                name=output,
                parameters_json_schema=plain_schema(kind),
                description=description,
                strict=False,
                kind="output",
            )
        ],
        allow_text_output=False,
    )
