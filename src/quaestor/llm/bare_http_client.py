"""The HTTP client of the vendors' clients: requests go to its transport, replies that are not streams are read whole.

The HTTP library looks for credentials, redirects, cookies and hooks with every request, and hands what comes through
six generators. There are none of these here, and that was a tenth of the work of a request. Streams go its way.
"""

from typing import Any

import httpx2


class BareHTTPClient(httpx2.AsyncClient):
    """Sends requests that have all that they need: headers, body and timeout. It follows no redirect."""

    def __init__(self, transport: httpx2.AsyncBaseTransport, **settings: Any) -> None:
        """Take what sends, and the settings of requests that are made here."""
        super().__init__(transport=transport, **settings)
        self._sends = transport

    async def send(self, request: httpx2.Request, *, stream: bool = False, **how: Any) -> httpx2.Response:
        """Return the server's response, with its body unless it is streamed."""
        if stream or how or self.is_closed or "timeout" not in request.extensions:
            return await super().send(request, stream=stream, **how)
        try:
            response = await self._sends.handle_async_request(request)
            body = response.stream
            assert isinstance(body, httpx2.AsyncByteStream)
            try:
                content = b"".join([piece async for piece in body])
            finally:
                await body.aclose()
            return httpx2.Response(
                response.status_code,
                headers=response.headers,
                content=content,
                request=request,
                extensions=response.extensions,
            )
        except httpx2.RequestError as error:
            error.request = request
            raise
