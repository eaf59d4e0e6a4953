"""A table as printed: its cells, and what its rows and columns are about."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import Literal

from quaestor.core.currencies import is_currency
from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.documents.captions import covers, is_price
from quaestor.documents.repairs import Repair, RepairKind

_TOTAL = lazy_regex(r"^(?:sub)?-?total|\btotal$|^net\b|^balance\b|\bend(?:ing)? (?:balance|of)\b", re.IGNORECASE)
_OTHER = lazy_regex(
    r"\b(?:shares?|units?|options?|awards?|number|volumes?|count|customers|employees|contracts|barrels|tons|gallons"
    r"|percent\w*|rates?|ratios?|margins?|yield|weighted|average|per|effective|m?bpd"
    r"|mboe|bcf|mmcf|mwh|gwh|twh)\b|(?<![0-9])(?<![0-9]\s)%",
    re.IGNORECASE,
)
"""A line that counts something else than money, or whose print does not say that it counts money."""
_MOST = 80
"""Lines that are looked at above and below a cell."""

Line = tuple[str, Sequence[Quantity]]
"""The label of a row, and the numbers of its cell in one column."""


def currency_between(above: Iterable[Line], label: str, below: Iterable[Line]) -> str | None:
    """Return the currency that the number of a line counts in, although its cell prints no sign; None if it has none.

    Args:
        above: The lines over it in its column, the nearest first.
        below: The lines under it, the nearest first.
    """
    if _counts_otherwise(label):
        return None
    code = _currency_at(above, total=False)
    return code if code is not None and code == _currency_at(below, total=True) else None


def _currency_at(lines: Iterable[Line], *, total: bool) -> str | None:
    """Return the currency of the nearest line with a printed unit, over lines that could count in it too."""
    for _, (label, numbers) in zip(range(_MOST), lines, strict=False):
        if not numbers:
            continue
        if is_currency(numbers[0].unit):
            counts = not _counts_otherwise(label) and (not total or _TOTAL.search(label) is not None)
            return numbers[0].unit if counts else None
        if numbers[0].unit is not None or numbers[0].scale is not Scale.ONE or _counts_otherwise(label):
            return None
    return None


@lru_cache(maxsize=8192)
def _counts_otherwise(label: str) -> bool:
    """Whether a line counts something else than money; asked again of the same labels for each cell near them."""
    return _OTHER.search(label) is not None


_MARKS = lazy_regex(r"\([0-9a-z]{1,2}\)", re.IGNORECASE)

MOST_CELLS_ASKED = 50_000
"""Cells of a table that questions are answered from: its graph takes seconds, and a solver looks at each cell."""

Orientation = Literal["columns", "rows", "neither"]


class TableRole(StrEnum):
    """What a table is for; the value says it for people. `quaestor.documents.roles` tells it."""

    BALANCE_SHEET = "balance sheet"
    INCOME_STATEMENT = "income statement"
    COMPREHENSIVE_INCOME = "statement of comprehensive income"
    CASH_FLOWS = "cash flow statement"
    EQUITY = "statement of equity"
    NOTE = "note"
    SEGMENTS = "segments"
    FAIR_VALUES = "fair values"
    QUARTERLY = "quarterly data"
    DISCUSSION = "discussion"
    COMMON_SIZE = "percentages of sales"
    NON_GAAP = "non-GAAP measures"
    PRO_FORMA = "pro forma"
    PARENT_ONLY = "parent company only"
    SUBSIDIARIES = "subsidiaries or guarantors"
    CONTENTS = "list of contents"
    OTHER = "other"

    @property
    def is_statement(self) -> bool:
        """Whether it is that of a primary statement of the group."""
        return self in _STATEMENTS


_STATEMENTS = frozenset(
    {
        TableRole.BALANCE_SHEET,
        TableRole.INCOME_STATEMENT,
        TableRole.COMPREHENSIVE_INCOME,
        TableRole.CASH_FLOWS,
        TableRole.EQUITY,
    }
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the printed grid.

    Attributes:
        quantities: The numbers in it, left to right; empty for labels, dashes and empty cells.
        repair: What was mended in reading it, such as a dash printed as the year 2014; or None.
        misread: What was read there before a person corrected it; None of a cell as it was read.
    """

    text: str
    ref: CellRef
    quantities: tuple[Quantity, ...] = ()
    repair: Repair | None = None
    misread: str | None = None

    @property
    def quantity(self) -> Quantity | None:
        """The first number of the cell, or None."""
        return self.quantities[0] if self.quantities else None

    @property
    def is_dash(self) -> bool:
        """Whether it has no value: only signs and footnote marks, a year in place of a dash, a formula without one."""
        if self.repair is not None:
            return self.repair.kind is not RepairKind.REPEATED_HEADER
        signs = _MARKS.sub("", self.text).strip()
        return bool(signs) and not self.quantities and not any(map(str.isalnum, signs))


