"""What is done with a document besides asking, as requests say it and replies tell it."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue, model_validator

from quaestor.application.graph_query import MOST_ROWS
from quaestor.application.named_values import MOST_VALUES, NamedValue
from quaestor.application.number_check import Step
from quaestor.application.plan_steps import NodeKind
from quaestor.graph.guard import LONGEST as LONGEST_QUERY
from quaestor.plan.expressions import LONGEST as LONGEST_FORMULA
from quaestor.web.api.answers import AnswerReply, CellSourceReply, SentenceSourceReply, Source
from quaestor.web.api.values import RequestBody, Value

LONGEST_QUESTION = 2_000
"""Characters of a question that a plan answers, or that places are looked for with."""


class PlaceReply(Value):
    """A table or a passage where an answer would stand.

    Attributes:
        document: The name of the document in sources.
        page: From 1, as viewers count, or null.
        section: The headings over it, in words.
        kind: What it is.
        title: What is printed over it, or the nearest heading.
        text: What matters of it, as printed.
        score: From 0 to 1: how much of what is looked for stands here.
        why: What speaks for it, in words, the strongest first.
        table: Of a table its place in the document, from 0, or null.
        rows: Of a table the rows that matter, from 0 in the printed grid, best first.
        anchor: The way to it in the file, or null.
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
    """Where an answer would stand, best first; nothing where nothing fits."""

    places: tuple[PlaceReply, ...]


class QueryBody(RequestBody):
    """A query over the graph of a document.

    Attributes:
        sparql: SELECT or ASK; all prefixes are known: `SELECT ?o ?v WHERE { ?o kg:rowLabel 'rent' ; kg:value ?v }`.
        limit: How many rows at most; a query that gives more is refused.
    """

    sparql: str = Field(min_length=1, max_length=LONGEST_QUERY)
    limit: int = Field(MOST_ROWS, ge=1, le=MOST_ROWS)


class QueryReply(Value):
    """What a query gives.

    Attributes:
        form: SELECT gives rows, ASK yes or no.
        answer: Of ASK, else null.
        columns: The names of the variables.
        rows: A value a column: an exact number as text, a node by its short name, null where it is unbound.
        sources: Where the numbers stand whose nodes are in the rows.
        empty: The cells without a value that the query asks for, in words.
    """

    form: Literal["SELECT", "ASK"]
    answer: bool | None
    columns: tuple[str, ...]
    rows: tuple[tuple[JsonValue, ...], ...]
    sources: dict[str, Source]
    empty: tuple[str, ...]


class _Read(Value):
    printed: str = Field(description="What is printed there of the number.")
    reading: str = Field(description="What lies between the number and what is printed, in words.")
    steps: tuple[Step, ...] = Field(description="The same as names; none where it is printed so.")


class CellNumberReply(CellSourceReply, _Read):
    """A cell where a number stands, and how it is read there."""


class SentenceNumberReply(SentenceSourceReply, _Read):
    """Words of a sentence where a number stands, and how it is read there."""


NumberPlace = Annotated[CellNumberReply | SentenceNumberReply, Field(discriminator="kind")]


class NumberCheckReply(Value):
    """Whether a number stands in a document.

    Attributes:
        found: Whether it does.
        number: As it was read.
        count: How many places there are in all.
        matches: The nearest readings first.
        nearest: Of a number that stands nowhere, what comes nearest.
    """

    found: bool
    number: str
    count: int
    matches: tuple[NumberPlace, ...]
    nearest: tuple[NumberPlace, ...]


class CalculationBody(RequestBody):
    """A formula over named values, or a plan in words with the question that it answers.

    Attributes:
        formula: Names of values, numbers, + - * / **, one < or >, abs min max sum avg, parentheses.
        values: What each name of the formula stands for: a cell by its labels, a number of the text by the words around
            it, an earlier answer of the conversation by its turn, a number that is given.
        plan: As the prompt `write_plan` of `quaestor mcp` asks for it.
        question: What the plan answers.
    """

    formula: str | None = Field(None, min_length=1, max_length=LONGEST_FORMULA)
    values: dict[Annotated[str, Field(min_length=1, max_length=80)], NamedValue] = Field(
        default_factory=dict, max_length=MOST_VALUES
    )
    plan: dict[str, JsonValue] | None = None
    question: str | None = Field(None, min_length=1, max_length=LONGEST_QUESTION)

    @model_validator(mode="after")
    def _one_of_both(self) -> "CalculationBody":
        if (self.formula is None) == (self.plan is None):
            raise ValueError("give either formula or plan")
        if self.plan is not None and self.question is None:
            raise ValueError("a plan needs the question that it answers")
        return self


class StepReply(Value):
    """A step of a plan, or what one takes.

    Attributes:
        key: Tells it from the others.
        kind: A number or words that are taken, a row, a group of cells, a constant, an earlier answer, an operation.
        title: What it is: the label of a number, the name of an operation.
        value: What it came to, in words, or null.
        takes: The keys of those that lead to it, in the order of the operation.
        turn: Of an earlier answer its number in the conversation, from 1, else null.
        sources: Where it stands.
    """

    key: str
    kind: NodeKind
    title: str
    value: str | None
    takes: tuple[str, ...]
    turn: int | None
    sources: tuple[Source, ...]


class CalculationReply(Value):
    """What a formula or a plan comes to.

    Attributes:
        answer: With its value, formula and sources; its number is that of the turn it would be.
        steps: What it is computed of, each after those that it takes.
    """

    answer: AnswerReply
    steps: tuple[StepReply, ...]


class NearReadingReply(Value):
    """What a question was nearly read as."""

    display: str
    description: str | None
    confidence: float | None
    formula: str | None


class ExplanationReply(Value):
    """How an answer came about.

    Attributes:
        turn: Its number in the conversation, from 1.
        display: The answer for people.
        description: What it is, or null.
        grounds: Why the question was read so, or null.
        other_readings: What it was nearly read as, the likeliest first.
        refers_to: What the question refers to of earlier answers, or null.
        steps: What it is computed of, each after those that it takes.
        trace: What happened between question and answer, in lines.
        tool_calls: The calls of tools, with their inputs and outputs.
        corrected: What was corrected, or null.
        seconds: How long it took.
        usage: What models used.
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
