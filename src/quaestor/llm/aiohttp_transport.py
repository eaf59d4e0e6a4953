"""Requests over aiohttp, for those who have it installed: it reads replies in C, for a fifth less work a request.

What comes back and what is raised is httpx's, as with httpx's own way. Importing this module fails without
aiohttp, or an old one that lacks some of these errors.
"""

import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import lru_cache

import aiohttp
import httpx2
from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientOSError,
    ClientPayloadError,
    ClientResponseError,
    ConnectionTimeoutError,
    InvalidURL,
    NonHttpUrlClientError,
    ServerDisconnectedError,
    ServerTimeoutError,
)
from yarl import URL

_IDLE_SECONDS = 5.0
"""Seconds that a connection waits for its next request: as long as httpx's."""

_ERRORS: tuple[tuple[type[Exception], type[httpx2.TransportError]], ...] = (
    (ConnectionTimeoutError, httpx2.ConnectTimeout),
    (ServerTimeoutError, httpx2.ReadTimeout),
    (ClientConnectorError, httpx2.ConnectError),
    (ServerDisconnectedError, httpx2.RemoteProtocolError),
    (ClientPayloadError, httpx2.RemoteProtocolError),
    (ClientResponseError, httpx2.RemoteProtocolError),
    (InvalidURL, httpx2.UnsupportedProtocol),
    (NonHttpUrlClientError, httpx2.UnsupportedProtocol),
    (ClientOSError, httpx2.ReadError),
    (ClientError, httpx2.TransportError),
)
"""What becomes of aiohttp's errors; the first that fits counts."""


class AiohttpTransport(httpx2.AsyncBaseTransport):
    """As many connections as there are requests at once, each used again; it knows no proxy, cookies or redirects."""

    def __init__(self, certificates: ssl.SSLContext) -> None:
        """Take the trusted certificates."""
        self._certificates = certificates
        self._session: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the server's response, as soon as its head is there."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_SECONDS, ssl=self._certificates),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
            )
        with _as_httpx():
            response = await self._session.request(
                request.method,
                URL(str(request.url), encoded=True),
                headers=_pairs(request.headers),
                data=await request.aread(),
                allow_redirects=False,
                timeout=_timeout(tuple(request.extensions.get("timeout", {}).items())),
            )
        return httpx2.Response(
            response.status,
            headers=response.raw_headers,
            stream=_Body(response),
            extensions={"http_version": b"HTTP/1.1", "reason_phrase": (response.reason or "").encode()},
        )

    async def aclose(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()


class _Body(httpx2.AsyncByteStream):
    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _as_httpx():
            async for piece in self._response.content.iter_any():
                yield piece

    async def aclose(self) -> None:
        # A body that was read to its end has given its connection back; any other takes it along.
        self._response.close()


def _pairs(headers: httpx2.Headers) -> list[tuple[str, str]]:
    """Return headers as text: `multi_items`, which looks for the encoding once a header."""
    encoding = headers.encoding
    return [(name.decode(encoding), value.decode(encoding)) for name, value in headers.raw]


@lru_cache(maxsize=16)
def _timeout(seconds: tuple[tuple[str, float | None], ...]) -> aiohttp.ClientTimeout:
    given = dict(seconds)
    return aiohttp.ClientTimeout(total=None, sock_connect=given.get("connect"), sock_read=given.get("read"))


@contextmanager
def _as_httpx() -> Iterator[None]:
    """Raise httpx's errors for aiohttp's."""
    try:
        yield
    except (ClientError, ServerTimeoutError) as error:
        kind = next(ours for theirs, ours in _ERRORS if isinstance(error, theirs))
        raise kind(str(error)) from error
