"""The last look-up with another name in one place: "pumps in Asia?", then "and valves?", "and in Europe?".

What it cannot be sure of is ranked as ever.
"""

import re
from collections.abc import Iterator

from quaestor.conversation.memory import Memory
from quaestor.core.provenance import CellRef
from quaestor.documents.document import Document
from quaestor.documents.table import Header, Table
from quaestor.plan.steps import Extract, Plan
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.page.matrix import NumberMatrix

_GOES_ON = re.compile(r"(?:and|now|then|what about|how about)\b")
_CALCULATED = re.compile(r"\b(?:change|changed|growth|total|sum|average|difference|percent|percentage|share|ratio)\b|%")
_NESTED = 2
"""Names that a row has at least, of which one is another."""


def renamed_plan(question: Question, memory: Memory, document: Document, leaves: NumberMatrix) -> Plan | None:
    """Return the look-up of the last answer's cell with one name of its row, or its year, replaced by what is asked.

    None if the question may mean anything else, the last answer is not a cell of a row with several names, or not
    exactly one row is called so. On pages of the benchmark, where the ranker has learned what such questions mean, too.

    Args:
        memory: The turns before.
        document: The document, or an excerpt of it.
    """
    if document.is_page or not memory.answers:
        return None
    plan = memory.answers[-1].plan
    last = plan.steps[-1] if plan is not None and len(plan.steps) == 1 else None
    if not _GOES_ON.match(question.lowered) or _CALCULATED.search(question.lowered) or question.relative_periods:
        return None
    if not isinstance(last, Extract) or last.quantity is None or not isinstance(last.source, CellRef):
        return None
    source = last.source
    table = document.table(source.table)
    rows = list(_rows_called(question, table, source.row))
    if len(rows) != 1:
        return None
    cell = table.cells[rows[0]][source.column]
    leaf = leaves.index.get((cell.ref, cell.quantity.value)) if cell.quantity is not None else None
    if leaf is None or len(cell.quantities) > 1:
        return None
    found = leaves.leaves[leaf]
    size = last.reading == "magnitude" and found.quantity.value < 0
    return Plan((Extract(1, found.source, found.label, found.quantity, reading="magnitude" if size else "signed"),))


def _rows_called(question: Question, table: Table, last: int) -> Iterator[int]:
    """Yield the rows whose names and period are those of the last row but for what the question says."""
    before = table.rows[last]
    asked = frozenset(stem for stem in stems(question.lowered) if not stem.isdigit())
    years = question.years
    if len(before.levels) < _NESTED or len(years) > 1 or (years and before.period is None) or not (asked or years):
        return
    for place, row in enumerate(table.rows):
        if place == last or place < table.header_rows or not _has_year(row, before, years[0] if years else None):
            continue
        if len(row.levels) != len(before.levels):
            continue
        others = [own for own, other in zip(row.levels, before.levels, strict=True) if own != other]
        if (not asked and not others) or (len(others) == 1 and asked and frozenset(stems(others[0].lower())) == asked):
            yield place


def _has_year(row: Header, before: Header, year: int | None) -> bool:
    """Whether a row is of the period of another one, or of a year that is asked for instead."""
    if year is None or row.period is None or before.period is None:
        return row.period == before.period and year is None
    one, other = row.period, before.period
    return one.year == year and (one.kind, one.quarter, one.month) == (other.kind, other.quarter, other.month)
