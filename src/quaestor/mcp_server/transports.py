"""The two ways to a server: the standard streams of its process, and HTTP."""

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
"""Where the server is below its address."""

LARGEST_REQUEST = 1_000_000
"""Bytes of a request over HTTP."""

_LONGEST_ID, _LARGEST_ID = 200, 2**63
_SESSIONS = 200
_IDLE = 1_800.0


async def serve_stdio(server: Server[ServerContext]) -> None:
    """Speaks with the process that started this one, until that ends it."""
    async with stdio_server() as (read, write):
        try:
            await server.run(_Answered(read, write), write, server.create_initialization_options())
        except asyncio.CancelledError:
            # All is closed, but a thread waits for the next line of the client, and would be waited for.
            os._exit(0)


class _Answered:
    """A stream of messages in which those that cannot be read are answered: the SDK drops them."""

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
    """Return the answer to a message that cannot be read, with its id if it has one; None to a blank line."""
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
    """Tell whether something can be sent back as the id of a message."""
    if isinstance(id, str):
        return len(id) <= _LONGEST_ID and id.isprintable()
    return type(id) is int and abs(id) < _LARGEST_ID


def http_app(server: Server[ServerContext]) -> ASGIApp:
    """Return the app that speaks streamable HTTP; it lets everybody in."""
    return server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=LARGEST_REQUEST,
        session_idle_timeout=_IDLE,
        max_sessions=_SESSIONS,
        # The guard has looked at Host and Origin, by the rules that all doors share.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
