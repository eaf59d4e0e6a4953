"""What every page is on: opened once by the server, handed to each request. Nothing of it is global."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Annotated, cast
from urllib.parse import quote

from fastapi import Depends, FastAPI
from starlette.requests import Request
from starlette.responses import Response

from quaestor.application.ask_service import AskRequest
from quaestor.application.document_tools import DocumentTools
from quaestor.application.error_lines import log_unforeseen
from quaestor.application.exporting import FORMATS, ExportFormat, export_bytes
from quaestor.application.run_views import RunViews
from quaestor.application.session_manager import AnsweredNow, SessionManager
from quaestor.conversation.events import Event
from quaestor.conversation.turn import Turn
from quaestor.errors import QuaestorError
from quaestor.exports.conversation import ExportedConversation
from quaestor.settings import Settings
from quaestor.store.base import RunStore
from quaestor.web.document_view.parts import DocumentCache
from quaestor.web.errors import INTERNAL, LOG
from quaestor.web.security import Access
from quaestor.web.templating import Pages

BEAT = 15.0
"""Seconds after which something is sent, so that nothing between here and the client takes a stream for dead."""


@dataclass(frozen=True, slots=True)
class Site:
    """A server's own.

    Attributes:
        asking: Who answers where nobody chooses another, and how; `asking.settings` are those in force.
        tasks: What goes on whether or not a browser waits for it.
    """

    asking: AskRequest
    access: Access
    pages: Pages
    store: RunStore
    sessions: SessionManager
    bench: DocumentTools
    papers: DocumentCache = field(default_factory=DocumentCache)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def settings(self) -> Settings:
        """Those in force."""
        return self.asking.settings

    def in_background(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Does something to its end, unless the server ends before or the task that is returned is cancelled."""
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self._log_end)
        return task

    def _log_end(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log_unforeseen(LOG, error, "in the background")


def site_of(request: Request) -> Site:
    """Return the server's own, of the app that a request came to."""
    return cast("Site", request.app.state.site)


def client_of(request: Request) -> str:
    """Return the address that a request came from."""
    return request.client.host if request.client else ""


TheSite = Annotated[Site, Depends(site_of)]
"""A parameter of this type is given the server's own."""


@asynccontextmanager
async def open_run_views(app: FastAPI) -> AsyncIterator[None]:
    """Open what runs are looked through with, for as long as an app runs whose store is open."""
    site = app.state.site
    async with RunViews(site.store, site.settings.store) as views:
        app.state.run_views = views
        yield


def views_of(request: Request) -> RunViews:
    """Return what the app that a request came to looks through runs with."""
    return cast("RunViews", request.app.state.run_views)


Views = Annotated[RunViews, Depends(views_of)]
"""A parameter of this type is given it."""


News = tuple[str, Event | Turn] | AnsweredNow | Exception | None
"""What comes while a question is answered: events and turns with their question, None if nothing came for a while, and
at the end the answers, or what went wrong."""


async def follow_question(
    site: Site, id: str, text: str, answerer: str | None = None, *, stop_if_left: bool
) -> AsyncGenerator[News, None]:
    """Ask a question, and yield what happens until it is answered.

    Args:
        stop_if_left: Whether the question is stopped if nobody waits for the end.
    """
    news_queue: asyncio.Queue[News] = asyncio.Queue()

    async def answer() -> None:
        last: AnsweredNow | Exception = RuntimeError(INTERNAL)
        try:
            last = await site.sessions.ask(id, text, lambda asked, news: news_queue.put_nowait((asked, news)), answerer)
        except QuaestorError as error:
            last = error
        finally:
            # After what is still on its way into the queue from other threads.
            asyncio.get_running_loop().call_soon(news_queue.put_nowait, last)

    asking = site.in_background(answer())
    try:
        while True:
            try:
                news = await asyncio.wait_for(news_queue.get(), BEAT)
            except TimeoutError:
                news = None
            yield news
            if isinstance(news, AnsweredNow | Exception):
                return
    finally:
        if stop_if_left:
            asking.cancel()


async def download(conversations: Sequence[ExportedConversation], about: str, format: ExportFormat) -> Response:
    """Return conversations as a file, which a browser keeps and does not open in the place of the page.

    Args:
        about: What the document or the run is called, by which the file is named.
    """
    suffix, kind = FORMATS[format]
    data = await asyncio.to_thread(export_bytes, format, conversations)
    name = f"{about.rpartition('.')[0] or about} answers{suffix}"
    plain = re.sub(r"[^A-Za-z0-9._ -]+", "-", name)
    disposition = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
    return Response(data, media_type=kind, headers={"Content-Disposition": disposition})