@dataclass(frozen=True, slots=True)
class Header:
    """What a whole row or a whole column is about.

    Attributes:
        label: Its own label, cleaned of debris, footnote marks and doubled percentages; "" if none is printed.
        levels: The headings above it, outermost first, its own label last ("cash flow hedges" over "net gain").
        period: The period that the label names, or None.
        scale: The scale that the label names ("in millions", "%"), or None.
        unit: The unit that the label names ("USD", "shares"), or None.
    """

    label: str
    levels: tuple[str, ...] = ()
    period: Period | None = None
    scale: Scale | None = None
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table as printed, and what its rows and columns are about.

    Shape: `cells` is R x C, never ragged; `rows` has R headers, `columns` has C, both indexed like `cells`.
        The rows before `header_rows` head the columns (0 of them where the table has no header); column 0 heads
        the rows, or several columns do (`quaestor.documents.row_names`). The body is what is below and to the right.

    Attributes:
        index: Its place in the document, from 0; in an excerpt its place in the whole document.
        cells: The grid; a cell's `ref` gives its row and column in it.
        rows: What each row is about; label "" where a row prints a number in its label's place.
        columns: What each column is about; `columns[0]` is the label column's own heading.
        orientation: Where the periods stand: heading the columns, heading the rows, or neither.
        caption: The corner's text ("in millions , except per share data"), else the caption over the table, or "".
        scale: The scale that the caption names for the whole table, or None.
        unit: The unit that the caption names for the whole table, or None.
        title: What is printed over the table as its name ("CONSOLIDATED BALANCE SHEETS"), or "".
        period: What the whole table is of, if neither its rows nor its columns say it; or None.
        role: What it is for: a primary statement, a note, a list of contents.
    """

    index: int
    cells: tuple[tuple[Cell, ...], ...]
    rows: tuple[Header, ...]
    columns: tuple[Header, ...]
    header_rows: int
    orientation: Orientation
    caption: str = ""
    scale: Scale | None = None
    unit: str | None = None
    title: str = ""
    period: Period | None = None
    role: TableRole = TableRole.OTHER
    kind: Literal["table"] = field(default="table", kw_only=True)

    def __repr__(self) -> str:
        from quaestor.documents.shown import table_line

        return table_line(self)

    def _repr_html_(self) -> str:
        """Return it as notebooks show it; of a long one the first rows."""
        from quaestor.documents.shown import boxed, table_html

        return boxed(table_html(self))

    @property
    def cell_count(self) -> int:
        """How many cells the grid has, empty ones counted."""
        return len(self.rows) * len(self.columns)

    @property
    def is_too_large(self) -> bool:
        """Whether it has more than `MOST_CELLS_ASKED` cells: it is read and shown, but its numbers are in no graph."""
        return self.cell_count > MOST_CELLS_ASKED

    def with_rows(self, chosen: Collection[int]) -> "Table":
        """Return the table with some rows below its header; the others print nothing, so each cell keeps its place."""
        shown = [place < self.header_rows or place in chosen for place in range(len(self.rows))]
        return replace(
            self,
            cells=tuple(
                row if keeps else tuple(Cell("", cell.ref) for cell in row)
                for row, keeps in zip(self.cells, shown, strict=True)
            ),
            rows=tuple(row if keeps else Header("") for row, keeps in zip(self.rows, shown, strict=True)),
        )

    @property
    def printed_rows(self) -> int:
        """How many rows print anything."""
        return sum(any(cell.text for cell in row) for row in self.cells)

    def body(self) -> tuple[Cell, ...]:
        """Every cell right of the labels and below the header, row by row.

        A row that prints a number where its label should be gives that cell too.
        """
        return tuple(
            cell
            for header, row in zip(self.rows[self.header_rows :], self.cells[self.header_rows :], strict=True)
            for cell in row[0 if row[0].quantities and not header.label else 1 :]
        )

    def scale_at(self, row: int, column: int) -> Scale | None:
        """The scale that labels give a cell: its row's before its column's before the table's; None if none does."""
        heads = self.rows[row], self.columns[column]
        own = heads[0].scale or heads[1].scale
        applies = own or all(covers(self.caption, self.unit, head.label, head.unit) for head in heads)
        return (own or self.scale) if applies else None

    def unit_at(self, row: int, column: int) -> str | None:
        """The unit that labels give a cell: its row's before its column's before the table's; None if none does."""
        heads = self.rows[row], self.columns[column]
        own = heads[0].unit or heads[1].unit
        plain = any(head.scale is Scale.ONE and not is_price(head.label) for head in heads)
        return own or (None if plain else self.unit or self._unit_between(row, column))

    def _unit_between(self, row: int, column: int) -> str | None:
        """The currency that the column prints above the cell and at the total below it."""
        if row < self.header_rows or any(number.unit for number in self.cells[row][column].quantities):
            return None

        def lines(rows: Iterable[int]) -> Iterable[Line]:
            return ((self.rows[other].label, self.cells[other][column].quantities) for other in rows)

        above, below = range(row - 1, self.header_rows - 1, -1), range(row + 1, len(self.cells))
        return currency_between(lines(above), self.rows[row].label, lines(below))

    def period_at(self, row: int, column: int) -> Period | None:
        """The period of a cell, read from the axis that carries the periods first; the table's if neither names one."""
        row_period, column_period = self.rows[row].period, self.columns[column].period
        first, second = (row_period, column_period) if self.orientation == "rows" else (column_period, row_period)
        return first or second or self.period
