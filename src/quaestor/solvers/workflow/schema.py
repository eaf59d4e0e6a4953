"""A plan as a model writes it: extract steps with words to look up, compute steps with references and literals.

Every field of every step is filled, for steps of one kind are a type of their own; no field takes a number of the page.
Where a question asks for a number a model is told `NumberPlan`, a part of `WorkflowPlan`; what it writes is read as the
whole.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag

from quaestor.llm.structured.schema import UNTOLD
from quaestor.solvers.answering import ListOperation, NumberSilence
from quaestor.solvers.explaining import WrittenSentences, WrittenVerdict

Operation = Literal[
    "identity", "add", "subtract", "multiply", "divide", "exp", "greater", "percentage", "percentage_change", "sum",
    "average", "minimum", "maximum", "absolute", "as_printed",
]  # fmt: skip
"""The operations of plans that take numbers; those of whole rows are written as extract steps and `sum` or its like."""


@dataclass(frozen=True, slots=True)
class TableParams:
    """Where in a table a number is."""

    __pydantic_config__: ClassVar[ConfigDict] = UNTOLD
    row_query: str
    col_query: str


@dataclass(frozen=True, slots=True)
class TextParams:
    """Which number of the text is meant, in words."""

    __pydantic_config__: ClassVar[ConfigDict] = UNTOLD
    sought: str
    value_context: str
    unit: str
    period: str


@dataclass(frozen=True, slots=True)
class TableExtract:
    """A number that is in a table."""

    __pydantic_config__: ClassVar[ConfigDict] = UNTOLD
    step_id: int
    tool: Literal["extract_value"]
    source: Literal["table"]
    params: TableParams


@dataclass(frozen=True, slots=True)
class TextExtract:
    """A number that is in the text."""

    __pydantic_config__: ClassVar[ConfigDict] = UNTOLD
    step_id: int
    tool: Literal["extract_value"]
    source: Literal["text"]
    params: TextParams


@dataclass(frozen=True, slots=True)
class SelectCells:
    """All cells in which some rows and columns meet."""

    __pydantic_config__: ClassVar[ConfigDict] = UNTOLD
    step_id: int
    tool: Literal["select_cells"]
    rows: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuoteWords:
    """Words of the page, letter by letter."""

    __pydantic_config__: ClassVar[ConfigDict] = UNTOLD
    step_id: int
    tool: Literal["quote"]
    words: str


@dataclass(frozen=True, slots=True)
class StepReference:
    """The result of another step."""

    __pydantic_config__: ClassVar[ConfigDict] = UNTOLD
    type: Literal["reference"]
    step_ref: int


@dataclass(frozen=True, slots=True)
class LiteralNumber:
    """A number that is on no page, such as 100."""

    __pydantic_config__: ClassVar[ConfigDict] = UNTOLD
    type: Literal["literal"]
    value: float


WrittenOperand = Annotated[StepReference | LiteralNumber, Discriminator("type")]


@dataclass(frozen=True, slots=True)
class NumberStep:
    """A calculation with numbers."""

    __pydantic_config__: ClassVar[ConfigDict] = UNTOLD
    step_id: int
    tool: Literal["compute"]
    operation: Operation
    operands: tuple[WrittenOperand, ...]


@dataclass(frozen=True, slots=True)
class ComputeStep:
    """A calculation, or a choice among cells."""

    __pydantic_config__: ClassVar[ConfigDict] = UNTOLD
    step_id: int
    tool: Literal["compute"]
    operation: Literal[Operation, ListOperation]
    operands: tuple[WrittenOperand, ...]


LookUpStep = TableExtract | TextExtract | SelectCells | QuoteWords
"""A step that looks something up."""

_KINDS = ("table", "text", "compute", "select_cells", "quote")


def _kind(value: Any) -> str | None:
    """Return which step it is, by `tool` and `source`; None for none of them."""
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
class WorkflowPlan:
    """The whole way to an answer; the last step is the answer. Without steps it says why there is none."""

    __pydantic_config__: ClassVar[ConfigDict] = UNTOLD
    thought_process: str
    steps: tuple[WorkflowStep, ...] = ()
    no_answer: NumberSilence | None = None
    assumption: str | None = None
    explanation: WrittenSentences = None
    verdict: WrittenVerdict = None


@dataclass(frozen=True, slots=True)
class NumberPlan:
    """The whole way to an answer that is a number or yes or no."""

    __pydantic_config__: ClassVar[ConfigDict] = UNTOLD
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
