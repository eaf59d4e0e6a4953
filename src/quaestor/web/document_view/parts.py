"""Splits a document into parts of similar size, so that a browser never has to render a whole filing at once.

A long table is split between rows, and its header is repeated in each part.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TypeVar

from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.documents.document import Block, Document, Paragraph, SectionHeading, Sentence
from quaestor.documents.health import document_health
from quaestor.documents.table import Table

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
