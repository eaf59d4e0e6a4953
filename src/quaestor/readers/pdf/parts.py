"""Converts texts and tables of pages to parts of a document: headings, paragraphs, tables with title and caption."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from quaestor.core.patterns import lazy_regex
from quaestor.documents.amounts import is_amounts_line
from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart
from quaestor.documents.sentences import split_prose
from quaestor.readers.pdf.cells import is_plain_caption
from quaestor.readers.pdf.headings import (
    TextBlock,
    body_size,
    continues_on_next_page,
    find_paragraphs,
    is_company,
    is_dated,
    is_heading,
    is_statement,
    join_lines,
    look_of,
    named_level,
    rank_styles,
)
from quaestor.readers.pdf.lines import TextLine, usual_pitch
from quaestor.readers.pdf.pages import Rule
from quaestor.readers.pdf.regions import Region
from quaestor.readers.pdf.tables import Columns, find_columns, read_header, read_rows

_ROWS_BETWEEN = 5
"""Limit for the lines without numbers of a table, before and after a page break."""
_CONTINUED = lazy_regex(r"\(?\s?cont(?:inued|'d|\.)\s?\)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PlacedTable:
    """Region of a table, with the page on which it begins and the rules drawn there.

    Attributes:
        shares_title: Whether it is to the right of the previous table, under the same title.
    """

    region: Region
    columns: Columns
    rules: tuple[Rule, ...]
    page: int
    last_page: int
    shares_title: bool = False


Item = TextBlock | PlacedTable


def join_tables_across_pages(items: Sequence[Item]) -> list[Item]:
    """Return the items of all pages in order, joining tables that continue on the next page."""
    found: list[Item] = []
    for item in items:
        if isinstance(item, PlacedTable) and (before := _table_before(found, item.page)) is not None:
            table, between = before
            rows = _rows_between(table, between, item, found)
            if rows is not None:
                del found[len(found) - len(between) - 1 :]
                body = (*table.region.body, *rows, *item.region.body)
                region = replace(table.region, body=body)
                found.append(replace(table, region=region, columns=item.columns, last_page=item.last_page))
                continue
        found.append(item)
    return [
        item if isinstance(item, TextBlock) or item.region.is_table else TextBlock(item.region.body, item.page)
        for item in found
    ]


def _table_before(found: Sequence[Item], page: int) -> tuple[PlacedTable, list[TextBlock]] | None:
    """Return the last table of the previous page and the few lines after it; None if there is no such table."""
    between: list[TextBlock] = []
    for item in reversed(found):
        if isinstance(item, PlacedTable):
            return (item, between[::-1]) if item.last_page == page - 1 else None
        if item.page < page - 1 or len(item.lines) > _ROWS_BETWEEN or len(between) > 1:
            return None
        between.append(item)
    return None


def _rows_between(
    table: PlacedTable, between: Sequence[TextBlock], item: PlacedTable, found: Sequence[Item]
) -> list[TextLine] | None:
    """Return the lines between two parts of a table that are rows of it; None if the parts are not one table."""
    header = [line.text for line in item.region.header]
    if header and header != [line.text for line in table.region.header]:
        return None
    columns, others = table.columns, item.columns
    if not _are_compatible(columns, others):
        return None
    over = _lines_over(table, found)
    rows: list[TextLine] = []
    for text in between:
        for line in text.lines:
            repeated = line.text in over or _CONTINUED.search(line.text) or is_plain_caption(line.text)
            if text.page == item.page and repeated:
                continue
            if header or not _is_row(line, columns):
                return None
            rows.append(line)
    return rows


def _lines_over(table: PlacedTable, found: Sequence[Item]) -> set[str]:
    """Return the lines right above a table: its title and caption, which may be repeated on the next page."""
    place = next(place for place, item in enumerate(found) if item is table)
    above = found[place - 1] if place else None
    return {line.text for line in above.lines[-4:]} if isinstance(above, TextBlock) else set()


def _is_row(line: TextLine, columns: Columns) -> bool:
    """Whether a line without numbers can be a row of a table: it is in the column of labels."""
    reach = columns.label_right + (2 if line.is_bold else 1) * line.size
    is_sentence = line.text.endswith(".")
    return len(line.chunks) == 1 and line.right <= reach and line.left < columns.label_right and not is_sentence


def _are_compatible(columns: Columns, others: Columns) -> bool:
    """Whether two tables have the same columns, as far as both have them."""
    for one, two in ((columns, others), (others, columns)):
        for column in one.values:
            if sum(column.overlap(other.left, other.right) > 0 for other in two.values) > 1:
                return False
    matched = sum(any(c.overlap(o.left, o.right) > 0 for o in columns.values) for c in others.values)
    return (
        2 * matched > len(others.values)
        and abs(len(columns.values) - len(others.values)) <= 1 + len(columns.values) // 3
    )


_BLOCKS_OVER = 5
"""Limit for the blocks above a table that can be its title and caption."""


@dataclass(slots=True)
class _Piece:
    """A future part of the document."""

    text: str
    page: int
    block: TextBlock | None = None
    heading: bool = False
    found: PlacedTable | None = None
    is_caption: bool = field(default=False)


def parts_of(items: Sequence[Item], page_captions: Mapping[int, str]) -> Iterator[DocumentPart]:
    """Yield the parts of a document in order.

    Args:
        page_captions: Captions from running headers and footers that apply to the amounts of a page, by page number.
    """
    texts = [item.lines for item in items if isinstance(item, TextBlock)]
    pieces = _pieces(items, body_size(texts), _vocabulary(texts))
    levels = rank_styles(look_of(piece.block.lines[0]) for piece in pieces if piece.heading and piece.block)
    tables: dict[int, tuple[str, str]] = {}
    for place, piece in enumerate(pieces):
        if piece.found is not None:
            tables[place] = tables[place - 1] if piece.found.shares_title else _title_and_caption(pieces, place)
    level, captions = 0, list[tuple[int, str]]()
    for place, piece in enumerate(pieces):
        anchor = f"page={piece.page}"
        # A caption right under a heading ("Amounts in millions ...") applies to the whole section.
        section_caption = page_captions.get(piece.page) or (captions[-1][1] if captions else "")
        if piece.found is not None:
            yield _table(piece.found, *tables[place], anchor, section_caption)
        elif piece.heading and piece.block is not None:
            level = named_level(piece.text) or levels[look_of(piece.block.lines[0])]
            captions = [(over, caption) for over, caption in captions if over < level]
            yield HeadingPart(piece.text, level, piece.page, anchor)
        elif not piece.is_caption:
            if is_amounts_line(piece.text):
                captions.append((level, piece.text))
            yield ParagraphPart(split_prose(piece.text), piece.page, anchor, section_caption=section_caption)


def _vocabulary(texts: Sequence[Sequence[TextLine]]) -> frozenset[str]:
    """Return the words of a document in lower case, except those with a hyphen at the end of a line."""
    words = {word.text for lines in texts for line in lines for word in line.words if not word.text.endswith("-")}
    plain = (w if w.isalnum() else "".join([c for c in w if c.isalnum() or c == "-"]) for w in words)
    return frozenset(map(str.casefold, plain))


def _pieces(items: Sequence[Item], size: float, vocabulary: frozenset[str]) -> list[_Piece]:
    pieces: list[_Piece] = []
    pending: TextBlock | None = None
    for item in items:
        if isinstance(item, PlacedTable):
            pieces += _close_block(pending, size, vocabulary)
            pending = None
            pieces.append(_Piece("", item.page, found=item))
            continue
        for block in find_paragraphs(item.lines, item.page, usual_pitch(item.lines)):
            if pending and item.page != pending.page and continues_on_next_page(pending, block):
                pending = TextBlock((*pending.lines, *block.lines), pending.page)
            else:
                pieces += _close_block(pending, size, vocabulary)
                pending = block
    return [*pieces, *_close_block(pending, size, vocabulary)]


def _close_block(block: TextBlock | None, size: float, vocabulary: frozenset[str]) -> list[_Piece]:
    if block is None:
        return []
    heading = is_heading(block.lines, size) and not is_company(block.lines[0].text)
    return [_Piece(join_lines(block.lines, vocabulary), block.page, block, heading)]


def _title_and_caption(pieces: Sequence[_Piece], place: int) -> tuple[str, str]:
    """Return the title and caption above a table; mark the captions, so that they do not become paragraphs."""
    title, captions = "", list[str]()
    for piece in reversed(pieces[max(0, place - _BLOCKS_OVER) : place]):
        if piece.found is not None or title:
            break
        if is_plain_caption(piece.text):
            captions.insert(0, piece.text)
            piece.is_caption = True
        elif piece.heading:
            title = piece.text
        elif not (is_dated(piece.text) or is_company(piece.text) or is_statement(piece.text)):
            break
    return title, " ".join(captions)


def _table(found: PlacedTable, title: str, caption: str, anchor: str, section_caption: str) -> TablePart:
    columns = find_columns(found.region)
    header, own_caption = read_header(found.region.header, columns, found.rules)
    body = [[row.label, *row.cells] for row in read_rows(found.region.body, columns)]
    caption = " ".join(filter(None, (caption, own_caption)))
    return TablePart([*header, *body], caption, found.page, anchor, title, len(header), section_caption=section_caption)
