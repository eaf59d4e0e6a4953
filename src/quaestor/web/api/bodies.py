"""Strict reading of requests: limited size, checked content type, unambiguous JSON; bodies and parts of lists.

A body must be UTF-8 JSON without duplicate keys and with finite numbers. Unknown and repeated query parameters are
errors.
"""

import json
import math
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from tempfile import SpooledTemporaryFile
from typing import IO, Annotated, Any

from fastapi import Depends, Query
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from quaestor.store.listing import MOST, ListPart
from quaestor.web.site import site_of

JSON_TYPE, FILE_TYPE = "application/json", "application/octet-stream"

_MAX_IN_MEMORY = 1_000_000
"""Uploads larger than this many bytes are buffered on disk."""

_LONGEST_NUMBER = 40
_MAX_OFFSET = 1_000_000_000
_CLOSE_CONNECTION = {"Connection": "close"}


class StrictRequest(Request):
    """Request whose size is limited and whose JSON is parsed strictly."""

    async def body(self) -> bytes:
        """Return the complete body."""
        if not hasattr(self, "_body"):
            most = (await site_of(self)).settings.serve_request_kb * 1_000
            self._body = b"".join([piece async for piece in _chunks(self, most)])
        return self._body

    async def json(self) -> Any:
        """Return the parsed body."""
        if not hasattr(self, "_json"):
            self._json = strict_json(await self.body())
        return self._json


class StrictRoute(APIRoute):
    """Route that reads requests as `StrictRequest` and rejects unknown parameters."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler of a request."""
        handle = super().get_route_handler()
        takes_json = self.body_field is not None
        known = set(_parameters(self.dependant))

        async def answer(request: Request) -> Response:
            _check_parameters(request, known)
            if takes_json:
                require_type(request, JSON_TYPE)
            return await handle(StrictRequest(request.scope, request.receive))

        return answer


def require_type(request: Request, wanted: str) -> None:
    """Check the content type of a request."""
    kind, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = parameters.partition("charset=")[2].strip(' "').lower()
    if kind.strip().lower() != wanted or charset not in ("", "utf-8"):
        raise HTTPException(415, f"unsupported content type: send the header Content-Type: {wanted}")


@asynccontextmanager
async def file_body(request: Request, most: int) -> AsyncIterator[IO[bytes]]:
    """Receive the request body as a file and yield it once it is complete."""
    require_type(request, FILE_TYPE)
    with SpooledTemporaryFile(max_size=_MAX_IN_MEMORY) as file:
        try:
            async for piece in _chunks(request, most):
                file.write(piece)
            file.seek(0)
        except OSError as error:
            raise HTTPException(503, f"the server cannot store the file: {error.strerror}", _CLOSE_CONNECTION) from None
        yield file


async def _chunks(request: Request, most: int) -> AsyncIterator[bytes]:
    too_large = HTTPException(413, f"the body is too large: at most {most:,} bytes are allowed", _CLOSE_CONNECTION)
    length = request.headers.get("content-length", "")
    if length.isascii() and length.isdigit() and (len(length) > 18 or int(length) > most):
        raise too_large
    size = 0
    try:
        async for piece in request.stream():
            size += len(piece)
            if size > most:
                raise too_large
            yield piece
    except ClientDisconnect:
        raise HTTPException(400, "the connection closed before the whole body arrived") from None


def strict_json(data: bytes) -> object:
    """Parse JSON, rejecting ambiguous input such as duplicate keys."""
    try:
        return json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_unique_keys,
            parse_constant=_reject_constant,
            parse_int=_parse_int,
            parse_float=_parse_float,
        )
    except UnicodeDecodeError as error:
        raise HTTPException(400, f"the body is not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        line = f"the body is not JSON: {error.msg} in line {error.lineno}, column {error.colno}"
        raise HTTPException(400, line) from None
    except RecursionError:
        raise HTTPException(400, "the body is nested too deeply") from None
    except ValueError as error:
        raise HTTPException(400, f"the body is invalid: {error}") from None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for number, (key, _) in enumerate(pairs) if key in dict(pairs[:number]))
        raise ValueError(f"duplicate key {twice[:60]!r} in an object")
    return found


def _reject_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _parse_int(digits: str) -> int:
    if len(digits) > _LONGEST_NUMBER:
        raise ValueError(f"a number of {len(digits)} digits is too long")
    return int(digits)


def _parse_float(digits: str) -> float:
    found = float(digits)
    if len(digits) > _LONGEST_NUMBER or not math.isfinite(found):
        raise ValueError("a number is too large or too long")
    return found


def _parameters(needed: Dependant) -> Iterator[str]:
    """Yield the names of all query parameters, including those of dependencies."""
    yield from (field.alias for field in needed.query_params)
    for inner in needed.dependencies:
        yield from _parameters(inner)


def _check_parameters(request: Request, known: set[str]) -> None:
    """Reject unknown and repeated query parameters."""
    names = [name for name, _ in request.query_params.multi_items()]
    faults = [("unknown parameter", name) for name in names if name not in known]
    faults += [("given more than once", name) for name in set(names) if names.count(name) > 1 and name in known]
    if faults:
        raise RequestValidationError([{"loc": ("query", name), "msg": what} for what, name in faults])


class RequestBody(BaseModel):
    """A request body; values are not converted to other types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


async def part_of(
    offset: Annotated[int, Query(ge=0, le=_MAX_OFFSET, description="The number of items to skip.")] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST, description="The maximum number of items.")] = 50,
) -> ListPart:
    """Create a `ListPart` from the query parameters."""
    return ListPart(offset, limit)


Part = Annotated[ListPart, Depends(part_of)]
"""Annotation for a route parameter that receives the requested part of a list."""
