"""Error responses: one line without file paths or tracebacks.

A browser gets a page, or a fragment if htmx requested a part of one; a program gets problem details (RFC 9457) with a
hint on what to do.
"""

import json
import logging
import re
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import Field
from starlette._utils import get_route_path
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import compile_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quaestor.application.error_lines import error_line, log_unforeseen, read_faults
from quaestor.core.serial import Value
from quaestor.errors import (
    BudgetExceededError,
    BusyError,
    DuplicateRecordError,
    GraphError,
    InputError,
    OntologyError,
    OutageError,
    PlanError,
    QuaestorError,
    QuestionStoppedError,
    QuestionTimeoutError,
    SeveralPagesError,
    StoreError,
    UnknownConversationError,
    UnknownRunError,
    UnknownUploadError,
)
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


PREFIX = "/api"
"""Responses to paths below this prefix are JSON: errors are never pages or redirects."""

MEDIA_TYPE = "application/problem+json"

_TITLES = {413: "Content Too Large", 422: "Unprocessable Content"}
"""Phrases of RFC 9110 that `http.HTTPStatus` has only from Python 3.13 on."""

_DESCRIPTIONS = {
    400: "The request is invalid.",
    401: "The token is missing or incorrect.",
    403: "The request came from a page of another site.",
    404: "Not found.",
    405: "This address does not support the method; `Allow` lists the methods that it supports.",
    408: "The request took too long to arrive.",
    409: "It already exists.",
    413: "The request is too large.",
    415: "The body does not have the content type that this address accepts.",
    421: "The `Host` header is not a name of this server.",
    422: "A field or parameter is missing, unknown or out of range; `errors` lists them.",
    429: "Too many requests, or a budget is exhausted; `Retry-After` says when to retry, if a retry can succeed.",
    500: "Internal server error; the server log has the details.",
    502: "A service that the solver depends on does not respond.",
    503: "The store cannot be read or written.",
}
_CODES: Mapping[type[QuaestorError], str] = {UnknownUploadError: "unknown_document", UnknownRunError: "unknown_run"}
_COMMON_STATUSES = (400, 401, 404, 421, 422, 429, 500, 503)
_CHANGE_STATUSES = (403,)
_BODY_STATUSES = (408, 413, 415)


class Fault(Value):
    """An invalid part of a request.

    Attributes:
        where: Its location, such as `body.title` or `query.limit`.
        what: The reason that it is invalid.
    """

    where: str
    what: str


class Problem(Value):
    """Problem details (RFC 9457).

    Attributes:
        detail: What went wrong, where, and what to do, in one line.
        code: The kind of problem, for programs: `unknown_conversation`, `not_found`.
        errors: The invalid parts of the request, if there are any.
    """

    type: str = "about:blank"
    title: str
    status: int = Field(ge=400, le=599)
    detail: str
    code: str
    errors: tuple[Fault, ...] = ()


def is_for_programs(path: str) -> bool:
    """Return whether a path belongs to the API."""
    return path == PREFIX or path.startswith(f"{PREFIX}/")


_STATUSES: Mapping[type[QuaestorError], int] = {
    UnknownRunError: 404,
    UnknownConversationError: 404,
    UnknownUploadError: 404,
    BusyError: 429,
    DuplicateRecordError: 409,
    QuestionStoppedError: 409,
    QuestionTimeoutError: 504,
    BudgetExceededError: 429,
    OutageError: 502,
    StoreError: 503,
    InputError: 400,
    OntologyError: 400,
    GraphError: 400,
    PlanError: 400,
}
"""HTTP status by error class; the first matching class counts."""


def status_of(error: QuaestorError) -> int:
    """Return the HTTP status of an error: 4xx if the client caused it, 5xx if the server or a service behind it did."""
    return next((status for kind, status in _STATUSES.items() if isinstance(error, kind)), 500)


def code_of(error: QuaestorError) -> str:
    """Return the machine-readable code of an error.

    >>> code_of(UnknownRunError("no such run")), code_of(UnknownUploadError("no such document"))
    ('unknown_run', 'unknown_document')
    """
    named = _CODES.get(type(error))
    return named or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(error).__name__.removesuffix("Error")).lower()


def problem_of(status: int, detail: str, code: str = "", errors: Sequence[Fault] = ()) -> Problem:
    """Create a problem."""
    title = _TITLES.get(status) or HTTPStatus(status).phrase
    name = code or title.lower().replace(" ", "_")
    return Problem(title=title, status=status, detail=detail, code=name, errors=tuple(errors))


def problem_json(problem: Problem) -> str:
    """Serialize a problem as ASCII JSON, because text echoed from the request may contain lone surrogates."""
    return json.dumps({name: value for name, value in problem.model_dump().items() if name != "errors" or value})


def problem_answer(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """Return the response for a problem."""
    challenge = {"WWW-Authenticate": "Bearer"} if problem.status == 401 else {}
    return Response(problem_json(problem), problem.status, {**challenge, **(headers or {})}, MEDIA_TYPE)


def problems(*more: int, changes: bool = False, body: bool = False) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI responses for the errors of an operation."""
    statuses = sorted(
        {*_COMMON_STATUSES, *more, *(_CHANGE_STATUSES if changes else ()), *(_BODY_STATUSES if body else ())}
    )
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": _DESCRIPTIONS[status], "content": content} for status in statuses}


_UNKNOWN_ADDRESS = "this address does not exist; GET /api/v1/openapi.json lists all addresses"
_MOST_FAULTS = 20


def install_problems(api: FastAPI) -> None:
    """Register the error handlers of the API."""

    @api.exception_handler(QuaestorError)
    async def on_quaestor(request: Request, error: QuaestorError) -> Response:
        headers = {"Retry-After": str(error.seconds)} if isinstance(error, BusyError) else {}
        line = error_line(error)
        if isinstance(error, SeveralPagesError):
            line = f"the file has {error.pages} pages; choose one from GET /api/v1/documents/ID/pages"
        return problem_answer(problem_of(status_of(error), line, code_of(error)), headers)

    @api.exception_handler(HTTPException)
    async def on_http(request: Request, error: HTTPException) -> Response:
        status, line, headers = error.status_code, str(error.detail), dict(error.headers or {})
        if status == 404 and line == HTTPStatus.NOT_FOUND.phrase:
            line = _UNKNOWN_ADDRESS
        if status == 405:
            allowed = ", ".join(methods_of(api, get_route_path(request.scope)))
            line = f"{request.method[:20]!r} is not supported; this address accepts {allowed}"
            headers["Allow"] = allowed
        return problem_answer(problem_of(status, line), headers)

    @api.exception_handler(RequestValidationError)
    async def on_invalid(request: Request, error: RequestValidationError) -> Response:
        found = read_faults(error.errors(), {"body": error.body})
        faults = [Fault(where=where, what=what) for where, what in found[:_MOST_FAULTS]]
        line = "; ".join(f"{fault.where}: {fault.what}" for fault in faults[:3])
        return problem_answer(problem_of(422, line or "the request is invalid", errors=faults))


class HeadMiddleware:
    """ASGI middleware that answers HEAD like GET, without the body."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def without_body(message: Message) -> None:
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        await self.app({**scope, "method": "GET"}, receive, without_body)


def methods_of(api: FastAPI, path: str) -> list[str]:
    """Return the HTTP methods that a path supports."""
    paths: dict[str, dict[str, Any]] = api.openapi()["paths"]
    found: set[str] = set()
    for template, operations in paths.items():
        if compile_path(template)[0].fullmatch(path):
            found |= {method.upper() for method in operations}
    return sorted(found | ({"HEAD"} if "GET" in found else set()))
