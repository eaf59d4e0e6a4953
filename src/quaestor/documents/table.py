"""Tables: printed cells, and headers of rows and columns."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import Literal

from quaestor.core.currencies import is_currency
from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import UNSCALED_UNITS, Quantity, Scale
from quaestor.documents.captions import applies_to, is_price
from quaestor.documents.repairs import Repair, RepairKind

_TOTAL = lazy_regex(r"^(?:sub)?-?total|\btotal$|^net\b|^balance\b|\bend(?:ing)? (?:balance|of)\b", re.IGNORECASE)
_OTHER = lazy_regex(
    r"\b(?:shares?|units?|options?|awards?|number|volumes?|count|customers|employees|contracts|barrels|tons|gallons"
    r"|percent\w*|rates?|ratios?|margins?|yield|weighted|average|per|effective|m?bpd"
    r"|mboe|bcf|mmcf|mwh|gwh|twh)\b|(?<![0-9])(?<![0-9]\s)%",
    re.IGNORECASE,
)
"""Labels of lines that do not count money, or may not."""
_PERCENT = lazy_regex(r"%|\bpercent", re.IGNORECASE)
_MOST = 80
"""Number of lines inspected above and below a cell."""

Line = tuple[str, Sequence[Quantity]]
"""Label of a row, and the numbers of its cell in one column."""


def currency_between(above: Iterable[Line], label: str, below: Iterable[Line]) -> str | None:
    """Return the currency that a cell without a sign has because of its column; None if there is none.

    Args:
        above: Lines above it in its column, nearest first.
        below: Lines below it, nearest first.
    """
    if _counts_otherwise(label):
        return None
    code = _currency_at(above, total=False)
    return code if code is not None and code == _currency_at(below, total=True) else None


def _currency_at(lines: Iterable[Line], *, total: bool) -> str | None:
    """Return the currency of the nearest line with a unit, if all lines before it may be in that currency."""
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
    """Whether a line counts something other than money; cached because labels are checked for each cell near them."""
    return _OTHER.search(label) is not None


_MARKS = lazy_regex(r"\([0-9a-z]{1,2}\)", re.IGNORECASE)

MOST_CELLS_ASKED = 50_000
"""Limit for cells of a table used for answers, because building its graph takes seconds and solvers visit each cell."""

Orientation = Literal["columns", "rows", "neither"]


class TableRole(StrEnum):
    """Role of a table, determined in `quaestor.documents.roles`; the values are shown to users."""

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
        """Whether it is a primary statement of the group."""
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
    """A cell of the printed grid.

    Attributes:
        quantities: The numbers in it, from left to right; empty for labels, dashes and empty cells.
        repair: Repair of the cell, such as a dash printed as the year 2014; or None.
        misread: The text that was read before a user corrected it; None if it was not corrected.
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
        """Whether it has no value: only signs and footnote marks, a year for a dash, or a formula without value."""
        if self.repair is not None:
            return self.repair.kind is not RepairKind.REPEATED_HEADER
        signs = _MARKS.sub("", self.text).strip()
        return bool(signs) and not self.quantities and not any(map(str.isalnum, signs))


