"""Many connections to one server, each in a pool of its own.

The HTTP library looks at every idle connection of a pool whenever a request begins or ends, with two system calls each:
with 200 conversations at once that was a third of all work. A pool of one connection has none to look at.
"""

from collections.abc import Callable
from heapq import heappop, heappush

import httpx2


class PooledTransport(httpx2.AsyncBaseTransport):
    """Sends each request through the first pool that is free: requests one after the other share one connection."""

    def __init__(self, make: Callable[[], httpx2.AsyncBaseTransport]) -> None:
        """Take what makes a pool; the first is made now, each other when it is needed."""
        self._make = make
        self._pools = [make()]
        self._free = [0]

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the server's response."""
        if not self._free:
            self._pools.append(self._make())
            self._free.append(len(self._pools) - 1)
        number = heappop(self._free)
        try:
            return await self._pools[number].handle_async_request(request)
        finally:
            heappush(self._free, number)

    async def aclose(self) -> None:
        """Close all pools."""
        for pool in self._pools:
            await pool.aclose()
