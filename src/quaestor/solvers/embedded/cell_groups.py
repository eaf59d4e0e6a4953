"""Labelled cells of a page, and the groups of cells that a question may choose among."""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import Period, find_periods
from quaestor.core.provenance import CellRef
from quaestor.core.words import TIME_WORDS, words
from quaestor.documents.document import Document
from quaestor.documents.table import Header, Table
from quaestor.graph.facts import year_of
from quaestor.plan.scales import Dimension
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.page import NumberMatrix

_QUARTER = lazy_regex(
    r"\b(?:quarters?|qtr|q[1-4]|[1-4]q|(?:three|3|six|6|nine|9)[\s-]months?|jan\w*|feb\w*|mar(?:ch)?\b|apr\w*|may|june?|july?"
    r"|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*|half)\b|^(?:first|second|third|fourth|1st|2nd|3rd|4th)\W*$",
    re.IGNORECASE,
)
_TOTAL = lazy_regex(r"^(?:sub-?\s?|grand )?totals?\b|\btotals?$|^net\b(?=.*\btotal\b)", re.IGNORECASE)
_HALF = 0.5
_LEAST = 10
"""Sums smaller than this times the number of their parts may be coincidences."""


@dataclass(frozen=True, slots=True)
class LabelledCell:
    """Number of a table with its row and column headings.

    Attributes:
        leaf: Index among the page's numbers.
        row: Labels of the row, outermost heading first.
        column: Labels of the column, outermost heading first.
        row_period: Period of the row, or None.
        column_period: Period of the column, or None.
        by_column: Whether the cell has the period of its column, not of its row.
        total: Whether the row is a total of others.
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
        """Period of the cell, or None."""
        return self.column_period if self.by_column else self.row_period

    @property
    def year(self) -> int:
        """Last year of the period; 0 if there is none."""
        return year_of(self.period) or 0

    @property
    def row_label(self) -> str:
        """Label of the row."""
        return self.row[-1] if self.row else ""

    @property
    def column_label(self) -> str:
        """Label of the column."""
        return self.column[-1] if self.column else ""


def read_cells(document: Document, leaves: NumberMatrix) -> tuple[LabelledCell, ...]:
    """Return the cells of a page that contain numbers, with the first number of each, in reading order."""
    found: dict[CellRef, LabelledCell] = {}
    tables: dict[int, tuple[Table, frozenset[int]]] = {}
    for index, leaf in enumerate(leaves.leaves):
        source = leaf.source
        if not isinstance(source, CellRef) or source in found:
            continue
        if source.table not in tables:
            table = document.table(source.table)
            tables[source.table] = table, find_total_rows(table)
        table, totals = tables[source.table]
        row, column = table.rows[source.row], table.columns[source.column]
        found[source] = LabelledCell(
            leaf=index,
            source=source,
            row=_read_levels(row),
            column=_read_levels(column),
            row_period=row.period,
            column_period=column.period,
            by_column=_has_period_above(table, row, column),
            value=float(leaf.quantity.value),
            counts=leaf.counts,
            total=source.row in totals,
        )
    return tuple(found.values())


def _read_levels(header: Header) -> tuple[str, ...]:
    return header.levels or ((header.label,) if header.label else ())


def _has_period_above(table: Table, row: Header, column: Header) -> bool:
    if table.orientation == "rows":
        return row.period is None
    return column.period is not None or row.period is None


@lru_cache(maxsize=8192)
def remove_times(label: str) -> str:
    """Return a label in lower case without its words for times.

    >>> remove_times("Year ended December 31, 2019"), remove_times("2019 amount")
    ('', 'amount')
    """
    text = label.lower()
    for mention in reversed(list(find_periods(text))):
        text = text[: mention.start] + " " + text[mention.end :]
    other_words = [word for word in words(text) if word not in TIME_WORDS and not word.isdigit()]
    return " ".join(other_words)


def is_part_of_a_year(label: str) -> bool:
    """Return whether a label names a quarter, a month or another part of a year."""
    return _QUARTER.search(label) is not None


def find_total_rows(table: Table) -> frozenset[int]:
    """Return the rows of a table that are totals, by their label or as the sum of the rows above."""
    found = {
        row
        for row, header in enumerate(table.rows)
        if row >= table.header_rows and (_TOTAL.search(header.label) or (not header.label and _read_row(table, row)))
    }
    for row in range(table.header_rows, len(table.rows)):
        if row not in found and find_summed_rows(table, row, found):
            found.add(row)
    return frozenset(found)


def find_summed_rows(table: Table, row: int, totals: "frozenset[int] | set[int]" = frozenset()) -> tuple[int, ...]:
    """Return the two or more rows right above a row whose sum it is in each column; () if there are none.

    Args:
        totals: Known rows of totals, which already include the rows above them.
    """
    sums = _read_row(table, row)
    if not sums or all(not value for value in sums.values()):
        return ()
    parts: list[int] = []
    added = dict.fromkeys(sums, 0.0)
    for above in range(row - 1, table.header_rows - 1, -1):
        numbers = _read_row(table, above)
        if not numbers and parts and table.rows[above].label:
            break
        added = {column: value + numbers.get(column, 0.0) for column, value in added.items()}
        if above in totals:
            # The previous total is a part of this one, with the lines between.
            if not parts or not _are_all_close(added, sums, len(parts) + 1):
                return ()
            return (*(find_summed_rows(table, above, totals) or (above,)), *reversed(parts))
        if numbers:
            parts.append(above)
        if len(parts) > 1 and _are_all_close(added, sums, len(parts)):
            return tuple(reversed(parts))
    return ()


def _read_row(table: Table, row: int) -> dict[int, float]:
    """Numbers of a row by column, without percentages."""
    return {
        column: float(cell.quantities[0].value)
        for column, cell in enumerate(table.cells[row])
        if column and cell.quantities and "%" not in cell.text
    }


def _are_all_close(added: dict[int, float], sums: dict[int, float], parts: int) -> bool:
    """Whether sums equal the printed ones, with a rounding error of half the last digit for each number."""
    large = max(map(abs, sums.values()))
    if large < _LEAST * parts:
        return False
    whole = all(value == round(value) for value in sums.values())
    most = _HALF * (parts + 1) * (1 if whole else 0.1)
    return all(abs(added[column] - value) <= most for column, value in sums.items())


def _find_common_dimension(cells: Sequence[LabelledCell]) -> Dimension:
    """Return the most common dimension of some cells; the first one in a tie."""
    kinds = [cell.counts for cell in cells]
    return max(dict.fromkeys(kinds), key=kinds.count)


# Members of a whole: the lines under a heading, or above the total of that name.
#
# Only labels count: a line may have a dash in every column.


_DEDUCTED = lazy_regex(r"(?:less\b|accumulated\b|(?:valuation )?allowance\b)", re.IGNORECASE)
"""Start of the labels of deductions and sums."""

_FOOTNOTE = lazy_regex(r"(?<=[a-z]{4})[1-9]$")

_SHORT = 2
"""Most words in the name of columns; longer texts describe their content."""
_EMPTY_WORDS = frozenset({"total"})
"""Optional stems in the name of a whole."""

_LIKE = 0.6
"""Least similarity between a heading and the question's words."""


