"""The two bindings of the one toolbox: native tool calls, and lines `TOOL: name({json})` for models without them.

A model that has native calls and writes lines all the same is understood too. Decides nothing about what is called.
"""

import json
import re
from dataclasses import replace
from functools import lru_cache

from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from quaestor.llm.structured.modes import output_tool
from quaestor.llm.structured.replies import ParsedReply, RequestedCall, read_reply
from quaestor.solvers.agent.messages import ANSWER, FinalAnswer
from quaestor.solvers.tools.toolbox import TOOLS

_LINE = re.compile(r"TOOL:\s*([\w.-]{1,60})\s*\(")
_FINAL = re.compile(r"^[\s*]*ANSWER\W*?:", re.MULTILINE)


def read_calls(response: ModelResponse) -> ParsedReply:
    """Returns the calls of a reply, native or written."""
    reading = read_reply(response)
    return reading if reading.calls else replace(reading, calls=written_calls(reading.text))


def written_calls(text: str) -> tuple[RequestedCall, ...]:
    """Returns the calls that a text writes as lines; of an answer on a line of its own, the call of the answer tool.

    >>> written_calls('First: TOOL: list_entities({"entityType": "CashFlow"})')[0].arguments
    '{"entityType": "CashFlow"}'
    """
    calls = [RequestedCall(found[1], _arguments(text, found.end())) for found in _LINE.finditer(text)]
    if not calls and (found := _FINAL.search(text)):
        calls.append(RequestedCall(ANSWER, text[found.end() :].strip(" *\n")))
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


@lru_cache(maxsize=1)
def tool_list() -> list[dict[str, str]]:
    """Returns the tools, for models that call them in writing."""
    return [
        {"name": tool.name, "description": tool.description, "schema": json.dumps(tool.schema)}
        for tool in TOOLS.values()
    ]


@lru_cache(maxsize=16)
def answer_request(native: bool, tools: tuple[str, ...]) -> ModelRequestParameters:
    """Returns what a model may reply with in the second phase."""
    if not native:
        return ModelRequestParameters(output_mode="text", allow_text_output=True)
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
        output_tools=[output_tool(FinalAnswer, ANSWER, "Give the answer.")],
        allow_text_output=False,
    )
