"""What a document is told as: its outline, its parts, its tables and its facts."""

from typing import Annotated, Literal

from pydantic import Field

from quaestor.application.replies import Value
from quaestor.core.quantity import Scale
from quaestor.documents.table import TableRole
from quaestor.web.api.values import PartReply


class SectionReply(Value):
    """A section; `path` lists its headings, outermost first."""

    id: str
    path: tuple[str, ...]
    page: int | None
    anchor: str | None
    tables: tuple[int, ...]
    sentences: int


class HeadingReply(Value):
    """The heading of a column."""

    label: str
    levels: tuple[str, ...]
    period: str | None
    scale: Scale | None
    unit: str | None


class UnreadReply(Value):
    """A cell that prints digits and was not read as a number; `row` and `column` count from 0."""

    row: int
    column: int
    text: str


class TableReply(Value):
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
    columns: tuple[HeadingReply, ...]
    scale: Scale | None
    unit: str | None
    unread: tuple[UnreadReply, ...]
    undated: tuple[int, ...]


class CellReply(Value):
    """A cell with its printed text and, if it has a number, the exact signed value in units of `scale`."""

    text: str
    value: str | None
    scale: Scale | None
    unit: str | None
    period: str | None


class RowReply(Value):
    """A row of a table."""

    label: str
    levels: tuple[str, ...]
    cells: tuple[CellReply, ...]


class WholeTableReply(TableReply):
    """A table with its cells."""

    body: tuple[RowReply, ...]


class HealthReply(Value):
    """How much of the tables was understood.

    Attributes:
        numbers: The number of cells that hold a number.
        unread: The number of cells with digits that were not read as numbers.
        undated: The number of columns without a period that should have one.
    """

    tables: int
    numbers: int
    unread: int
    undated: int


class OutlineReply(Value):
    """The outline of a document.

    Attributes:
        pages: The number of pages, or null if it is unknown.
        sections: Its sections in order.
        tables: Its tables in order.
        health: How much of its tables was understood.
        numbers_as: How its numbers are printed, by an example: `1.234.567,8`.
        warnings: What was lost or repaired when the document was read.
    """

    id: str
    document: str
    pages: int | None
    sections: tuple[SectionReply, ...]
    tables: tuple[TableReply, ...]
    health: HealthReply
    numbers_as: str
    warnings: tuple[str, ...]


class _Block(Value):
    order: int
    section: str
    page: int | None
    anchor: str | None


class HeadingPartReply(_Block):
    """A heading."""

    kind: Literal["heading"]
    text: str
    level: int


class ParagraphPartReply(_Block):
    """A paragraph; `first` is the index of its first sentence in the section, from 0."""

    kind: Literal["paragraph"]
    first: int
    sentences: tuple[str, ...]


class TablePartReply(_Block):
    """A table with its cells."""

    kind: Literal["table"]
    table: WholeTableReply


class PartList(
    PartReply[Annotated[HeadingPartReply | ParagraphPartReply | TablePartReply, Field(discriminator="kind")]]
):
    """Parts of a document in order."""


class CellPlaceReply(Value):
    """The place of a number in a table; all indexes count from 0 in the printed grid."""

    kind: Literal["cell"]
    document: str
    table: int
    row: int
    column: int


class SentencePlaceReply(Value):
    """The place of a number in the text; all indexes count from 0."""

    kind: Literal["sentence"]
    document: str
    section: str
    sentence: int
    start: int
    end: int


class FactReply(Value):
    """A number of a document.

    Attributes:
        label: Row and column, or the sentence.
        value: The exact signed value in units of `scale`.
        scale: The scale of the value: one, thousand, million, percent.
        unit: The unit, or null.
        period: Its period, or null.
        property: Its property in the ontology, or null.
        concept: The concept of its XBRL tag, or null.
    """

    label: str
    text: str
    value: str
    scale: Scale
    unit: str | None
    period: str | None
    property: str | None
    concept: str | None
    source: Annotated[CellPlaceReply | SentencePlaceReply, Field(discriminator="kind")]


class FactList(PartReply[FactReply]):
    """Numbers of a document: first in its tables, then in its text."""
