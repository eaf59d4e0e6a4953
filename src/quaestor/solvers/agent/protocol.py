"""The two ways to call the tools: native tool calls, and lines `TOOL: name({json})` for models without them.

A model with native calls that writes lines instead is understood too.
"""

import json
import re
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from pydantic import JsonValue
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from quaestor.llm.structured.replies import ParsedReply, RequestedCall, read_reply
from quaestor.llm.structured.schema import plain_schema
from quaestor.solvers.agent.messages import ANSWER, STATED, UNDERSTAND, FinalAnswer
from quaestor.solvers.tools.toolbox import SEARCH_TOOL, TOOLS

_LINE = re.compile(r"TOOL:\s*([\w.-]{1,60})\s*\(")
_CHECKED_ANYWAY = frozenset({"maxLength", "minItems", "maxItems", "minimum", "propertyNames", "additionalProperties"})
_OF_OVERVIEW = ("list_entities", "introspect_ontology")
"""Tools whose results are in the prompt, unless they are too long."""
_FINAL = re.compile(r"^[ \t*]*ANSWER\W*?:", re.MULTILINE)


def read_calls(response: ModelResponse) -> ParsedReply:
    """Parse the calls of a reply, native or written."""
    reading = read_reply(response)
    return reading if reading.calls else replace(reading, calls=parse_calls(reading.text))


def parse_calls(text: str) -> tuple[RequestedCall, ...]:
    """Parse the calls that a text writes as lines; an answer on a separate line becomes a call of the answer tool.

    >>> parse_calls('First: TOOL: list_entities({"entityType": "CashFlow"})')[0].arguments
    '{"entityType": "CashFlow"}'
    """
    calls = [RequestedCall(found[1], _arguments(text, found.end())) for found in _LINE.finditer(text)]
    if not calls and (found := _FINAL.search(text)):
        calls.append(RequestedCall(ANSWER, text[found.end() :].strip(" *\n")))
    return tuple(calls)


def _arguments(text: str, start: int) -> str:
    """Return the JSON after an opening parenthesis; if it is invalid, the rest of the line, for the tool to refuse."""
    begin = start + len(text[start:]) - len(text[start:].lstrip())
    try:
        _, end = json.JSONDecoder().raw_decode(text, begin)
    except (ValueError, RecursionError):
        rest = text[begin:].partition("\n")[0].rstrip()
        return rest.removesuffix(")") or "{}"
    return text[begin:end]


def _lean(schema: JsonValue) -> JsonValue:
    """Return a schema without limits that are validated anyway, to save tokens in every request."""
    if isinstance(schema, list):
        return [_lean(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    lean = {key: _lean(value) for key, value in schema.items() if key not in _CHECKED_ANYWAY}
    choices = lean.get("anyOf")
    if isinstance(choices, list) and all(isinstance(choice, dict) and set(choice) == {"type"} for choice in choices):
        del lean["anyOf"]
        lean["type"] = [choice["type"] for choice in choices if isinstance(choice, dict)]
    return lean


def _definition(
    name: str, description: str, schema: JsonValue, kind: Literal["function", "output"] = "function"
) -> ToolDefinition:
    lean = _lean(schema)
    assert isinstance(lean, dict)
    # Not strict: strict schemas cannot express filters with arbitrary keys.
    return ToolDefinition(name=name, parameters_json_schema=lean, description=description, strict=False, kind=kind)


@lru_cache(maxsize=8)
def _tools(stating: bool, whole: bool, searching: bool) -> tuple[ToolDefinition, ...]:
    found = [
        _definition(name, tool.description, tool.schema)
        for name, tool in TOOLS.items()
        if not (whole and name in _OF_OVERVIEW)
    ]
    if searching:
        found.append(_definition(SEARCH_TOOL.name, SEARCH_TOOL.description, SEARCH_TOOL.schema))
    if not stating:
        return tuple(found)
    schema: JsonValue = {"type": "object", "properties": {STATED: {"type": "string"}}, "required": [STATED]}
    return (_definition(UNDERSTAND, "Say what is asked for, complete in itself.", schema), *found)


@lru_cache(maxsize=8)
def tool_list(stating: bool, whole: bool, *, searching: bool = False) -> list[dict[str, str]]:
    """Return the tools with their schemas, for models that call them in writing.

    Args:
        stating: Whether to include the tool for the understanding.
        whole: Whether the overview in the prompt is complete; the tools that list types, properties and instances
            are then left out.
        searching: Whether the shown document is an excerpt that can be searched for more.
    """
    return [
        {"name": tool.name, "description": tool.description or "", "schema": json.dumps(tool.parameters_json_schema)}
        for tool in _tools(stating, whole, searching)
    ]


@lru_cache(maxsize=32)
def answer_request(
    native: bool, stating: bool, whole: bool, last: bool, *, searching: bool = False
) -> ModelRequestParameters:
    """Return the tools and the output that a model may use while answering (see `tool_list` for the other arguments).

    Args:
        last: Whether the model must answer now.
    """
    if not native:
        return ModelRequestParameters(output_mode="text", allow_text_output=True)
    return ModelRequestParameters(
        function_tools=[] if last else list(_tools(stating, whole, searching)),
        output_mode="tool",
        output_tools=[_definition(ANSWER, "Give the answer.", plain_schema(FinalAnswer), "output")],
        allow_text_output=False,
    )