@dataclass(frozen=True, slots=True)
class Members:
    """Lines or columns that are parts of a whole.

    Attributes:
        heading: Name of the whole as printed; "" for all lines of a table.
        fit: Similarity of the heading to the question's words, 0 to 1.
    """

    heading: str
    labels: tuple[str, ...]
    sources: tuple[CellRef, ...]
    fit: float

    @property
    def rows(self) -> frozenset[tuple[int, int]]:
        """Table and row of each line."""
        return frozenset((source.table, source.row) for source in self.sources)


def find_members(document: Document, whole: str, least: float = _LIKE) -> Members | None:
    """Return the lines that are parts of a whole; None if no heading or total matches its name.

    Args:
        least: Least similarity (Jaccard) between a heading and the name.
    """
    wanted = frozenset(stems(whole)) - _EMPTY_WORDS
    if not wanted:
        return None
    found = [*_find_candidates(document, wanted)]
    best = max(found, key=lambda members: members.fit, default=None)
    return best if best is not None and best.fit >= least else None


def find_total_members(document: Document) -> tuple[Members, ...]:
    """Return the lines of each total."""
    found = []
    for table in document.tables:
        totals = find_total_rows(table)
        for row in sorted(totals):
            if parts := _find_parts(table, row, totals):
                found.append(_build_members(document, table, table.rows[row].label, parts, 0.0))
    return tuple(found)


