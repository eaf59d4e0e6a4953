"""Suggests questions about a document: its lines with their years, and example questions.

An example is shown only if the solver answered it from exactly the cells that it is about.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from quaestor.application.ask_service import AskRequest, answer_questions
from quaestor.application.resolve import DocumentInCorpus
from quaestor.conversation.turn import Turn
from quaestor.core.provenance import CellRef, Source
from quaestor.documents.document import Document
from quaestor.documents.table import Table, TableRole
from quaestor.solvers.embedded.answerability import show_years

_LONGEST = 60
_EXAMPLES = 3
_LINES_TRIED = 5
"""The number of lines that each form of question is tried with."""
_AFTER_HEAD = re.compile(r",| \(| (?:of|in|on|for|from|before|after|per|and|to|at|by|under)\b")
"""Matches the end of the head noun in the name of a line."""
_ORDER = {TableRole.OTHER: 0, TableRole.NOTE: 1, TableRole.DISCUSSION: 2}
"""The order of the tables that follow primary statements, by role; all other tables come last."""


@dataclass(frozen=True, slots=True)
class AskableLine:
    """A table line that has values for years."""

    label: str
    years: tuple[int, ...]
    cells: tuple[CellRef, ...]

    @property
    def when(self) -> str:
        """The years in words: `2010 to 2012`."""
        return show_years(self.years)


@dataclass(frozen=True, slots=True)
class Askable:
    """The lines and the example questions of a document."""

    lines: tuple[AskableLine, ...]
    examples: tuple[str, ...]


async def find_askable(page: DocumentInCorpus, request: AskRequest) -> Askable:
    """Return the lines of a document, and up to three questions that the solver answers."""
    lines = tuple(askable_lines(page.document))
    tried = list(_questions(lines))
    if not tried:
        return Askable(lines, ())
    unrecorded = replace(request, keep=False, traces=None, on_start=None)
    result = await answer_questions(page, [question for _, question, _ in tried], unrecorded, chained=False)
    return Askable(lines, tuple(_pick_answered(tried, result.turns)))


def askable_lines(document: Document) -> Iterator[AskableLine]:
    """Yield lines with periods: rows under years, or columns beside years."""
    seen: set[str] = set()

    def order(table: Table) -> tuple[int, int]:
        return -1 if table.role.is_statement else _ORDER.get(table.role, len(_ORDER)), table.index

    for table in sorted(document.tables, key=order):
        found: dict[str, dict[int, CellRef]] = {}
        for label, year, cell in _numbers(table):
            # A label that occurs twice is ambiguous.
            found.setdefault(label, {}).setdefault(year, cell)
        for label, cells in found.items():
            if label.casefold() not in seen:
                seen.add(label.casefold())
                years = tuple(sorted(cells))
                yield AskableLine(label, years, tuple(cells[year] for year in years))


def _numbers(table: Table) -> Iterator[tuple[str, int, CellRef]]:
    """Yield the label, the year and the cell of each number that has both."""
    for cell in table.body():
        row, column = table.rows[cell.ref.row], table.columns[cell.ref.column]
        period = table.period_at(cell.ref.row, cell.ref.column)
        label = " ".join((column if row.period is not None else row).label.split())
        if cell.quantity is None or period is None or period.last is not None:
            continue
        if 0 < len(label) <= _LONGEST and not any(map(str.isdigit, label)):
            yield label, period.year, cell.ref


def _questions(lines: Sequence[AskableLine]) -> Iterator[tuple[int, str, frozenset[Source]]]:
    """Yield the form of a question, the question, and the cells that answer it."""
    for line in lines[:_LINES_TRIED]:
        name, last = _lower_label(line.label), line.years[-1]
        yield 0, f"what {_verb(name)} {name} in {last}?", frozenset(line.cells[-1:])
    for line in [line for line in lines if len(line.years) > 1][1 : _LINES_TRIED + 1]:
        name, first, last = _lower_label(line.label), line.years[-2], line.years[-1]
        ends = frozenset(line.cells[-2:])
        yield 1, f"what was the change in {name} from {first} to {last}?", ends
        yield 2, f"what was the percentage change in {name} from {first} to {last}?", ends


def _lower_label(label: str) -> str:
    """Return a label for use within a sentence: `Net sales` in lower case, `EBITDA` and `R&D expenses` unchanged."""
    words = [word if sum(map(str.isupper, word)) > 1 else word.lower() for word in label.strip(" :.").split()]
    return " ".join(words)


def _verb(name: str) -> str:
    """Return the verb for a line: `were` for net sales, `was` for cost of sales."""
    head = _AFTER_HEAD.split(name)[0].rstrip()
    return "were" if head.endswith("s") and not head.endswith("ss") else "was"


def _pick_answered(tried: Sequence[tuple[int, str, frozenset[Source]]], turns: Sequence[Turn]) -> Iterator[str]:
    """Yield the first question of each form that was answered from its cells, then others up to the limit."""
    first_of_form: dict[int, str] = {}
    right: list[str] = []
    for (form, question, cells), turn in zip(tried, turns, strict=True):
        if turn.answer.value is not None and frozenset(turn.answer.sources) == cells:
            first_of_form.setdefault(form, question)
            right.append(question)
    # A question is never offered twice.
    yield from list(dict.fromkeys([*first_of_form.values(), *right]))[:_EXAMPLES]


def askable_object(document: Document, askable: Askable) -> dict[str, JsonValue]:
    """Return the lines and the examples as JSON."""
    lines: list[JsonValue] = [{"label": line.label, "years": list(line.years)} for line in askable.lines]
    return {"document": document.id, "lines": lines, "examples": list(askable.examples)}
