"""Accuracy and sources of answers to questions about whole filings.

`python -m benchmarks.whole_filings [FILING...]` reads each filing, generates questions from its tags with `questions`,
asks each of them separately with the embedded solver and its shipped weights, and prints a table.
`--pdf FOLDER` prints each filing to PDF first and asks the same questions about the PDF. `--missed FILE` writes the
failures. `--measures` asks for measures that analysts call by name instead (`benchmarks.whole_filings.measures`).
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter

from rich.console import Console
from rich.table import Table

from benchmarks.whole_filings.measures import MeasureQuestion, measure_questions
from benchmarks.whole_filings.printing import print_to_pdf
from benchmarks.whole_filings.questions import FilingQuestion, questions_of
from benchmarks.whole_filings.wording import in_everyday_words
from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Turn
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Scale
from quaestor.datasets.dataset import Conversation
from quaestor.datasets.formats import read_document
from quaestor.documents.document import Document
from quaestor.evaluation.context_selection import PlaceExcerpts
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import answer_conversation
from quaestor.plan.steps import Extract
from quaestor.questions.question import read_question
from quaestor.retrieval.finding import find_places
from quaestor.retrieval.index import PlaceIndex
from quaestor.settings import EXCERPT_TOKENS
from quaestor.solvers.registry import make_solver

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "filings"
AMONG = 5
_CLOSE = 1e-6


@dataclass(slots=True)
class Tally:
    """Counts over questions.

    Attributes:
        asked: Number of questions by kind.
        right: Number of exact answers by kind.
        sourced: Number of right answers from the cells that print the operands.
        found: Number of questions with the table of each operand among the first places.
        seconds: Time for all answers, including excerpts.
    """

    asked: dict[str, int] = field(default_factory=dict)
    right: dict[str, int] = field(default_factory=dict)
    sourced: int = 0
    found: int = 0
    seconds: float = 0.0

    def add(self, other: "Tally") -> None:
        """Add the counts of another tally."""
        for mine, its in ((self.asked, other.asked), (self.right, other.right)):
            for kind, count in its.items():
                mine[kind] = mine.get(kind, 0) + count
        self.sourced, self.found = self.sourced + other.sourced, self.found + other.found
        self.seconds += other.seconds


@dataclass(frozen=True, slots=True)
class MissedMeasure:
    """A question that was answered wrong, or whose place was not found."""

    filing: str
    question: FilingQuestion
    answered: str
    sources: tuple[str, ...]
    found: bool


def ask_filing(
    name: str, document: Document, questions: Sequence[FilingQuestion], *, by_cell: bool
) -> tuple[Tally, list[MissedMeasure]]:
    """Ask questions about a filing, and return the counts and failures.

    Args:
        document: The filing, or another print of it.
        by_cell: Whether the questions name cells of `document`; otherwise sources are not checked.
    """
    index, tally, missed = PlaceIndex.of(document), Tally(), list[MissedMeasure]()
    conversation = Conversation(document.id, document, tuple(q.text for q in questions), chained=False)
    solver = make_solver("embedded", {"decline": True, "answers": "all"})
    excerpts, knowledge = PlaceExcerpts(document, EXCERPT_TOKENS, lambda: index), GraphProvider.of([document], "extend")
    first = Conversation(document.id, document, conversation.questions[:1])
    asyncio.run(answer_conversation(first, solver, knowledge, excerpts=excerpts))
    started = perf_counter()
    turns = asyncio.run(answer_conversation(conversation, solver, knowledge, excerpts=excerpts))
    tally.seconds = perf_counter() - started
    for question, turn in zip(questions, turns, strict=True):
        right = is_right(question, turn.answer)
        found = by_cell and _finds_place(index, question)
        tally.asked[question.kind] = tally.asked.get(question.kind, 0) + 1
        tally.right[question.kind] = tally.right.get(question.kind, 0) + right
        tally.found += found
        tally.sourced += right and by_cell and _sourced(question, turn)
        if not right or (by_cell and not (found and _sourced(question, turn))):
            shown = tuple(
                _describe_place(document, source) for source in turn.answer.sources if isinstance(source, CellRef)
            )
            missed.append(MissedMeasure(name, question, f"{turn.answer.value} {turn.answer.scale}", shown, found))
    return tally, missed


def is_right(question: FilingQuestion, answer: Answer) -> bool:
    """Return whether an answer has the exact number of a question, in any scale.

    A look-up may have the opposite sign of its cell, because spending and losses are asked for as positive amounts.
    """
    if answer.number is None:
        return False
    given = float(answer.number * (answer.scale.factor if answer.scale is not Scale.ONE else 1))
    wanted = float(question.value * question.scale.factor)
    allowed = {wanted}
    if question.kind == "look-up":
        given, allowed = abs(given), {abs(wanted), abs(float(question.value))}
    return any(abs(given - number) <= _CLOSE * max(abs(number), 1e-9) for number in allowed)


def _finds_place(index: PlaceIndex, question: FilingQuestion) -> bool:
    places = find_places(index, read_question(question.text), most=AMONG)
    tables = {place.table for place in places}
    return all(any(ref.table in tables for ref in cells) for cells in question.operands)


def _sourced(question: FilingQuestion, turn: Turn) -> bool:
    sources = set(turn.answer.sources)
    return all(sources & cells for cells in question.operands)


def _describe_place(document: Document, ref: CellRef) -> str:
    table = document.table(ref.table)
    title = table.title or document.section_of(table).title
    return f"{title} | {table.rows[ref.row].label} | {table.columns[ref.column].label}"


@dataclass(frozen=True, slots=True)
class MeasureAnswer:
    """A question for a measure with its answer."""

    filing: str
    question: MeasureQuestion
    answer: Answer

    @property
    def right(self) -> bool:
        """Whether the answer agrees with the value computed from the tags."""
        if self.answer.number is None:
            return False
        given = float(self.answer.number) * float(self.answer.scale.factor)
        wanted = float(self.question.value)
        return abs(given - wanted) <= max(_CLOSE * max(abs(wanted), 1e-9), self._tolerance)

    @property
    def printed(self) -> bool:
        """Whether the filing prints the answer under the measure's own name, as defined by the company."""
        return self._line is not None and all(word in self._line.label.lower() for word in self.question.named)

    @property
    def _line(self) -> Extract | None:
        last = self.answer.plan.steps[-1] if self.answer.plan is not None else None
        return last if isinstance(last, Extract) else None

    @property
    def _tolerance(self) -> float:
        """Rounding tolerance of a printed number."""
        line = self._line
        if line is None or line.quantity is None:
            return 0.0
        place = int(line.quantity.value.as_tuple().exponent)
        return 0.5000001 * 10.0**place * float(self.answer.scale.factor)


