"""The cells of a page with what tells each from its neighbours: its line, its period, its section."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from quaestor.core.periods import Period, find_periods
from quaestor.core.provenance import CellRef
from quaestor.core.stop_words import TIME_WORDS
from quaestor.core.words import words
from quaestor.documents.document import Document
from quaestor.documents.table import Header, Table
from quaestor.graph.facts import year_of
from quaestor.plan.scales import Dimension
from quaestor.solvers.embedded.page.matrix import NumberMatrix

_QUARTER = re.compile(
    r"\b(?:quarters?|qtr|q[1-4]|[1-4]q|(?:three|3|six|6|nine|9)[\s-]months?|jan\w*|feb\w*|mar(?:ch)?\b|apr\w*|may|june?|july?"
    r"|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*|half)\b|^(?:first|second|third|fourth|1st|2nd|3rd|4th)\W*$",
    re.IGNORECASE,
)
_TOTAL = re.compile(r"^(?:sub-?\s?|grand )?totals?\b|\btotals?$|^net\b(?=.*\btotal\b)", re.IGNORECASE)
_HALF = 0.5
_LEAST = 10
"""Numbers below so many times the count of their parts are sums by chance."""


@dataclass(frozen=True, slots=True)
class LabelledCell:
    """A number of a table with what is printed beside and above it.

    Attributes:
        leaf: Its index among the page's numbers.
        row: What its row is called, the headings above it first.
        column: What its column is called, likewise.
        row_period: The period that its row is of, or None.
        column_period: The period that its column is of, or None.
        by_column: Whether its period is its column's.
        total: Whether its row is a total of others.
    """

    leaf: int
    source: CellRef
    row: tuple[str, ...]
    column: tuple[str, ...]
    row_period: Period | None
    column_period: Period | None
    by_column: bool
    value: float
    counts: Dimension
    total: bool

    @property
    def period(self) -> Period | None:
        """The period that it is of."""
        return self.column_period if self.by_column else self.row_period

    @property
    def year(self) -> int:
        """The last year of its period; 0 if there is none."""
        return year_of(self.period) or 0

    @property
    def row_label(self) -> str:
        """The label of its row."""
        return self.row[-1] if self.row else ""

    @property
    def column_label(self) -> str:
        """The label of its column."""
        return self.column[-1] if self.column else ""


def labelled_cells(document: Document, leaves: NumberMatrix) -> tuple[LabelledCell, ...]:
    """Return the cells of a page that hold numbers, the first number of each, in reading order."""
    found: dict[CellRef, LabelledCell] = {}
    tables: dict[int, tuple[Table, frozenset[int]]] = {}
    for index, leaf in enumerate(leaves.leaves):
        source = leaf.source
        if not isinstance(source, CellRef) or source in found:
            continue
        if source.table not in tables:
            table = document.table(source.table)
            tables[source.table] = table, total_rows(table)
        table, totals = tables[source.table]
        row, column = table.rows[source.row], table.columns[source.column]
        found[source] = LabelledCell(
            leaf=index,
            source=source,
            row=_levels(row),
            column=_levels(column),
            row_period=row.period,
            column_period=column.period,
            by_column=_by_column(table, row, column),
            value=float(leaf.quantity.value),
            counts=leaf.counts,
            total=source.row in totals,
        )
    return tuple(found.values())


def _levels(header: Header) -> tuple[str, ...]:
    return header.levels or ((header.label,) if header.label else ())


def _by_column(table: Table, row: Header, column: Header) -> bool:
    if table.orientation == "rows":
        return row.period is None
    return column.period is not None or row.period is None


@lru_cache(maxsize=8192)
def without_times(label: str) -> str:
    """Return the words of a label that name no time, in lower case.

    >>> without_times("Year ended December 31, 2019"), without_times("2019 amount")
    ('', 'amount')
    """
    text = label.lower()
    for mention in reversed(list(find_periods(text))):
        text = text[: mention.start] + " " + text[mention.end :]
    left = [word for word in words(text) if word not in TIME_WORDS and not word.isdigit()]
    return " ".join(left)


def is_part_of_a_year(label: str) -> bool:
    """Return whether a label names a quarter, a month or another part of a year."""
    return _QUARTER.search(label) is not None


def total_rows(table: Table) -> frozenset[int]:
    """Return the rows of a table that are totals: by their label, or because they are the sum of those above."""
    found = {
        row
        for row, header in enumerate(table.rows)
        if row >= table.header_rows and (_TOTAL.search(header.label) or (not header.label and _numbers(table, row)))
    }
    for row in range(table.header_rows, len(table.rows)):
        if row not in found and parts_of_sum(table, row, found):
            found.add(row)
    return frozenset(found)


def parts_of_sum(table: Table, row: int, totals: "frozenset[int] | set[int]" = frozenset()) -> tuple[int, ...]:
    """Return the rows right above a row that it is the sum of in each column, two at least; () if there are none.

    Args:
        totals: Rows that are known to be totals: what is above one is in it already.
    """
    sums = _numbers(table, row)
    if not sums or all(not value for value in sums.values()):
        return ()
    parts: list[int] = []
    added = dict.fromkeys(sums, 0.0)
    for above in range(row - 1, table.header_rows - 1, -1):
        numbers = _numbers(table, above)
        if not numbers and parts and table.rows[above].label:
            break
        added = {column: value + numbers.get(column, 0.0) for column, value in added.items()}
        if above in totals:
            # From one total to the next: the first is a part of the second, with the lines between.
            if not parts or not _all_close(added, sums, len(parts) + 1):
                return ()
            return (*(parts_of_sum(table, above, totals) or (above,)), *reversed(parts))
        if numbers:
            parts.append(above)
        if len(parts) > 1 and _all_close(added, sums, len(parts)):
            return tuple(reversed(parts))
    return ()


def _numbers(table: Table, row: int) -> dict[int, float]:
    """The numbers of a row by column, percentages left out."""
    return {
        column: float(cell.quantities[0].value)
        for column, cell in enumerate(table.cells[row])
        if column and cell.quantities and "%" not in cell.text
    }


def _all_close(added: dict[int, float], sums: dict[int, float], parts: int) -> bool:
    """Whether sums are those that are printed: parts and sums are rounded by a half of the last digit at most."""
    large = max(map(abs, sums.values()))
    if large < _LEAST * parts:
        return False
    whole = all(value == round(value) for value in sums.values())
    most = _HALF * (parts + 1) * (1 if whole else 0.1)
    return all(abs(added[column] - value) <= most for column, value in sums.items())


def common_counts(cells: Sequence[LabelledCell]) -> Dimension:
    """Return what most of some cells count; of as many the first."""
    kinds = [cell.counts for cell in cells]
    return max(dict.fromkeys(kinds), key=kinds.count)
