"""Slow and stalled connections, claimed client addresses, and the address of the server."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send
from web import served

from quaestor.errors import SettingsError
from quaestor.web.security import Access
from quaestor.web.serving import Connections, address_of, bind, read_proxies


async def tells_client(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        request = Request(scope, receive)
        await JSONResponse({"client": scope["client"][0], "scheme": scope["scheme"]})(scope, receive, send)
        await request.body()


@contextmanager
def connected(address: str) -> Iterator[socket.socket]:
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname, parts.port), timeout=20) as client:
        yield client


def receive_all(client: socket.socket) -> bytes:
    """Return all bytes received until the server closes the connection."""
    received = b""
    try:
        while piece := client.recv(65536):
            received += piece
    except ConnectionError:
        pass
    return received


GET = b"GET / HTTP/1.1\r\nHost: x\r\n"


@pytest.mark.parametrize("before", [b"", GET + b"\r\n"], ids=["first request", "after another"])
def test_endless_headers_time_out(before: bytes) -> None:
    with served(tells_client, connections=Connections(seconds=0.5)) as address, connected(address) as client:
        client.sendall(before)
        client.settimeout(0.05)
        ended = False
        for _ in range(200):  # a header every 50 ms, without ever completing the request
            try:
                client.sendall(GET if _ == 0 else b"X-More: 1\r\n")
                while piece := client.recv(65536):
                    assert before
                    assert piece
                ended = True
            except TimeoutError:
                continue
            except ConnectionError:
                ended = True
            if ended:
                break
        assert ended


def test_a_connection_without_a_request_is_closed() -> None:
    with served(tells_client, connections=Connections(seconds=0.2)) as address, connected(address) as client:
        assert receive_all(client) == b""


def test_body_that_continues_after_the_response_does_not_keep_the_connection_open() -> None:
    with served(tells_client, connections=Connections(seconds=0.5)) as address, connected(address) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
        answered = False
        for _ in range(400):
            try:
                client.sendall(b"a")
            except ConnectionError:
                break
            client.settimeout(0.05)
            try:
                piece = client.recv(65536)
            except TimeoutError:
                continue
            except ConnectionError:
                break
            answered = answered or bool(piece)
            if not piece:
                break
        else:
            pytest.fail("the connection stays open")
        assert answered


@pytest.mark.slow
def test_slow_response_does_not_time_out() -> None:
    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        import asyncio

        if scope["type"] == "http":
            await asyncio.sleep(1.0)
            await tells_client(scope, receive, send)

    with served(slow, connections=Connections(seconds=0.2)) as address, connected(address) as client:
        client.sendall(GET + b"Connection: close\r\n\r\n")
        assert b" 200 " in receive_all(client)


def test_connections_per_address_are_limited() -> None:
    with served(tells_client, connections=Connections(seconds=60, most_of_one=3)) as address:
        with ExitStack() as stack:
            for _ in range(3):
                stack.enter_context(connected(address))
            with connected(address) as fourth:
                assert receive_all(fourth) == b""
        for _ in range(100):
            with connected(address) as client:
                client.sendall(GET + b"Connection: close\r\n\r\n")
                if b" 200 " in receive_all(client):
                    return
            time.sleep(0.05)
        pytest.fail("the connections that were closed are still counted")


@pytest.mark.parametrize(
    ("proxies", "client", "scheme"),
    [((), "127.0.0.1", "http"), (("10.0.0.0/8",), "127.0.0.1", "http"), (("127.0.0.1",), "203.0.113.9", "https")],
)
def test_only_a_trusted_proxy_sets_the_client_address(proxies: tuple[str, ...], client: str, scheme: str) -> None:
    with served(tells_client, proxies=proxies) as address, connected(address) as connection:
        connection.sendall(
            GET + b"X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-Proto: https\r\nConnection: close\r\n\r\n"
        )
        answer = receive_all(connection)
    assert f'"client":"{client}","scheme":"{scheme}"'.encode() in answer


def test_a_proxy_is_an_address_or_a_network() -> None:
    assert read_proxies(" 10.0.0.1, fd00::/8 ,") == ("10.0.0.1", "fd00::/8")
    for text in ("*", "localhost", "10.0.0.1/33", "10.0.0.1 10.0.0.2"):
        with pytest.raises(SettingsError):
            read_proxies(text)


def test_the_connections_of_a_proxy_are_not_counted_against_it() -> None:
    connections = Connections(("127.0.0.0/8",), most_of_one=1)
    assert [connections.enter(address) for address in ("127.0.0.1", "127.0.0.1", "10.0.0.1", "10.0.0.1", "")] == [
        True, True, True, False, True,
    ]  # fmt: skip


def test_address_contains_only_a_generated_token() -> None:
    with bind("127.0.0.1", 0) as bound:
        port = bound.getsockname()[1]
        assert address_of(bound, Access()) == f"http://127.0.0.1:{port}/"
        generated, given = Access.at("0.0.0.0"), Access.at("0.0.0.0", "abcdefghijklmnop")
        assert address_of(bound, generated) == f"http://127.0.0.1:{port}/?token={generated.token}"
        assert address_of(bound, given) == f"http://127.0.0.1:{port}/"
