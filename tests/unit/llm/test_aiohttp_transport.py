"""Over aiohttp comes what comes over httpx: replies, errors by their kind, the bytes of what was cut off."""

import asyncio
import ssl

import httpx2
import pytest
from model_replies import broken, garbled, say
from model_server import ModelServer

from quaestor.testing.models import ReceivedRequest, Reply

pytest.importorskip("aiohttp")

from quaestor.llm.aiohttp_transport import AiohttpTransport

pytestmark = pytest.mark.usefixtures("local_models")

REPLIES = {
    "hello": say("hello"),
    "too busy": broken(503),
    "elsewhere": Reply(status=307, headers={"location": "/v1/elsewhere"}, body=""),
    "packed": garbled("\x1f\x8bno archive"),
    "in the middle": say("hello, this is cut", cut=30),
    "at once": say("hello", cut=0),
    "late": Reply("hello", delay=1.0),
}

Came = tuple[object, ...]


def came(transport: httpx2.AsyncBaseTransport, url: str, times: int = 2, seconds: float = 0.3) -> list[Came]:
    async def run() -> list[Came]:
        found = list[Came]()
        async with httpx2.AsyncClient(transport=transport, timeout=httpx2.Timeout(seconds)) as client:
            for _ in range(times):
                content = b""
                try:
                    async with client.stream("POST", url, json={"messages": [], "model": "m"}) as response:
                        async for piece in response.aiter_raw():
                            content += piece
                    headers = {name: response.headers[name] for name in response.headers if name != "date"}
                    found.append((response.status_code, response.reason_phrase, headers, content))
                except httpx2.TransportError as error:
                    found.append((type(error), content))
        return found

    return asyncio.run(run())


def ways() -> tuple[httpx2.AsyncBaseTransport, httpx2.AsyncBaseTransport]:
    return httpx2.AsyncHTTPTransport(), AiohttpTransport(ssl.create_default_context())


@pytest.mark.slow
@pytest.mark.parametrize("reply", REPLIES)
def test_replies_and_errors_are_those_of_httpx(reply: str) -> None:
    found = list[list[Came]]()
    for way in ways():
        with ModelServer(lambda asked: REPLIES[reply]) as server:
            found.append(came(way, f"{server.url}/v1/chat/completions"))
    theirs, ours = found
    assert ours == theirs


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "ftp://127.0.0.1/v1"])
def test_nobody_there_is_the_error_of_httpx(url: str) -> None:
    theirs, ours = (came(way, url) for way in ways())
    assert ours == theirs


def test_requests_one_after_the_other_share_a_connection() -> None:
    open_ones = list[int]()

    def count(asked: ReceivedRequest) -> Reply:
        open_ones.append(len(server._open))
        return say("hello")

    with ModelServer(count) as server:
        url = f"{server.url}/v1/chat/completions"
        found = came(AiohttpTransport(ssl.create_default_context()), url, times=3, seconds=10.0)
    assert [one[0] for one in found] == [200] * 3
    assert open_ones == [1, 1, 1]
