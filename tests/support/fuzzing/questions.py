"""Questions about a filing, drawn from its own words and then distorted."""

import asyncio
import random
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from long_filing import BALANCE, CASH_FLOWS, OPERATIONS, SEGMENTS

from fuzzing.drawing import Drawing, text_of
from fuzzing.target import Reads, Target
from quaestor.application.ask_service import AskRequest, answer_questions
from quaestor.application.resolve import DocumentInCorpus
from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.document import Document
from quaestor.errors import QuaestorError
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.settings import load_settings

EMPTY = (
    "", " ", "year", "the year", "years", "of the", "and", "&", ",", "-", "total", "other", "( )", "2023", "%", "in",
)  # fmt: skip
"""Labels that name no line."""
PERIODS = (
    "2023", "2022", "fiscal 2021", "FY23", "year 2022", "the year ended december 31, 2023", "Q3 2024", "1987",
    "the third quarter of 2023", "2019 and 2020", "2021-2023", "the last three years", "next year", "12/31/2023",
    "'22", "the prior year", "each year", "nine months ended june 30, 2024", "20222", "years", "year",
)  # fmt: skip
FIRST = (
    "what was {a} in {p}?", "{a} and {b}, year {p}", "total of {a} and {b}, year by year",
    "list {a} and {b} of year {p}", "{a} in the {m} and {n}?", "how did {a} and {b} change, year on year?",
    "what percentage of {a} is {b} in {p}?", "which of {m}, {n} & {a} was highest in {p}?", "{a}, {b}, and {c}, {p}",
    "{a} & {b}", "{a} / {b}", "{a}?", "{a} {p}", "what is the ratio of {a} to {b} for {p} and {q}?",
    "how much did {a} grow from {p} to {q}, in percent?", "what was the average {a} from {p} to {q}?",
    "why did {a} increase in {p}?", "what is the growth rate of {a}?", "were {a} above {b} in {p}?",
    "how many {a} were there in {m}?", "{a} for {m} in {p}, and for {n} in {q}?",
    "what were {a}, {b} and {c} in {p}, respectively?", "is {a} more than {c}?", "when was {a} {c}?", "top three {a}",
    "what are {a} and {a} in {p} and {p}?", "difference between {a} and {b} in {p} and {q}", "sum of {a}, {b} & {c}",
    "in which year was {a} the lowest, and what was {b}?", "what does {m} say about {a}?", "{s}", "did it say {s}",
    "net debt / EBITDA {p}", "free cash flow and {a} {p}", "what share of {a} came from {m}?", "{a} per {b}",
    "current ratio, return on equity and {a}, year {p}", "list the years", "what year?", "years and years",
)  # fmt: skip
FOLLOWING = (
    "and in {p}?", "what about {a}?", "and {b}?", "what was the change?", "and the change in percent?",
    "sum of these?", "what is the average of the two?", "and for {m}?", "that as a percentage of {a}?",
    "and {p} and {q}?", "which year?", "what is the difference between them, year by year?",
    "divide the first by the second", "and the other?", "why?", "what percentage does this represent?",
    "how about {a} and {b}?", "same for {m} and {n}", "and then times 3?",
)  # fmt: skip
BETWEEN = (
    " and ", " & ", ", ", " , and ", " as well as ", " of ", " in ", " the ", " year ", ", year ", " versus ", " ",
    " or ", " per ", "; ", ". ", "? ", " (", ") ", " - ", "/", " 2022 ", " was ", " respectively ", " each ", "\t",
    "\n", "\u00a0",
)  # fmt: skip
LETTERS = (
    "abcdefghijklmnopqrstuvwxyz0123456789,.&'()%$- "
    + "\u00e9\u2019\u201c\u2014\u00df\u4e2d\u200b\U0001f4b0\u0301\u0660\u00bd"
)
LONGEST = 10_000
"""Maximum characters of a question."""


