"""Cells without a value that a question asks for: the line said whole, or meant again, and a year of its own."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from quaestor.core.provenance import CellRef
from quaestor.core.stop_words import FUNCTION_WORDS, STOP_WORDS
from quaestor.core.words import search_words
from quaestor.documents.repairs import Repair, RepairKind
from quaestor.graph.facts import Observation, TextCell
from quaestor.plan.steps import Extract
from quaestor.solvers.base import TurnContext

_RATE = re.compile(r"(?<!\d)\d++(?:\.\d++)?\s*+%")
_VALUE = {"kg:PatternValue", "kg:PatternAgain"}


@dataclass(frozen=True, slots=True)
class EmptyCell:
    """A cell without a value.

    Attributes:
        line: The label of its row.
        year: Of which it is.
        is_formula: Whether a formula stands there whose value the file does not store.
    """

    line: str
    year: int
    is_formula: bool


def empty_cell_asked(question: str, context: TurnContext) -> EmptyCell | None:
    """Return the empty cell that a question asks for; None where that is not certain.

    It is certain where one year is named and nothing is calculated, each cell of the line and year is empty, and no
    sentence has a number that the year and the line's words go with.

    Args:
        question: As asked.
        context: The turn.
    """
    read = context.read(question)
    empty = [cell for cell in context.graph.text_cells if cell.empty]
    if not empty or not read.years or read.relative_periods or not read.pattern_names <= _VALUE:
        return None
    lines = _lines_said(read.lowered, context) if read.names else _line_before(context)
    asked = [cell for cell in empty if _line(cell) in lines]
    if not asked:
        return None
    named = lines[_line(asked[0])]
    # "Notes due 2021 in 2017": the line's own year is none that is asked for.
    years = [year for year in read.years if str(year) not in named]
    if len(years) != 1 or all(_year(cell, context) != years[0] for cell in asked):
        return None
    year = years[0]
    given = any(_line(number) in lines and _year(number, context) == year for number in context.graph.observations)
    if given or len(lines) > 1 or _in_text(set(_words(named)), year, context):
        return None
    repairs = {context.document.cell(cell.source).repair for cell in asked if _year(cell, context) == year}
    return EmptyCell(named, year, Repair(RepairKind.NO_STORED_VALUE) in repairs)


def _line(cell: Observation | TextCell) -> tuple[str, ...]:
    return _words(cell.row.label)


def _words(label: str) -> tuple[str, ...]:
    """The words of a label without a rate, which people leave out."""
    return tuple(search_words(_RATE.sub(" ", label.lower())))


def _year(cell: Observation | TextCell, context: TurnContext) -> int | None:
    source = cell.source
    period = context.document.table(source.table).period_at(source.row, source.column)
    return None if period is None or period.last is not None else period.year


def _lines_said(text: str, context: TurnContext) -> dict[tuple[str, ...], str]:
    """The lines whose label the question says whole, the longest only, where it says no other word that labels have."""
    said = list(search_words(text))
    cells: tuple[Observation | TextCell, ...] = (*context.graph.observations, *context.graph.text_cells)
    labels = {_line(cell): cell.row.label for cell in cells if cell.row.label}
    found = {
        line: label for line, label in labels.items() if line and set(line) - FUNCTION_WORDS and _stands_in(line, said)
    }
    if not found:
        return {}
    most = max(map(len, found))
    found = {line: label for line, label in found.items() if len(line) == most}
    (line, *_) = found
    beside = set(said) - set(line) - STOP_WORDS
    others = set(_words_of_labels(context)) - set(line)
    # Another word of the page's labels ("gross", a segment, a column) may mean another cell.
    return {} if any(word in others and not word.isdigit() for word in beside) else found


def _words_of_labels(context: TurnContext) -> Iterator[str]:
    for table in context.document.tables:
        for head in (*table.rows, *table.columns):
            yield from search_words(" ".join((*head.levels, head.label)).lower())


def _stands_in(line: tuple[str, ...], said: list[str]) -> bool:
    return any(tuple(said[start : start + len(line)]) == line for start in range(len(said) - len(line) + 1))


def _line_before(context: TurnContext) -> dict[tuple[str, ...], str]:
    """The line of the last answer, where that was one cell of a table."""
    plan = context.memory.answers[-1].plan if context.memory.answers else None
    steps = plan.steps if plan is not None else ()
    if len(steps) != 1 or not isinstance(steps[0], Extract) or not isinstance(steps[0].source, CellRef):
        return {}
    source = steps[0].source
    label = context.document.table(source.table).rows[source.row].label
    return {_words(label): label} if label else {}


def _in_text(words: set[str], year: int, context: TurnContext) -> bool:
    """Whether a sentence gives a number for the year that goes with the words."""
    near = (m for m in context.graph.mentions if str(year) in m.sentence or m.year == year)
    return any(words <= set(search_words(m.sentence.lower())) for m in near)
