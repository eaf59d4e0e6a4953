"""How a document was read: its outline, its parts and its tables, for all interfaces; and its text in parts.

A part of the text gives the numbers of its tables, by which cells are addressed, and its pages.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, RootModel

from quaestor.core.periods import Period
from quaestor.core.quantity import Scale
from quaestor.core.serial import Value
from quaestor.documents.document import Block, Document, Paragraph, SectionHeading
from quaestor.documents.health import DocumentHealth, document_health, table_health
from quaestor.documents.repairs import show_warning
from quaestor.documents.table import Table, TableRole
from quaestor.errors import InputError
from quaestor.graph.facts import period_code
from quaestor.store.listing import ListPage, ListPart

_MOST_UNREAD = 20
"""The maximum number of unread cells listed per table."""


class SectionOutline(Value):
    """A section; `path` lists its headings, outermost first."""

    id: str
    path: tuple[str, ...]
    page: int | None
    anchor: str | None
    tables: tuple[int, ...]
    sentences: int


class ColumnHeading(Value):
    """The heading of a column."""

    label: str
    levels: tuple[str, ...]
    period: str | None
    scale: Scale | None
    unit: str | None


class UnreadCell(Value):
    """A cell that prints digits and was not read as a number; `row` and `column` count from 0."""

    row: int
    column: int
    text: str


class TableOutline(Value):
    """A table without its cells; `table` counts from 0, `page` from 1.

    `unread` lists up to 20 cells that were not read as numbers, `undated` the columns of which no period was read.
    """

    table: int
    role: TableRole
    title: str
    caption: str
    section: str
    page: int | None
    anchor: str | None
    rows: int
    header_rows: int
    columns: tuple[ColumnHeading, ...]
    scale: Scale | None
    unit: str | None
    unread: tuple[UnreadCell, ...]
    undated: tuple[int, ...]


class TableCell(Value):
    """A cell with its printed text and, if it has a number, the exact signed value in units of `scale`."""

    text: str
    value: str | None
    scale: Scale | None
    unit: str | None
    period: str | None


class TableRow(Value):
    """A row of a table."""

    label: str
    levels: tuple[str, ...]
    cells: tuple[TableCell, ...]


class TableContent(TableOutline):
    """A table with its cells."""

    body: tuple[TableRow, ...]


class DocumentOutline(Value):
    """The outline of a document.

    Attributes:
        pages: The number of pages, or null if it is unknown.
        sections: Its sections in order.
        tables: Its tables in order.
        health: How much of its tables was understood.
        numbers_as: How its numbers are printed, by an example: `1.234.567,8`.
        warnings: What was lost or repaired when the document was read.
    """

    document: str
    pages: int | None
    sections: tuple[SectionOutline, ...]
    tables: tuple[TableOutline, ...]
    health: DocumentHealth
    numbers_as: str
    warnings: tuple[str, ...]


class _BlockPlace(Value):
    order: int
    section: str
    page: int | None
    anchor: str | None


class HeadingBlock(_BlockPlace):
    """A heading."""

    kind: Literal["heading"]
    text: str
    level: int


class ParagraphBlock(_BlockPlace):
    """A paragraph; `first` is the index of its first sentence in the section, from 0."""

    kind: Literal["paragraph"]
    first: int
    sentences: tuple[str, ...]


class TableBlock(_BlockPlace):
    """A table with its cells."""

    kind: Literal["table"]
    table: TableContent


class DocumentPart(RootModel[Annotated[HeadingBlock | ParagraphBlock | TableBlock, Field(discriminator="kind")]]):
    """A heading, a paragraph or a table."""


def table_of(document: Document, number: int) -> Table:
    """Return a table by its place in a document."""
    if not 0 <= number < len(document.tables):
        count = len(document.tables)
        count_words = f"{count} tables, from 0" if count > 1 else "one table, 0" if count else "no tables"
        raise InputError(f"{document.id} has {count_words}, but not table {number}")
    return document.tables[number]


def outline_of(document: Document) -> DocumentOutline:
    """Return the outline of a document."""
    sentences = {section.id: len(found) for section, found in document.text}
    tables: dict[str, list[int]] = {}
    for table in document.tables:
        tables.setdefault(document.section_of(table).id, []).append(table.index)
    first = {block.section: block for block in reversed(document.blocks)}
    return DocumentOutline(
        document=document.id,
        pages=max((block.page or 0 for block in document.blocks), default=0) or None,
        numbers_as=document.convention.example,
        sections=tuple(
            SectionOutline(
                id=section.id,
                path=section.path,
                page=first[section.id].page if section.id in first else None,
                anchor=first[section.id].anchor if section.id in first else None,
                tables=tuple(tables.get(section.id, ())),
                sentences=sentences.get(section.id, 0),
            )
            for section in document.sections
        ),
        tables=tuple(_table_outline(document, table) for table in document.tables),
        health=document_health(document),
        warnings=tuple(map(show_warning, document.warnings)),
    )


def table_content(document: Document, table: Table) -> TableContent:
    """Return a table with all its cells."""
    body = [
        TableRow.of(table.rows[row], cells=[_table_cell(table, row, column) for column in range(len(table.columns))])
        for row in range(table.header_rows, len(table.rows))
    ]
    return TableContent.of(_table_outline(document, table), body=body)


def _table_cell(table: Table, row: int, column: int) -> TableCell:
    cell = table.cells[row][column]
    found = cell.quantity if column else None
    if found is None:
        return TableCell(text=cell.text, value=None, scale=None, unit=None, period=None)
    return TableCell(
        text=cell.text,
        value=f"{found.value:f}",
        scale=found.scale if found.scale is not Scale.ONE else table.scale_at(row, column) or found.scale,
        unit=found.unit or table.unit_at(row, column),
        period=_period(table.period_at(row, column)),
    )


def document_parts(document: Document, section: str | None, part: ListPart) -> ListPage[DocumentPart]:
    """Return headings, paragraphs and tables in order."""
    blocks = [block for block in document.blocks if section is None or block.section == section]
    return part.page_of(blocks).map(lambda block: _document_part(document, block))


def _document_part(document: Document, block: Block) -> DocumentPart:
    match block.content:
        case SectionHeading() as heading:
            part: HeadingBlock | ParagraphBlock | TableBlock = HeadingBlock.of(block, heading)
        case Paragraph(sentences=sentences):
            first = sentences[0].index if sentences else 0
            part = ParagraphBlock.of(block, kind="paragraph", first=first, sentences=[one.text for one in sentences])
        case Table() as table:
            part = TableBlock.of(block, kind="table", table=table_content(document, table))
    return DocumentPart(part)


def _table_outline(document: Document, table: Table) -> TableOutline:
    health = table_health(table)
    return TableOutline.of(
        table,
        document.block(table.cells[0][0].ref),
        table=table.index,
        section=" > ".join(document.section_of(table).path),
        rows=len(table.rows) - table.header_rows,
        columns=[ColumnHeading.of(column, period=_period(column.period)) for column in table.columns],
        unread=[UnreadCell.of(cell.ref, cell) for cell in health.unread[:_MOST_UNREAD]],
        undated=health.undated,
    )


def _period(period: Period | None) -> str | None:
    return None if period is None else period_code(period)


LARGEST = 12_000
"""The approximate number of characters in a part; a longer sentence or row is not split."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a document: its first and last page, from 1, if known, and the numbers of its tables, from 0."""

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
