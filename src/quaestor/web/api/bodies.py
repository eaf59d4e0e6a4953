"""How requests are read: bounded in size and time, of the type that is taken, JSON without two meanings.

A body is UTF-8; a key stands once in an object; numbers are finite; a parameter that is not known, or stands twice, is
a mistake and not ignored.
"""

import json
import math
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from quaestor.web.site import site_of

JSON_TYPE, FILE_TYPE = "application/json", "application/octet-stream"

_IN_MEMORY = 1_000_000
"""Bytes of a file above which it is kept on disk until all of it is there."""

_LONGEST_NUMBER = 40
_CLOSE = {"Connection": "close"}


class StrictRequest(Request):
    """A request whose JSON is read strictly."""

    async def body(self) -> bytes:
        """Return the body, once all of it is there."""
        if not hasattr(self, "_body"):
            self._body = await read_body(self, site_of(self).settings.serve_request_kb * 1_000)
        return self._body

    async def json(self) -> Any:
        """Return what the body says."""
        if not hasattr(self, "_json"):
            self._json = strict_json(await self.body())
        return self._json


class StrictRoute(APIRoute):
    """A route that reads its requests strictly."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers a request."""
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
    """Refuse a body of another type.

    Raises:
        HTTPException: The header says another type, or none.
    """
    kind, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = parameters.partition("charset=")[2].strip(' "').lower()
    if kind.strip().lower() != wanted or charset not in ("", "utf-8"):
        raise HTTPException(415, f"unsupported content type: send the header Content-Type: {wanted}")


@asynccontextmanager
async def file_body(request: Request, most: int) -> AsyncIterator[IO[bytes]]:
    """Give a file that is the body of a request, once all of it is there.

    Raises:
        HTTPException: It is of another type or too large, or there is no room for it on the disk.
    """
    require_type(request, FILE_TYPE)
    with SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
        try:
            async for piece in _pieces(request, most):
                file.write(piece)
            file.seek(0)
        except OSError as error:
            raise HTTPException(503, f"the server cannot store the file: {error.strerror}", _CLOSE) from None
        yield file


async def read_body(request: Request, most: int) -> bytes:
    """Return the body of a request.

    Raises:
        HTTPException: It is too large.
    """
    return b"".join([piece async for piece in _pieces(request, most)])


async def _pieces(request: Request, most: int) -> AsyncIterator[bytes]:
    too_large = HTTPException(413, f"the body is too large: at most {most:,} bytes are allowed", _CLOSE)
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
    """Return what a text in JSON says.

    Raises:
        HTTPException: It is not JSON, or could be read in two ways.
    """
    try:
        return json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_object,
            parse_constant=_no_number,
            parse_int=_whole,
            parse_float=_finite,
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


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for number, (key, _) in enumerate(pairs) if key in dict(pairs[:number]))
        raise ValueError(f"duplicate key {twice[:60]!r} in an object")
    return found


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _whole(digits: str) -> int:
    if len(digits) > _LONGEST_NUMBER:
        raise ValueError(f"a number of {len(digits)} digits is too long")
    return int(digits)


def _finite(digits: str) -> float:
    found = float(digits)
    if len(digits) > _LONGEST_NUMBER or not math.isfinite(found):
        raise ValueError("a number is too large or too long")
    return found


def _parameters(needed: Dependant) -> Iterator[str]:
    """Yield the names of the parameters that an address may have."""
    yield from (field.alias for field in needed.query_params)
    for inner in needed.dependencies:
        yield from _parameters(inner)


def _check_parameters(request: Request, known: set[str]) -> None:
    """Refuse parameters of an address that say nothing here, or say two things."""
    names = [name for name, _ in request.query_params.multi_items()]
    faults = [("unknown parameter", name) for name in names if name not in known]
    faults += [("given more than once", name) for name in set(names) if names.count(name) > 1 and name in known]
    if faults:
        raise RequestValidationError([{"loc": ("query", name), "msg": what} for what, name in faults])
