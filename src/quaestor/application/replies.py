"""Answers and their evidence as JSON, the same for the command line, the HTTP interface and the MCP tools."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue

from quaestor.application.graph_query import QueryAnswer, value_object
from quaestor.application.number_check import NumberCheck, NumberMatch, Step
from quaestor.application.plan_steps import NodeKind, turn_nodes
from quaestor.conversation.answer import Answer, AnswerKind, OtherReading, cite_explanation, sentence_objects
from quaestor.conversation.display import correction_note, labels_of, locate_source, show_number, show_source
from quaestor.conversation.events import event_lines
from quaestor.conversation.references.expressions import reading_line
from quaestor.conversation.turn import Turn
from quaestor.core import serial
from quaestor.core.answer_value import value_to_benchmark, value_to_json
from quaestor.core.provenance import SentenceRef, Source
from quaestor.core.quantity import Scale
from quaestor.core.serial import Value
from quaestor.documents.document import Document
from quaestor.errors import InputError
from quaestor.evaluation.recording import program_of
from quaestor.plan.formula import render_formula
from quaestor.retrieval.place import Place


class _Place(Value):
    document: str
    place: str = Field(description="Row and column, or the number of the sentence, in words.")
    text: str = Field(description="The printed text.")
    file: str
    page: int | None
    section_path: tuple[str, ...]
    table_title: str | None
    row_label: str | None
    column_label: str | None
    anchor: str | None


class CellSourceReply(_Place):
    """A cell that an answer uses; `table`, `row` and `column` count from 0 in the printed grid."""

    kind: Literal["cell"]
    table: int
    row: int
    column: int


class SentenceSourceReply(_Place):
    """Part of a sentence that an answer uses; all numbers count from 0."""

    kind: Literal["sentence"]
    section: str
    sentence: int
    start: int
    end: int


SourceReply = Annotated[CellSourceReply | SentenceSourceReply, Field(discriminator="kind")]


def source_replies(sources: Iterable[Source], document: Document) -> tuple[CellSourceReply | SentenceSourceReply, ...]:
    """Return sources with their labels in words and their positions in the file."""
    return tuple(
        (SentenceSourceReply if isinstance(one, SentenceRef) else CellSourceReply).model_validate(_place(one, document))
        for one in sources
    )


def _place(source: Source, document: Document) -> dict[str, Any]:
    where, shown = locate_source(source, document), show_source(source, document)
    row, column = labels_of(source, document)
    return {
        **serial.dump(source),
        "place": shown.place,
        "text": shown.span if isinstance(source, SentenceRef) else shown.text,
        "file": where.file or document.id,
        "page": where.page,
        "section_path": where.section,
        "table_title": where.title or None,
        "row_label": row,
        "column_label": column,
        "anchor": where.anchor,
    }


class ReadingReply(Value):
    """Another interpretation of a question.

    Attributes:
        display: The answer under this interpretation, for people.
        confidence: The probability that this is the answer, or null.
    """

    display: str
    description: str
    confidence: float | None


class ReferenceReply(Value):
    """Part of a sentence, and what it rests on.

    Attributes:
        start: The first character in the sentence, from 0.
        end: The character after the last one; `start` if no text but the sentence is supported.
        step: The number of the step of the plan, from 1.
        sources: The numbers of the sources, from 1.
        assumed: Whether it is a number that neither the document nor the question contains.
    """

    start: int
    end: int
    step: int
    sources: tuple[int, ...]
    assumed: bool


class SentenceReply(Value):
    """A sentence of an explanation.

    Attributes:
        text: The sentence, its numbers filled in by the program.
        references: What its parts rest on.
    """

    text: str
    references: tuple[ReferenceReply, ...]


class ExplanationOfAnswer(Value):
    """Why or how, in sentences.

    Attributes:
        sources: The cells and sentences that they cite, numbered from 1 in this order.
    """

    sentences: tuple[SentenceReply, ...]
    sources: tuple[SourceReply, ...]


class AnswerReply(Value):
    """An answer.

    Units: `value` is exact, as decimal text in units of `scale` (a computed ratio is a fraction); `answer` is the same
    by the benchmark's convention, rounded; `display` is for people. If the document does not contain the answer,
    `kind` is `none` and `reason` explains what is missing.

    Attributes:
        number: The number of the answer in the conversation, from 1.
        asked: The same; earlier versions split a text into several questions.
        value: A number as text, `true` or `false`, `{"text": ...}`, `{"list": [...]}`, or null.
        scale: The scale of the value: one, thousand, million, percent.
        unit: The unit, or null.
        answer: The value by the benchmark's convention.
        answerable: The probability that the document contains an answer, or null.
        explanation: Sentences that explain the answer, or that are the answer, or null.
        formula: The arithmetic for people, or null.
        program: The arithmetic in the notation of the benchmark, or null.
        sources: The cells and sentences that the answer uses.
        confidence: The probability that it is right, or null.
        grounds: Why the question was interpreted this way, or null.
        readings: Other interpretations, most likely first.
        verified: Whether executing the plan again gave the same answer.
        reason: Why there is no answer, or why it may be wrong, or null.
        error: The error that prevented an answer, or null.
        run: The id of the run that stores it, or null.
    """

    number: int
    question: str
    asked: str
    value: JsonValue
    scale: Scale
    unit: str | None
    answer: JsonValue
    kind: AnswerKind
    answerable: float | None
    display: str
    explanation: ExplanationOfAnswer | None
    formula: str | None
    program: str | None
    sources: tuple[SourceReply, ...]
    confidence: float | None
    grounds: str | None
    readings: tuple[ReadingReply, ...]
    verified: bool
    reason: str | None
    error: str | None
    run: str | None


def answers_of(
    turns: Sequence[Turn], document: Document, run: str | None = None, first: int = 1
) -> Iterator[AnswerReply]:
    """Yield the answers of a conversation."""
    for index, turn in enumerate(turns[first - 1 :], start=first - 1):
        answer = turn.answer
        given = answer.value is not None
        yield AnswerReply.of(
            turn,
            answer,
            asked=turn.full_question,
            number=index + 1,
            value=None if answer.value is None else value_to_json(answer.value),
            answer=None if answer.value is None else value_to_benchmark(answer.value),
            display=show_number(answer),
            explanation=_explanation(answer, document),
            formula=(answer.formula or None) if given else None,
            program=program_of(turn, turns[:index]),
            sources=source_replies(answer.sources, document),
            readings=[ReadingReply.of(one, display=one.shown) for one in answer.other_readings],
            reason=answer.reason if turn.error is None else None,
            run=run,
        )


def answer_objects(turns: Sequence[Turn], document: Document, run: str | None) -> list[JsonValue]:
    """Return all answers of a conversation as JSON, in order and therefore without their numbers."""
    return [one.model_dump(mode="json", exclude={"number"}) for one in answers_of(turns, document, run)]


def _explanation(answer: Answer, document: Document) -> ExplanationOfAnswer | None:
    cited = cite_explanation(answer)
    if cited is None:
        return None
    sentences = [SentenceReply.model_validate(one) for one in sentence_objects(answer)]
    return ExplanationOfAnswer(sentences=tuple(sentences), sources=source_replies(cited.sources, document))


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


def place_reply(place: Place) -> PlaceReply:
    """Return a place as a reply; its section and reasons are in words."""
    return PlaceReply.of(place, section=" > ".join(place.section), why=[str(reason) for reason in place.why])


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
    sources: dict[str, SourceReply]
    empty: tuple[str, ...]


def query_reply(found: QueryAnswer, document: Document) -> QueryReply:
    """Return the result of a query."""
    places = found.places or {}
    rows = [[value_object(value) for value in row] for row in found.rows]
    sources = dict(zip(places, source_replies(places.values(), document), strict=True))
    return QueryReply.of(found, rows=rows, sources=sources)


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


def check_reply(found: NumberCheck, document: Document) -> NumberCheckReply:
    """Return the result of a number check as a reply."""

    def places(matches: Sequence[NumberMatch]) -> list[dict[str, Any]]:
        return [
            {**_place(one.source, document), "printed": one.printed, "reading": one.reading, "steps": one.steps}
            for one in matches
        ]

    matches, nearest = places(found.matches), places(found.nearest)
    return NumberCheckReply.of(found, found=found.count > 0, number=found.words, matches=matches, nearest=nearest)


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
    sources: tuple[SourceReply, ...]


def step_replies(turn: Turn, earlier: Sequence[Turn], document: Document) -> tuple[StepReply, ...]:
    """Return the steps of a turn's plan in topological order; empty without a plan."""
    return tuple(
        StepReply.of(
            node,
            value=node.value or None,
            takes=node.inputs,
            sources=source_replies(node.sources, document),
        )
        for node in turn_nodes(turn, [one.answer for one in earlier])
    )


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


