"""The web app: its routes, middleware and static files."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import APIRouter, FastAPI, Form
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from quaestor.application.ask_service import AskRequest
from quaestor.application.run_views import RunViews
from quaestor.application.session_manager import SessionLimits, open_sessions
from quaestor.web import errors
from quaestor.web.api.app import ADDRESS, NO_TELEMETRY, create_api
from quaestor.web.arriving import Bodies
from quaestor.web.ask.routes import router as ask
from quaestor.web.errors import is_for_programs
from quaestor.web.repair import router as repair
from quaestor.web.runs.routes import router as runs
from quaestor.web.security import LOGIN, STATIC, Access, Guard
from quaestor.web.site import Site, TheSite
from quaestor.web.templating import FILES, Pages

AREAS = {"Ask": "/", "Runs": "/runs"}
"""Titles and paths of the navigation."""

_FORM_OVERHEAD = 14_000_000
"""Bytes that a form may contain besides its file."""

_UPLOADS_PER_CLIENT = 4
"""Number of uploads of the maximum size that one client may send at once."""

_CACHE_CONTROL = "public, max-age=31536000, immutable"


_login = APIRouter()


@_login.get(LOGIN)
async def _show_login(request: Request, site: TheSite) -> Response:
    """Show the login form, or redirect to the start page if the server needs no token."""
    if site.access.token is None:
        return RedirectResponse("/", 303)
    return site.pages.page(request, "login.html", line="")


@_login.post(LOGIN)
async def _take_token(request: Request, site: TheSite, token: Annotated[str, Form(max_length=1_000)] = "") -> Response:
    """Check the token and set the login cookie."""
    if site.access.token is None:
        return RedirectResponse("/", 303)
    if not site.access.knows(token.strip()):
        return site.pages.page(request, "login.html", status=401, line="The token is incorrect.")
    response = RedirectResponse("/", 303)
    site.access.grant(response, secure=request.url.is_secure)
    return response


def create_app(
    asking: AskRequest, access: Access | None = None, files: tuple[str, ...] = (), processes: int = 0
) -> FastAPI:
    """Create the app, which opens the store at startup and closes it at shutdown."""
    pages = Pages(AREAS)
    rules = access or Access()
    settings = asking.settings
    largest = settings.serve_upload_mb * 1_000_000

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        limits = SessionLimits(open=settings.serve_conversations, questions=settings.serve_questions)
        async with (
            open_sessions(asking, files, processes, limits) as (sessions, bench, store),
            RunViews(store, settings.store) as views,
        ):
            site = app.state.site = Site(asking, rules, pages, store, sessions, bench, views)
            try:
                yield
            finally:
                for task in list(site.tasks):
                    task.cancel()
                await asyncio.gather(*site.tasks, return_exceptions=True)

    app = FastAPI(
        title="quaestor", lifespan=lifespan, openapi_url=None, docs_url=None, redoc_url=None, telemetry=NO_TELEMETRY
    )
    for router in (ask, repair, runs, _login):
        app.include_router(router)
    app.mount(f"{STATIC}{pages.version}", _PackageFiles(directory=FILES), name="static")
    app.mount(ADDRESS, create_api(settings, rules, app.state), name="api")
    errors.install(app, pages)

    def refuse(request: Request, status: int, line: str) -> Response:
        return errors.error_answer(pages, request, status, line)

    # The middleware added last runs first.
    app.add_middleware(_LimitPageBodies, most=largest + _FORM_OVERHEAD)
    app.add_middleware(Bodies, refuse=refuse, most_of_one=_UPLOADS_PER_CLIENT * (largest + _FORM_OVERHEAD))
    app.add_middleware(errors.ErrorMiddleware, answer=lambda request: refuse(request, 500, errors.INTERNAL))
    app.add_middleware(Guard, access=rules, refuse=refuse, programs=is_for_programs)
    return app


class _LimitPageBodies:
    """ASGI middleware that limits the bodies sent to pages; the API limits bodies where it reads them."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app, self._bounded = app, RequestBodyLimitMiddleware(app, max_body_size=most)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._app if is_for_programs(scope.get("path", "")) else self._bounded)(scope, receive, send)


class _PackageFiles(StaticFiles):
    """Static files that can be cached forever, because their addresses contain a digest of their content."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = _CACHE_CONTROL
        return response
