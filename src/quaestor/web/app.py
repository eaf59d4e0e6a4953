"""The app: routes of each area, what guards them, and the files of the package."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import APIRouter, FastAPI, Form
from fastapi.telemetry import TelemetryConfig
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from quaestor.application.ask_service import AskRequest
from quaestor.application.session_manager import SessionLimits, open_sessions
from quaestor.web import errors
from quaestor.web.api.app import ADDRESS, create_api
from quaestor.web.api.problems import is_for_programs
from quaestor.web.arriving import Bodies
from quaestor.web.ask.routes import router as ask
from quaestor.web.repair.routes import router as repair
from quaestor.web.runs.routes import router as runs
from quaestor.web.security import LOGIN, STATIC, Access, Guard
from quaestor.web.site import Site, TheSite
from quaestor.web.templating import FILES, Pages

AREAS = {"Ask": "/", "Runs": "/runs"}
"""What the navigation leads to."""

_AROUND_AN_UPLOAD = 14_000_000
"""Bytes that a form may have besides its file."""

_UPLOADS_OF_ONE = 4
"""Uploads of the largest size that one client may be sending at once."""

_NO_TELEMETRY: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
_A_YEAR = "public, max-age=31536000, immutable"


_login = APIRouter()


@_login.get(LOGIN)
async def _show_login(request: Request, site: TheSite) -> Response:
    """Show the form; the start page to who needs no token."""
    if site.access.token is None:
        return RedirectResponse("/", 303)
    return site.pages.page(request, "login.html", line="")


@_login.post(LOGIN)
async def _take_token(request: Request, site: TheSite, token: Annotated[str, Form(max_length=1_000)] = "") -> Response:
    """Give who knows the token the cookie."""
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
    """Return the app. It opens the store when it is started, and closes it when it ends.

    Args:
        access: Who is let in; by default all of this machine.
        processes: How many worker processes answer without a model; 0 answers in this process.
    """
    pages = Pages(AREAS)
    let_in = access or Access()
    settings = asking.settings
    largest = settings.serve_upload_mb * 1_000_000

    @asynccontextmanager
    async def opened(app: FastAPI) -> AsyncIterator[None]:
        limits = SessionLimits(open=settings.serve_conversations, questions=settings.serve_questions)
        async with open_sessions(asking, files, processes, limits) as (sessions, bench, store):
            site = app.state.site = Site(asking, let_in, pages, store, sessions, bench)
            try:
                yield
            finally:
                for task in list(site.tasks):
                    task.cancel()
                await asyncio.gather(*site.tasks, return_exceptions=True)

    app = FastAPI(
        title="quaestor", lifespan=opened, openapi_url=None, docs_url=None, redoc_url=None, telemetry=_NO_TELEMETRY
    )
    for router in (ask, repair, runs, _login):
        app.include_router(router)
    app.mount(f"{STATIC}{pages.version}", _PackageFiles(directory=FILES), name="static")
    app.mount(ADDRESS, create_api(settings, let_in, app.state), name="api")
    errors.install(app, pages)

    def refuse(request: Request, status: int, line: str) -> Response:
        return errors.error_answer(pages, request, status, line)

    # The last that is added is the first that is asked.
    app.add_middleware(_Bounded, most=largest + _AROUND_AN_UPLOAD)
    app.add_middleware(Bodies, refuse=refuse, most_of_one=_UPLOADS_OF_ONE * (largest + _AROUND_AN_UPLOAD))
    app.add_middleware(errors.ErrorMiddleware, answer=lambda request: refuse(request, 500, errors.INTERNAL))
    app.add_middleware(Guard, access=let_in, refuse=refuse, programs=is_for_programs)
    return app


class _Bounded:
    """An ASGI middleware that bounds what pages are sent; what programs send is bounded where it is read."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app, self._bounded = app, RequestBodyLimitMiddleware(app, max_body_size=most)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._app if is_for_programs(scope.get("path", "")) else self._bounded)(scope, receive, send)


class _PackageFiles(StaticFiles):
    """Files whose addresses change whenever one of them does."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = _A_YEAR
        return response
