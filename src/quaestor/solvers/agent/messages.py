"""What the agent's model gives back, as types: its understanding of a question, and its answer.

Owns the names on the wire. Lenient where a reply can still be understood: unknown keys are dropped, a plan may be one
text or several.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, Strict

from quaestor.conversation.events.kinds import NoAnswerReason

Said = str | int | float
UNDERSTAND = "describe_understanding"
"""The output tool of the first phase."""

ANSWER = "final_answer"
"""The output tool of the second phase."""


@dataclass(frozen=True, slots=True)
class Understanding:
    """How a model reads a question. It is a guide for the second phase, and a record for people."""

    description: Annotated[str, Field(description="What is asked for, complete in itself.")]
    entity_type: Annotated[
        str | None, Field(alias="entityType", description="The type of entity that has the numbers.")
    ] = None
    property: Annotated[str | list[str] | None, Field(description="The property or properties to read.")] = None
    filters: Annotated[
        dict[str, Said | list[Said]], Field(description="What singles out the instances, such as year.")
    ] = field(default_factory=dict)
    periods: Annotated[list[Said], Field(description="The years or other periods asked about.")] = field(
        default_factory=list
    )
    requires_calculation: Annotated[
        bool, Field(alias="requiresCalculation", description="Whether anything must be calculated.")
    ] = False
    operation: Annotated[str | None, Field(description="The calculation, such as subtract.")] = None
    operands: Annotated[list[Said], Field(description="What it is calculated on, in order, in words.")] = field(
        default_factory=list
    )
    references: Annotated[
        list[Said], Field(description="Earlier results that the question points back to, such as #-1.")
    ] = field(default_factory=list)
    plan: Annotated[str | list[str], Field(description="The steps, in words.")] = ""
    reasoning: Annotated[str, Field(description="Why this answers the question.")] = ""


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """What a model answers with."""

    answer: Annotated[
        Annotated[bool, Strict()] | Annotated[int, Strict()] | Annotated[float, Strict()] | str | None,
        Field(description='One number; or "yes" or "no"; null where there is none to give.'),
    ] = None
    no_answer: Annotated[
        NoAnswerReason | None,
        Field(description="With null: the page does not have it, or two numbers fit and nothing tells which."),
    ] = None
    scale: Annotated[
        Literal["one", "thousand", "million", "billion", "percent"] | None,
        Field(description="What one unit of the number stands for, as its source prints it."),
    ] = None
    unit: Annotated[str | None, Field(description="What it counts, such as USD or shares.")] = None
    steps: Annotated[list[int], Field(description="The steps of the tool results that it rests on.")] = field(
        default_factory=list
    )
    explanation: Annotated[str | None, Field(description="How it was found, in a sentence.")] = None


def exact(number: float) -> Decimal:
    """Returns a JSON number as it was written, as nearly as a float holds it."""
    return Decimal(str(number))