@dataclass(frozen=True)
class Vocabulary:
    """Line labels, column labels and some sentences of a filing."""

    lines: Sequence[str]
    columns: Sequence[str]
    sentences: Sequence[str]

    @classmethod
    def of(cls, document: Document) -> "Vocabulary":
        """Return the words of a document."""
        lines = dict.fromkeys(row.label for table in document.tables for row in table.rows if row.label.strip())
        columns = dict.fromkeys(c.label for table in document.tables for c in table.columns if c.label.strip())
        sentences = [sentence.text for sentence in document.sentences[:: max(1, len(document.sentences) // 500)]]
        return cls(tuple(lines) or EMPTY, tuple(columns) or EMPTY, sentences or EMPTY)


def draw_conversation(draw: random.Random, words: Vocabulary, most: int = 4) -> list[str]:
    """Return a question and up to `most` - 1 follow-up questions."""
    return [_question(draw, words, first=not number) for number in range(draw.choice((1, 1, *range(1, most + 1))))]


def _question(draw: random.Random, words: Vocabulary, *, first: bool) -> str:
    form = draw.choice(FIRST if first or draw.random() < 0.3 else FOLLOWING)
    if draw.random() < 0.1:
        form = "".join(draw.choice(("{a}", "{p}", "{m}", draw.choice(BETWEEN))) for _ in range(draw.randrange(1, 12)))
    text = form
    for slot in ("{a}", "{b}", "{c}"):
        text = text.replace(slot, _label(draw, words.lines))
    for slot in ("{m}", "{n}"):
        text = text.replace(slot, _label(draw, words.columns if draw.random() < 0.6 else words.lines))
    for slot in ("{p}", "{q}"):
        text = text.replace(slot, draw.choice(PERIODS))
    text = text.replace("{s}", draw.choice(words.sentences)[: draw.choice((40, 200, 2_000))])
    for _ in range(draw.choice((0, 0, 1, 1, 2, 4))):
        text = draw.choice(DISTORTIONS)(draw, text)
    return text[:LONGEST]


def _label(draw: random.Random, labels: Sequence[str]) -> str:
    return draw.choice(EMPTY if draw.random() < 0.15 else labels)


def _without_a_word(draw: random.Random, text: str) -> str:
    words = text.split(" ")
    del words[draw.randrange(len(words))]
    return " ".join(words)


def _with_a_word_repeated(draw: random.Random, text: str) -> str:
    words = text.split(" ")
    place = draw.randrange(len(words))
    words[place:place] = [words[place]] * draw.choice((1, 1, 2, 5, 50))
    return " ".join(words)


def _with_two_words_swapped(draw: random.Random, text: str) -> str:
    words = text.split(" ")
    one, other = draw.randrange(len(words)), draw.randrange(len(words))
    words[one], words[other] = words[other], words[one]
    return " ".join(words)


def _with_more_between(draw: random.Random, text: str) -> str:
    words = text.split(" ")
    place = draw.randrange(len(words) + 1)
    more = draw.choice(BETWEEN) * draw.choice((1, 1, 1, 2, 30))
    return " ".join(words[:place]) + more + " ".join(words[place:])


def _with_a_meaningless_word(draw: random.Random, text: str) -> str:
    words = text.split(" ")
    words[draw.randrange(len(words))] = draw.choice(EMPTY)
    return " ".join(words)


def _with_a_typo(draw: random.Random, text: str) -> str:
    place = draw.randrange(len(text) + 1)
    return text[:place] + draw.choice(LETTERS) * draw.choice((0, 1, 1, 2)) + text[place + draw.choice((0, 1)) :]


def _in_capitals(draw: random.Random, text: str) -> str:
    return text.upper() if draw.random() < 0.5 else text.title()


def _repeated(draw: random.Random, text: str) -> str:
    return draw.choice(BETWEEN).join([text] * draw.choice((2, 2, 2, 3, 5, 40)))


DISTORTIONS = (
    _without_a_word, _with_a_word_repeated, _with_two_words_swapped, _with_more_between, _with_a_meaningless_word,
    _with_a_typo, _in_capitals, _repeated,
)  # fmt: skip


def _filing() -> Document:
    """Return statements with a common column heading: "Years ended December 31,"."""
    parts: list[DocumentPart] = [
        ParagraphPart(("net sales rose by 11% in 2023 , and the company had 3200 employees .",))
    ]
    for title, table in (("Operations", OPERATIONS), ("Cash Flows", CASH_FLOWS), ("Segments", SEGMENTS)):
        heading = ["Years ended December 31, ( in millions )", *table[0][1:]]
        parts += [HeadingPart(f"Consolidated Statements of {title}"), TablePart([heading, *table[1:]])]
    return assemble("TERN/2023/10-K", [*parts, HeadingPart("Consolidated Balance Sheets"), TablePart(BALANCE)])


def _filing_conversations(_: Path) -> Reads:
    """Return a target for conversations about a whole filing, as the command line and Python run them."""
    document = _filing()
    page, words = DocumentInCorpus.of(document), Vocabulary.of(document)
    knowledge = GraphProvider.of([document], "extend")

    async def read_with() -> GraphProvider:
        return knowledge

    with tempfile.TemporaryDirectory() as empty:
        request = AskRequest(load_settings(environment={}, folder=Path(empty)), get_graphs=read_with)

    def read(data: bytes) -> None:
        written = not data or data[0] % 2 == 0
        questions = text_of(data[1:]).split("\n") if written else draw_conversation(Drawing(data[1:]), words)
        with suppress(QuaestorError):
            turns = asyncio.run(answer_questions(page, questions, request)).turns
            assert len(turns) >= len(questions)

    read(b"\0what were total net sales in 2023?")  # weights are loaded once, outside the time of any input
    return read


TARGETS = (Target("filing", _filing_conversations, 2, (*BETWEEN, *EMPTY, *PERIODS)),)
