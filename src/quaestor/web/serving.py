"""An app at an address of this machine, until somebody ends it."""

import socket
import sys

import uvicorn
from starlette.types import ASGIApp

from quaestor.errors import SettingsError
from quaestor.web.connections import Connections
from quaestor.web.security import Access

_TO_FINISH = 1
"""Seconds that requests have to come to their end when the server is told to end."""


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