def ask_measures(name: str, document: Document, questions: Sequence[MeasureQuestion]) -> list[MeasureAnswer]:
    """Ask for each measure of a filing separately, in a mode that can decline.

    Args:
        document: The filing, or another print of it.
    """
    conversation = Conversation(document.id, document, tuple(q.text for q in questions), chained=False)
    solver = make_solver("embedded", {"decline": True, "answers": "all"})
    excerpts = PlaceExcerpts.of_file(document, EXCERPT_TOKENS)
    knowledge = GraphProvider.of([document], "extend")
    turns = asyncio.run(answer_conversation(conversation, solver, knowledge, excerpts=excerpts))
    return [MeasureAnswer(name, q, turn.answer) for q, turn in zip(questions, turns, strict=True)]


def _print_measures(answers: Sequence[MeasureAnswer]) -> None:
    """Print the right, withheld and wrong answers by filing, and the accuracy of the most confident half."""
    table = Table("filing", "asked", "right", "own definition", "withheld", "wrong", "right of the surest half")
    filings = dict.fromkeys(answer.filing for answer in answers)
    for filing in (*filings, "all"):
        own = [a for a in answers if filing in (a.filing, "all")]
        withheld, right = sum(a.answer.value is None for a in own), sum(a.right for a in own)
        defined = sum(a.printed and not a.right for a in own)
        judged = [a for a in own if a.answer.value is not None and (a.right or not a.printed)]
        judged.sort(key=lambda a: -(a.answer.confidence or 0))
        surest = judged[: len(judged) // 2]
        counts = (str(count) for count in (defined, withheld, len(judged) - right))
        half = _share(sum(a.right for a in surest), len(surest))
        table.add_row(filing.split(".")[0], str(len(own)), _share(right, len(own)), *counts, half)
    Console(highlight=False, width=120).print(table)


def _measure_line(item: MeasureAnswer) -> str:
    answer = item.answer
    fields = {
        "filing": item.filing,
        "question": item.question.text,
        "wanted": f"{item.question.value:.8g}",
        "answered": str(answer),
        "confidence": answer.confidence,
        "formula": answer.formula,
        "grounds": answer.grounds,
        "reason": answer.reason,
    }
    return json.dumps(fields, ensure_ascii=False) + "\n"


def main() -> None:
    """Parse the command line, measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.whole_filings", description=__doc__)
    parser.add_argument("filings", nargs="*", type=Path, help="inline XBRL filings; by default the shared ones")
    parser.add_argument("--at-most", type=int, default=120, help="questions a filing")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pdf", type=Path, help="ask prints of the filings, kept in this folder")
    parser.add_argument("--everyday", action="store_true", help="put the questions as people do")
    parser.add_argument("--measures", action="store_true", help="ask for measures that analysts call by name")
    parser.add_argument("--missed", type=Path, help="write what went wrong, a line each")
    options = parser.parse_args()
    filings = options.filings or [path for path in sorted(DATA.glob("*.html.gz")) if not path.name.startswith("old")]
    if not filings:
        sys.exit("no filings: name some in inline XBRL")
    if options.measures:
        read = ((path, read_document(path)) for path in filings)
        answers = [a for path, document in read for a in ask_measures(path.name, document, measure_questions(document))]
        _print_measures(answers)
        if options.missed is not None:
            options.missed.write_text("".join(_measure_line(a) for a in answers if not a.right), encoding="utf-8")
        return
    whole, missed = Tally(), list[MissedMeasure]()
    table = Table("filing", "look-ups", "changes", "% changes", "shares", "places", "cells", "ms each")
    for path in filings:
        document = read_document(path)
        questions = questions_of(document, options.seed, options.at_most)
        if options.everyday:
            questions = tuple(replace(question, text=in_everyday_words(question.text)) for question in questions)
        if options.pdf is not None:
            document = read_document(print_to_pdf(path, options.pdf))
        tally, wrong = ask_filing(path.name, document, questions, by_cell=options.pdf is None)
        whole.add(tally)
        missed += wrong
        table.add_row(path.name.split(".")[0], *_row(tally, by_cell=options.pdf is None))
    table.add_row("all", *_row(whole, by_cell=options.pdf is None))
    Console(highlight=False, width=120).print(table)
    if options.missed is not None:
        options.missed.write_text("".join(_line(item) for item in missed), encoding="utf-8")


def _row(tally: Tally, *, by_cell: bool) -> Iterable[str]:
    for kind in ("look-up", "change", "percentage change", "share"):
        yield _share(tally.right.get(kind, 0), tally.asked.get(kind, 0))
    questions, right = sum(tally.asked.values()), sum(tally.right.values())
    yield _share(tally.found, questions) if by_cell else "-"
    yield _share(tally.sourced, right) if by_cell else "-"
    yield f"{1000 * tally.seconds / max(questions, 1):.0f}"


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} {part / whole:.0%}" if whole else "-"


def _line(item: MissedMeasure) -> str:
    question = item.question
    fields = {
        "filing": item.filing,
        "question": question.text,
        "kind": question.kind,
        "wanted": f"{question.value} {question.scale}",
        "answered": item.answered,
        "sources": item.sources,
        "found": item.found,
    }
    return json.dumps(fields, ensure_ascii=False) + "\n"
