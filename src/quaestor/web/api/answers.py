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
    text: str = Field(description="What is printed there.")
    file: str
    page: int | None
    section_path: tuple[str, ...]
    table_title: str | None
    row_label: str | None
    column_label: str | None
    anchor: str | None


class CellSourceReply(_Place):
    """A cell that an answer rests on; `table`, `row` and `column` count from 0 in the printed grid."""

    kind: Literal["cell"]
    table: int
    row: int
    column: int


class SentenceSourceReply(_Place):
    """Words of a sentence that an answer rests on; all numbers count from 0."""

    kind: Literal["sentence"]
    section: str
    sentence: int
    start: int
    end: int


Source = Annotated[CellSourceReply | SentenceSourceReply, Field(discriminator="kind")]


class ReadingReply(Value):
    """What a question may ask for instead.

    Attributes:
        display: What it would come to, for people.
        description: What that is.
        confidence: The probability that this is the answer, or null.
    """

    display: str
    description: str
    confidence: float | None


class AnswerReply(Value):
    """An answer.

    Units: `value` is exact, as decimal text in units of `scale` (a computed ratio is a fraction); `answer` is the same
    by the benchmark's convention, rounded; `display` is for people. Where the document does not say it, `kind` is
    `none` and `reason` says what is missing.

    Attributes:
        number: The place in the conversation, from 1.
        question: As it was answered: one of several that may have been put together.
        asked: In the words in which it was put.
        value: A number as text, `true` or `false`, `{"text": ...}`, `{"list": [...]}`, or null.
        scale: What one unit of the value stands for.
        unit: What is counted, or null.
        answer: By the benchmark's convention.
        kind: What the answer is.
        answerable: The probability that the document holds an answer, or null.
        display: The answer for people.
        formula: The arithmetic for people, or null.
        program: The arithmetic as the benchmark writes it, or null.
        sources: All that it rests on.
        confidence: The probability that it is right, or null.
        grounds: Why the question was read so, or null.
        readings: What it may ask for instead, the likeliest first.
        verified: Whether the plan, executed again, gave the answer.
        reason: Why there is no answer or what to doubt, or null.
        error: What went wrong in answering, or null.
        run: The run that it is kept as, or null.
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
    """Yields the answers of a conversation.

    Args:
        turns: All of it.
        document: What was asked about.
        run: The run that they are kept as, or None.
        first: The number of the first that is yielded, from 1.
    """
    for number, told in enumerate(answer_objects(turns, document, run, first - 1), start=first):
        yield AnswerReply.model_validate({"number": number, **told})
