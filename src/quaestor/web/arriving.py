"""Bodies of requests while they arrive: given up if they are too slow, and bounded for each client."""

import asyncio
from collections.abc import Callable

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATIENCE = 30.0
"""Seconds that a body may keep the server waiting, besides those that its size explains."""

SLOWEST = 10_000
"""Bytes a second that a body arrives with at least."""

LONGEST = 600.0
"""Seconds that any body may keep the server waiting."""


class Bodies:
    """An ASGI middleware that answers for the app if the body of a request takes too long or too much room.

    Only the time that the app waits for the body counts. Of one client's bodies that are under way at once, those of
    more than average size are refused when all of them together are too large: small ones go through beside them.
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
        """Take what it wraps.

        Args:
            refuse: Makes the answer to a request that is given up, of its status and one line.
            patience: Seconds that a body may keep the server waiting, besides those that its size explains.
            slowest: Bytes a second that explain them.
        """
        self._app, self._refuse, self._most = app, refuse, most_of_one
        self._patience, self._slowest = patience, slowest
        self._sizes: dict[str, dict[int, int]] = {}
        self._number = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        client = (scope.get("client") or ("",))[0]
        self._number += 1
        number, loop = self._number, asyncio.get_running_loop()
        waited, more, begun = 0.0, True, False
        refusal: tuple[int, str] | None = None

        async def arriving() -> Message:
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

        async def answering(message: Message) -> None:
            nonlocal begun
            if refusal is None or begun:
                begun = True
                await send(message)

        try:
            await self._app(scope, arriving, answering)
        except ClientDisconnect:
            if refusal is None:
                raise
        finally:
            sizes = self._sizes.get(client, {})
            sizes.pop(number, None)
            if not sizes:
                self._sizes.pop(client, None)
        if refusal is not None and not begun:
            response = self._refuse(Request(scope), *refusal)
            response.headers["Connection"] = "close"
            if refusal[0] == 429:
                response.headers["Retry-After"] = "1"
            await response(scope, receive, send)
