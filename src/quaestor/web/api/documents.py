"""Routes for documents: upload, list, delete and inspect them."""

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from quaestor.application.document_library import LibraryEntry
from quaestor.application.error_lines import error_line
from quaestor.application.fact_service import document_facts
from quaestor.application.read_service import outline_object, part_objects, table_object, table_of
from quaestor.application.replies import Value
from quaestor.core.computing import compute
from quaestor.core.quantity import Scale
from quaestor.documents.table import TableRole
from quaestor.errors import InputError
from quaestor.web.api.bodies import FILE_TYPE, StrictRoute, file_body
from quaestor.web.api.problems import problems
from quaestor.web.api.values import Part, PartReply, part_of_whole
from quaestor.web.site import TheSite, client_of

router = APIRouter(route_class=StrictRoute, prefix="/documents", tags=["documents"])

DocumentId = Annotated[str, Path(max_length=100, description="The id of a document.")]

_MOST_PARTS = 200
_BODY = {
    "requestBody": {
        "required": True,
        "content": {FILE_TYPE: {"schema": {"type": "string", "format": "binary"}}},
    }
}


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


class DocumentReply(Value):
    """A document.

    Attributes:
        origin: `file` if the server was started with it, `upload` if it was uploaded, `page` if it is a page of a file.
    """

    id: str
    name: str
    origin: Literal["file", "upload", "page"]


class DocumentList(PartReply[DocumentReply]):
    """Documents: the files of the server, then uploads, most recently used first."""


@router.get("", responses=problems())
async def _list_documents(site: TheSite, part: Part) -> DocumentList:
    """List the documents. To ask about a file with several pages, choose one of its `pages`."""
    library = site.sessions.library
    found = [_entry(one, "file") for one in library.files] + [_entry(one, "upload") for one in await library.uploads()]
    return DocumentList.of_page(part_of_whole(tuple(found), part))


@router.post(
    "",
    status_code=201,
    responses={
        201: {"headers": {"Location": {"description": "The address of the document.", "schema": {"type": "string"}}}},
        **problems(changes=True, body=True),
    },
    openapi_extra=_BODY,
)
async def _upload_document(
    request: Request,
    response: Response,
    site: TheSite,
    name: Annotated[str, Query(min_length=1, max_length=500, description="The file name.")],
) -> DocumentReply:
    """Upload a file as the request body: HTML, PDF, XLSX, CSV, Markdown or text, optionally gzipped.

    The format is detected from the content. A file that cannot be read is rejected and not stored.
    """
    library = site.sessions.library
    async with file_body(request, library.largest) as file:
        with library.receiving.enter(client_of(request)):
            document = await library.take(file.read(), name)
    response.headers["Location"] = f"/api/v1/documents/{document.id}"
    return _entry(document, "upload")


@router.get("/{document}", responses=problems())
async def _read_document(site: TheSite, document: DocumentId) -> OutlineReply:
    """Show the outline of a document: its sections, tables and reading warnings."""
    page = await site.sessions.library.open(document)
    return OutlineReply.model_validate({"id": document, **outline_object(page.document)})


@router.delete("/{document}", status_code=204, response_class=Response, responses=problems(changes=True))
async def _delete_document(site: TheSite, document: DocumentId) -> None:
    """Delete an uploaded document. Conversations about it remain and can be exported."""
    await site.sessions.library.forget(document)


@router.get("/{document}/pages", responses=problems())
async def _list_pages(site: TheSite, document: DocumentId, part: Part) -> DocumentList:
    """List the first 200 numbered pages of a file. Each page is a document."""
    found = await site.sessions.library.pages(document)
    return DocumentList.of_page(part_of_whole(tuple(_entry(one, "page") for one in found), part))


@router.get("/{document}/parts", responses=problems())
async def _list_parts(
    site: TheSite,
    document: DocumentId,
    section: Annotated[str | None, Query(max_length=200, description="Only parts of the section with this id.")] = None,
    offset: Annotated[int, Query(ge=0, le=1_000_000_000, description="The number of items to skip.")] = 0,
    limit: Annotated[int, Query(ge=1, le=_MOST_PARTS, description="The maximum number of items.")] = 50,
) -> PartList:
    """List headings, paragraphs and tables with their cells, in document order."""
    page = await site.sessions.library.open(document)
    total, items = await asyncio.to_thread(part_objects, page.document, section, offset, limit)
    return PartList.model_validate({"items": items, "total": total, "offset": offset, "limit": limit})


@router.get("/{document}/tables/{table}", responses=problems())
async def _read_table(
    site: TheSite,
    document: DocumentId,
    table: Annotated[int, Path(ge=0, le=1_000_000, description="The index of the table, from 0.")],
) -> WholeTableReply:
    """Show a table with its cells: the printed text and the parsed number, scale, unit and period of each."""
    found = (await site.sessions.library.open(document)).document
    try:
        return WholeTableReply.model_validate(table_object(found, table_of(found, table)))
    except InputError as error:
        raise HTTPException(404, error_line(error)) from None


@router.get("/{document}/facts", responses=problems())
async def _list_facts(
    site: TheSite,
    document: DocumentId,
    part: Part,
    text: Annotated[
        str, Query(max_length=200, description="Only facts whose label or sentence contains this text.")
    ] = "",
) -> FactList:
    """List the numbers of a document with exact value, scale, unit, period and place."""
    page = await site.sessions.library.open(document)
    found = await document_facts(page, site.ask_request)
    total, items = await compute(found.part, text, part)
    return FactList.model_validate({"items": items, "total": total, "offset": part.offset, "limit": part.limit})


def _entry(one: LibraryEntry, origin: Literal["file", "upload", "page"]) -> DocumentReply:
    return DocumentReply.of(one, origin=origin)
