"""Converts a table of the file to the grid that a browser displays, or to lines of text if it is used for layout."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from quaestor.core.number_conventions import END_LOOK, NUMBER_LOOK, SIGN_LOOK
from quaestor.core.parsing import is_money
from quaestor.core.patterns import lazy_regex
from quaestor.documents.captions import is_caption
from quaestor.documents.headers import has_only_durations, is_period_heading
from quaestor.readers.html.blocks import HtmlLine, RawCell, RawTable
from quaestor.readers.html.styles import InlineTag

if TYPE_CHECKING:
    from lxml.etree import _Element


COLUMNS_AT_MOST = 400
"""Limit for the columns of a table; cells further right are put into the last one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item(RawCell):
    """A displayed cell and the columns of the source table that it spans.

    Attributes:
        text: The displayed text, joined from the cells that belong to one number.
        end: The column after the last one.
        is_value: Whether it is a number or a dash, but not a year.
    """

    start: int
    end: int
    is_value: bool
    is_year: bool

    @property
    def width(self) -> int:
        """Number of source columns that it spans."""
        return self.end - self.start

    def covers(self, start: int, end: int) -> bool:
        """Whether it spans any of the columns from `start` to `end`."""
        return self.start < end and start < self.end


_CURRENCY = r"(?:u\.?s\.?\s?\$|hk\$|nt\$|[acr]\$|[$€£¥₩₹])"
_VALUE = re.compile(
    rf"(?:[(\[<]|{SIGN_LOOK})?\s?{_CURRENCY}?\s?(?:[(\[]|{SIGN_LOOK})?\s?{NUMBER_LOOK}{END_LOOK}"
    r"\s?[)\]>]?\s?(?:%|x|bps|pts|bp|pp|p|c|cps)?\s?[)\]]?\s?%?"
    r"(?:\s?(?:\([0-9a-z]{1,2}\)|[*†‡]+))*",
    re.IGNORECASE,
)
_DASH = re.compile(
    rf"{_CURRENCY}?\s?[-\u2010-\u2015\u2212_]{{1,4}}\s?%?|\(\s?[-\u2010-\u2015\u2212]+\s?\)|n/?[am]\.?|\*+", re.I
)
_YEAR = re.compile(r"(?:19|20)[0-9]{2}(?:\s?(?:\([0-9a-z]{1,2}\)|\[[0-9a-z]{1,2}\]|[*†‡¹²³⁰⁴-⁹])){0,4}", re.IGNORECASE)
"""A year, with footnote marks as in column headings."""
_OPENS = re.compile(rf"(?:{_CURRENCY}|\(|\[|\s)+|{SIGN_LOOK}", re.IGNORECASE)
_CLOSES = re.compile(
    r"[)\]]{0,4}\s?%?\s?[)\]]{0,4}|\)?\s?(?:x|bps|pts|bp|pp|basis points)|[)\]]?\s?(?:\([0-9a-z]{1,2}\)|[*†‡]+)\s?",
    re.IGNORECASE,
)
_UNIT = re.compile(r"^[)\]]?\s?(?:%|[a-z])", re.IGNORECASE)
_FOOTNOTE = re.compile(r"[)\]]?\s?(?:\([0-9a-z]{1,2}\)|[*†‡]+)\s?", re.IGNORECASE)

_BETWEEN = re.compile(r"\s?[\u2013\u2014-]\s?|\sto\s")
_GAP = 2
"""Limit for empty source columns between a cell and its raised footnote mark; other rows have signs in them."""

_IN_BRACKETS = re.compile(r"\([0-9]{1,2}\)")
"""Text that may be a negative number or a footnote mark."""


@lru_cache(maxsize=8192)
def prints_value(text: str) -> bool:
    """Whether a cell contains only a number or a dash; years and units (£000) do not count."""
    if len(text) > 60:
        return False
    plain = text.strip()
    if not (_VALUE.fullmatch(plain) or is_money(plain)):
        return _DASH.fullmatch(plain) is not None
    return not (_YEAR.fullmatch(plain) or is_period_heading(plain) or is_caption(plain))


