"""Methods that no operation is written for: HEAD is GET without its body, the others are told what there is."""

from typing import Any

from fastapi import FastAPI
from starlette.routing import compile_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class HeadMiddleware:
    """An ASGI middleware: answers HEAD as GET, without the body."""

    def __init__(self, app: ASGIApp) -> None:
        """Take what it wraps."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def without_body(message: Message) -> None:
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        await self.app({**scope, "method": "GET"}, receive, without_body)


def methods_of(api: FastAPI, path: str) -> list[str]:
    """Return the methods that an address takes.

    Args:
        path: Of the address, below the interface.
    """
    paths: dict[str, dict[str, Any]] = api.openapi()["paths"]
    found: set[str] = set()
    for template, operations in paths.items():
        if compile_path(template)[0].fullmatch(path):
            found |= {method.upper() for method in operations}
    return sorted(found | ({"HEAD"} if "GET" in found else set()))
