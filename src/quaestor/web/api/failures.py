"""Every error as a problem: whose mistake it is, what, and what to do."""

from http import HTTPStatus

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette._utils import get_route_path
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from quaestor.application.error_lines import error_line
from quaestor.errors import BusyError, QuaestorError, SeveralPagesError
from quaestor.web.api.methods import methods_of
from quaestor.web.api.problems import Fault, code_of, problem_answer, problem_of
from quaestor.web.errors import status_of

_NOTHING_HERE = "this address does not exist; GET /api/v1/openapi.json lists all addresses"
_MOST_FAULTS = 20


def install_problems(api: FastAPI) -> None:
    """Give an interface its problems."""

    async def on_quaestor(request: Request, error: Exception) -> Response:
        assert isinstance(error, QuaestorError)
        headers = {"Retry-After": str(error.seconds)} if isinstance(error, BusyError) else {}
        line = error_line(error)
        if isinstance(error, SeveralPagesError):
            line = f"the file has {error.pages} pages; choose one from GET /api/v1/documents/ID/pages"
        return problem_answer(problem_of(status_of(error), line, code_of(error)), headers)

    async def on_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        status, line, headers = error.status_code, str(error.detail), dict(error.headers or {})
        if status == 404 and line == HTTPStatus.NOT_FOUND.phrase:
            line = _NOTHING_HERE
        if status == 405:
            allowed = ", ".join(methods_of(api, get_route_path(request.scope)))
            line, headers["Allow"] = (
                f"{request.method[:20]!r} is not supported; this address accepts {allowed}",
                allowed,
            )
        return problem_answer(problem_of(status, line), headers)

    async def on_invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        faults = [Fault(where=".".join(map(str, found["loc"])), what=str(found["msg"])) for found in error.errors()]
        told = [Fault(where=fault.where[:200], what=fault.what[:200]) for fault in faults[:_MOST_FAULTS]]
        line = "; ".join(f"{fault.where}: {fault.what[:1].lower()}{fault.what[1:]}" for fault in told[:3])
        return problem_answer(problem_of(422, line or "the request is invalid", errors=told))

    api.add_exception_handler(QuaestorError, on_quaestor)
    api.add_exception_handler(HTTPException, on_http)
    api.add_exception_handler(RequestValidationError, on_invalid)
