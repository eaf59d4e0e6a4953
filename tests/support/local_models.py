"""Models on this machine alone: what a test may ask while live requests are refused."""

import ipaddress
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest
from pydantic_ai.models import override_allow_model_requests


@contextmanager
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Allows model requests to loopback addresses; one to any other fails the test before it leaves."""
    send = httpx2.AsyncHTTPTransport.handle_async_request

    async def guarded(self: httpx2.AsyncHTTPTransport, request: httpx2.Request) -> httpx2.Response:
        if not ipaddress.ip_address(request.url.host).is_loopback:
            pytest.fail(f"a live request to {request.url.host}")
        return await send(self, request)

    monkeypatch.setattr(httpx2.AsyncHTTPTransport, "handle_async_request", guarded)
    with override_allow_model_requests(True):
        yield
