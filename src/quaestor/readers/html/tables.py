"""Whether a table of a file shows data or lays out text, and the text that it lays out.

Bullets, footnotes, signatures and tables of contents are text; numbers below headings are data.
"""

import re
from collections.abc import Sequence

from quaestor.core.patterns import lazy_regex
from quaestor.readers.html.blocks import HtmlLine, RawCell, RawTable
from quaestor.readers.html.cells import Item, prints_value, rows_of
from quaestor.readers.html.grid import Grid, lay_out
from quaestor.readers.html.inline import InlineTag

_BULLET = lazy_regex(
    r"[•●■▪◦○□☐☒☑✓\u00b7\uf0b7\uf0a7*†‡\u2013\u2014-]|\(?[0-9]{1,2}[.)]|\(?[a-zA-Z][.)]|\([ivx]{1,4}\)|[0-9]{1,2}\.[0-9]?|o"
)
_SIGNATURE = lazy_regex(r"/s/|^by:?$|^date:?\b", re.IGNORECASE)
_LONG = 160
_LONGEST_CELL = 5_000


def grid_or_lines(table: RawTable) -> Grid | tuple[HtmlLine, ...]:
    """Return the grid of a table of data, or the lines of text that a table lays out."""
    rows = [row for row in rows_of(table) if row]
    if not _is_layout(rows):
        grid = lay_out(table)
        if grid is not None:
            return grid
    return _lines(table)


def _is_layout(rows: Sequence[Sequence[Item]]) -> bool:
    """Whether the cells of a table are pieces of running text."""
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
            text, marks = _joined(cells)
            linked = all(cell.linked for cell in cells)
            lines.append(HtmlLine(text, marks, cells[-1].look, "td", table.page, table.anchor, targets, linked))
            targets = ()
    return tuple(lines)


def _joined(cells: Sequence[RawCell]) -> tuple[str, tuple[InlineTag, ...]]:
    text, marks = "", list[InlineTag]()
    for cell in cells:
        if text:
            text += " "
        shift = len(text)
        marks += [InlineTag(mark.element, mark.start + shift, mark.end + shift) for mark in cell.marks]
        text += cell.text
    return text, tuple(marks)
