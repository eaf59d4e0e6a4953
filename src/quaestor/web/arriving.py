"""Limits for request bodies while they arrive: their speed, and the total size per client."""

import asyncio
from collections.abc import Callable

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATIENCE = 30.0
"""Seconds that a client may keep the server waiting, in addition to the time its body needs at `SLOWEST`."""

SLOWEST = 10_000
"""Minimum transfer rate of a body in bytes per second."""

LONGEST = 600.0
"""Maximum time in seconds that the server waits for a body."""


class Bodies:
    """ASGI middleware that rejects a request if its body arrives too slowly or takes too much space.

    Only the time that the app waits for the body counts. If the concurrent bodies of one client are too large together,
    those of above-average size are rejected, so that small ones still pass.
    """

    def __init__(
        self,
        app: ASGIApp,
        refuse: Callable[[Request, int, str], Response],
        most_of_one: int,
        *,
        patience: float = PATIENCE,
        slowest: float = SLOWEST,
    ) -> None:
        self._app, self._refuse, self._most = app, refuse, most_of_one
        self._patience, self._slowest = patience, slowest
        self._sizes: dict[str, dict[int, int]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        client = (scope.get("client") or ("",))[0]
        number, loop = id(scope), asyncio.get_running_loop()
        waited, more, started = 0.0, True, False
        refusal: tuple[int, str] | None = None

        async def receive_limited() -> Message:
            nonlocal waited, more, refusal
            if not more:
                return await receive()
            sizes = self._sizes.setdefault(client, {})
            size, before = sizes.get(number, 0), loop.time()
            allowed = min(LONGEST, self._patience + size / self._slowest)
            try:
                async with asyncio.timeout(max(0.0, allowed - waited)):
                    message = await receive()
            except TimeoutError:
                refusal = 408, "the request body took too long to arrive; send the request again"
                return {"type": "http.disconnect"}
            waited += loop.time() - before
            more = message["type"] == "http.request" and message.get("more_body", False)
            sizes[number] = size = size + len(message.get("body", b""))
            total = sum(sizes.values())
            if total > self._most and size * len(sizes) >= total:
                refusal = 429, "too many large uploads from your address; try again later"
                return {"type": "http.disconnect"}
            return message

        async def send_unless_refused(message: Message) -> None:
            nonlocal started
            if refusal is None or started:
                started = True
                await send(message)

        try:
            await self._app(scope, receive_limited, send_unless_refused)
        except ClientDisconnect:
            if refusal is None:
                raise
        finally:
            sizes = self._sizes.get(client, {})
            sizes.pop(number, None)
            if not sizes:
                self._sizes.pop(client, None)
        if refusal is not None and not started:
            response = self._refuse(Request(scope), *refusal)
            response.headers["Connection"] = "close"
            if refusal[0] == 429:
                response.headers["Retry-After"] = "1"
            await response(scope, receive, send)
