"""From a table as it is in the file to the grid that a person sees.

Spacer columns and rows are gone, a heading over several columns is over each of them, labels in several columns are
one. The tags in a cell keep their cell.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from quaestor.core.periods import find_periods
from quaestor.documents.captions import is_caption
from quaestor.readers.html.cells import Item, rows_of

if TYPE_CHECKING:
    from lxml.etree import _Element

    from quaestor.readers.html.blocks import RawTable

_AREA_AT_MOST = 4_000_000


@dataclass(slots=True)
class Grid:
    """A printed table.

    Shape: `rows` is R x C, never ragged.

    Attributes:
        rows: The cells as printed, header rows first.
        header_rows: How many rows head the columns.
        titles: What is over all columns in the table itself, from the top ("Balance sheets", "(in millions)").
        tags: Row and column of each tag.
    """

    rows: list[list[str]]
    header_rows: int
    titles: tuple[str, ...] = ()
    tags: list[tuple[int, int, "_Element"]] = field(default_factory=list)


@dataclass(slots=True)
class _Column:
    """Columns of the file that are one printed column."""

    start: int
    end: int
    values: int = 0


def lay_out(table: "RawTable") -> Grid | None:
    """Return the grid of a table; None if no two columns are printed in it."""
    rows = [row for row in rows_of(table) if row]
    if not rows:
        return None
    titles, rows = _titles(rows)
    header = _header_rows(rows)
    columns = _columns(rows[header:] or rows)
    if header and len(columns) == 1:
        columns = _columns(rows)
    if len(columns) < 2 or len(columns) * len(rows) > _AREA_AT_MOST:
        return None
    return _fill(rows, header, columns, titles)


def _titles(rows: list[list[Item]]) -> tuple[tuple[str, ...], list[list[Item]]]:
    """Return what is over the whole table in its first rows, and the rows below."""
    width = max(item.end for row in rows for item in row)
    titles: list[str] = []
    for row in rows[:-1]:
        only = row[0]
        spans = only.start == 0 and only.width >= 0.8 * width
        if len(row) > 1 or only.is_value or not (spans or (is_caption(only.text) and only.start == 0)):
            break
        if find_periods(only.text) and not spans:
            break
        titles.append(only.text)
    # What spans a table and is followed by rows of numbers at once may be the heading of a section.
    return tuple(titles), rows[len(titles) :]


def _header_rows(rows: Sequence[Sequence[Item]]) -> int:
    """Return how many rows head the columns: those over the first row of numbers, but for headings of its section."""
    first = next(
        (
            place
            for place, row in enumerate(rows)
            if any(item.is_value for item in row) and not all(item.heading for item in row)
        ),
        None,
    )
    if first is None:
        bold = [all(item.look.bold or item.heading for item in row) for row in rows[:3]]
        return 1 if len(rows) > 1 and bold[0] and len(rows[0]) > 1 else 0
    label = _label_end(rows[first:])
    count = first
    while count and _is_label_alone(rows[count - 1], label):
        count -= 1
    return count


def _label_end(rows: Sequence[Sequence[Item]]) -> int:
    """Return the column of the file at which the first numbers begin."""
    return min((item.start for row in rows for item in row if item.is_value), default=1)


def _is_label_alone(row: Sequence[Item], label_end: int) -> bool:
    """Whether a row holds nothing but a label of the rows below it."""
    if len(row) != 1 or row[0].start >= label_end or row[0].start > 2:
        return False
    return not (is_caption(row[0].text) or row[0].text.startswith("("))


def _columns(rows: Sequence[Sequence[Item]]) -> list[_Column]:
    """Return the printed columns, from left to right: cells that cover a column of the file in common are in one.

    The narrow ones are asked first; what covers several columns by then is a heading over them and makes none. Numbers
    go before words, which may run on over the columns beside them.
    """
    found: list[_Column] = []
    # Most rows cover the same columns of the file: each stretch is looked at once.
    places = {(not item.is_value, item.width, item.start): item for row in rows for item in row}
    for item in (places[key] for key in sorted(places)):
        over = [column for column in found if item.covers(column.start, column.end)]
        if not over:
            found.append(_Column(item.start, item.end, int(item.is_value)))
        elif len(over) == 1:
            column = over[0]
            column.values += item.is_value
            if item.is_value or not column.values:
                column.start, column.end = min(column.start, item.start), max(column.end, item.end)
    return sorted(_apart(found), key=lambda column: column.start)


def _apart(columns: Iterable[_Column]) -> list[_Column]:
    """Return the columns with those put together that have come to cover the same ones of the file."""
    found: list[_Column] = []
    for column in sorted(columns, key=lambda column: column.start):
        if found and column.start < found[-1].end:
            found[-1].end = max(found[-1].end, column.end)
            found[-1].values += column.values
        else:
            found.append(column)
    return found


def _fill(rows: list[list[Item]], header: int, columns: list[_Column], titles: tuple[str, ...]) -> Grid:
    """Return the grid with each cell in its column, empty columns and doubled ones gone."""
    grid = [[""] * len(columns) for _ in rows]
    tags: list[tuple[int, int, _Element]] = []
    known: dict[tuple[int, int, bool, bool], list[int]] = {}
    for place, row in enumerate(rows):
        for item in row:
            key = item.start, item.end, item.is_value, place < header
            at = known.get(key) or known.setdefault(key, _places(item, columns, heads=place < header))
            for column in at:
                grid[place][column] = f"{grid[place][column]} {item.text}".strip()
            tags += [(place, at[0], mark.element) for mark in item.marks]
    spanning = frozenset(
        place
        for row in rows[header:]
        for item in row[:1]
        if item.rows > 1
        for place in _places(item, columns, heads=False)
    )
    kept = _kept(grid, header, columns, spanning)
    merged = [[_text(row, group) for group in kept] for row in grid]
    to = {old: new for new, group in enumerate(kept) for old in group}
    return Grid(merged, header, titles, [(row, to[column], element) for row, column, element in tags])


def _text(row: Sequence[str], group: Sequence[int]) -> str:
    return " ".join(dict.fromkeys(row[column] for column in group if row[column]))


def _places(item: Item, columns: Sequence[_Column], *, heads: bool) -> list[int]:
    """Return the columns that a cell is in: of a heading all that it covers, else the one that it is of."""
    over = [place for place, column in enumerate(columns) if item.covers(column.start, column.end)]
    if not over:
        middle = (item.start + item.end) / 2
        return [min(range(len(columns)), key=lambda p: abs((columns[p].start + columns[p].end) / 2 - middle))]
    if len(over) == 1 or not heads:
        if item.is_value:
            return [max(over, key=lambda p: (min(item.end, columns[p].end) - max(item.start, columns[p].start), p))]
        return over[:1]
    return over[1:] if over[0] == 0 and item.start > 0 else over


def _kept(
    grid: Sequence[Sequence[str]], header: int, columns: Sequence[_Column], spanning: frozenset[int]
) -> list[list[int]]:
    """Return the columns of the file's grid that each printed column is made of: labels that never meet are one."""
    groups: list[list[int]] = []
    for place in range(len(columns)):
        filled = [row for row in range(len(grid)) if grid[row][place]]
        if not filled:
            if groups:
                groups[-1].append(place)
            else:
                groups.append([place])
            continue
        if groups and not columns[place].values and len(groups) == 1 and not spanning & set(groups[0]):
            body = [row for row in filled if row >= header]
            beside = [row for row in body if any(grid[row][other] for other in groups[0])]
            if body and len(beside) <= 0.2 * len(body) and not any(grid[row][place] for row in range(header)):
                groups[0].append(place)
                continue
        if groups and _is_double(grid, groups[-1], place, header):
            groups[-1].append(place)
            continue
        groups.append([place])
    return groups


def _is_double(grid: Sequence[Sequence[str]], group: Sequence[int], place: int, header: int) -> bool:
    """Whether a column prints the same as the one before it, heading for heading and number for number."""
    same = all(_text(row, group) == row[place] for row in grid)
    return same and any(row[place] for row in grid[header:]) and any(row[place] for row in grid[:header])
