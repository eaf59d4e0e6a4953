"""The two ways to call the tools: native tool calls, and lines `TOOL: name({json})` for models without them.

A model with native calls that writes lines instead is understood too. Replies of tools are recorded complete but
shortened for the model, which reads them again with every later request.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

from pydantic import JsonValue
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from quaestor.llm.structured.replies import ParsedReply, RequestedCall
from quaestor.llm.structured.schema import plain_schema
from quaestor.solvers.agent.messages import ANSWER, STATED, UNDERSTAND, FinalAnswer
from quaestor.solvers.tools.messages import SearchDocument
from quaestor.solvers.tools.searching import SEARCH, SEARCH_DESCRIPTION
from quaestor.solvers.tools.toolbox import TOOLS

_LINE = re.compile(r"TOOL:\s*([\w.-]{1,60})\s*\(")
_CHECKED_ANYWAY = frozenset({"maxLength", "minItems", "maxItems", "minimum", "propertyNames", "additionalProperties"})
_OF_OVERVIEW = ("list_entities", "introspect_ontology")
"""Tools whose results are in the prompt, unless they are too long."""
_OMITTED = frozenset({"success", "source", "sources", "operation", "year", "instance", "property", "fraction"})
_OF_SENTENCES = frozenset({"sentence", "before", "text"})
_DIGITS = 10
_FINAL = re.compile(r"^[ \t*]*ANSWER\W*?:", re.MULTILINE)


def read_written_calls(reply: ParsedReply) -> ParsedReply:
    """Return a reply with the calls in its text, if it has no native ones."""
    return reply if reply.calls else replace(reply, calls=parse_calls(reply.text))


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
        found.append(_definition(SEARCH, SEARCH_DESCRIPTION, plain_schema(SearchDocument)))
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


def shorten(reply: Mapping[str, JsonValue], names: Mapping[str, str] = MappingProxyType({})) -> dict[str, JsonValue]:
    """Return a tool's reply as shown to the model; a refusal loses only its source places.

    Left out are places that a step already identifies, repetitions of the request or of other fields, and digits beyond
    those that a reader compares.

    Args:
        names: Names of sentences by which the model cites them, by their text.
    """
    if reply.get("success"):
        return _short(_add_names(reply, names) if names else reply)
    return {name: _short_value(value) for name, value in reply.items() if name != "success"}


def _add_names(reply: Mapping[str, JsonValue], names: Mapping[str, str]) -> dict[str, JsonValue]:
    """Prefix the sentences of a reply with their names."""

    def named(key: str, value: JsonValue) -> JsonValue:
        if isinstance(value, list):
            return [named(key, item) for item in value]
        if isinstance(value, dict):
            return _add_names(value, names)
        return _with_names(value, names) if isinstance(value, str) and key in _OF_SENTENCES else value

    return {key: named(key, value) for key, value in reply.items()}


def _with_names(text: str, names: Mapping[str, str]) -> str:
    parts: list[str] = []
    while known := max((sentence for sentence in names if text.startswith(sentence)), key=len, default=""):
        parts.append(f"{names[known]}: {known}")
        text = text[len(known) :].lstrip()
    return " ".join((*parts, *([text] if text else [])))


def _short(reply: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    calculated = "operands" in reply
    shown: dict[str, JsonValue] = {k: v for k, v in reply.items() if k not in _OMITTED and v not in (None, [], "")}
    if calculated:
        shown.pop("values", None)
        shown["operands"] = _operands(reply["operands"])
        if not shown["operands"]:
            del shown["operands"]
    if not shown.get("label"):
        shown |= {k: reply[k] for k in ("instance", "property") if k in reply}
    if _plain(shown.get("rawValue")) == _plain(shown.get("value")):
        shown.pop("rawValue", None)
    return {name: _short_value(value) for name, value in shown.items()}


def _short_value(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_short_value(item) for item in value]
    if isinstance(value, dict):
        return _short(value) if "step" in value else {k: _short_value(v) for k, v in value.items() if k != "source"}
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def _operands(shown: JsonValue) -> JsonValue:
    """Format each operand as a line such as `318.6 million (page: data cables, 2012)`; omit those that are steps."""
    if not isinstance(shown, list):
        return shown
    lines: list[JsonValue] = []
    for item in shown:
        if isinstance(item, dict) and not str(item.get("from")).startswith(("step", "constant")):
            scale = "" if item.get("scale") in ("one", "unknown", None) else f" {item['scale']}"
            also = f"; also {item['also']} others on the page" if item.get("also") else ""
            lines.append(f"{_short_value(item.get('value'))}{scale} ({item.get('from')}: {item.get('label')}{also})")
    return lines


def _plain(printed: JsonValue) -> str:
    return str(printed).replace(",", "").replace("$", "").strip()
