"""The objects shared by all requests: opened once by the server and passed to each route, never global."""

import asyncio
import re
from collections.abc import AsyncGenerator, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Annotated, cast
from urllib.parse import quote

from fastapi import Depends
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
from quaestor.core.caching import BoundedCache
from quaestor.documents.document import Document
from quaestor.errors import QuaestorError
from quaestor.exports.rows import ExportedConversation
from quaestor.settings import Settings
from quaestor.store.base import RunStore
from quaestor.web.document_view import Paper
from quaestor.web.errors import INTERNAL, LOG
from quaestor.web.security import Access
from quaestor.web.templating import Pages

BEAT = 15.0
"""Seconds between keep-alive messages, so that proxies do not close an idle stream."""

_MOST_PAPERS = 16


@dataclass(frozen=True, slots=True)
class Site:
    """The shared objects of a server."""

    ask_request: AskRequest
    access: Access
    pages: Pages
    store: RunStore
    sessions: SessionManager
    bench: DocumentTools
    views: RunViews
    papers: BoundedCache[int, Paper] = field(default_factory=lambda: BoundedCache(_MOST_PAPERS))
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def settings(self) -> Settings:
        """The settings in effect."""
        return self.ask_request.settings

    async def paper(self, document: Document) -> Paper:
        """Return a document divided into parts."""
        # By identity, as comparing two documents takes longer than dividing one; a cached paper keeps its document.
        return await asyncio.to_thread(self.papers.get, id(document), lambda: Paper(document))

    def in_background(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Run a coroutine as a background task, which ends with the server at the latest."""
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self._log_end)
        return task

    def _log_end(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log_unforeseen(LOG, error, "in the background")


async def site_of(request: Request) -> Site:
    """Return the shared objects of the app that handles a request."""
    # FastAPI runs dependencies that are not coroutines in threads, which may reorder the questions of a conversation.
    return cast("Site", request.app.state.site)


def client_of(request: Request) -> str:
    """Return the address that a request came from."""
    return request.client.host if request.client else ""


TheSite = Annotated[Site, Depends(site_of)]
"""Annotation for a route parameter that receives the `Site`."""


News = tuple[str, Event | Turn] | AnsweredNow | Exception | None
"""Progress of a question: events and turns with their question, None after a pause of `BEAT` seconds, and finally the
answers or an error.
"""


async def follow_question(
    site: Site, id: str, text: str, answerer: str | None = None, *, stop_if_left: bool
) -> AsyncGenerator[News, None]:
    """Ask a question, and yield its progress until it is answered."""
    news_queue: asyncio.Queue[News] = asyncio.Queue()

    async def answer() -> None:
        last: AnsweredNow | Exception = RuntimeError(INTERNAL)
        try:
            last = await site.sessions.ask(id, text, lambda asked, news: news_queue.put_nowait((asked, news)), answerer)
        except QuaestorError as error:
            last = error
        finally:
            # Scheduled last, so that events queued by other threads come first.
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
    """Return conversations as a file to download."""
    suffix, kind = FORMATS[format]
    data = await asyncio.to_thread(export_bytes, format, conversations)
    name = f"{about.rpartition('.')[0] or about} answers{suffix}"
    plain = re.sub(r"[^A-Za-z0-9._ -]+", "-", name)
    disposition = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
    return Response(data, media_type=kind, headers={"Content-Disposition": disposition})