def find_members_called(noun: str, document: Document) -> Members | None:
    """Return the lines of the total that best matches a noun by its label and theirs; None if none matches.

    Args:
        noun: In the singular: "region".
    """
    named = set(stems(noun))
    found = [members for members in find_total_members(document) if count_labels_called(members, named)]
    return max(found, key=lambda members: count_labels_called(members, named), default=None)


def find_columns_called(whole: str, document: Document) -> Members | None:
    """Return the columns whose labels name a whole: "operating leases" and "finance leases" for leases."""
    wanted = frozenset(stems(whole)) - _EMPTY_WORDS
    if len(wanted) > _SHORT:
        return None
    for table in document.tables:
        top = max(table.header_rows - 1, 0)
        labels = {column: header.label for column, header in enumerate(table.columns) if column}
        matching = [
            column for column, label in labels.items() if remove_times(label) and wanted & frozenset(stems(label))
        ]
        if len(matching) > 1 and len({labels[column] for column in matching}) == len(matching):
            sources = tuple(CellRef(document.id, table.index, top, column) for column in matching)
            return Members(whole, tuple(labels[column] for column in matching), sources, 1.0)
    return None


def count_labels_called(members: Members, named: set[str]) -> int:
    """Return the number of labels, including that of the total, that have any of some stems."""
    return sum(bool(named & set(stems(label))) for label in (members.heading, *members.labels))


def list_table_lines(document: Document) -> tuple[Members, ...]:
    """Return the lines of each table of a page, without totals."""
    found = []
    for table in document.tables:
        totals = find_total_rows(table)
        rows = [row for row in _list_body_rows(table) if row not in totals]
        if rows:
            found.append(_build_members(document, table, "", rows, 0.0))
    return tuple(found)


def _find_candidates(document: Document, wanted: frozenset[str]) -> Iterator[Members]:
    for table in document.tables:
        totals = find_total_rows(table)
        body = _list_body_rows(table)
        for heading, rows in _find_sections(table, totals).items():
            if len(rows) > 1:
                yield _build_members(document, table, heading, rows, _measure_likeness(heading, wanted) + 0.01)
        for row in body:
            heading = table.rows[row].label
            fit = _measure_likeness(heading, wanted)
            if fit >= _LIKE and (parts := _find_parts(table, row, totals)):
                yield _build_members(document, table, heading, parts, fit)


def _find_sections(table: Table, totals: frozenset[int]) -> dict[str, list[int]]:
    """Rows under each heading, up to the next total."""
    sections: dict[str, list[int]] = {}
    closed: set[str] = set()
    for row in range(table.header_rows, len(table.rows)):
        levels = table.rows[row].levels
        heading = levels[-2] if len(levels) > 1 else ""
        if row in totals:
            # A total without a label ends the section of its heading.
            closed |= {heading or (levels[-1] if levels else "")}
        elif heading and heading not in closed and _has_numbers(table, row) and not _DEDUCTED.match(levels[-1]):
            sections.setdefault(heading, []).append(row)
    return sections


