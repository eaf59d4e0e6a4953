"""An app at an address of this machine, until somebody ends it; connections of a client are limited.

uvicorn has a limit of time for connections that are idle between two requests, and for nothing else.
"""

import asyncio
import socket
import sys
from collections import Counter
from ipaddress import ip_address, ip_network
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from quaestor.errors import SettingsError
from quaestor.web.security import Access

_TO_FINISH = 1
"""Seconds that requests have to come to their end when the server is told to end."""

HEADER_SECONDS = 20.0
"""Seconds from the opening of a connection, or the last answer on it, to the end of the next request's headers."""

MOST_OF_ONE = 256
"""Open connections of one address."""


def read_proxies(text: str) -> tuple[str, ...]:
    """Return addresses and networks that are written with commas between them.

    Raises:
        SettingsError: One of them is not an IP address or network.
    """
    found = tuple(part.strip() for part in text.split(",") if part.strip())
    for part in found:
        try:
            ip_network(part)
        except ValueError:
            raise SettingsError(
                f"trusted proxy {part[:60]!r} is not an IP address or network: write it as 10.0.0.1 or 10.0.0.0/24"
            ) from None
    return found


class Connections:
    """The open connections of a server."""

    def __init__(
        self, proxies: tuple[str, ...] = (), *, seconds: float = HEADER_SECONDS, most_of_one: int = MOST_OF_ONE
    ) -> None:
        """Take the limits.

        Args:
            proxies: Addresses and networks whose connections are not limited in number: they serve many clients.
        """
        self.seconds: float = seconds
        self._most = most_of_one
        self._proxies = tuple(ip_network(proxy) for proxy in proxies)
        self._open: Counter[str] = Counter()

    def protocol(self, **given: Any) -> "TimedProtocol":
        """Return the protocol of a new connection, from the arguments that uvicorn gives."""
        return TimedProtocol(self, **given)

    def enter(self, address: str) -> bool:
        """Count a connection of an address, and return whether it may stay."""
        self._open[address] += 1
        return self._open[address] <= self._most or self._is_proxy(address)

    def leave(self, address: str) -> None:
        """Forget a connection that was counted."""
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]

    def _is_proxy(self, address: str) -> bool:
        try:
            return any(ip_address(address) in network for network in self._proxies)
        except ValueError:
            return False


class TimedProtocol(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, with a limit of time for headers."""

    def __init__(self, connections: Connections, **given: Any) -> None:
        """Take the connections that this is one of."""
        super().__init__(**given)
        self._connections = connections
        self._address: str | None = None
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as its base does
        """Begin to wait for a request, or close the connection if its address has too many."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        if self._connections.enter(self._address):
            self._set_deadline()
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._clear_deadline()
        if self._address is not None:
            self._connections.leave(self._address)
            self._address = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read, and stops waiting if a request has begun with it."""
        super().data_received(data)
        self._set_deadline()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        self._set_deadline()

    def _set_deadline(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._clear_deadline()
        elif self._deadline is None and not self.transport.is_closing():
            self._deadline = self.loop.call_later(self._connections.seconds, self.transport.close)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def bind(host: str, port: int) -> socket.socket:
    """Return a socket at an address, so that whoever is told the address can be answered.

    Args:
        host: An address of this machine, or a name of one.
        port: 0 takes a free one.

    Raises:
        SettingsError: It is no address of this machine, or the port is taken or not allowed.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise SettingsError(f"{host[:80]!r} is not an address of this machine: {_why(error)}") from None
    try:
        if sys.platform != "win32":
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(128)
    except OSError as error:
        bound.close()
        raise SettingsError(f"cannot listen on {host} port {port}: {_why(error)}; choose another port") from None
    return bound


def address_of(bound: socket.socket, access: Access) -> str:
    """Return the address to open in a browser, with a token that was made here, never one that was given."""
    host, port = bound.getsockname()[:2]
    shown = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    shown = f"[{shown}]" if ":" in shown else shown
    return f"http://{shown}:{port}/" + (f"?token={access.token}" if access.made else "")


def server_of(app: ASGIApp, proxies: tuple[str, ...] = (), connections: Connections | None = None) -> uvicorn.Server:
    """Return a server for an app, which says nothing of requests that go well.

    Args:
        proxies: Addresses and networks whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.
    """
    config = uvicorn.Config(
        app,
        http=(connections or Connections(proxies)).protocol,  # type: ignore[arg-type]  # uvicorn calls it as it calls a class
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_TO_FINISH,
        ws="none",
    )
    return uvicorn.Server(config)


def _why(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
