"""Many connections to one server in several small pools.

The HTTP library looks at every idle connection of a pool whenever a request begins or ends, with two system calls each:
with 200 conversations at once that was a third of all work. A pool of a few connections has few to look at.
"""

from collections.abc import Callable

import httpx2

IN_ONE = 16
"""Requests that wait for their replies in one pool before the next pool is taken."""


class PooledTransport(httpx2.AsyncBaseTransport):
    """Sends each request through the first pool that has room: requests one after the other share one connection."""

    def __init__(self, make: Callable[[], httpx2.AsyncBaseTransport]) -> None:
        """Takes what makes a pool; the first is made now, each other when it is needed."""
        self._make = make
        self._pools = [make()]
        self._waiting = [0]

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Returns the server's response."""
        number = next((at for at, waiting in enumerate(self._waiting) if waiting < IN_ONE), len(self._pools))
        if number == len(self._pools):
            self._pools.append(self._make())
            self._waiting.append(0)
        self._waiting[number] += 1
        try:
            return await self._pools[number].handle_async_request(request)
        finally:
            self._waiting[number] -= 1

    async def aclose(self) -> None:
        """Closes all pools."""
        for pool in self._pools:
            await pool.aclose()
