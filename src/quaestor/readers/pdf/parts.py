"""Texts and tables of all pages -> the parts of a document: headings, paragraphs, tables with title and caption."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from quaestor.documents.amounts import is_amounts_line
from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart
from quaestor.documents.prose import split_prose
from quaestor.readers.pdf.cells import is_plain_caption
from quaestor.readers.pdf.headings import Levels, body_size, is_company, is_dated, is_heading, is_statement, look_of
from quaestor.readers.pdf.lines import TextLine, usual_pitch
from quaestor.readers.pdf.overleaf import Item, PlacedTable, PlacedText
from quaestor.readers.pdf.paragraphs import TextBlock, blocks_of, goes_on_overleaf, joined
from quaestor.readers.pdf.tables import read_region

_BLOCKS_OVER = 5
"""How many blocks over a table can be its title and caption."""


@dataclass(slots=True)
class _Piece:
    """What will be a part of the document."""

    text: str
    page: int
    block: TextBlock | None = None
    heading: bool = False
    found: PlacedTable | None = None
    taken: bool = field(default=False)


def parts_of(items: Sequence[Item], of_pages: Mapping[int, str] = MappingProxyType({})) -> Iterator[DocumentPart]:
    """Yield the parts of a document, in their order.

    Args:
        items: The texts and tables of its pages, in their order.
        of_pages: What running headers and footers say that amounts count in, by the number of the page.
    """
    texts = [item.lines for item in items if isinstance(item, PlacedText)]
    pieces = _pieces(items, body_size(texts), _vocabulary(texts))
    levels = Levels(look_of(piece.block.lines[0]) for piece in pieces if piece.heading and piece.block)
    tables: dict[int, tuple[str, str]] = {}
    for place, piece in enumerate(pieces):
        if piece.found is not None:
            tables[place] = tables[place - 1] if piece.found.beside else _over(pieces, place)
    level, captions = 0, list[tuple[int, str]]()
    for place, piece in enumerate(pieces):
        anchor = f"page={piece.page}"
        # What stands alone under a heading ("Amounts in millions ...") holds for all that is under it.
        standing = of_pages.get(piece.page) or (captions[-1][1] if captions else "")
        if piece.found is not None:
            yield _table(piece.found, *tables[place], anchor, standing)
        elif piece.heading and piece.block is not None:
            level = levels.level(piece.text, look_of(piece.block.lines[0]))
            captions = [(over, caption) for over, caption in captions if over < level]
            yield HeadingPart(piece.text, level, piece.page, anchor)
        elif not piece.taken:
            if is_amounts_line(piece.text):
                captions.append((level, piece.text))
            yield ParagraphPart(split_prose(piece.text), piece.page, anchor, standing=standing)


def _vocabulary(texts: Sequence[Sequence[TextLine]]) -> frozenset[str]:
    """Return the words of a document in small letters, those aside that end a line with a hyphen."""
    words = {word.text for lines in texts for line in lines for word in line.words if not word.text.endswith("-")}
    plain = (w if w.isalnum() else "".join([c for c in w if c.isalnum() or c == "-"]) for w in words)
    return frozenset(map(str.casefold, plain))


def _pieces(items: Sequence[Item], size: float, vocabulary: frozenset[str]) -> list[_Piece]:
    pieces: list[_Piece] = []
    pending: TextBlock | None = None
    for item in items:
        if isinstance(item, PlacedTable):
            pieces += _closed(pending, size, vocabulary)
            pending = None
            pieces.append(_Piece("", item.page, found=item))
            continue
        for block in blocks_of(item.lines, item.page, usual_pitch(item.lines)):
            if pending and item.page != pending.page and goes_on_overleaf(pending, block):
                pending = TextBlock((*pending.lines, *block.lines), pending.page)
            else:
                pieces += _closed(pending, size, vocabulary)
                pending = block
    return [*pieces, *_closed(pending, size, vocabulary)]


def _closed(block: TextBlock | None, size: float, vocabulary: frozenset[str]) -> list[_Piece]:
    if block is None:
        return []
    heading = is_heading(block.lines, size) and not is_company(block.lines[0].text)
    return [_Piece(joined(block.lines, vocabulary), block.page, block, heading)]


def _over(pieces: Sequence[_Piece], place: int) -> tuple[str, str]:
    """Return the title and the caption over a table; what is taken as caption is not a paragraph."""
    title, captions = "", list[str]()
    for piece in reversed(pieces[max(0, place - _BLOCKS_OVER) : place]):
        if piece.found is not None or title:
            break
        if is_plain_caption(piece.text):
            captions.insert(0, piece.text)
            piece.taken = True
        elif piece.heading:
            title = piece.text
        elif not (is_dated(piece.text) or is_company(piece.text) or is_statement(piece.text)):
            break
    return title, " ".join(captions)


def _table(found: PlacedTable, title: str, caption: str, anchor: str, standing: str) -> TablePart:
    table = read_region(found.region, found.rules)
    grid = [list(row) for row in (*table.header, *table.body)]
    caption = " ".join(filter(None, (caption, table.caption)))
    return TablePart(grid, caption, found.page, anchor, title, len(table.header), standing=standing)
