"""Request bodies that arrive slowly, or many at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from web import asking
from web_attacks import HOST

from quaestor.web.app import create_app
from quaestor.web.arriving import Bodies

pytestmark = pytest.mark.anyio


async def measures(scope: Scope, receive: Receive, send: Send) -> None:
    body = await Request(scope, receive).body()
    await PlainTextResponse(str(len(body)))(scope, receive, send)


def refuse(request: Request, status: int, line: str) -> Response:
    return PlainTextResponse(line, status)


async def response_to(app: ASGIApp, pieces: AsyncIterator[bytes], **scope: Any) -> tuple[int, dict[str, str], bytes]:
    """Return the response of an app to a body that arrives in pieces."""
    status, headers, body = 0, dict[str, str](), b""

    async def receive() -> Message:
        async for piece in pieces:
            return {"type": "http.request", "body": piece, "more_body": True}
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        nonlocal status, body
        if message["type"] == "http.response.start":
            status = message["status"]
            headers.update({name.decode().lower(): value.decode() for name, value in message["headers"]})
        body += message.get("body", b"")

    request = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "headers": [],
        "query_string": b"",
        "scheme": "http",
        **scope,
    }
    await app({"client": ("1.2.3.4", 1), **request}, receive, send)
    return status, headers, body


async def dripping(pause: float, times: int = 10_000) -> AsyncIterator[bytes]:
    for _ in range(times):
        await asyncio.sleep(pause)
        yield b"a"


async def at_once(*pieces: bytes) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


async def delayed_body(piece: bytes, until: asyncio.Event) -> AsyncIterator[bytes]:
    yield piece
    await until.wait()


@pytest.mark.parametrize("pause", [0.01, 60.0])
async def test_slow_body_times_out(pause: float) -> None:
    app = Bodies(measures, refuse, 1_000, patience=0.2, slowest=1e6)
    status, headers, _ = await response_to(app, dripping(pause))
    assert status == 408
    assert headers["connection"] == "close"


@pytest.mark.slow
async def test_progressing_body_does_not_time_out() -> None:
    async def in_two_pieces() -> AsyncIterator[bytes]:
        yield b"a" * 100
        await asyncio.sleep(1.0)
        yield b"a"

    app = Bodies(measures, refuse, 1_000, patience=0.5, slowest=1.0)
    status, _, body = await response_to(app, in_two_pieces())
    assert (status, body) == (200, b"101")


async def test_only_the_wait_for_the_body_counts() -> None:
    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(0.3)
        await measures(scope, receive, send)
        with suppress(TimeoutError):
            async with asyncio.timeout(0.3):
                await receive()

    assert (await response_to(Bodies(slow, refuse, 1_000, patience=0.1), at_once(b"abc")))[0] == 200


async def test_large_bodies_do_not_block_small_ones_or_other_clients() -> None:
    app, done = Bodies(measures, refuse, 100), asyncio.Event()
    large = [asyncio.create_task(response_to(app, delayed_body(b"a" * 40, done))) for _ in range(3)]
    await asyncio.sleep(0.05)
    assert (await response_to(app, at_once(b"a" * 10)))[0] == 200
    assert (await response_to(app, at_once(b"a" * 90), client=("5.6.7.8", 1)))[0] == 200
    refused, headers, _ = await response_to(app, at_once(b"a" * 70))
    assert refused == 429
    assert headers["retry-after"] == "1"
    done.set()
    assert sorted([(await task)[0] for task in large]) == [200, 200, 429]
    assert (await response_to(app, at_once(b"a" * 90)))[0] == 200


async def test_slow_bodies_do_not_block_another_upload(tmp_path: Path) -> None:
    app = create_app(asking(tmp_path))
    headers = [(b"host", HOST.encode()), (b"content-type", b"application/octet-stream")]
    upload = {
        "path": "/api/v1/documents",
        "raw_path": b"/api/v1/documents",
        "query_string": b"name=a.csv",
        "headers": headers,
    }
    upload = {**upload, "root_path": "", "server": ("127.0.0.1", 8765), "http_version": "1.1"}
    async with app.router.lifespan_context(app):
        slow = [asyncio.create_task(response_to(app, dripping(0.05), **upload)) for _ in range(40)]
        await asyncio.sleep(0.3)
        status, _, body = await response_to(app, at_once(b",2023\nnet sales,17\n"), **upload)
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
    assert status == 201, body
