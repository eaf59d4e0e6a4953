"""A document as plain text in parts of similar size, for clients that are not browsers.

A part gives the numbers of its tables, by which cells are addressed, and its pages.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from quaestor.documents.document import Block, Document, Paragraph, SectionHeading
from quaestor.documents.table import Table

LARGEST = 12_000
"""The approximate number of characters in a part; a longer sentence or row is not split."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a document.

    Attributes:
        pages: The first and the last page of the part, counted from 1 as in viewers; None if not known.
        tables: The tables with rows in this part, by their places in the document, from 0.
    """

    number: int
    of: int
    text: str
    pages: tuple[int, int] | None
    tables: tuple[int, ...]


def text_parts(document: Document, largest: int = LARGEST) -> tuple[TextPart, ...]:
    """Split a document into parts, in order; a document without blocks has one empty part."""
    parts: list[list[tuple[str, Block]]] = [[]]
    length = 0
    for block in document.blocks:
        for piece in _pieces(block, largest):
            if parts[-1] and length + len(piece) > largest:
                parts.append([])
                length = 0
            parts[-1].append((piece, block))
            length += len(piece)
    return tuple(_part(number, len(parts), pieces) for number, pieces in enumerate(parts, start=1))


def _part(number: int, of: int, pieces: list[tuple[str, Block]]) -> TextPart:
    pages = [block.page for _, block in pieces if block.page is not None]
    tables = (block.content.index for _, block in pieces if isinstance(block.content, Table))
    return TextPart(
        number,
        of,
        "\n\n".join(piece for piece, _ in pieces),
        (min(pages), max(pages)) if pages else None,
        tuple(dict.fromkeys(tables)),
    )


def _pieces(block: Block, largest: int) -> Iterator[str]:
    match block.content:
        case SectionHeading(text=text, level=level):
            yield f"{'#' * min(level, 6)} {_line(text)}"
        case Paragraph(sentences=sentences):
            yield from _join([_line(sentence.text) for sentence in sentences], " ", largest)
        case Table() as table:
            title = ": ".join(part for part in (_line(table.title), _line(table.caption)) if part)
            named = f"Table {table.index}" + (f" ({title})" if title else "")
            rows = [" | ".join(_line(cell.text) for cell in row) for row in table.cells]
            yield from (f"{named}\n{rows}" for rows in _join(rows, "\n", largest))


def _join(lines: list[str], by: str, largest: int) -> Iterator[str]:
    """Yield groups of joined lines, each as long as the limit allows."""
    block: list[str] = []
    length = 0
    for line in lines:
        if block and length + len(line) > largest:
            yield by.join(block)
            block, length = [], 0
        block.append(line)
        length += len(line) + len(by)
    if block:
        yield by.join(block)


def _line(text: str) -> str:
    return " ".join(text.split())
