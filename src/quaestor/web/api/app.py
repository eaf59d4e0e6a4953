"""The HTTP API: a separate app mounted below `/api/v1`, with its routes, rate limit and error handlers."""

import math
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import version
from time import monotonic
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.telemetry import TelemetryConfig
from starlette.datastructures import State
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from quaestor.settings import Settings
from quaestor.web.api import conversations, documents, runs, tools
from quaestor.web.api.bodies import StrictRoute
from quaestor.web.errors import (
    INTERNAL,
    ErrorMiddleware,
    HeadMiddleware,
    Problem,
    install_problems,
    problem_answer,
    problem_of,
)
from quaestor.web.security import Access

ADDRESS = "/api/v1"

NO_TELEMETRY: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
_ROUTERS = (
    documents.router,
    conversations.router,
    conversations.questions,
    conversations.corrections,
    runs.router,
    runs.comparisons,
    conversations.solvers,
    tools.router,
)


def create_api(settings: Settings, access: Access, state: State) -> FastAPI:
    """Create the API app, to be mounted at `ADDRESS`."""
    api = FastAPI(
        title="quaestor",
        version=version("quaestor"),
        summary="Answer conversations of questions about financial reports, with a source for every number.",
        description="See docs/http.md. Errors are problem details (RFC 9457).",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry=NO_TELEMETRY,
        generate_unique_id_function=lambda route: route.name.removeprefix("_"),
        middleware=[
            Middleware(Throttle, rates=Rates(settings.serve_requests_per_minute)),
            Middleware(HeadMiddleware),
            Middleware(ErrorMiddleware, answer=lambda _: problem_answer(problem_of(500, INTERNAL))),
        ],
    )
    api.state = state

    @lru_cache(maxsize=1)
    def openapi() -> dict[str, Any]:
        return describe_api(api, token=access.token is not None)

    async def read_openapi() -> JSONResponse:
        return JSONResponse(openapi())

    api.openapi = openapi  # type: ignore[method-assign]
    for router in _ROUTERS:
        api.include_router(router)
    api.router.add_api_route("/openapi.json", read_openapi, include_in_schema=False, route_class_override=StrictRoute)
    install_problems(api)
    return api


SECURITY = "token"
_TAGS = {
    "documents": "Files and pages to ask questions about.",
    "conversations": "Sequences of questions about one document; later questions can refer to earlier ones.",
    "questions": "Questions in a conversation, and their answers with sources.",
    "corrections": "Manual corrections of answers.",
    "tools": "Find passages, check numbers, query facts, calculate, and explain answers.",
    "runs": "Recorded answers: to the questions of a dataset, of a person, or of another program.",
    "scores": "Accuracy of runs, and comparisons of two runs.",
    "solvers": "Available solvers and models.",
}
_BEGIN_CONVERSATION = "begin_conversation"
_ID_OPERATIONS = (
    ("list_documents", "200", "document", "/items/0/id"),
    ("upload_document", "201", "document", "/id"),
    ("list_pages", "200", "document", "/items/0/id"),
    (_BEGIN_CONVERSATION, "201", "conversation", "/id"),
    ("list_runs", "200", "run", "/items/0/id"),
)
"""Operations that return an id: name, response status, the parameter that takes the id, and a JSON pointer to it."""


def describe_api(api: FastAPI, *, token: bool) -> dict[str, Any]:
    """Return the OpenAPI document of the API."""
    schema = get_openapi(
        title=api.title,
        version=api.version,
        summary=api.summary,
        description=api.description,
        routes=api.routes,
        tags=[{"name": name, "description": words} for name, words in _TAGS.items()],
        servers=[{"url": "/api/v1"}],
        license_info={"name": "MIT", "identifier": "MIT"},
    )
    _add_links(schema["paths"])
    schemas = schema["components"]["schemas"]
    problem = Problem.model_json_schema(mode="serialization", ref_template="#/components/schemas/{model}")
    # `errors` is omitted if empty.
    required = [name for name in problem["properties"] if name != "errors"]
    schemas |= problem.pop("$defs", {}) | {"Problem": {**problem, "required": required}}
    if token:
        schema["components"]["securitySchemes"] = {SECURITY: {"type": "http", "scheme": "bearer"}}
        schema["security"] = [{SECURITY: []}]
    return schema


def _add_links(paths: dict[str, dict[str, Any]]) -> None:
    """Add OpenAPI links from each operation that returns an id to the operations that take it."""
    operations = [(path, operation) for path, methods in paths.items() for operation in methods.values()]
    for source, status, parameter, where in _ID_OPERATIONS:
        links = {
            operation["operationId"]: {
                "operationId": operation["operationId"],
                "parameters": {parameter: f"$response.body#{where}"},
            }
            for path, operation in operations
            if f"{{{parameter}}}" in path
        }
        if parameter == "document":
            links[_BEGIN_CONVERSATION] = {
                "operationId": _BEGIN_CONVERSATION,
                "requestBody": {"document": f"$response.body#{where}"},
            }
        (found,) = (operation for _, operation in operations if operation["operationId"] == source)
        found["responses"][status]["links"] = links


_ADDRESSES = 10_000
_BURST_SECONDS = 10.0
"""A client may send the requests of this many seconds in one burst."""


class Rates:
    """Token buckets that limit the requests of each client address."""

    def __init__(self, a_minute: int, clock: Callable[[], float] = monotonic) -> None:
        """Allow a number of requests per minute from each address; 0 disables the limit."""
        self._a_second, self._clock = a_minute / 60, clock
        self._most = max(1.0, self._a_second * _BURST_SECONDS)
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, address: str) -> float:
        """Count a request; return 0 if it is allowed, else the seconds until the next one will be."""
        if not self._a_second:
            return 0.0
        now = self._clock()
        left, then = self._left.get(address, (self._most, now))
        left = min(self._most, left + (now - then) * self._a_second)
        wait = 0.0 if left >= 1 else (1 - left) / self._a_second
        self._left[address] = (left if wait else left - 1, now)
        self._left.move_to_end(address)
        while len(self._left) > _ADDRESSES:
            self._left.popitem(last=False)
        return wait


class Throttle:
    """ASGI middleware that answers 429 if an address exceeds its rate."""

    def __init__(self, app: ASGIApp, rates: Rates) -> None:
        self.app, self._rates = app, rates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] == "http" and (wait := self._rates.wait((scope.get("client") or ("",))[0])):
            seconds = math.ceil(wait)
            line = f"too many requests from your address; retry in {seconds} s"
            answer = problem_answer(problem_of(429, line), {"Retry-After": str(seconds)})
            await answer(scope, receive, send)
            return
        await self.app(scope, receive, send)
