"""The interface for programs, an app of its own below `/api/v1`: its routes, its limits, its problems."""

from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi.telemetry import TelemetryConfig
from starlette.datastructures import State
from starlette.middleware import Middleware
from starlette.responses import JSONResponse

from quaestor.settings import Settings
from quaestor.web.api import (
    conversations,
    corrections,
    documents,
    failures,
    questions,
    runs,
    solvers,
    tools,
)
from quaestor.web.api.bodies import StrictRoute
from quaestor.web.api.described import describe_api
from quaestor.web.api.methods import HeadMiddleware
from quaestor.web.api.problems import problem_answer, problem_of
from quaestor.web.api.rates import Rates, Throttle
from quaestor.web.errors import INTERNAL, ErrorMiddleware
from quaestor.web.security import Access

ADDRESS = "/api/v1"

_TELLS_NOBODY: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
_ROUTERS = (
    documents.router,
    conversations.router,
    questions.router,
    corrections.router,
    runs.router,
    runs.comparisons,
    solvers.router,
    tools.router,
)


def create_api(settings: Settings, access: Access, state: State) -> FastAPI:
    """Return the interface, to be mounted at its address.

    Args:
        settings: With its limits.
        access: Who is let in; whoever mounts it guards it.
        state: Of the app that it is mounted in: the server's own stands there once that is started.
    """
    api = FastAPI(
        title="quaestor",
        version=version("quaestor"),
        summary="Answer conversations of questions about financial reports, with a source for every number.",
        description="See docs/http.md. Errors are problem details (RFC 9457).",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry=_TELLS_NOBODY,
        generate_unique_id_function=_called,
        middleware=[
            Middleware(Throttle, rates=Rates(settings.serve_requests_per_minute)),
            Middleware(HeadMiddleware),
            Middleware(ErrorMiddleware, answer=lambda _: problem_answer(problem_of(500, INTERNAL))),
        ],
    )
    api.state = state
    told: dict[str, Any] = {}

    def openapi() -> dict[str, Any]:
        if not told:
            told.update(describe_api(api, token=access.token is not None))
        return told

    api.openapi = openapi  # type: ignore[method-assign]
    for router in _ROUTERS:
        api.include_router(router)
    api.router.add_api_route(
        "/openapi.json", _document_of(api), include_in_schema=False, route_class_override=StrictRoute
    )
    failures.install_problems(api)
    return api


def _document_of(api: FastAPI) -> Any:
    async def read_openapi() -> JSONResponse:
        """Show the OpenAPI document."""
        return JSONResponse(api.openapi())

    return read_openapi


def _called(route: APIRoute) -> str:
    return route.name.removeprefix("_")
