"""Runs the app on a local address, with limits for the connections of each client.

uvicorn limits only the time that a connection is idle between requests.
"""

import asyncio
import socket
import sys
from collections import Counter
from functools import partial
from ipaddress import ip_address, ip_network
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from quaestor.errors import SettingsError
from quaestor.web.security import Access

_SHUTDOWN_SECONDS = 1
"""Seconds that running requests may take to finish at shutdown."""

HEADER_SECONDS = 20.0
"""Seconds from the opening of a connection, or the last response on it, to the end of the next request's headers."""

MOST_OF_ONE = 256
"""Maximum number of open connections of one address."""


def read_proxies(text: str) -> tuple[str, ...]:
    """Parse a comma-separated list of addresses and networks."""
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
    """The open connections of a server, counted by address."""

    def __init__(
        self, proxies: tuple[str, ...] = (), *, seconds: float = HEADER_SECONDS, most_of_one: int = MOST_OF_ONE
    ) -> None:
        self.seconds: float = seconds
        self._most = most_of_one
        self._proxies = tuple(ip_network(proxy) for proxy in proxies)
        self._open: Counter[str] = Counter()

    def enter(self, address: str) -> bool:
        """Count a connection, and return whether it is allowed."""
        self._open[address] += 1
        return self._open[address] <= self._most or self._is_proxy(address)

    def leave(self, address: str) -> None:
        """Remove a connection from the count."""
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]

    def _is_proxy(self, address: str) -> bool:
        try:
            return any(ip_address(address) in network for network in self._proxies)
        except ValueError:
            return False


class TimedProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 protocol with a time limit for request headers."""

    def __init__(self, connections: Connections, **given: Any) -> None:
        super().__init__(**given)
        self._connections = connections
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as its base does
        """Start the timer, or close the connection if its address has too many."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        if self._connections.enter(self._address):
            self._set_deadline()
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._clear_deadline()
        self._connections.leave(self._address)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse the data, and stop the timer once a request has begun."""
        super().data_received(data)
        self._set_deadline()

    def on_response_complete(self) -> None:
        """Start the timer for the next request."""
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
    """Return a listening socket, so that clients can connect as soon as the address is printed."""
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
    """Return the address to open in a browser, with the token only if it was generated here."""
    host, port = bound.getsockname()[:2]
    shown = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    shown = f"[{shown}]" if ":" in shown else shown
    return f"http://{shown}:{port}/" + (f"?token={access.token}" if access.made else "")


def server_of(app: ASGIApp, proxies: tuple[str, ...] = (), connections: Connections | None = None) -> uvicorn.Server:
    """Create the server for an app, without an access log."""
    config = uvicorn.Config(
        app,
        http=partial(TimedProtocol, connections or Connections(proxies)),  # type: ignore[arg-type]  # called like a class
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        ws="none",
    )
    return uvicorn.Server(config)


def _why(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