def _find_parts(table: Table, row: int, totals: frozenset[int]) -> tuple[int, ...]:
    """Rows that a row sums up: by their numbers, or else those between it and the previous total if it says "total"."""
    if parts := find_summed_rows(table, row, totals):
        return parts
    if "total" not in table.rows[row].label.lower():
        return ()
    above: list[int] = []
    for other in range(row - 1, table.header_rows - 1, -1):
        if other in totals or table.rows[other].levels[:-1] != table.rows[row].levels[:-1]:
            break
        if _has_numbers(table, other):
            above.append(other)
    return tuple(reversed(above)) if len(above) > 1 else ()


def _list_body_rows(table: Table) -> list[int]:
    return [
        row
        for row in range(table.header_rows, len(table.rows))
        if remove_times(table.rows[row].label) and _has_numbers(table, row)
    ]


def _has_numbers(table: Table, row: int) -> bool:
    """Whether a row has values, including dashes; a row without any is a heading."""
    return any(cell.text.strip() for cell in table.cells[row][1:])


def _measure_likeness(heading: str, wanted: frozenset[str]) -> float:
    """Jaccard similarity between the words of a heading and those of the question."""
    own = frozenset(stems(heading)) - _EMPTY_WORDS
    return len(own & wanted) / len(own | wanted) if own else 0.0


def _build_members(document: Document, table: Table, heading: str, rows: Sequence[int], fit: float) -> Members:
    named = {_FOOTNOTE.sub("", table.rows[row].label): row for row in reversed(rows)}
    ordered = sorted(named.items(), key=lambda item: item[1])
    return Members(
        heading,
        tuple(label for label, _ in ordered),
        tuple(CellRef(document.id, table.index, row, 0) for _, row in ordered),
        fit,
    )


@dataclass(frozen=True, slots=True)
class GroupedCells:
    """Cells that a question may choose among.

    Attributes:
        text: Label of the group's line or column.
        cells: In reading order.
        labels: Label of each cell within the group, in the same order.
        heading: Section of its lines, or "".
        across: Whether the group is a line with its columns, not a column with its lines.
    """

    text: str
    cells: tuple[LabelledCell, ...]
    labels: tuple[str, ...]
    heading: str = ""
    across: bool = True

    def of(self, condition: Callable[[LabelledCell], bool]) -> "GroupedCells":
        """Return the group with only the cells that satisfy a condition."""
        selected = [n for n, cell in enumerate(self.cells) if condition(cell)]
        labels = tuple(self.labels[n] for n in selected)
        return replace(self, cells=tuple(self.cells[n] for n in selected), labels=labels)


def group_periods(cells: Iterable[LabelledCell]) -> tuple[GroupedCells, ...]:
    """Return the groups of two cells or more that differ only in their period."""
    lines: dict[Hashable, list[LabelledCell]] = {}
    for cell in cells:
        if cell.period is not None:
            place = cell.source.row if cell.by_column else cell.source.column
            lines.setdefault((cell.source.table, cell.by_column, place), []).append(cell)
    found = []
    for line in lines.values():
        for members in [line] if _differs_by_year(line) else _split_by_heading(line):
            labels = _label_periods(members)
            first = dict(zip(reversed(labels), reversed(members), strict=True))
            places = [n for n, label in enumerate(labels) if first[label] is members[n]]
            if len(places) > 1:
                distinct_cells, distinct_labels = [members[n] for n in places], [labels[n] for n in places]
                found.append(_build_group(distinct_cells, distinct_labels, across=line[0].by_column))
    return tuple(found)


def _differs_by_year(line: Sequence[LabelledCell]) -> bool:
    """Whether each cell of a line has a different year, so that other headings need not distinguish them."""
    return len({cell.year for cell in line}) == len(line)


def _split_by_heading(line: Sequence[LabelledCell]) -> Iterable[list[LabelledCell]]:
    """Cells of a line, grouped by their headings without times: "amount" of 2019 and of 2018."""
    named: dict[Hashable, list[LabelledCell]] = {}
    for cell in line:
        levels = cell.column if cell.by_column else cell.row
        named.setdefault(tuple(name for level in levels if (name := remove_times(level))), []).append(cell)
    return named.values()


