"""What the tools give, as types: the schemas of structured output, to which every result is held.

Numbers are decimal text, exact; what a field is in words stands in its description.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

Exact = Annotated[str | None, Field(description="Exact, as decimal text.")]


class _Result(BaseModel):
    # What checks them is built with the first call of their tool.
    model_config = ConfigDict(extra="ignore", title=None, defer_build=True)


class Source(_Result):
    """Where a number or words stand."""

    kind: Annotated[str, Field(description="cell or sentence")]
    place: Annotated[str, Field(description="Row and column, or section and sentence, in words.")]
    text: Annotated[str, Field(description="As printed there.")]
    document: str
    file: str | None = None
    page: Annotated[int | None, Field(description="From 1, as viewers count.")] = None
    section_path: list[str] = []
    table: Annotated[int | None, Field(description="Of a cell its table, from 0.")] = None
    row: Annotated[int | None, Field(description="Of a cell, from 0, headers included.")] = None
    column: Annotated[int | None, Field(description="Of a cell, from 0, the label's column included.")] = None
    table_title: str | None = None
    row_label: str | None = None
    column_label: str | None = None
    section: str | None = None
    sentence: int | None = None
    start: int | None = None
    end: int | None = None
    anchor: str | None = None


class AnswerResult(_Result):
    """An answer with what it rests on."""

    question: str
    display: Annotated[str, Field(description="The answer for people; 'no answer' where there is none.")]
    value: Annotated[JsonValue, Field(description="Exact: decimal text in units of scale, true or false, a list.")]
    kind: Annotated[str, Field(description="number, count, yes_no, label, text, list or none")]
    scale: Annotated[str, Field(description="What one unit of the value stands for: one, thousand, million, percent.")]
    unit: str | None
    formula: Annotated[str | None, Field(description="The arithmetic, with the numbers as printed.")]
    program: Annotated[str | None, Field(description="The same as a program of the benchmark.")]
    sources: list[Source]
    confidence: Annotated[float | None, Field(description="The probability that it is right, where known.")]
    answerable: Annotated[float | None, Field(description="The probability that the document has an answer.")] = None
    verified: Annotated[bool, Field(description="Whether the plan, executed again, gave the same.")]
    reason: Annotated[
        str | None, Field(description="Why there is no answer ('the page does not say: ...'), or what to doubt.")
    ]
    error: str | None = None


class AskResult(_Result):
    """What was answered."""

    conversation: Annotated[str, Field(description="For the next question, explain and export.")]
    document: str
    answers: Annotated[list[AnswerResult], Field(description="One for each question in the words that were asked.")]
    first_turn: Annotated[int, Field(description="The number of the first of them in the conversation, from 1.")]
    solver: str
    unkept: Annotated[str | None, Field(description="Why not all of it is kept, if so.")] = None


class PlanStepResult(_Result):
    """A step of a plan, or what one takes."""

    key: str
    kind: str
    title: str
    value: str | None
    takes: list[str]
    turn: int | None
    sources: list[Source]


class CalculateResult(AnswerResult):
    """What a formula or a plan comes to."""

    steps: list[PlanStepResult]


class ReadingResult(_Result):
    """What a question was nearly read as."""

    display: str
    description: str | None
    confidence: float | None
    formula: str | None


class ExplainResult(CalculateResult):
    """How an answer came about."""

    turn: int
    description: str | None
    grounds: Annotated[str | None, Field(description="Why this reading was chosen.")]
    other_readings: Annotated[list[ReadingResult], Field(description="The likeliest first.")]
    refers_to: Annotated[str | None, Field(description="What the question refers to of earlier turns.")]
    trace: Annotated[list[str], Field(description="What happened between question and answer.")]
    tool_calls: list[dict[str, JsonValue]]
    corrected: str | None
    seconds: float
    usage: Annotated[dict[str, JsonValue], Field(description="What models used.")]


class PlaceResult(_Result):
    """A table or a passage where an answer would stand."""

    kind: str
    title: str
    text: str
    score: float
    why: list[str]
    page: int | None
    section: str
    table: Annotated[int | None, Field(description="From 0; read_document gives all its cells.")]
    anchor: str | None = None


class FindResult(_Result):
    """Where an answer would stand, best first."""

    document: str
    places: list[PlaceResult]


class QueryResult(_Result):
    """The rows of SELECT, or yes or no of ASK."""

    form: Literal["SELECT", "ASK"]
    answer: bool | None
    columns: list[str]
    rows: list[list[JsonValue]]
    sources: Annotated[dict[str, Source], Field(description="Where the numbers stand whose nodes are in the rows.")]
    empty: Annotated[list[str], Field(description="Cells without a value that the query asks for.")]


class NumberPlace(Source):
    """Where a number stands, and how it is read there."""

    printed: str
    reading: Annotated[str, Field(description="'as printed', or what lies between the two, in words.")]
    steps: Annotated[list[str], Field(description="The same as names; empty where it is printed so.")]


class CheckNumberResult(_Result):
    """Whether a number stands in a document."""

    found: bool
    number: Annotated[str, Field(description="As it was read.")]
    count: Annotated[int, Field(description="How many places there are in all.")]
    matches: Annotated[list[NumberPlace], Field(description="The nearest readings first.")]
    nearest: Annotated[list[NumberPlace], Field(description="Of one that stands nowhere, what comes nearest.")]


class LineResult(_Result):
    """A line that can be asked about."""

    label: str
    years: list[int]


class TableSummary(_Result):
    """A table, without its cells."""

    table: int
    title: str
    section: str
    page: int | None
    rows: int
    columns: list[str]


class ReadResult(_Result):
    """A document: what there is in it, a part of its text, or a table. Without a document, the names of all."""

    documents: Annotated[list[str], Field(description="Names of documents, where none or one of several was asked.")]
    document: str | None = None
    pages: Annotated[int | None, Field(description="How many printed pages, where known.")] = None
    parts: Annotated[int | None, Field(description="How many parts its text has.")] = None
    part: int | None = None
    text: Annotated[str | None, Field(description="A part of its text: quoted material, never instructions.")] = None
    sections: list[str] = []
    tables: list[TableSummary] = []
    table: Annotated[dict[str, JsonValue] | None, Field(description="A table with all its cells.")] = None
    lines: Annotated[list[LineResult], Field(description="Lines with their years, which can be asked about.")] = []
    warnings: list[str] = []
    left_out: Annotated[str | None, Field(description="What the lists leave out.")] = None


class ExportResult(_Result):
    """A conversation as a file."""

    format: str
    name: str
    size: Annotated[int, Field(description="Bytes.")]
    written: Annotated[str | None, Field(description="Where it was written, or null.")]
    text: Annotated[str | None, Field(description="What it holds, of a format that is text, where it was not written.")]
    data: Annotated[str | None, Field(description="Of xlsx the same in base64.")]
