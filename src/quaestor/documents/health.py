"""Measures how well a document was read: cells with unread numbers, and columns without periods.

Text with a digit ("Level 3", "due in 2030") does not count as an unread number.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from pydantic import ConfigDict

from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import find_periods
from quaestor.core.provenance import CellRef, Source
from quaestor.documents.document import Document
from quaestor.documents.roles import ADJUSTED_WORDS, look_alikes_named
from quaestor.documents.shown import count_words
from quaestor.documents.table import Cell, Table, TableRole

_NO_NUMBER = lazy_regex(r"\W*\d{1,2}\W*|[a-z]{1,5}-?\d{1,2}[a-z]?[+-]?|\d{1,2}-[a-z](?:/a)?", re.IGNORECASE)
"""A footnote mark, a symbol or rating ("KO26C", "Aa2"), or a form ("10-K")."""
_CHANGE = lazy_regex(r"change|variance|increase|decrease|growth|\binc\b|\bvs?\b|[%$]|\bper\b", re.IGNORECASE)
_DIGITS = lazy_regex(r"\d{2}")
_MOST_LETTERS = 8
_OTHER_FIGURES = (TableRole.NON_GAAP, TableRole.PRO_FORMA, TableRole.PARENT_ONLY, TableRole.SUBSIDIARIES)
"""Roles of tables whose figures differ from those of the group's statements."""
_ADJUSTED = lazy_regex(rf"\b(?:{ADJUSTED_WORDS}|organic|constant|excluding)\b", re.IGNORECASE)
_PAIR = 2
"""Maximal number of rows for which other cells of the columns do not matter; more rows are compared or added up."""
_SHOWN = 3
_LONGEST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class TableHealth:
    """Parts of a table that were not read.

    Attributes:
        numbers: Number of cells with a number.
        unread: Cells with digits but without a number.
        undated: Indices of number columns whose header lacks the period it should have.
    """

    numbers: int
    unread: tuple[Cell, ...]
    undated: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DocumentHealth:
    """Parts of all tables of a document that were not read.

    Attributes:
        numbers: Number of cells with a number.
        unread: Number of cells with digits but without a number.
        undated: Number of number columns whose header lacks the period it should have.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    tables: int
    numbers: int
    unread: int
    undated: int

    @property
    def is_good(self) -> bool:
        """Whether everything was read."""
        return not self.unread and not self.undated


def table_health(table: Table) -> TableHealth:
    """Check a table for unread numbers and missing periods; tables of contents have none."""
    body = table.body()
    numbers = sum(cell.quantity is not None for cell in body)
    if table.role is TableRole.CONTENTS:
        return TableHealth(numbers, (), ())
    return TableHealth(numbers, tuple(filter(is_unread, body)), tuple(_undated_columns(table)))


def document_health(document: Document) -> DocumentHealth:
    """Check all tables of a document for unread numbers and missing periods."""
    tables = [table_health(table) for table in document.tables]
    return DocumentHealth(
        len(tables),
        sum(table.numbers for table in tables),
        sum(len(table.unread) for table in tables),
        sum(len(table.undated) for table in tables),
    )


def is_unread(cell: Cell) -> bool:
    """Return whether a cell looks like a number but was not read as one."""
    text = cell.text.strip()
    if cell.quantities or cell.is_dash or not any(map(str.isdigit, text)) or _NO_NUMBER.fullmatch(text):
        return False
    letters = sum(map(str.isalpha, text))
    if letters > _MOST_LETTERS or letters > sum(map(str.isdigit, text)) + 1:
        return False
    return not find_periods(text)


def _undated_columns(table: Table) -> Iterator[int]:
    """Yield number columns without a period if their header has digits; in a statement, all such columns."""
    unheaded = table.role.is_statement and table.header_rows == 0  # its columns have different periods
    if table.orientation == "rows" or (table.period is not None and not unheaded):
        return
    body = range(table.header_rows, len(table.rows))
    any_dated = any(column.period for column in table.columns)
    for place, column in enumerate(table.columns[1:], start=1):
        heading = " ".join((*column.levels, column.label))
        if column.period is not None or not any(table.cells[row][place].quantities for row in body):
            continue
        needs_period = table.role.is_statement and table.role is not TableRole.EQUITY and not _CHANGE.search(heading)
        if (needs_period and (any_dated or not heading.strip())) or (_DIGITS.search(heading) and not any_dated):
            yield place


def health_words(health: DocumentHealth) -> str:
    """Return the result as a line: `40 numbers in tables; all numbers and periods were read`."""
    counts = f"{count_words(health.numbers, 'number')} in tables"
    wrong = []
    if health.unread:
        wrong.append(f"{count_words(health.unread, 'cell')} with digits not read as numbers")
    if health.undated:
        wrong.append(f"{count_words(health.undated, 'column')} without a period")
    findings = ", ".join(wrong) or ("all numbers and periods were read" if health.numbers else "")
    return f"{counts}; {findings}" if findings else counts


def health_doubts(table: Table, health: TableHealth) -> tuple[str, ...]:
    """Describe what was not read in a table; empty if everything was."""
    found = []
    if health.unread:
        printed = [" ".join(cell.text.split()) for cell in health.unread]
        shown = ", ".join(f'"{text[:_LONGEST_SHOWN]}"' for text in dict.fromkeys(printed[:_SHOWN]))
        more = ", ..." if len(printed) > _SHOWN else ""
        were = "cell was not read as a number" if len(printed) == 1 else "cells were not read as numbers"
        found.append(f"{len(printed):,} {were}: {shown}{more}")
    if health.undated:
        named = ", ".join(f'"{table.columns[place].label or place}"' for place in health.undated[:_SHOWN])
        found.append(f"no period was read for column {named}")
    return tuple(found)


def _may_differ(table: Table, cells: Iterable[CellRef]) -> bool:
    """Return whether cells of a table of other figures may differ from the group's; not for unadjusted lines."""
    if table.role is not TableRole.NON_GAAP:
        return True
    own = [cell for cell in cells if cell.table == table.index]
    labels = [header.label for cell in own for header in (table.rows[cell.row], table.columns[cell.column])]
    return any(map(_ADJUSTED.search, labels))


def doubts_of_answer(document: Document, sources: Iterable[Source], question: str) -> tuple[str, ...]:
    """Return remarks about the tables that an answer uses.

    Covers unread cells near the numbers used, missing periods, and tables of adjusted figures or of another company
    that the question does not ask for.
    """
    cells = [source for source in sources if isinstance(source, CellRef)]
    named = look_alikes_named(question)
    remarks: list[str] = []
    for index in dict.fromkeys(cell.table for cell in cells):
        table = document.table(index)
        if table.role in _OTHER_FIGURES and table.role not in named and _may_differ(table, cells):
            remarks.append(f"table {index} shows {table.role.value}")
        health = table_health(table)
        rows = {cell.row for cell in cells if cell.table == index}
        columns = {cell.column for cell in cells if cell.table == index}
        several = len(rows) > _PAIR
        unread = tuple(c for c in health.unread if c.ref.row in rows or (several and c.ref.column in columns))
        undated = tuple(place for place in health.undated if place in columns)
        doubts = health_doubts(table, replace(health, unread=unread, undated=undated))
        remarks += (f"table {index}: {doubt}" for doubt in doubts)
    return tuple(remarks)
