"""Answers as `quaestor ask --json` writes them, each with its place in the conversation."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from quaestor.application.answers import answer_objects
from quaestor.conversation.answer import AnswerKind
from quaestor.conversation.turn import Turn
from quaestor.core.quantity import Scale
from quaestor.documents.document import Document
from quaestor.web.api.values import Value


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


Source = Annotated[CellSourceReply | SentenceSourceReply, Field(discriminator="kind")]


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
    sources: tuple[Source, ...]


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
    sources: tuple[Source, ...]
    confidence: float | None
    grounds: str | None
    readings: tuple[ReadingReply, ...]
    verified: bool
    reason: str | None
    error: str | None
    run: str | None


def answers_of(turns: Sequence[Turn], document: Document, run: str | None, first: int = 1) -> Iterator[AnswerReply]:
    """Yield the answers of a conversation.

    Args:
        run: The run that they are kept as, or None.
        first: The number of the first that is yielded, from 1.
    """
    for number, told in enumerate(answer_objects(turns, document, run, first - 1), start=first):
        yield AnswerReply.model_validate({"number": number, **told})
