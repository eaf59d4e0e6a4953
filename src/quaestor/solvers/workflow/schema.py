"""A plan as a model writes it: extract steps with words to look up, compute steps with references and literals.

Owns the wire form. Every field of every step is filled, for steps of one kind are a type of their own; no field takes
a number of the page.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

Operation = Literal[
    "identity", "add", "subtract", "multiply", "divide", "exp", "greater", "percentage", "percentage_change", "sum",
    "average", "minimum", "maximum", "absolute",
]  # fmt: skip
"""The operations of plans that take numbers; those of whole rows are written as extract steps and `sum` or its like."""

Reading = Literal["signed", "magnitude"]


@dataclass(frozen=True, slots=True)
class TableParams:
    """Where in a table a number stands."""

    row_query: Annotated[str, Field(description="The name of the row, as listed.")]
    col_query: Annotated[str, Field(description="The name of the column, as listed.")]


@dataclass(frozen=True, slots=True)
class TextParams:
    """Which number of the text is meant, in words."""

    sought: Annotated[str, Field(description="What the number is. Never the number itself.")]
    value_context: Annotated[str, Field(description="The words right around the number in its sentence.")]
    unit: Annotated[str, Field(description="What it counts, such as USD, million USD, percent or shares; or any.")]
    period: Annotated[str, Field(description="Its year or other period, such as 2008; or any.")]


@dataclass(frozen=True, slots=True)
class TableExtract:
    """A number that stands in a table."""

    step_id: Annotated[int, Field(description="1, 2, ... in order.")]
    tool: Literal["extract_value"]
    source: Literal["table"]
    params: TableParams
    reading: Annotated[Reading, Field(description="magnitude drops a printed minus, where the question asks so.")]


@dataclass(frozen=True, slots=True)
class TextExtract:
    """A number that stands in the text."""

    step_id: Annotated[int, Field(description="1, 2, ... in order.")]
    tool: Literal["extract_value"]
    source: Literal["text"]
    params: TextParams
    reading: Annotated[Reading, Field(description="magnitude drops a printed minus, where the question asks so.")]


@dataclass(frozen=True, slots=True)
class StepReference:
    """The result of another step."""

    type: Literal["reference"]
    step_ref: Annotated[int, Field(description="A step before this one; -1, -2, ... the answer 1, 2, ... turns ago.")]


@dataclass(frozen=True, slots=True)
class LiteralNumber:
    """A number that stands on no page, such as 100."""

    type: Literal["literal"]
    value: float


@dataclass(frozen=True, slots=True)
class ComputeStep:
    """A calculation."""

    step_id: Annotated[int, Field(description="1, 2, ... in order.")]
    tool: Literal["compute"]
    operation: Operation
    operands: tuple[Annotated[StepReference | LiteralNumber, Discriminator("type")], ...]


ExtractStep = TableExtract | TextExtract


def _kind(value: Any) -> str | None:
    """Returns which step it is, by `tool` and `source`; None for none of them."""
    fields = value if isinstance(value, dict) else {name: getattr(value, name, None) for name in ("tool", "source")}
    kind = fields.get("tool") if fields.get("tool") == "compute" else fields.get("source")
    return kind if kind in ("table", "text", "compute") else None


WorkflowStep = Annotated[
    Annotated[TableExtract, Tag("table")]
    | Annotated[TextExtract, Tag("text")]
    | Annotated[ComputeStep, Tag("compute")],
    Discriminator(
        _kind,
        custom_error_type="step_kind",
        custom_error_message='A step has tool "extract_value" with source "table" or "text", or tool "compute"',
    ),
]


@dataclass(frozen=True, slots=True)
class WorkflowPlan:
    """The whole way to an answer; the last step is the answer."""

    thought_process: Annotated[str, Field(description="Why these steps, in a sentence or two.")]
    steps: tuple[WorkflowStep, ...]


@dataclass(frozen=True, slots=True)
class NumberChoice:
    """Which of the listed numbers is meant."""

    number: Annotated[int, Field(description="Its place in the list, from 1; 0 if it is none of them.")]
