"""View models for document parts: rows of cells, and sentences with marked numbers."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from quaestor.core.provenance import SentenceRef, Source
from quaestor.documents.document import Document, Paragraph, SectionHeading, Sentence
from quaestor.documents.health import health_doubts, table_health
from quaestor.documents.shown import role_and_unit
from quaestor.documents.table import Cell, Table
from quaestor.web.document_view.parts import Paper, Part, PartPiece, sentence_key, source_key

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
