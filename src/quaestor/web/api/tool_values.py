"""What is done with a document besides asking, as requests say it and replies tell it."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue, model_validator

from quaestor.application.graph_query import MOST_ROWS
from quaestor.application.named_values import MOST_VALUES, NamedValue
from quaestor.application.number_check import Step
from quaestor.application.plan_steps import NodeKind
from quaestor.evaluation.checked_questions import MAX_QUESTION
from quaestor.graph.guard import LONGEST as LONGEST_QUERY
from quaestor.plan.expressions import LONGEST as LONGEST_FORMULA
from quaestor.web.api.answers import AnswerReply, CellSourceReply, SentenceSourceReply, Source
from quaestor.web.api.values import RequestBody, Value


class PlaceReply(Value):
    """A table or passage that may contain an answer.

    Attributes:
        document: The name of the document in sources.
        page: The page, from 1, or null.
        title: Its title, or the nearest heading.
        text: The relevant text, as printed.
        score: The relevance, from 0 to 1.
        why: The reasons for the score, strongest first.
        table: The index of the table, from 0, or null.
        rows: The relevant rows of a table, from 0 in the printed grid, best first.
        anchor: The anchor in the file, or null.
    """

    document: str
    page: int | None
    section: str
    kind: Literal["table", "passage"]
    title: str
    text: str
    score: float
    why: tuple[str, ...]
    table: int | None
    rows: tuple[int, ...]
    anchor: str | None


class PlacesReply(Value):
    """Places that may contain an answer, best first; empty if nothing matches."""

    places: tuple[PlaceReply, ...]


class QueryBody(RequestBody):
    """A query over the graph of a document.

    Attributes:
        sparql: SELECT or ASK; prefixes are predefined: `SELECT ?o ?v WHERE { ?o kg:rowLabel 'rent' ; kg:value ?v }`.
        limit: The maximum number of rows; a query with more is rejected.
    """

    sparql: str = Field(min_length=1, max_length=LONGEST_QUERY)
    limit: int = Field(MOST_ROWS, ge=1, le=MOST_ROWS)


class QueryReply(Value):
    """The result of a query.

    Attributes:
        answer: The answer to an ASK query, else null.
        rows: One value per column: an exact number as text, the short name of a node, or null if it is unbound.
        sources: The places of the numbers whose nodes are in the rows.
        empty: Matching cells without a value, in words.
    """

    form: Literal["SELECT", "ASK"]
    answer: bool | None
    columns: tuple[str, ...]
    rows: tuple[tuple[JsonValue, ...], ...]
    sources: dict[str, Source]
    empty: tuple[str, ...]


class _Read(Value):
    printed: str = Field(description="The number as printed.")
    reading: str = Field(description="How the number differs from the printed one, in words.")
    steps: tuple[Step, ...] = Field(description="The differences as names; empty if the number is printed exactly so.")


class CellNumberReply(CellSourceReply, _Read):
    """A cell that contains the number, and how it matches."""


class SentenceNumberReply(SentenceSourceReply, _Read):
    """Part of a sentence that contains the number, and how it matches."""


NumberPlace = Annotated[CellNumberReply | SentenceNumberReply, Field(discriminator="kind")]


class NumberCheckReply(Value):
    """Whether a document contains a number.

    Attributes:
        matches: The places, closest match first.
    """

    found: bool
    number: str
    count: int
    matches: tuple[NumberPlace, ...]
    nearest: tuple[NumberPlace, ...]


class CalculationBody(RequestBody):
    """A formula over named values, or a plan in words with the question that it answers.

    Attributes:
        formula: A formula of names, numbers, + - * / **, one < or >, abs min max sum avg, parentheses.
        values: The value of each name: a cell by its labels, a number in the text by the words around it, an earlier
            answer by its turn, or a given number.
        plan: A plan in the format of the prompt `write_plan` of `quaestor mcp`.
    """

    formula: str | None = Field(None, min_length=1, max_length=LONGEST_FORMULA)
    values: dict[Annotated[str, Field(min_length=1, max_length=80)], NamedValue] = Field(
        default_factory=dict, max_length=MOST_VALUES
    )
    plan: dict[str, JsonValue] | None = None
    question: str | None = Field(None, min_length=1, max_length=MAX_QUESTION)

    @model_validator(mode="after")
    def _one_of_both(self) -> "CalculationBody":
        if (self.formula is None) == (self.plan is None):
            raise ValueError("give either `formula` or `plan`")
        if self.plan is not None and self.question is None:
            raise ValueError("`plan` requires `question`")
        return self


class StepReply(Value):
    """A step of a plan, or an input of one.

    Attributes:
        kind: A number or text of the document, a row, a group of cells, a constant, an earlier answer or an operation.
        title: The label of a number, or the name of an operation.
        value: Its result, in words, or null.
        takes: The keys of its inputs, in order.
        turn: The number of the earlier answer, from 1, or null.
    """

    key: str
    kind: NodeKind
    title: str
    value: str | None
    takes: tuple[str, ...]
    turn: int | None
    sources: tuple[Source, ...]


class CalculationReply(Value):
    """The result of a formula or plan.

    Attributes:
        answer: The answer; its number is that of the next turn.
        steps: The steps, each after its inputs.
    """

    answer: AnswerReply
    steps: tuple[StepReply, ...]


class NearReadingReply(Value):
    """Another interpretation of a question."""

    display: str
    description: str | None
    confidence: float | None
    formula: str | None


class ExplanationReply(Value):
    """An explanation of an answer.

    Attributes:
        turn: The number of the answer, from 1.
        description: What the answer is, or null.
        grounds: Why the question was interpreted this way, or null.
        other_readings: Other interpretations, most likely first.
        refers_to: The earlier answers that the question refers to, or null.
        steps: The steps, each after its inputs.
        trace: The events between question and answer, in lines.
        tool_calls: The tool calls with their inputs and outputs.
        corrected: The correction, or null.
        seconds: The time that it took.
    """

    turn: int
    display: str
    description: str | None
    grounds: str | None
    other_readings: tuple[NearReadingReply, ...]
    refers_to: str | None
    steps: tuple[StepReply, ...]
    trace: tuple[str, ...]
    tool_calls: tuple[dict[str, JsonValue], ...]
    corrected: str | None
    seconds: float
    usage: dict[str, JsonValue]
