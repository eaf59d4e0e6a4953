"""Routes for documents: upload, list, delete and inspect them."""

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from quaestor.application.error_lines import error_line
from quaestor.application.graph_query import DocumentFact, document_facts
from quaestor.application.outline import (
    DocumentOutline,
    DocumentPart,
    TableContent,
    document_parts,
    outline_of,
    table_content,
    table_of,
)
from quaestor.core.computing import compute
from quaestor.core.serial import Value
from quaestor.errors import InputError
from quaestor.store.listing import ListPage, ListPart
from quaestor.web.api.bodies import FILE_TYPE, Part, StrictRoute, file_body
from quaestor.web.errors import problems
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


class DocumentReply(Value):
    """A document.

    Attributes:
        origin: `file` if the server was started with it, `upload` if it was uploaded, `page` if it is a page of a file.
    """

    id: str
    name: str
    origin: Literal["file", "upload", "page"]


class OutlineReply(DocumentOutline):
    """The outline of a document with the id by which it is asked for."""

    id: str


@router.get("", responses=problems())
async def _list_documents(site: TheSite, part: Part) -> ListPage[DocumentReply]:
    """List the documents: the files of the server, then uploads, most recently used first.

    To ask about a file with several pages, choose one of its `pages`.
    """
    library = site.sessions.library
    files = [DocumentReply.of(one, origin="file") for one in library.files]
    return part.page_of(files + [DocumentReply.of(one, origin="upload") for one in await library.uploads()])


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
    return DocumentReply.of(document, origin="upload")


@router.get("/{document}", responses=problems())
async def _read_document(site: TheSite, document: DocumentId) -> OutlineReply:
    """Show the outline of a document: its sections, tables and reading warnings."""
    page = await site.sessions.library.open(document)
    return OutlineReply.of(await compute(outline_of, page.document), id=document)


@router.delete("/{document}", status_code=204, response_class=Response, responses=problems(changes=True))
async def _delete_document(site: TheSite, document: DocumentId) -> None:
    """Delete an uploaded document. Conversations about it remain and can be exported."""
    await site.sessions.library.forget(document)


@router.get("/{document}/pages", responses=problems())
async def _list_pages(site: TheSite, document: DocumentId, part: Part) -> ListPage[DocumentReply]:
    """List the first 200 numbered pages of a file. Each page is a document."""
    found = await site.sessions.library.pages(document)
    return part.page_of(found).map(lambda one: DocumentReply.of(one, origin="page"))


@router.get("/{document}/parts", responses=problems())
async def _list_parts(
    site: TheSite,
    document: DocumentId,
    section: Annotated[str | None, Query(max_length=200, description="Only parts of the section with this id.")] = None,
    offset: Annotated[int, Query(ge=0, le=1_000_000_000, description="The number of items to skip.")] = 0,
    limit: Annotated[int, Query(ge=1, le=_MOST_PARTS, description="The maximum number of items.")] = 50,
) -> ListPage[DocumentPart]:
    """List headings, paragraphs and tables with their cells, in document order."""
    page = await site.sessions.library.open(document)
    return await asyncio.to_thread(document_parts, page.document, section, ListPart(offset, limit))


@router.get("/{document}/tables/{table}", responses=problems())
async def _read_table(
    site: TheSite,
    document: DocumentId,
    table: Annotated[int, Path(ge=0, le=1_000_000, description="The index of the table, from 0.")],
) -> TableContent:
    """Show a table with its cells: the printed text and the parsed number, scale, unit and period of each."""
    found = (await site.sessions.library.open(document)).document
    try:
        return table_content(found, table_of(found, table))
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
) -> ListPage[DocumentFact]:
    """List the numbers of a document with exact value, scale, unit, period and place: of its tables, then its text."""
    page = await site.sessions.library.open(document)
    return await document_facts(page, site.ask_request.settings, site.ask_request.cache, text, part)
