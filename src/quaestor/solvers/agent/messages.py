"""Types of the replies of the agent's model: its understanding of a question and its answer.

Parsing is lenient: unknown keys are dropped, and a plan may be one text or several.
"""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, JsonValue, Strict, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from quaestor.conversation.events import NoAnswerReason
from quaestor.solvers.explaining import has_reference

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