def place_cells(table: RawTable) -> list[list[Item]]:
    """Return the cells of each row that are not empty, from left to right.

    A label or number that spans several rows is in the first of them.
    """
    covered: dict[int, int] = {}  # column -> number of rows below that a cell above still covers
    rows = []
    for raw in table.rows:
        placed, covered = _place(raw, covered)
        rows.append(placed)
    own, of_words = _own_columns(rows), _word_columns(rows)
    return [_join_cells(row, own, of_words) for row in rows]


def _word_columns(rows: Sequence[Sequence[Item]]) -> frozenset[int]:
    """Return the source columns between labels and numbers with more words than signs of a number to their right.

    "€" is the unit of its row in such a column, beside "EUR m" and "employees".
    """
    cells: Counter[int] = Counter()
    for row in rows:
        last = max((place for place, item in enumerate(row) if item.is_value), default=0)
        for item in row[1:last]:
            if not item.is_value and not item.is_year:
                cells[item.start] += -1 if _OPENS.fullmatch(item.text) else 1
    return frozenset(column for column, more in cells.items() if more > 0)


def _own_columns(rows: Sequence[Sequence[Item]]) -> frozenset[int]:
    """Return the source columns with more words and numbers than closing signs of a number to their left.

    "(12)" is a number in such a column, and a footnote mark in a column that contains only signs.
    """
    cells: Counter[int] = Counter()
    if not any(_IN_BRACKETS.fullmatch(item.text) for row in rows for item in row):
        return frozenset()
    for row in rows:
        for item in row:
            if not (_IN_BRACKETS.fullmatch(item.text) or _OPENS.fullmatch(item.text)):
                cells[item.start] += -1 if _CLOSES.fullmatch(item.text) else 1
    return frozenset(column for column, more in cells.items() if more > 0)


def _place(raw: Sequence[RawCell], covered: dict[int, int]) -> tuple[list[Item], dict[int, int]]:
    """Return the cells of a row with their columns, and the columns that they cover in the rows below."""
    column, items = 0, []
    below = {place: left - 1 for place, left in covered.items() if left > 1}
    for cell in raw:
        while covered and column in covered:
            column += 1
        start = min(column, COLUMNS_AT_MOST)
        end = min(start + cell.columns, COLUMNS_AT_MOST + 1)
        column = start + cell.columns
        if cell.rows > 1:
            below |= dict.fromkeys(range(start, end), cell.rows - 1)
        text = cell.text.strip()
        if text:
            items.append(
                Item(
                    text,
                    cell.marks,
                    cell.look,
                    heading=cell.heading,
                    linked=cell.linked,
                    is_mark=cell.is_mark,
                    start=start,
                    end=end,
                    is_value=prints_value(text),
                    is_year=_YEAR.fullmatch(text) is not None,
                )
            )
    return items, below


def _join_cells(items: Iterable[Item], own: frozenset[int], of_words: frozenset[int]) -> list[Item]:
    """Join the cells of a row that belong to one number."""
    found: list[Item] = []
    opening: Item | None = None
    for item in items:
        joins = opening is not None and (item.is_value or item.is_year or _begins_number(item.text))
        if opening is not None and not joins:
            found.append(opening)
        one = _join(opening, item) if opening is not None and joins else item
        opening = None
        if _OPENS.fullmatch(one.text) and not one.is_value and one.start not in of_words:
            opening = one
        elif found and _closes(found[-1], one, own):
            footnote = _FOOTNOTE.fullmatch(one.text) and not one.text.startswith((")", "]"))
            space = " " if one.is_mark or footnote else ""
            found[-1] = _join(found[-1], one, space)
        else:
            found.append(one)
    return found if opening is None else [*found, opening]


def _closes(number: Item, item: Item, own: frozenset[int]) -> bool:
    """Whether a cell continues the number in the cell before it: `)`, `%`, a footnote mark."""
    if item.is_mark:
        return item.start <= number.end + _GAP
    if item.start > number.end or not (number.is_value or _begins_number(number.text)):
        return False
    heads = is_period_heading(number.text) or is_caption(number.text)
    if not number.is_value and _UNIT.search(item.text) and heads:
        return False  # "%" beside "2025" or "£000" heads a column of its own
    if item.start in own and _IN_BRACKETS.fullmatch(item.text):
        return False
    return _CLOSES.fullmatch(item.text) is not None and not (number.is_value and item.width > 1 and item.is_value)


