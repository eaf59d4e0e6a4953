"""Problem details (RFC 9457): what goes wrong, in a form for programs, and what to do in one line.

No status is decided here.
"""

import json
import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from pydantic import Field
from starlette.responses import Response

from quaestor.application.replies import Value
from quaestor.errors import QuaestorError, UnknownRunError, UnknownUploadError

PREFIX = "/api"
"""Below which answers are for programs: no page, no redirect to one."""

MEDIA_TYPE = "application/problem+json"

_TITLES = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    409: "Conflict",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    421: "Misdirected Request",
    422: "Unprocessable Content",
    429: "Too Many Requests",
    500: "Internal Server Error",
    502: "Bad Gateway",
    503: "Service Unavailable",
}
"""As RFC 9110 has them: those of Python change with its version."""

_WORDS = {
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
_NAMED: Mapping[type[QuaestorError], str] = {UnknownUploadError: "unknown_document", UnknownRunError: "unknown_run"}
_ALWAYS = (400, 401, 404, 421, 422, 429, 500, 503)
_CHANGING = (403,)
_WITH_A_BODY = (408, 413, 415)


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
    """Tell whether an address is one for programs."""
    return path == PREFIX or path.startswith(f"{PREFIX}/")


def code_of(error: QuaestorError) -> str:
    """Return the kind of an error for programs.

    >>> code_of(UnknownRunError("no such run")), code_of(UnknownUploadError("no such document"))
    ('unknown_run', 'unknown_document')
    """
    named = _NAMED.get(type(error))
    return named or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(error).__name__.removesuffix("Error")).lower()


def problem_of(status: int, detail: str, code: str = "", errors: Sequence[Fault] = ()) -> Problem:
    """Return a problem.

    Args:
        detail: What went wrong and what to do, in one line.
        code: The kind of the problem; by default that of the status.
        errors: The parts of the request that cannot be used.
    """
    title = _TITLES.get(status) or HTTPStatus(status).phrase
    name = code or title.lower().replace(" ", "_")
    return Problem(title=title, status=status, detail=detail, code=name, errors=tuple(errors))


def problem_json(problem: Problem) -> str:
    """Return a problem as JSON, all in ASCII: what it repeats of a request may be no text at all."""
    return json.dumps({name: value for name, value in problem.model_dump().items() if name != "errors" or value})


def problem_answer(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """Return a problem as an answer.

    Args:
        problem: What went wrong.
    """
    challenge = {"WWW-Authenticate": "Bearer"} if problem.status == 401 else {}
    return Response(problem_json(problem), problem.status, {**challenge, **(headers or {})}, MEDIA_TYPE)


def problems(*more: int, changes: bool = False, body: bool = False) -> dict[int | str, dict[str, Any]]:
    """Return the problems of an operation, as the document of the interface names them.

    Args:
        *more: Those that not every operation has.
        changes: Whether it changes anything.
    """
    statuses = sorted({*_ALWAYS, *more, *(_CHANGING if changes else ()), *(_WITH_A_BODY if body else ())})
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": _WORDS[status], "content": content} for status in statuses}
