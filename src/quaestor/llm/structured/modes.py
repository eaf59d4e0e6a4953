"""The three forms in which a model can be held to a type: JSON of a schema, the arguments of a tool, JSON in text.

A schema is held to the letter only where the server does so and the type has no object of free keys, which strict modes
would empty in silence.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.tools import ToolDefinition

from quaestor.llm.models import Connection
from quaestor.llm.structured.schema import is_closed, plain_schema, whole_schema

Way = Literal["schema", "tool", "text"]


@dataclass(frozen=True, slots=True)
class OutputMode:
    """How one typed object is asked for.

    Attributes:
        way: `schema`: the reply is held to a JSON schema; `tool`: it is the call of an output tool; `text`: JSON in
            text, whose schema is in the prompt.
        name: Of the output tool or of the schema.
        description: What the object says, in a sentence.
        strict: Whether the server holds the reply to the letter of the schema.
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
        return _parameters(self)


def choose_output_mode(connection: Connection, kind: type, name: str, description: str) -> OutputMode:
    """Return the mode in which a model is asked for a type: the first of schema, tool and text that it has.

    Anthropic's models go by the tool. A server that holds schemas to the letter is asked so only for types that can
    be held so.

    Args:
        connection: The model, and what its server can do.
        kind: The type of the reply, a dataclass.
        description: What the object says, in a sentence.
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
def _parameters(mode: OutputMode) -> ModelRequestParameters:
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
    """Return the tool whose arguments are the reply. It is not strict: a type may have free keys.

    Args:
        kind: The type of the reply, a dataclass.
        description: What the object says, in a sentence.
    """
    return ToolDefinition(
        name=name,
        parameters_json_schema=plain_schema(kind),
        description=description,
        strict=False,
        kind="output",
    )
