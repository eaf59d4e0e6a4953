"""Views of documents: parts of similar size that are loaded on demand, with a key for every cell and sentence.

A browser never has to render a whole filing at once. A long table is split between rows, and its header is repeated in
each part.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TypeVar

from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.documents.document import Block, Document, Paragraph, SectionHeading, Sentence
from quaestor.documents.health import document_health, health_doubts, table_health
from quaestor.documents.shown import role_and_unit
from quaestor.documents.table import Cell, Table

C = TypeVar("C", SectionHeading, Table)

_PART_LINES = 60.0
"""Target size of a part, in lines on the screen."""

_MIN_LINES = 40.0
"""A heading starts a new part if the current one has more lines than this."""

_MAX_ROWS = 80
"""Maximum number of table rows in a part."""

_LINE_LENGTH = 110
_BLOCK_MARGIN = 2.0


@dataclass(frozen=True, slots=True)
class PartPiece:
    """A block, or some rows of a table."""

    block: Block
    first: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a document."""

    number: int
    pieces: tuple[PartPiece, ...]
    lines: float

    @property
    def height(self) -> int:
        """Height class from 1 to 20, with which the style sheet reserves space for the part."""
        return max(1, min(20, round(self.lines / 8)))


class Paper:
    """A document divided into parts."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.parts = tuple(
            Part(number, tuple(pieces), lines) for number, (pieces, lines) in enumerate(_split(document.blocks))
        )
        self.health = document_health(document)
        self._starts = [(part.pieces[0].block.order, part.pieces[0].first) for part in self.parts]

    def part_of(self, source: Source) -> int:
        """Return the number of the part that contains a cell or sentence."""
        block = self.document.block(source)
        row = source.row if isinstance(source, CellRef) else 0
        return self._at(block.order, row)

    def blocks_of(self, kind: type[C]) -> Iterator[tuple[Block, C, int]]:
        """Yield the headings or the tables of the document with the numbers of the parts in which they begin."""
        for block in self.document.blocks:
            if isinstance(block.content, kind):
                yield block, block.content, self._at(block.order, 0)

    def _at(self, order: int, row: int) -> int:
        # Column headers are repeated in every piece of a table; the first piece counts.
        return max(0, bisect_right(self._starts, (order, row)) - 1)


def _split(blocks: Sequence[Block]) -> Iterator[tuple[list[PartPiece], float]]:
    pieces: list[PartPiece] = []
    filled = 0.0
    for piece in _pieces(blocks):
        lines = _lines(piece)
        if pieces and (filled + lines > _PART_LINES or (_is_heading(piece) and filled > _MIN_LINES)):
            # Keep headings together with the block that follows them.
            over = list(takewhile(_is_heading, reversed(pieces)))[::-1]
            if len(over) < len(pieces):
                yield pieces[: len(pieces) - len(over)], filled
                pieces, filled = over, sum(map(_lines, over))
        pieces.append(piece)
        filled += lines
    if pieces:
        yield pieces, filled


def _is_heading(piece: PartPiece) -> bool:
    return isinstance(piece.block.content, SectionHeading)


def _pieces(blocks: Sequence[Block]) -> Iterator[PartPiece]:
    for block in blocks:
        if not isinstance(block.content, Table):
            yield PartPiece(block)
            continue
        rows = len(block.content.rows)
        first = 0
        while first < rows:
            last = rows if rows - first <= _MAX_ROWS * 5 // 4 else first + _MAX_ROWS
            yield PartPiece(block, first, last)
            first = last


def _lines(piece: PartPiece) -> float:
    match piece.block.content:
        case Paragraph(sentences=sentences):
            return _BLOCK_MARGIN / 2 + sum(len(sentence.text) for sentence in sentences) / _LINE_LENGTH
        case Table():
            return _BLOCK_MARGIN + piece.last - piece.first
    return _BLOCK_MARGIN


_CELL = re.compile(r"t(\d{1,6})-(\d{1,6})-(\d{1,6})", re.ASCII)
_SPAN = re.compile(r"s-([a-z0-9_]{1,200})-(\d{1,6})-(\d{1,7})-(\d{1,7})", re.ASCII)


def source_key(source: Source) -> str:
    """Return the key of a place, used in element ids and addresses.

    >>> source_key(CellRef("page.pdf", 0, 2, 1)), source_key(SentenceRef("page.pdf", "pre_text", 3, 10, 14))
    ('t0-2-1', 's-pre_text-3-10-14')
    """
    if isinstance(source, CellRef):
        return f"t{source.table}-{source.row}-{source.column}"
    return f"{sentence_key(source)}-{source.start}-{source.end}"


def sentence_key(sentence: Sentence | SentenceRef) -> str:
    """Return the key of a whole sentence."""
    index = sentence.index if isinstance(sentence, Sentence) else sentence.sentence
    return f"s-{sentence.section}-{index}"


def source_at(key: str, document: Document) -> Source | None:
    """Return the place with a key, or None if the document has no such place."""
    try:
        if match := _CELL.fullmatch(key):
            table, row, column = map(int, match.groups())
            cell = CellRef(document.id, table, row, column)
            return document.cell(cell).ref
        if match := _SPAN.fullmatch(key):
            section, index, start, end = match[1], *map(int, match.groups()[1:])
            span = SentenceRef(document.id, section, index, start, end)
            return span if start < end <= len(document.sentence(span).text) else None
    except LookupError:
        return None
    return None


_MAX_DEPTH = 4

Span = tuple[str, str, bool]


@dataclass(frozen=True, slots=True)
class CellView:
    """A table cell."""

    key: str
    text: str
    span: int = 1
    numeric: bool = False
    used: bool = False
    here: bool = False
    mended: str = ""


@dataclass(frozen=True, slots=True)
class RowView:
    """A table row."""

    cells: tuple[CellView, ...]
    depth: int = 0
    heading: bool = False


@dataclass(frozen=True, slots=True)
class BlockView:
    """A block of the document."""

    kind: str
    key: str = ""
    text: str = ""
    level: int = 1
    page: int | None = None
    sentences: tuple[tuple[str, list[Span]], ...] = ()
    title: str = ""
    heads: tuple[RowView, ...] = ()
    rows: tuple[RowView, ...] = ()
    rest: str = ""
    about: str = ""
    doubts: tuple[str, ...] = ()


def part_view(paper: Paper, part: Part, used: Collection[Source], here: Source | None = None) -> list[BlockView]:
    """Return the blocks of a part, with the `used` sources marked and `here` highlighted."""
    page = paper.parts[part.number - 1].pieces[-1].block.page if part.number else None
    shown = []
    for piece in part.pieces:
        new = piece.block.page if piece.block.page != page else None
        page = piece.block.page
        shown.append(_block(piece, paper.document, frozenset(used), here, new))
    return shown


def heading_key(order: int) -> str:
    """Return the element id of a heading or table from the position of its block."""
    return f"b{order}"


def _block(
    piece: PartPiece, document: Document, used: frozenset[Source], here: Source | None, page: int | None
) -> BlockView:
    key = heading_key(piece.block.order)
    match piece.block.content:
        case SectionHeading(text=text, level=level):
            return BlockView("heading", key, " ".join(text.split()), min(level, 4), page)
        case Paragraph(sentences=sentences):
            return BlockView(
                "paragraph",
                page=page,
                sentences=tuple((sentence_key(one), _spans(one, used, here)) for one in sentences),
            )
        case Table() as table:
            return _table(table, piece, used, here, page)


def _spans(sentence: Sentence, used: frozenset[Source], here: Source | None) -> list[Span]:
    place = (sentence.section, sentence.index)
    marked = [ref for ref in (*used, here) if isinstance(ref, SentenceRef) and (ref.section, ref.sentence) == place]
    spans, end = list[Span](), 0
    for ref in sorted(set(marked), key=lambda ref: (ref.start, ref.end)):
        if ref.start < end:
            continue
        if ref.start > end:
            spans.append((sentence.text[end : ref.start], "", False))
        spans.append((sentence.text[ref.start : ref.end], source_key(ref), ref == here))
        end = ref.end
    if end < len(sentence.text):
        spans.append((sentence.text[end:], "", False))
    return spans


def _table(table: Table, piece: PartPiece, used: frozenset[Source], here: Source | None, page: int | None) -> BlockView:
    numeric = _numeric_columns(table)
    heads = tuple(RowView(tuple(_merge(table.cells[row], numeric, used, here))) for row in range(table.header_rows))
    if piece.first:  # the ids belong to the first piece
        heads = tuple(
            RowView(tuple(CellView("", cell.text, cell.span, cell.numeric) for cell in row.cells)) for row in heads
        )
    first = max(piece.first, table.header_rows)
    rows = tuple(_row(table, row, numeric, used, here) for row in range(first, piece.last))
    whole = piece.first == 0 and piece.last == len(table.rows)
    rest = "" if whole else f"Rows {first - table.header_rows + 1} to {piece.last - table.header_rows}"
    if piece.first:
        return BlockView("table", page=page, heads=heads, rows=rows, rest=rest)
    return BlockView(
        "table",
        heading_key(piece.block.order),
        page=page,
        title=" ".join(table.title.split()),
        heads=heads,
        rows=rows,
        rest=rest,
        about=role_and_unit(table),
        doubts=health_doubts(table, table_health(table)),
    )


def _numeric_columns(table: Table) -> frozenset[int]:
    """Return the columns in which at least half of the nonempty cells are numbers or dashes."""
    found = set()
    for column in range(1, len(table.columns)):
        cells = [row[column] for row in table.cells[table.header_rows :] if row[column].text.strip()]
        if 2 * sum(1 for cell in cells if cell.quantities or cell.is_dash) >= len(cells) > 0:
            found.add(column)
    return frozenset(found)


def _row(table: Table, row: int, numeric: frozenset[int], used: frozenset[Source], here: Source | None) -> RowView:
    cells, header = table.cells[row], table.rows[row]
    heading = bool(cells[0].text.strip()) and not any(cell.text.strip() for cell in cells[1:])
    views = (_cell(cell, numeric, used, here) for cell in cells)
    return RowView(tuple(views), min(_MAX_DEPTH, max(0, len(header.levels) - 1)), heading)


def _cell(cell: Cell, numeric: frozenset[int], used: frozenset[Source], here: Source | None, span: int = 1) -> CellView:
    mended = cell.repair.kind.value.replace("_", " ") if cell.repair is not None else ""
    if cell.misread is not None:
        mended = f"corrected; originally read as: {cell.misread or 'nothing'}"
    return CellView(
        source_key(cell.ref),
        cell.text,
        span,
        cell.ref.column in numeric,
        cell.ref in used,
        cell.ref == here,
        mended,
    )


def _merge(
    cells: Sequence[Cell], numeric: frozenset[int], used: frozenset[Source], here: Source | None
) -> Iterator[CellView]:
    """Yield the cells of a header row, merging adjacent cells with the same text."""
    place = 0
    while place < len(cells):
        end = place + 1
        while place and end < len(cells) and cells[place].text.strip() and cells[end].text == cells[place].text:
            end += 1
        yield _cell(cells[place], numeric, used, here, end - place)
        place = end
