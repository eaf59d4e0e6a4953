"""Error responses for browsers: one line without file paths or tracebacks.

A full page if a page was requested, a fragment if htmx requested a part of one.
"""

import logging
from collections.abc import Callable
from http import HTTPStatus

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quaestor.application.error_lines import error_line, log_unforeseen
from quaestor.errors import QuaestorError
from quaestor.web.api.problems import is_for_programs, problem_answer, problem_of, status_of
from quaestor.web.templating import Pages, is_partial

NOTICE = "#notice"
"""Selector of the element that shows errors without a more specific place on the page."""

LOG = logging.getLogger("quaestor.web")

_MESSAGES = {
    404: "This page does not exist.",
    405: "This address does not support that request method.",
    413: "The request is too large.",
    422: "The request is invalid.",
}
INTERNAL = "Internal server error. See the server log for details."


def error_answer(pages: Pages, request: Request, status: int, line: str) -> Response:
    """Return an error as a page or, for htmx, a fragment; for the API as a problem."""
    if is_for_programs(request.url.path):
        return problem_answer(problem_of(status, line))
    if is_partial(request):
        response = pages.page(request, "error_line.html", status=status, line=line)
        response.headers["HX-Retarget"], response.headers["HX-Reswap"] = NOTICE, "innerHTML"
        return response
    if status == 401:
        return pages.page(request, "login.html", status=status, line=line)
    return pages.page(request, "error.html", status=status, line=line, code=status)


def install(app: FastAPI, pages: Pages) -> None:
    """Register the error handlers of the pages."""

    @app.exception_handler(QuaestorError)
    async def on_quaestor(request: Request, error: QuaestorError) -> Response:
        return error_answer(pages, request, status_of(error), error_line(error))

    @app.exception_handler(HTTPException)
    async def on_http(request: Request, error: HTTPException) -> Response:
        plain = HTTPStatus(error.status_code).phrase
        status = error.status_code
        line = error.detail if error.detail != plain else _MESSAGES.get(status, f"{plain}.")
        if isinstance(error.__cause__, OSError):  # a form upload that could not be buffered on disk
            status, line = 503, f"The server has no room for the file: {error.__cause__.strerror}."
        response = error_answer(pages, request, status, line)
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(RequestValidationError)
    async def on_invalid(request: Request, error: RequestValidationError) -> Response:
        names = {str(found["loc"][-1]) for found in error.errors() if found.get("loc")}
        line = f"Missing or invalid: {', '.join(sorted(names))}." if names else _MESSAGES[422]
        return error_answer(pages, request, 422, line)


class ErrorMiddleware:
    """ASGI middleware that logs unexpected errors and returns a generic response."""

    def __init__(self, app: ASGIApp, answer: Callable[[Request], Response]) -> None:
        """Wrap an app; `answer` creates the response to an unexpected error."""
        self.app, self._answer = app, answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        started = False

        async def watch_start(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, watch_start)
        except Exception as error:  # noqa: BLE001  # outermost handler of the server
            request = Request(scope)
            log_unforeseen(LOG, error, f"{request.method} {request.url.path}")
            if not started:
                await self._answer(request)(scope, receive, send)
