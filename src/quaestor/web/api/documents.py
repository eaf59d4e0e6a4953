"""Documents: handed over, listed, and what was understood of each."""

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from quaestor.application.error_lines import error_line
from quaestor.application.fact_service import document_facts
from quaestor.application.read_service import outline_object, part_objects, table_object, table_of
from quaestor.application.shelf import OnShelf
from quaestor.core.computing import compute
from quaestor.errors import InputError
from quaestor.web.api.bodies import FILE_TYPE, StrictRoute, file_body
from quaestor.web.api.document_values import FactList, OutlineReply, PartList, WholeTableReply
from quaestor.web.api.problems import problems
from quaestor.web.api.values import Part, PartReply, Value, part_of_whole
from quaestor.web.site import TheSite, client_of

router = APIRouter(route_class=StrictRoute, prefix="/documents", tags=["documents"])

DocumentId = Annotated[str, Path(max_length=100, description="As the list of documents has it.")]

_MOST_PARTS = 200
_BODY = {
    "requestBody": {
        "required": True,
        "content": {FILE_TYPE: {"schema": {"type": "string", "format": "binary"}}},
    }
}


class DocumentReply(Value):
    """Something that can be asked about.

    Attributes:
        id: By which it is asked for.
        name: What it is called, for people.
        origin: Whether it was named when the server was started, or handed over; of a file of several the pages.
    """

    id: str
    name: str
    origin: Literal["file", "upload", "page"]


class DocumentList(PartReply[DocumentReply]):
    """Documents: the files that were named, then those that were handed over, the latest used first."""


@router.get("", responses=problems())
async def _list_documents(site: TheSite, part: Part) -> DocumentList:
    """List the files that can be asked about. One of several pages is asked page by page: see its `pages`."""
    shelf = site.desk.shelf
    found = [_entry(one, "file") for one in shelf.files] + [_entry(one, "upload") for one in await shelf.uploads()]
    return _list(tuple(found), part)


@router.post(
    "",
    status_code=201,
    responses={
        201: {"headers": {"Location": {"description": "Where the document is.", "schema": {"type": "string"}}}},
        **problems(changes=True, body=True),
    },
    openapi_extra=_BODY,
)
async def _upload_document(
    request: Request,
    response: Response,
    site: TheSite,
    name: Annotated[str, Query(min_length=1, max_length=500, description="What the file is called, for people.")],
) -> DocumentReply:
    """Hand over a file, as the body of the request: HTML, PDF, XLSX, CSV, Markdown or text, also as .gz.

    It is recognised by what it holds, and read at once; one that cannot be asked is refused and not kept.
    """
    shelf = site.desk.shelf
    async with file_body(request, shelf.largest) as file:
        with shelf.receiving.entered(client_of(request)):
            taken = await shelf.take(file.read(), name)
    response.headers["Location"] = f"/api/v1/documents/{taken.id}"
    return _entry(taken, "upload")


@router.get("/{document}", responses=problems())
async def _read_document(site: TheSite, document: DocumentId) -> OutlineReply:
    """Show what was understood of a document: its sections, the headings of its tables, what was lost in reading."""
    page = await site.desk.shelf.open(document)
    return OutlineReply.model_validate({"id": document, **outline_object(page.document)})


@router.delete("/{document}", status_code=204, response_class=Response, responses=problems(changes=True))
async def _delete_document(site: TheSite, document: DocumentId) -> None:
    """Delete a document that was handed over. Conversations about it stay, and can be exported."""
    await site.desk.shelf.forget(document)


@router.get("/{document}/pages", responses=problems())
async def _list_pages(site: TheSite, document: DocumentId, part: Part) -> DocumentList:
    """List the pages of a file that was named, as far as they have a number; the first 200. Each is a document."""
    found = await site.desk.shelf.pages(document)
    return _list(tuple(_entry(one, "page") for one in found), part)


@router.get("/{document}/parts", responses=problems())
async def _list_parts(
    site: TheSite,
    document: DocumentId,
    section: Annotated[str | None, Query(max_length=200, description="Only of the section with this id.")] = None,
    offset: Annotated[int, Query(ge=0, le=1_000_000_000, description="How many are left out before the first.")] = 0,
    limit: Annotated[int, Query(ge=1, le=_MOST_PARTS, description="How many are given at most.")] = 50,
) -> PartList:
    """Show headings, paragraphs and tables with all their cells, in the order of the document."""
    page = await site.desk.shelf.open(document)
    total, items = await asyncio.to_thread(part_objects, page.document, section, offset, limit)
    return PartList.model_validate({"items": items, "total": total, "offset": offset, "limit": limit})


@router.get("/{document}/tables/{table}", responses=problems())
async def _read_table(
    site: TheSite, document: DocumentId, table: Annotated[int, Path(ge=0, le=1_000_000, description="From 0.")]
) -> WholeTableReply:
    """Show a table with all its cells: each as printed, and the number, scale, unit and period that were read."""
    found = (await site.desk.shelf.open(document)).document
    try:
        return WholeTableReply.model_validate(table_object(found, table_of(found, table)))
    except InputError as error:
        raise HTTPException(404, error_line(error)) from None


@router.get("/{document}/facts", responses=problems())
async def _list_facts(
    site: TheSite,
    document: DocumentId,
    part: Part,
    text: Annotated[str, Query(max_length=200, description="Only facts whose label or sentence has this in it.")] = "",
) -> FactList:
    """List the numbers of a document: each with its exact value, scale, unit, period and place."""
    page = await site.desk.shelf.open(document)
    found = await document_facts(page, site.asking)
    total, items = await compute(found.part, text, part)
    return FactList.model_validate({"items": items, "total": total, "offset": part.offset, "limit": part.limit})


def _entry(one: OnShelf, origin: Literal["file", "upload", "page"]) -> DocumentReply:
    return DocumentReply(id=one.id, name=one.name, origin=origin)


def _list(found: tuple[DocumentReply, ...], part: Part) -> DocumentList:
    page = part_of_whole(found, part)
    return DocumentList(items=page.items, total=page.total, offset=part.offset, limit=part.limit)
