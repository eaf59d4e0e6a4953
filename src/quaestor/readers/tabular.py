"""Splits a sheet of cells into tables, titles and text, for workbooks and delimited text.

Cells keep their relative positions, so that the place in the file is an offset; empty rows and columns around a table
are dropped.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from quaestor.core.periods import parse_period
from quaestor.core.quantity import Quantity
from quaestor.documents.assembly import DocumentPart, ParagraphPart, TablePart
from quaestor.documents.captions import is_caption
from quaestor.documents.headers import is_amount
from quaestor.documents.sentences import split_prose

MOST_CELLS = 100_000
"""Limit for the cells of a document, including empty ones; several times the number in a long filing."""

MOST_COLUMNS = 1_000
LONGEST_CELL = 40_000
"""Limit in characters for a cell."""

_WORDS_OF_PROSE = 15
_LONGEST_TABLE_CELL = 300
"""Characters; a longer cell contains prose."""

_LINES_OVER_A_TABLE = 5

Anchors = Callable[[int, int, int, int], str]
"""Returns the anchor of a block from its first row and column and its last row and column, all from 0."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Rows of cells.

    Attributes:
        numbers: Exact values by row and column, for cells that display less than they contain.
        unknown: Row and column of each formula whose value is not stored.
    """

    rows: Sequence[Sequence[str]]
    numbers: Mapping[tuple[int, int], Quantity]
    anchor: Anchors
    unknown: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True, slots=True)
class _Block:
    """Adjacent rows from `top` to `bottom`, from 0, excluding `bottom`."""

    top: int
    bottom: int


def sheet_parts(sheet: Sheet) -> Iterator[DocumentPart]:
    """Yield the tables of a sheet and the lines before, between and after them, in order."""
    for block in _tables(sheet, _filled_blocks(sheet.rows)):
        yield from _block_parts(sheet, block)


def _filled_blocks(rows: Sequence[Sequence[str]]) -> list[_Block]:
    """Return the runs of rows that are not empty."""
    blocks: list[_Block] = []
    start: int | None = None
    for row, cells in enumerate([*rows, ()]):
        if any(text.strip() for text in cells):
            start = row if start is None else start
        elif start is not None:
            blocks.append(_Block(start, row))
            start = None
    return blocks


def _tables(sheet: Sheet, blocks: Sequence[_Block]) -> Iterator[_Block]:
    """Yield the blocks, joining those of a table that is interrupted by an empty row."""
    pending: _Block | None = None
    for block in blocks:
        if pending is not None and (_is_title_block(sheet, pending) or _continues_table(sheet, pending, block)):
            pending = _Block(pending.top, block.bottom)
            continue
        if pending is not None:
            yield pending
        pending = block
    if pending is not None:
        yield pending


def _is_title_block(sheet: Sheet, block: _Block) -> bool:
    """Whether a block is a few short lines, such as titles separated from their table by an empty row."""
    rows = sheet.rows[block.top : block.bottom]
    return len(rows) <= _LINES_OVER_A_TABLE and all(_width(row) == 1 and not _is_prose(_line(row)) for row in rows)


def _continues_table(sheet: Sheet, above: _Block, below: _Block) -> bool:
    """Whether a block after an empty row continues the table above: it has values, and no separate header."""
    rows = sheet.rows
    if not any(_values(row) for row in rows[above.top : above.bottom]):
        return False
    first = next((row for row in range(below.top, below.bottom) if _width(rows[row]) > 1), None)
    if first is None or not _values(rows[first]):
        return False
    # A section of the same table has one heading line here; the title of a new table has several lines or a caption.
    lead = [_line(row) for row in rows[below.top : first]]
    return len(lead) <= 1 and not any(is_caption(line) or _is_prose(line) for line in lead)


def _block_parts(sheet: Sheet, block: _Block) -> Iterator[DocumentPart]:
    rows = sheet.rows
    top, bottom = block.top, block.bottom
    while top < bottom and _width(rows[top]) <= 1:
        top += 1
    while bottom > top and _width(rows[bottom - 1]) <= 1 and _is_note(_line(rows[bottom - 1])):
        bottom -= 1
    lead = [_line(row) for row in rows[block.top : top] if _width(row)]
    if top == bottom:
        yield from _text(sheet, block.top, block.bottom)
        return
    if (
        lead
        and _width(rows[top - 1])
        and _begins_with_values(rows, top, bottom)
        and not _is_prose(lead[-1])
        and not is_caption(lead[-1])
    ):
        # Without a header below it, the line is the heading of the first rows.
        top -= 1
        lead.pop()
    captions = [line for line in lead if is_caption(line)]
    titles = [line for line in lead if not is_caption(line) and not _is_prose(line) and parse_period(line) is None]
    title = titles[-1] if titles else ""
    left_over = [line for line in lead if line not in (title, *captions)]
    if left_over:
        yield ParagraphPart(tuple(s for line in left_over for s in split_prose(line)), None, _anchor(sheet, block.top))
    texts = [row for row in range(top, bottom) if any(len(text) > _LONGEST_TABLE_CELL for text in rows[row])]
    if texts and not any(_values(rows[row]) for row in range(top, bottom) if row not in texts):
        yield from _text(sheet, top, bottom)
    else:
        yield _table(sheet, top, bottom, title, captions[-1] if captions else "", texts)
        for row in texts:
            yield from _text(sheet, row, row + 1)
    if bottom < block.bottom:
        yield from _text(sheet, bottom, block.bottom)


def _begins_with_values(rows: Sequence[Sequence[str]], top: int, bottom: int) -> bool:
    """Whether the first rows of a table have values, so that it has no header."""
    return all(_values(row) for row in rows[top : min(top + 2, bottom)] if _width(row) > 1)


def _table(sheet: Sheet, top: int, bottom: int, title: str, caption: str, without: Sequence[int] = ()) -> TablePart:
    """Return the rows as a table without the empty columns around it; rows in `without` (prose) are left empty."""
    cells = [[] if row in without else list(sheet.rows[row]) for row in range(top, bottom)]
    left = min(next(n for n, text in enumerate(row) if text.strip()) for row in cells if _width(row))
    right = max(max(n for n, text in enumerate(row) if text.strip()) for row in cells if _width(row)) + 1
    grid = [[text.strip() for text in row[left:right]] if _width(row) else [""] * (right - left) for row in cells]
    numbers = [
        (row - top, column - left, sheet.numbers[row, column])
        for row in range(top, bottom)
        for column in range(left, right)
        if (row, column) in sheet.numbers and row not in without
    ]
    anchor = sheet.anchor(top, left, bottom - 1, right - 1)
    unknown = [(row - top, column - left) for row, column in sorted(sheet.unknown) if top <= row < bottom]
    return TablePart(grid, caption, None, anchor, title, None, (), numbers, unknown=unknown)


def _text(sheet: Sheet, top: int, bottom: int) -> Iterator[ParagraphPart]:
    """Yield each row as a paragraph."""
    for row in range(top, bottom):
        if sentences := split_prose(_line(sheet.rows[row])):
            yield ParagraphPart(sentences, None, _anchor(sheet, row))


def _anchor(sheet: Sheet, row: int) -> str:
    column = next((n for n, text in enumerate(sheet.rows[row]) if text.strip()), 0)
    return sheet.anchor(row, column, row, column)


def line_anchor(first: int, last: int) -> str:
    """Return the anchor of some lines of a text, from 1."""
    return f"line {first}" if first >= last else f"lines {first}-{last}"


def _width(row: Sequence[str]) -> int:
    return sum(bool(text.strip()) for text in row)


def _line(row: Sequence[str]) -> str:
    return " ".join(text.strip() for text in row if text.strip())


def _values(row: Sequence[str]) -> bool:
    """Whether a row has an amount after its first cell."""
    return any(is_amount(text) for text in row[1:] if text.strip())


def _is_prose(line: str) -> bool:
    words = len(line.split())
    return words >= _WORDS_OF_PROSE or (words > 4 and line.rstrip().endswith((".", ";", ":")))


def _is_note(line: str) -> bool:
    """Whether a single cell below a table is a note rather than a row label without values."""
    return _is_prose(line) or line.startswith(("(", "*", "†", "Source", "Note")) or len(line.split()) > 8
