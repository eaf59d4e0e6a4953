"""What the agent's model gives back, as types: its understanding of a question, and its answer.

Lenient where a reply can still be understood: unknown keys are dropped, a plan may be one text or several.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, JsonValue, Strict, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from quaestor.conversation.events import NoAnswerReason
from quaestor.solvers.explaining import has_reference

Scalar = str | int | float
UNDERSTAND = "describe_understanding"
"""The output tool of a first phase, else a tool beside the others."""

ANSWER = "final_answer"
"""The output tool of the rounds."""


@dataclass(frozen=True, slots=True)
class Understanding:
    """How a model reads a question. It is a guide for the second phase, and a record for people."""

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
    """Return texts that a model lists as one text, as it was asked for them; anything else as it is."""
    return ", ".join(value) if isinstance(value, list) and all(isinstance(part, str) for part in value) else value


_SENTENCES: dict[str, JsonValue] = {
    "type": "array",
    "items": {"type": "string"},
    "description": "For why, how or a judgement: 'It rose {#3} [p2].', or [\"its words\"].",
}


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """What a model answers with. It may also name the steps that a number rests on."""

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
        """What is said beside an answer or of none, as one text."""
        return self.explanation if isinstance(self.explanation, str) else " ".join(self.explanation or ())

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is to be shown as an explanation: a list, or a text with references."""
        if isinstance(self.explanation, str):
            return (self.explanation,) if has_reference(self.explanation) else ()
        return tuple(self.explanation or ())


STATED = "description"
"""What a model states of its understanding along with its first calls: those say the rest."""


def exact(number: float) -> Decimal:
    """Return a JSON number as it was written, as nearly as a float holds it."""
    return Decimal(str(number))
