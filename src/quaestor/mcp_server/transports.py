"""The transports of the server: stdio and streamable HTTP."""

import asyncio
import json
import os
from typing import Any, Self

from anyio import EndOfStream
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError
from starlette.types import ASGIApp

from quaestor.mcp_server.server_context import ServerContext

PATH = "/mcp"
"""Path of the server below its address."""

LARGEST_REQUEST = 1_000_000
"""Maximum size of an HTTP request in bytes."""

_LONGEST_ID, _LARGEST_ID = 200, 2**63
_SESSIONS = 200
_IDLE = 1_800.0


async def serve_stdio(server: Server[ServerContext]) -> None:
    """Serve the process that started this one, until it closes the stream."""
    async with stdio_server() as (read, write):
        try:
            await server.run(_ReplyingStream(read, write), write, server.create_initialization_options())
        except asyncio.CancelledError:
            # Everything is closed, but a thread still blocks on stdin, and a normal exit would wait for it.
            os._exit(0)


class _ReplyingStream:
    """Message stream that replies to unreadable messages with an error; the SDK silently drops them."""

    def __init__(self, messages: Any, replies: Any) -> None:
        self._messages, self._replies = messages, replies

    async def receive(self) -> SessionMessage:
        while isinstance(item := await self._messages.receive(), Exception):
            if (refusal := _refusal(item)) is not None:
                await self._replies.send(SessionMessage(refusal))
        message: SessionMessage = item
        return message

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except EndOfStream:
            raise StopAsyncIteration from None

    def __aiter__(self) -> Self:
        return self

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._messages.aclose()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._messages, name)


def _refusal(error: Exception) -> JSONRPCError | None:
    """Return the error response for an unreadable message, with its id if it has one; None for a blank line."""
    line = error.errors(include_url=False)[0]["input"] if isinstance(error, ValidationError) else None
    message, code, reason = line, INVALID_REQUEST, "the message is not a request, a notification or a response"
    if isinstance(line, str):
        if not line.strip():
            return None
        code, reason = PARSE_ERROR, "the message is not JSON in UTF-8: half a surrogate pair is not a character"
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
    id = message.get("id") if isinstance(message, dict) else None
    return JSONRPCError(jsonrpc="2.0", id=id if _is_id(id) else None, error=ErrorData(code=code, message=reason))


def _is_id(id: object) -> bool:
    """Return whether a value can be echoed as the id of a message."""
    if isinstance(id, str):
        return len(id) <= _LONGEST_ID and id.isprintable()
    return type(id) is int and abs(id) < _LARGEST_ID


def http_app(server: Server[ServerContext]) -> ASGIApp:
    """Return the ASGI app for streamable HTTP, without access control."""
    return server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=LARGEST_REQUEST,
        session_idle_timeout=_IDLE,
        max_sessions=_SESSIONS,
        # `Guard` has already checked Host and Origin.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
