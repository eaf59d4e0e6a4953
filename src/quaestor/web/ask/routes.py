"""Routes of the ask pages: choose a document, hold a conversation beside it, load parts of the document."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from secrets import token_hex
from typing import Annotated

from fastapi import APIRouter, File, Form, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from quaestor.application.choices import answerers
from quaestor.application.error_lines import error_line
from quaestor.application.exporting import ExportFormat
from quaestor.application.session_manager import ConversationState
from quaestor.conversation.answer import sources_of
from quaestor.conversation.events import event_lines
from quaestor.conversation.turn import Correction, Turn
from quaestor.core.provenance import Source
from quaestor.documents.document import SectionHeading
from quaestor.documents.health import health_words
from quaestor.documents.shown import role_words
from quaestor.documents.table import Table
from quaestor.errors import (
    BusyError,
    InputError,
    QuaestorError,
    SeveralPagesError,
    StoreError,
    UnknownConversationError,
)
from quaestor.repair.ledger import Ledger
from quaestor.web.api.conversations import CorrectionReply, correction_reply
from quaestor.web.ask.cards import cards
from quaestor.web.document_view import heading_key, part_view, source_at
from quaestor.web.errors import INTERNAL, status_of
from quaestor.web.site import Site, TheSite, client_of, download, follow_question
from quaestor.web.templating import is_partial

router = APIRouter()

_LONGEST = 10_000
_Typed = Annotated[str, Form(max_length=20_000)]
_ShortText = Annotated[str, Form(max_length=_LONGEST)]


@router.get("/")
async def _start(request: Request, site: TheSite) -> Response:
    return _start_page(request, site)


@router.post("/documents")
async def _take_upload(request: Request, site: TheSite, file: Annotated[UploadFile, File()]) -> Response:
    try:
        with site.sessions.library.receiving.enter(client_of(request)):
            document = await site.sessions.library.take(await file.read(), file.filename or "")
    except (InputError, BusyError, StoreError) as error:
        return _start_page(request, site, error_line(error), status_of(error))
    return await _begin(site, document.id)


@router.post("/conversations")
async def _begin_about(site: TheSite, document: Annotated[str, Form(max_length=100)]) -> Response:
    try:
        return await _begin(site, document)
    except SeveralPagesError:
        return RedirectResponse(f"/files/{document}", 303)


@router.get("/files/{id}")
async def _pages_of_file(request: Request, site: TheSite, id: str) -> Response:
    pages = await site.sessions.library.pages(id)
    name = next((file.name for file in site.sessions.library.files if file.id == id), "")
    return site.pages.page(request, "ask/pages.html", name=name, pages=pages)


@router.get("/c/{id}")
async def _show(
    request: Request, site: TheSite, id: str, at: str = "", part: int | None = None, corrected: int = 0
) -> Response:
    return await show_conversation(request, site, id, at=at, part=part, corrected=corrected)


@router.get("/c/{id}/part/{number}")
async def _show_part(request: Request, site: TheSite, id: str, number: int, at: str = "") -> Response:
    state = await site.sessions.read_state(id)
    paper = await site.paper(state.document)
    if not 0 <= number < len(paper.parts):
        raise InputError("the document does not have this part")
    here, used = source_at(at, paper.document), _used_sources(state)
    blocks = await asyncio.to_thread(part_view, paper, paper.parts[number], used, here)
    return site.pages.page(request, "paper/part.html", part=paper.parts[number], blocks=blocks)


@router.get("/c/{id}/examples")
async def _show_examples(request: Request, site: TheSite, id: str) -> Response:
    return site.pages.page(request, "ask/examples.html", examples=await site.sessions.examples(id))


@router.get("/c/{id}/export")
async def _export(site: TheSite, id: str, format: ExportFormat = "html") -> Response:
    saved = site.sessions.saved.get(id)
    return await download([await site.sessions.export(id)], saved.about, format)


@router.post("/c/{id}/undo")
async def _undo(site: TheSite, id: str) -> Response:
    await site.sessions.undo(id)
    return RedirectResponse(f"/c/{id}", 303)


@router.post("/c/{id}/name")
async def _rename(site: TheSite, id: str, title: _ShortText = "") -> Response:
    site.sessions.rename(id, title)
    return RedirectResponse(f"/c/{id}", 303)


@router.post("/c/{id}/answerer")
async def _change(site: TheSite, id: str, answerer: Annotated[str, Form(max_length=200)]) -> Response:
    await site.sessions.change(id, answerer)
    return RedirectResponse(f"/c/{id}", 303)


@router.post("/c/{id}/delete")
async def _delete(site: TheSite, id: str) -> Response:
    await site.sessions.delete(id)
    return RedirectResponse("/", 303)


async def show_conversation(
    request: Request,
    site: Site,
    id: str,
    *,
    at: str = "",
    part: int | None = None,
    typed: str = "",
    error: str = "",
    status: int = 200,
    corrected: int = 0,
    template: str = "ask/conversation.html",
    more: Mapping[str, object] | None = None,
) -> Response:
    """Render the page of a conversation."""
    state = await site.sessions.read_state(id)
    paper = await site.paper(state.document)
    here = source_at(at, paper.document)
    number = paper.part_of(here) if here is not None else (part or 0)
    number = number if 0 <= number < len(paper.parts) else 0
    used = _used_sources(state)
    blocks = await asyncio.to_thread(part_view, paper, paper.parts[number], used, here) if paper.parts else []
    outline = [
        (block, heading, where, heading_key(block.order)) for block, heading, where in paper.blocks_of(SectionHeading)
    ]
    return site.pages.page(
        request,
        template,
        status=status,
        kept=state.saved,
        cards=await asyncio.to_thread(cards, state.turns, paper),
        paper=paper,
        health=health_words(paper.health),
        shown=number,
        blocks=blocks,
        outline=outline,
        tables=[
            (table, where, heading_key(block.order), role_words(table))
            for block, table, where in paper.blocks_of(Table)
        ],
        answerer=state.answerer,
        answerers=answerers(site.ask_request),
        unkept=state.unkept or "",
        typed=typed,
        error=error,
        corrections=await asyncio.to_thread(correction_views, state.ledger),
        corrected=corrected,
        **(more or {}),
    )


def correction_views(ledger: Ledger) -> list[tuple[CorrectionReply, Correction]]:
    """Return the corrections of a conversation, latest first, each with its reply."""
    return [(correction_reply(correction, ledger), correction) for correction in reversed(ledger.corrections)]


async def _begin(site: Site, document: str) -> Response:
    saved = await site.sessions.begin(document)
    return RedirectResponse(f"/c/{saved.id}", 303)


def _start_page(request: Request, site: Site, upload_error: str = "", status: int = 200) -> Response:
    return site.pages.page(
        request,
        "ask/start.html",
        status=status,
        files=site.sessions.library.files,
        conversations=site.sessions.saved.all(),
        upload_error=upload_error,
    )


def _used_sources(state: ConversationState) -> frozenset[Source]:
    return frozenset(source for turn in state.turns for source in sources_of(turn.answer))


@router.post("/c/{id}/ask")
async def _ask(request: Request, site: TheSite, id: str, question: _Typed = "", example: _Typed = "") -> Response:
    text = (example or question).strip()
    site.sessions.saved.get(id)
    if is_partial(request):
        return StreamingResponse(_stream(site, id, text), media_type="text/event-stream")
    try:
        answered = await site.sessions.ask(id, text)
    except QuaestorError as error:
        status = status_of(error)
        return await show_conversation(request, site, id, typed=text, error=error_line(error), status=status)
    return RedirectResponse(f"/c/{id}#turn-{answered.first}", 303)


@router.post("/c/{id}/stop")
async def _stop(request: Request, site: TheSite, id: str) -> Response:
    site.sessions.stop(id)
    return Response(status_code=204) if is_partial(request) else RedirectResponse(f"/c/{id}", 303)


async def _stream(site: Site, id: str, text: str) -> AsyncIterator[str]:
    """Yield server-sent events: the pending question, each step, each answer, or an error.

    If the page is closed, the question is still answered and stored.
    """
    mark, failed = token_hex(6), False
    yield _message(site.pages.text("ask/pending.html", mark=mark, id=id, question=text))
    async for news in follow_question(site, id, text, stop_if_left=False):
        match news:
            case None:
                yield ": still here\n\n"
            case (_, Turn() as turn):
                yield _message(await _render_answer(site, id, turn, mark))
            case (_, event):
                if lines := event_lines([event]):
                    yield _message(site.pages.text("ask/step.html", mark=mark, lines=lines))
            case Exception():
                failed = True
                line = error_line(news) if isinstance(news, QuaestorError) else INTERNAL
                yield _message(site.pages.text("ask/failed.html", mark=mark, line=line))
    with suppress(UnknownConversationError):  # it may have been deleted meanwhile
        yield _message(site.pages.text("ask/done.html", mark=mark, kept=site.sessions.saved.get(id)))
    yield f"event: {'refused' if failed else 'answered'}\ndata: {mark}\n\n"


async def _render_answer(site: Site, id: str, turn: Turn, mark: str) -> str:
    state = await site.sessions.read_state(id)
    paper = await site.paper(state.document)
    turns = state.turns if turn in state.turns else (*state.turns, turn)
    place = turns.index(turn)
    (card,) = await asyncio.to_thread(cards, turns[: place + 1], paper, place)
    return site.pages.text("ask/answered.html", mark=mark, card=card, kept=state.saved)


def _message(html: str) -> str:
    """Format a server-sent event; each line gets a `data:` prefix."""
    return "".join(f"data: {line}\n" for line in html.splitlines()) + "\n"