_BEGINS = re.compile(rf"[(\[]?\s?{_CURRENCY}?\s?(?:[(\[]|{SIGN_LOOK})?\s?{NUMBER_LOOK}", re.IGNORECASE)


def _begins_number(text: str) -> bool:
    """Whether a cell has a number that another cell may complete ("(1,234", "5 years")."""
    return len(text) < 40 and _BEGINS.match(text) is not None and not re.search(r"[a-z]{3}", text, re.IGNORECASE)


def _join(first: Item, second: Item, space: str = "") -> Item:
    """Join two cells; the spans of the second one's tags are shifted."""
    text = first.text + space + second.text
    if second.is_mark:
        return replace(first, text=text, end=second.end)
    shift = len(text) - len(second.text)
    marks = (*first.marks, *(InlineTag(mark.element, mark.start + shift, mark.end + shift) for mark in second.marks))
    year = second.is_year and not first.text.strip("( [")
    return replace(
        second,
        text=text,
        start=first.start,
        end=second.end,
        marks=marks,
        look=second.look if second.is_value else first.look,
        is_value=prints_value(text),
        is_year=year,
    )


_AREA_AT_MOST = 4_000_000


@dataclass(slots=True)
class Grid:
    """Displayed table.

    Shape: `rows` is R x C, never ragged.

    Attributes:
        rows: The displayed cells, header rows first.
        titles: Rows at the top that span all columns ("Balance sheets", "(in millions)").
    """

    rows: list[list[str]]
    header_rows: int
    titles: tuple[str, ...] = ()
    tags: list[tuple[int, int, "_Element"]] = field(default_factory=list)


@dataclass(slots=True)
class _Column:
    """Source columns that form one displayed column."""

    start: int
    end: int
    values: int = 0


def lay_out(table: RawTable) -> Grid | None:
    """Return the grid of a table; None if it displays fewer than two columns."""
    rows = [row for row in place_cells(table) if row]
    if not rows:
        return None
    titles, rows = _titles(rows)
    header = _header_rows(rows)
    columns = _columns(rows[header:] or rows)
    if len(columns) < 2 or len(columns) * len(rows) > _AREA_AT_MOST:
        return None
    return _fill(rows, header, columns, titles)


def _titles(rows: list[list[Item]]) -> tuple[tuple[str, ...], list[list[Item]]]:
    """Return the titles in the first rows, which span the whole table, and the remaining rows."""
    width = max(item.end for row in rows for item in row)
    titles: list[str] = []
    for row in rows[:-1]:
        only = row[0]
        spans = only.start == 0 and only.width >= 0.8 * width
        if len(row) > 1 or only.is_value or not (spans or (is_caption(only.text) and only.start == 0)):
            break
        titles.append(only.text)
    # A row below a title that spans the table may be the heading of a section.
    return tuple(titles), rows[len(titles) :]


