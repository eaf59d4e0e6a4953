"""The two ways to a server: the standard streams of its process, and HTTP.

Owns neither who may come in over HTTP nor where it listens: whoever starts the server puts the guard before the app.
"""

import asyncio
import os

from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import ASGIApp

from quaestor.mcp_server.house import House

PATH = "/mcp"
"""Where the server is below its address."""

LARGEST_REQUEST = 1_000_000
"""Bytes of a request over HTTP."""

_SESSIONS = 200
_IDLE = 1_800.0


async def serve_stdio(server: Server[House]) -> None:
    """Speaks with the process that started this one, until that ends it."""
    async with stdio_server() as (read, write):
        try:
            await server.run(read, write, server.create_initialization_options())
        except asyncio.CancelledError:
            # All is closed, but a thread waits for the next line of the client, and would be waited for.
            os._exit(0)


def http_app(server: Server[House]) -> ASGIApp:
    """Returns the app that speaks streamable HTTP; it lets everybody in.

    Args:
        server: What answers; started and ended with the app.
    """
    return server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=LARGEST_REQUEST,
        session_idle_timeout=_IDLE,
        max_sessions=_SESSIONS,
        # The guard has looked at Host and Origin, by the rules that all doors share.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
