"""Format of plans written by a model: extract steps with words to look up, compute steps with references and literals.

Each kind of step is a separate type, so that all its fields are required; no field takes a number of the page. If a
question asks for a number, the model gets the smaller schema `NumberPlan`; replies are always parsed as `WorkflowPlan`.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from quaestor.llm.structured.schema import Undescribed
from quaestor.solvers.answering import ListOperation, NumberSilence
from quaestor.solvers.explaining import WrittenSentences, WrittenVerdict

Operation = Literal[
    "identity", "add", "subtract", "multiply", "divide", "exp", "greater", "percentage", "percentage_change", "sum",
    "average", "minimum", "maximum", "absolute", "as_printed",
]  # fmt: skip
"""Plan operations on numbers; operations on whole rows are written as extract steps with `sum` or similar."""


@dataclass(frozen=True, slots=True)
class TableParams(Undescribed):
    """The row and column of a number in a table."""

    row_query: str
    col_query: str


@dataclass(frozen=True, slots=True)
class TextParams(Undescribed):
    """Description of a number in the text."""

    sought: str
    value_context: str
    unit: str
    period: str


@dataclass(frozen=True, slots=True)
class TableExtract(Undescribed):
    """Step that extracts a number from a table."""

    step_id: int
    tool: Literal["extract_value"]
    source: Literal["table"]
    params: TableParams


@dataclass(frozen=True, slots=True)
class TextExtract(Undescribed):
    """Step that extracts a number from the text."""

    step_id: int
    tool: Literal["extract_value"]
    source: Literal["text"]
    params: TextParams


@dataclass(frozen=True, slots=True)
class SelectCells(Undescribed):
    """Step that selects all cells where some rows and columns meet."""

    step_id: int
    tool: Literal["select_cells"]
    rows: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuoteWords(Undescribed):
    """Step that quotes text from the page exactly."""

    step_id: int
    tool: Literal["quote"]
    words: str


@dataclass(frozen=True, slots=True)
class StepReference(Undescribed):
    """The result of another step."""

    type: Literal["reference"]
    step_ref: int


@dataclass(frozen=True, slots=True)
class LiteralNumber(Undescribed):
    """A number that is not on the page, such as 100."""

    type: Literal["literal"]
    value: float


WrittenOperand = Annotated[StepReference | LiteralNumber, Discriminator("type")]


@dataclass(frozen=True, slots=True)
class ComputeStep(Undescribed):
    """A calculation, or a selection from cells."""

    step_id: int
    tool: Literal["compute"]
    operation: Literal[Operation, ListOperation]
    operands: tuple[WrittenOperand, ...]


@dataclass(frozen=True, slots=True)
class NumberStep(ComputeStep):
    """A calculation with numbers."""

    operation: Operation


LookUpStep = TableExtract | TextExtract | SelectCells | QuoteWords
"""A step that looks something up."""

_KINDS = ("table", "text", "compute", "select_cells", "quote")


def _kind(value: Any) -> str | None:
    """Return the kind of a step from `tool` and `source`; None if it is unknown."""
    fields = value if isinstance(value, dict) else {name: getattr(value, name, None) for name in ("tool", "source")}
    kind = fields.get("source") if fields.get("tool") == "extract_value" else fields.get("tool")
    return kind if kind in _KINDS else None


_OF_KIND = Discriminator(
    _kind,
    custom_error_type="step_kind",
    custom_error_message='A step has tool "extract_value" with source "table" or "text", or tool "compute", '
    '"select_cells" or "quote"',
)

WorkflowStep = Annotated[
    Annotated[TableExtract, Tag("table")]
    | Annotated[TextExtract, Tag("text")]
    | Annotated[SelectCells, Tag("select_cells")]
    | Annotated[QuoteWords, Tag("quote")]
    | Annotated[ComputeStep, Tag("compute")],
    _OF_KIND,
]


@dataclass(frozen=True, slots=True)
class WorkflowPlan(Undescribed):
    """A plan whose last step is the answer; without steps, the reason for no answer."""

    thought_process: str
    steps: tuple[WorkflowStep, ...] = ()
    no_answer: NumberSilence | None = None
    assumption: str | None = None
    explanation: WrittenSentences = None
    verdict: WrittenVerdict = None


@dataclass(frozen=True, slots=True)
class NumberPlan(Undescribed):
    """A plan for an answer that is a number or yes or no."""

    thought_process: str
    steps: tuple[
        Annotated[
            Annotated[TableExtract, Tag("table")]
            | Annotated[TextExtract, Tag("text")]
            | Annotated[NumberStep, Tag("compute")],
            _OF_KIND,
        ],
        ...,
    ] = ()
    no_answer: NumberSilence | None = None


@dataclass(frozen=True, slots=True)
class NumberChoice:
    """Which of the listed numbers is meant."""

    number: Annotated[int, Field(description="Its place in the list, from 1; 0 if it is none of them.")]
