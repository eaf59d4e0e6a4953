"""What every page is on: opened once by the server, handed to each request. Nothing of it is global."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Annotated, cast

from fastapi import Depends, FastAPI
from starlette.requests import Request

from quaestor.application.ask_service import AskRequest
from quaestor.application.document_tools import DocumentTools
from quaestor.application.run_views import RunViews
from quaestor.application.session_manager import SessionManager
from quaestor.settings import Settings
from quaestor.store.base import RunStore
from quaestor.web.document_view.papers import DocumentCache
from quaestor.web.errors import log_unforeseen
from quaestor.web.security import Access
from quaestor.web.templating import Pages


@dataclass(frozen=True, slots=True)
class Site:
    """A server's own.

    Attributes:
        asking: Who answers where nobody chooses another, and how; `asking.settings` are those in force.
        store: Where runs and conversations are kept, open.
        desk: The documents, and the conversations about them.
        bench: What is done with documents besides asking.
        papers: Documents in parts, as they are shown.
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
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log_unforeseen("in the background", error)


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
