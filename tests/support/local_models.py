"""Models on this machine, which tests may call although live requests are refused."""

import ipaddress
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import httpx2
import pytest
from pydantic_ai.models import override_allow_model_requests

Send = Callable[[httpx2.AsyncHTTPTransport, httpx2.Request], Awaitable[httpx2.Response]]


@contextmanager
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Allow model requests to loopback addresses; a request to another host fails the test before it is sent."""
    transport = httpx2.AsyncHTTPTransport
    monkeypatch.setattr(transport, "handle_async_request", _guarded(transport.handle_async_request))
    with override_allow_model_requests(True):
        yield


def _guarded(send: Send) -> Send:
    async def guarded(self: httpx2.AsyncHTTPTransport, request: httpx2.Request) -> httpx2.Response:
        if not ipaddress.ip_address(request.url.host).is_loopback:
            pytest.fail(f"a live request to {request.url.host}")
        return await send(self, request)

    return guarded
