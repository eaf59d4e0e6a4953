"""A question, and its answer as it comes: as a stream of parts of a page where scripts run, else as the next page."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from secrets import token_hex
from typing import Annotated

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from quaestor.application.error_lines import error_line
from quaestor.conversation.event_lines import event_lines
from quaestor.conversation.turn import Turn
from quaestor.errors import QuaestorError, UnknownConversationError
from quaestor.web.ask.cards import cards
from quaestor.web.ask.routes import show_conversation
from quaestor.web.errors import INTERNAL, status_of
from quaestor.web.site import Site, TheSite, follow_question
from quaestor.web.templating import is_partial

router = APIRouter()

_Typed = Annotated[str, Form(max_length=20_000)]


@router.post("/c/{id}/ask")
async def _ask(request: Request, site: TheSite, id: str, question: _Typed = "", example: _Typed = "") -> Response:
    text = (example or question).strip()
    site.sessions.kept.get(id)
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
    """Yield what the page is told: that it is asked, each step, each answer, or what went wrong.

    Who closes the page stops looking, and the answer is kept all the same.
    """
    mark, failed = token_hex(6), False
    yield _message(site.pages.text("ask/pending.html", mark=mark, id=id, question=text))
    async for news in follow_question(site, id, text, stop_if_left=False):
        match news:
            case None:
                yield ": still here\n\n"
            case (_, Turn() as turn):
                yield _message(await _answered(site, id, turn, mark))
            case (_, event):
                if lines := event_lines([event]):
                    yield _message(site.pages.text("ask/step.html", mark=mark, lines=lines))
            case Exception():
                failed = True
                line = error_line(news) if isinstance(news, QuaestorError) else INTERNAL
                yield _message(site.pages.text("ask/failed.html", mark=mark, line=line))
    with suppress(UnknownConversationError):  # somebody has deleted it meanwhile
        yield _message(site.pages.text("ask/done.html", mark=mark, kept=site.sessions.kept.get(id)))
    yield f"event: {'refused' if failed else 'answered'}\ndata: {mark}\n\n"


async def _answered(site: Site, id: str, turn: Turn, mark: str) -> str:
    state = await site.sessions.look(id)
    paper = await site.papers.paper(state.document)
    turns = state.turns if turn in state.turns else (*state.turns, turn)
    place = turns.index(turn)
    (card,) = await asyncio.to_thread(cards, turns[: place + 1], paper, place)
    return site.pages.text("ask/answered.html", mark=mark, card=card, kept=state.kept)


def _message(html: str) -> str:
    """Return a message of the stream: each line of it is one of data."""
    return "".join(f"data: {line}\n" for line in html.splitlines()) + "\n"