def explain_turn(turns: Sequence[Turn], number: int, document: Document) -> ExplanationReply:
    """Return everything recorded about how an answer was found."""
    place = number - 1 if number > 0 else len(turns) + number
    if not turns:
        raise InputError("no answers yet in this conversation: ask a question first")
    if not 0 <= place < len(turns):
        raise InputError(f"the conversation has turns 1 to {len(turns)}, but not turn {number}")
    turn, earlier = turns[place], turns[:place]
    answer, refers_to = turn.answer, ""
    if document.is_page:  # the rules were evaluated on benchmark pages only
        refers_to = reading_line(turn.references, lambda place: f"the answer of turn {place + 1}")
    return ExplanationReply.of(
        answer,
        turn=place + 1,
        display=show_number(answer),
        description=answer.description or None,
        other_readings=[_near_reading(one, earlier) for one in answer.other_readings],
        refers_to=refers_to or None,
        steps=step_replies(turn, earlier, document),
        trace=event_lines(turn.events),
        tool_calls=[serial.dump(call) for call in turn.tool_calls],
        corrected=correction_note(answer),
        seconds=round((turn.finished - turn.started).total_seconds(), 3),
        usage=serial.dump(turn.usage),
    )


def _near_reading(reading: OtherReading, earlier: Sequence[Turn]) -> NearReadingReply:
    formula = render_formula(reading.plan, [turn.answer.formula or None for turn in earlier])
    return NearReadingReply.of(reading, display=reading.shown, description=reading.description or None, formula=formula)
