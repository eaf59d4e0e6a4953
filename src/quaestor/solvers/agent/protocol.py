"""Replies of the agent's model, and the two ways to call the tools: natively, or as lines `TOOL: name({json})`.

A model with native calls that writes lines instead is understood too. Replies of tools are recorded complete but
shortened for the model, which reads them again with every later request.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, JsonValue, Strict, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.tools import ToolDefinition

from quaestor.conversation.events import NoAnswerReason
from quaestor.llm.structured.replies import RequestedCall
from quaestor.llm.structured.schema import plain_schema
from quaestor.solvers.explaining import has_reference
from quaestor.solvers.tools.messages import SearchDocument
from quaestor.solvers.tools.toolbox import SEARCH, SEARCH_DESCRIPTION, TOOLS

Scalar = str | int | float
UNDERSTAND = "describe_understanding"
"""Name of the output tool in a separate first phase, or of an additional tool."""

ANSWER = "final_answer"
"""Name of the output tool for the answer."""


@dataclass(frozen=True, slots=True)
class Understanding:
    """A model's understanding of a question, recorded for people and used in the second phase."""

    description: Annotated[str, Field(description="What is asked for, complete in itself.")]
    entity_type: Annotated[
        str | None, Field(alias="entityType", description="The type of entity that has the numbers.")
    ] = None
    property: Annotated[str | list[str] | None, Field(description="The property or properties to read.")] = None
    filters: Annotated[
        dict[str, Scalar | list[Scalar]], Field(description="What singles out the instances, as query_kg takes it.")
    ] = field(default_factory=dict)
    periods: Annotated[list[Scalar], Field(description="The years or other periods asked about.")] = field(
        default_factory=list
    )
    requires_calculation: Annotated[
        bool, Field(alias="requiresCalculation", description="Whether anything must be calculated.")
    ] = False
    operation: Annotated[str | None, Field(description="Such as subtract.")] = None
    operands: Annotated[list[Scalar], Field(description="In order.")] = field(default_factory=list)
    references: Annotated[list[Scalar], Field(description="Earlier answers meant, such as #-1.")] = field(
        default_factory=list
    )
    plan: Annotated[str | list[str], Field(description="The steps, in words.")] = ""
    reasoning: Annotated[str, Field(description="Why, in a sentence.")] = ""


def _join_texts(value: object) -> object:
    """Join a list of texts into one, as the model was asked to write; return any other value unchanged."""
    return ", ".join(value) if isinstance(value, list) and all(isinstance(part, str) for part in value) else value


_SENTENCES: dict[str, JsonValue] = {
    "type": "array",
    "items": {"type": "string"},
    "description": "For why, how or a judgement: 'It rose {#3} [p2].', or [\"its words\"].",
}


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """A model's answer, which may also list the steps that a number depends on."""

    answer: Annotated[
        Annotated[bool, Strict()] | Annotated[int, Strict()] | Annotated[float, Strict()] | str | None,
        BeforeValidator(_join_texts),
        Field(description='"#3" for step 3, "#1, #2" for a list; or a number, "yes" or "no".'),
    ] = None
    words: Annotated[
        list[str] | None,
        Field(
            description='Copied from the page, as little as is asked for; "#3" for a step; beside yes or no, its proof.'
        ),
    ] = None
    no_answer: NoAnswerReason | None = None
    assumption: Annotated[str | None, Field(description="What the answer needs and no page says.")] = None
    scale: Literal["one", "thousand", "million", "billion", "percent"] | None = None
    unit: SkipJsonSchema[str | None] = None
    steps: SkipJsonSchema[list[int]] = field(default_factory=list)
    explanation: Annotated[list[str] | str | None, WithJsonSchema(_SENTENCES)] = None

    @property
    def note(self) -> str:
        """The comment beside an answer or a missing answer, as one text."""
        return self.explanation if isinstance(self.explanation, str) else " ".join(self.explanation or ())

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences to show as an explanation: a list, or a text with references."""
        if isinstance(self.explanation, str):
            return (self.explanation,) if has_reference(self.explanation) else ()
        return tuple(self.explanation or ())


STATED = "description"
"""The part of the understanding that a model states with its first calls, which show the rest."""


_LINE = re.compile(r"TOOL:\s*([\w.-]{1,60})\s*\(")
_CHECKED_ANYWAY = frozenset({"maxLength", "minItems", "maxItems", "minimum", "propertyNames", "additionalProperties"})
_OF_OVERVIEW = ("list_entities", "introspect_ontology")
"""Tools whose results are in the prompt, unless they are too long."""
_OMITTED = frozenset({"success", "source", "sources", "operation", "year", "instance", "property", "fraction"})
_OF_SENTENCES = frozenset({"sentence", "before", "text"})
_DIGITS = 10
_FINAL = re.compile(r"^[ \t*]*ANSWER\W*?:", re.MULTILINE)


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
        whole: Whether the overview in the prompt is complete; the tools that list types, properties and instances
            are then left out.
    """
    return [
        {"name": tool.name, "description": tool.description or "", "schema": json.dumps(tool.parameters_json_schema)}
        for tool in _tools(stating, whole, searching)
    ]


@lru_cache(maxsize=32)
def answer_request(
    native: bool, stating: bool, whole: bool, last: bool, *, searching: bool = False
) -> ModelRequestParameters:
    """Return the tools and the output that a model may use (see `tool_list`); with `last` it must answer now."""
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