def _label_periods(cells: Sequence[LabelledCell]) -> list[str]:
    """The years of cells if these are distinct, else their innermost headings."""
    years = [str(cell.year) for cell in cells]
    parts = any(cell.period is not None and cell.period.kind == "quarter" for cell in cells)
    if not parts and len(set(years)) == len(years):
        return years
    return [_read_heading(cell, by_column=cell.by_column) for cell in cells]


def _read_heading(cell: LabelledCell, *, by_column: bool) -> str:
    levels = cell.column if by_column else cell.row
    return levels[-1] if levels else str(cell.year or "")


def group_parts_of_years(cells: Iterable[LabelledCell]) -> tuple[GroupedCells, ...]:
    """Return the groups of quarters, months and the like: in a line, or in a column within one section."""
    grouped: dict[Hashable, list[LabelledCell]] = {}
    for cell in cells:
        if is_part_of_a_year(cell.column_label) or any(map(is_part_of_a_year, cell.column)):
            grouped.setdefault((cell.source.table, "row", cell.source.row), []).append(cell)
        elif is_part_of_a_year(cell.row_label):
            grouped.setdefault((cell.source.table, "column", cell.source.column, cell.row[:-1]), []).append(cell)
    found = []
    for key, members in grouped.items():
        across = isinstance(key, tuple) and key[1] == "row"
        labels = [_read_heading(cell, by_column=across) for cell in members]
        if len(set(labels)) > 1:
            found.append(_build_group(members, labels, across=across))
    return tuple(found)


def group_items(
    cells: Sequence[LabelledCell], members: frozenset[tuple[int, int]] = frozenset()
) -> tuple[GroupedCells, ...]:
    """Return the groups whose cells differ in their items: columns with their lines, lines with their columns.

    Times, totals and cells with another dimension than most are left out.

    Args:
        members: Lines to include although they are totals, by table and row.
    """
    cells = [replace(cell, total=False) if (cell.source.table, cell.source.row) in members else cell for cell in cells]
    columns: dict[Hashable, list[LabelledCell]] = {}
    rows: dict[Hashable, list[LabelledCell]] = {}
    for cell in cells:
        columns.setdefault((cell.source.table, cell.source.column), []).append(cell)
        rows.setdefault((cell.source.table, cell.source.row, cell.year if cell.by_column else 0), []).append(cell)
    found = [_build_item_group(members, across=False) for members in columns.values()]
    found += [
        _build_item_group(members, across=True)
        for members in rows.values()
        if len({name for cell in members if (name := remove_times(" ".join(cell.column)))}) > 1
    ]
    return tuple(group for group in found if len(group.cells) > 1)


def _build_item_group(cells: Sequence[LabelledCell], *, across: bool) -> GroupedCells:
    plain = [cell for cell in cells if not _is_total(cell, across=across) and _has_name(cell, across=across)]
    counts = _find_common_dimension(plain) if plain else None
    comparable = [cell for cell in plain if counts is not None and _is_comparable(cell.counts, counts)]
    labels = [_read_heading(cell, by_column=across) for cell in comparable]
    return _build_group(comparable, labels, across=across)


def _is_comparable(one: Dimension, other: Dimension) -> bool:
    """Whether two dimensions agree as far as known: often only the first number has a dollar sign."""
    return one.scale is other.scale and (one.unit == other.unit or None in (one.unit, other.unit))


def _has_name(cell: LabelledCell, *, across: bool) -> bool:
    levels = cell.column if across else cell.row
    return bool(levels and remove_times(levels[-1]))


def _is_total(cell: LabelledCell, *, across: bool) -> bool:
    if not across:
        return cell.total
    return "total" in cell.column_label.lower() or "change" in cell.column_label.lower()


def _build_group(cells: Sequence[LabelledCell], labels: Sequence[str], *, across: bool) -> GroupedCells:
    if not cells:
        return GroupedCells("", (), ())
    first = cells[0]
    levels = first.row if across else first.column
    heading = first.row[-2] if len(first.row) > 1 else ""
    return GroupedCells(levels[-1] if levels else "", tuple(cells), tuple(labels), heading, across)
