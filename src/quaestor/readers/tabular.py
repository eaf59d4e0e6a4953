"""A sheet of cells to tables and text: what is a title, what a table, where one ends and the next begins.

Serves workbooks and delimited text alike. Cells keep the places that they have to each other, so that the way back
into the file is a sum; what is empty around a table is left out.
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
"""Cells of a document that are read, empty ones counted; several times what a long filing has."""

MOST_COLUMNS = 1_000
LONGEST_CELL = 40_000
"""Characters of a cell that are read."""

_WORDS_OF_PROSE = 15
_LONGEST_TABLE_CELL = 300
"""Characters; what is longer is a text that somebody has put into a cell."""

_LINES_OVER_A_TABLE = 5

Anchors = Callable[[int, int, int, int], str]
"""The way to a block in the file, from its first and last row and column, all from 0."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Cells in rows.

    Attributes:
        numbers: What cells hold exactly, by row and column, where that is more than what they print.
        unknown: The cells of formulas whose values are not stored, by row and column.
    """

    rows: Sequence[Sequence[str]]
    numbers: Mapping[tuple[int, int], Quantity]
    anchor: Anchors
    unknown: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True, slots=True)
class _Block:
    """Rows that stand together, from `top` up to `bottom`, both counted from 0, the last one not in it."""

    top: int
    bottom: int


def sheet_parts(sheet: Sheet) -> Iterator[DocumentPart]:
    """Yield the tables of a sheet, and the lines over, between and under them, in their order."""
    for block in _tables(sheet, _filled_blocks(sheet.rows)):
        yield from _block_parts(sheet, block)


def _filled_blocks(rows: Sequence[Sequence[str]]) -> list[_Block]:
    """Return the runs of rows in which anything is printed."""
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
    """Yield the blocks, those put together that an empty row within a table has parted."""
    pending: _Block | None = None
    for block in blocks:
        if pending is not None and (_leads(sheet, pending) or _goes_on(sheet, pending, block)):
            pending = _Block(pending.top, block.bottom)
            continue
        if pending is not None:
            yield pending
        pending = block
    if pending is not None:
        yield pending


def _leads(sheet: Sheet, block: _Block) -> bool:
    """Whether a block is a few short lines, as are over a table with an empty row between."""
    rows = sheet.rows[block.top : block.bottom]
    return len(rows) <= _LINES_OVER_A_TABLE and all(_width(row) == 1 and not _is_prose(_line(row)) for row in rows)


def _goes_on(sheet: Sheet, above: _Block, below: _Block) -> bool:
    """Whether a block after an empty row belongs to the table above: it has values, and no header of its own."""
    rows = sheet.rows
    if not any(_values(row) for row in rows[above.top : above.bottom]):
        return False
    first = next((row for row in range(below.top, below.bottom) if _width(rows[row]) > 1), None)
    if first is None or not _values(rows[first]):
        return False
    # Headings of the section below the empty row are a line each; a title has more to say.
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
        # Without a header below it, it is the heading of the first rows.
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
    """Whether a table begins with values at once."""
    return all(_values(row) for row in rows[top : min(top + 2, bottom)] if _width(row) > 1)


def _table(sheet: Sheet, top: int, bottom: int, title: str, caption: str, without: Sequence[int] = ()) -> TablePart:
    """Return the rows as a table, without the empty columns around it; those of long texts are empty."""
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
    """Yield lines that stand by themselves, each as a paragraph."""
    for row in range(top, bottom):
        if sentences := split_prose(_line(sheet.rows[row])):
            yield ParagraphPart(sentences, None, _anchor(sheet, row))


def _anchor(sheet: Sheet, row: int) -> str:
    column = next((n for n, text in enumerate(sheet.rows[row]) if text.strip()), 0)
    return sheet.anchor(row, column, row, column)


def _width(row: Sequence[str]) -> int:
    return sum(bool(text.strip()) for text in row)


def _line(row: Sequence[str]) -> str:
    return " ".join(text.strip() for text in row if text.strip())


def _values(row: Sequence[str]) -> bool:
    """Whether a row prints an amount right of its first cell."""
    return any(is_amount(text) for text in row[1:] if text.strip())


def _is_prose(line: str) -> bool:
    words = len(line.split())
    return words >= _WORDS_OF_PROSE or (words > 4 and line.rstrip().endswith((".", ";", ":")))


def _is_note(line: str) -> bool:
    """Whether a lone cell under a table is a remark rather than a row without values."""
    return _is_prose(line) or line.startswith(("(", "*", "†", "Source", "Note")) or len(line.split()) > 8
