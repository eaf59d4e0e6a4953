"""What a document is told as: its outline, its parts, its tables and its facts."""

from typing import Annotated, Literal

from pydantic import Field

from quaestor.core.quantity import Scale
from quaestor.web.api.values import PartReply, Value


class SectionReply(Value):
    """A section; `path` are the headings that it is under, outermost first."""

    id: str
    path: tuple[str, ...]
    page: int | None
    anchor: str | None
    tables: tuple[int, ...]
    sentences: int


class HeadingReply(Value):
    """What a column is about."""

    label: str
    levels: tuple[str, ...]
    period: str | None
    scale: Scale | None
    unit: str | None


class TableReply(Value):
    """A table without its cells; `table` counts from 0, `page` from 1."""

    table: int
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


class CellReply(Value):
    """A cell as printed; the exact, signed value in units of `scale`, where it has one."""

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


class OutlineReply(Value):
    """What was understood of a document.

    Attributes:
        id: By which it is asked for.
        document: Its name in sources.
        pages: How many it has; null where that is not known.
        sections: In their order.
        tables: In their order.
        warnings: What was lost or mended in reading.
    """

    id: str
    document: str
    pages: int | None
    sections: tuple[SectionReply, ...]
    tables: tuple[TableReply, ...]
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
    """Sentences that stand together; `first` is the place of the first of them in its section, from 0."""

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
    """Parts of a document, in their order."""


class CellPlaceReply(Value):
    """Where a number of a table stands; all count from 0 in the printed grid."""

    kind: Literal["cell"]
    document: str
    table: int
    row: int
    column: int


class SentencePlaceReply(Value):
    """Where a number of the text stands; all count from 0."""

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
        text: As printed.
        value: Exact and signed, in units of `scale`.
        scale: What one unit of the value stands for.
        unit: What is counted, or null.
        period: The period that it is of, or null.
        property: The property of the ontology, or null.
        concept: What its tag in the filing calls it, or null.
        source: Where it stands.
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
    """Numbers of a document: those of its tables, then those of its text."""