def _header_rows(rows: Sequence[Sequence[Item]]) -> int:
    """Return the number of header rows: the rows above the first numbers, except headings of the first section."""
    first = next(
        (
            place
            for place, row in enumerate(rows)
            if (_has_values(row) or (place and _has_only_ranges(row, rows[place - 1])))
            and not all(item.heading for item in row)
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


def _has_values(row: Sequence[Item]) -> bool:
    return any(item.is_value for item in row) or (row[0].start == 0 and has_only_durations([item.text for item in row]))


def _has_only_ranges(row: Sequence[Item], above: Sequence[Item]) -> bool:
    """Whether a row with a label has only ranges of numbers ("3.9% - 4.5%"), below years or dates."""
    if row[0].start or len(row) < 2 or prints_value(row[0].text):
        return False
    return all(map(_prints_range, row[1:])) and any(is_period_heading(item.text) for item in above)


def _prints_range(item: Item) -> bool:
    parts = _BETWEEN.split(item.text) if len(item.text) < 60 else ()
    return len(parts) == 2 and all(map(prints_value, parts)) and any(sign in item.text for sign in "%$.")


def _label_end(rows: Sequence[Sequence[Item]]) -> int:
    """Return the source column at which the first numbers begin."""
    return min((item.start for row in rows for item in row if item.is_value), default=1)


def _is_label_alone(row: Sequence[Item], label_end: int) -> bool:
    """Whether a row contains only a label of the rows below it."""
    if len(row) != 1 or row[0].start >= label_end or row[0].start > 2:
        return False
    return not (is_caption(row[0].text) or row[0].text.startswith("("))


def _columns(rows: Sequence[Sequence[Item]]) -> list[_Column]:
    """Return the displayed columns, from left to right; cells that share a source column are in the same one.

    Narrow cells are assigned first: a cell over several columns is a heading and does not form a column. Numbers are
    assigned before words, which may extend over the columns beside them.
    """
    found: list[_Column] = []
    # Most rows have the same spans: process each span once.
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
    return sorted(found, key=lambda column: column.start)


def _fill(rows: list[list[Item]], header: int, columns: list[_Column], titles: tuple[str, ...]) -> Grid:
    """Put each cell into its column."""
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
    return Grid(grid, header, titles, tags)


def _places(item: Item, columns: Sequence[_Column], *, heads: bool) -> list[int]:
    """Return the columns of a cell: all that it spans for a heading, else the one it belongs to."""
    over = [place for place, column in enumerate(columns) if item.covers(column.start, column.end)]
    if not over:
        middle = (item.start + item.end) / 2
        return [min(range(len(columns)), key=lambda p: abs((columns[p].start + columns[p].end) / 2 - middle))]
    if len(over) == 1 or not heads:
        if item.is_value:
            return [max(over, key=lambda p: (min(item.end, columns[p].end) - max(item.start, columns[p].start), p))]
        return over[:1]
    return over[1:] if over[0] == 0 and item.start > 0 else over


# Detection of tables used for layout, and extraction of their text.

_BULLET = lazy_regex(
    r"[•●■▪◦○□☐☒☑✓\u00b7\uf0b7\uf0a7*†‡\u2013\u2014-]|\(?[0-9]{1,2}[.)]|\(?[a-zA-Z][.)]|\([ivx]{1,4}\)|[0-9]{1,2}\.[0-9]?|o"
)
_SIGNATURE = lazy_regex(r"/s/|^by:?$|^date:?\b", re.IGNORECASE)
_LONG = 160
_LONGEST_CELL = 5_000


def grid_or_lines(table: RawTable) -> Grid | tuple[HtmlLine, ...]:
    """Return the grid of a data table, or the lines of a layout table."""
    rows = [row for row in place_cells(table) if row]
    if not _is_layout(rows):
        grid = lay_out(table)
        if grid is not None:
            return grid
    return _lines(table)


def _is_layout(rows: Sequence[Sequence[Item]]) -> bool:
    """Whether the cells of a table contain running text."""
    if len(rows) < 2 or max(map(len, rows)) < 2:
        return True
    items = [item for row in rows for item in row]
    if max(len(item.text) for item in items) > _LONGEST_CELL:
        return True
    linked = sum(any(item.linked for item in row) for row in rows)
    if 2 * linked > len(rows) and linked > 2:
        return True
    bulleted = sum(
        len(row) == 2 and _BULLET.fullmatch(row[0].text) is not None and not prints_value(row[1].text) for row in rows
    )
    if bulleted >= 0.8 * len(rows):
        return True
    wordy = sum(len(item.text) for item in items) > _LONG * len(items)
    if values := sum(item.is_value for item in items):
        return wordy and values < 0.1 * len(rows)
    return wordy or any(_SIGNATURE.search(item.text) for item in items)


def _lines(table: RawTable) -> tuple[HtmlLine, ...]:
    """Return a line for each row of a table."""
    lines = []
    targets = table.targets
    for row in table.rows:
        cells = [cell for cell in row if cell.text]
        if cells:
            text, marks = _join_texts(cells)
            linked = all(cell.linked for cell in cells)
            lines.append(HtmlLine(text, marks, cells[-1].look, "td", table.page, table.anchor, targets, linked))
            targets = ()
    return tuple(lines)


def _join_texts(cells: Sequence[RawCell]) -> tuple[str, tuple[InlineTag, ...]]:
    text, marks = "", list[InlineTag]()
    for cell in cells:
        if text:
            text += " "
        shift = len(text)
        marks += [InlineTag(mark.element, mark.start + shift, mark.end + shift) for mark in cell.marks]
        text += cell.text
    return text, tuple(marks)