@dataclass(frozen=True, slots=True)
class Header:
    """Header of a row or column.

    Attributes:
        label: The label without formatting residue, footnote marks and doubled percentages; "" if there is none.
        levels: Headings from the outermost to the label ("cash flow hedges" above "net gain").
        period: Period in the label, or None.
        scale: Scale in the label ("in millions", "%"), or None.
        unit: Unit in the label ("USD", "shares"), or None.
    """

    label: str
    levels: tuple[str, ...] = ()
    period: Period | None = None
    scale: Scale | None = None
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A printed table with headers for its rows and columns.

    Shape: `cells` is R x C, never ragged; `rows` has R headers, `columns` has C, both indexed like `cells`. The first
    `header_rows` rows head the columns (0 for a table without header); column 0 or several columns
    (`quaestor.documents.row_names`) head the rows. The body is below and to the right of them.

    Attributes:
        index: Index in the document, from 0; in an excerpt, the index in the whole document.
        cells: The grid; each cell's `ref` has its row and column.
        rows: Row headers; the label is "" if a row has a number instead of a label.
        columns: Column headers; `columns[0]` is that of the label column.
        orientation: Whether columns, rows or neither have the periods.
        caption: Text of the corner cell ("in millions , except per share data"), else the caption above the table, or
            "".
        scale: Scale for the whole table from its caption, or None.
        unit: Unit for the whole table from its caption, or None.
        title: Title above the table ("CONSOLIDATED BALANCE SHEETS"), or "".
        period: Period of the whole table if neither rows nor columns have one; or None.
        role: Primary statement, note, list of contents or other.
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
        """Return the table as HTML for notebooks; only the first rows of a long one."""
        from quaestor.documents.shown import table_html, wrap_for_notebook

        return wrap_for_notebook(table_html(self))

    @property
    def cell_count(self) -> int:
        """Number of cells, including empty ones."""
        return len(self.rows) * len(self.columns)

    @property
    def is_too_large(self) -> bool:
        """Whether it has more than `MOST_CELLS_ASKED` cells, so that it is shown but not used for answers."""
        return self.cell_count > MOST_CELLS_ASKED

    def with_rows(self, chosen: Collection[int]) -> "Table":
        """Return a table with some of the rows below the header; others are empty, so that cells stay in place."""
        shown = [place < self.header_rows or place in chosen for place in range(len(self.rows))]
        return replace(
            self,
            cells=tuple(
                row if keeps else tuple(Cell("", cell.ref) for cell in row)
                for row, keeps in zip(self.cells, shown, strict=True)
            ),
            rows=tuple(row if keeps else Header("") for row, keeps in zip(self.rows, shown, strict=True)),
        )

    def with_cells(self, changed: Mapping[tuple[int, int], Cell]) -> "Table":
        """Return a table with other cells in some places, given by row and column."""
        cells = [list(row) for row in self.cells]
        for (row, column), cell in changed.items():
            cells[row][column] = cell
        return replace(self, cells=tuple(map(tuple, cells)))

    @property
    def printed_rows(self) -> int:
        """Number of rows that are not empty."""
        return sum(any(cell.text for cell in row) for row in self.cells)

    def body(self) -> tuple[Cell, ...]:
        """Return all cells to the right of the labels and below the header, row by row.

        If a row has a number instead of a label, that cell is included.
        """
        return tuple(
            cell
            for header, row in zip(self.rows[self.header_rows :], self.cells[self.header_rows :], strict=True)
            for cell in row[0 if row[0].quantities and not header.label else 1 :]
        )

    @property
    def heading_texts(self) -> list[str]:
        """All heading cells of each column, joined."""
        return [
            " ".join(row[place].text for row in self.cells[: self.header_rows]) for place in range(len(self.columns))
        ]

    def scale_at(self, row: int, column: int) -> Scale | None:
        """Return the scale of a cell from its row, column or table header, in this order; None if none has one.

        A column of percentages goes first: the change of an amount in millions is a percentage.
        """
        if any(number.unit in UNSCALED_UNITS for number in self.cells[row][column].quantities[:1]):
            return Scale.ONE
        heads = self.rows[row], self.columns[column]
        own = Scale.PERCENT if self._heads_percentages(column) else heads[0].scale or heads[1].scale
        applies = own or all(applies_to(self.caption, self.unit, head.label, head.unit) for head in heads)
        return (own or self.scale) if applies else None

    def _heads_percentages(self, column: int) -> bool:
        """Whether the heading of a column prints percent; that its first and last number do is not enough."""
        header = self.columns[column]
        printed = (*header.levels, *(row[column].text for row in self.cells[: self.header_rows]))
        return header.scale is Scale.PERCENT and any(map(_PERCENT.search, printed))

    def unit_at(self, row: int, column: int) -> str | None:
        """Return the unit of a cell from its row, column or table header, in this order; None if none has one."""
        heads = self.rows[row], self.columns[column]
        own = heads[1].unit if self._heads_percentages(column) else heads[0].unit or heads[1].unit
        plain = any(head.scale is Scale.ONE and not is_price(head.label) for head in heads)
        return own or (None if plain else self.unit or self._unit_between(row, column))

    def _unit_between(self, row: int, column: int) -> str | None:
        """Return the currency of the cells above it in the column and of the total below it."""
        if row < self.header_rows or any(number.unit for number in self.cells[row][column].quantities):
            return None

        def lines(rows: Iterable[int]) -> Iterable[Line]:
            return ((self.rows[other].label, self.cells[other][column].quantities) for other in rows)

        above, below = range(row - 1, self.header_rows - 1, -1), range(row + 1, len(self.cells))
        return currency_between(lines(above), self.rows[row].label, lines(below))

    def heads_at(self, row: int, column: int) -> tuple[str, ...]:
        """Return the levels and the label of a cell's row, then those of its column."""
        heads = self.rows[row], self.columns[column]
        return tuple(text for head in heads for text in (*head.levels, head.label))

    def period_at(self, row: int, column: int) -> Period | None:
        """Return the period of a cell, from the axis with the periods first, else from the table."""
        row_period, column_period = self.rows[row].period, self.columns[column].period
        first, second = (row_period, column_period) if self.orientation == "rows" else (column_period, row_period)
        return first or second or self.period
