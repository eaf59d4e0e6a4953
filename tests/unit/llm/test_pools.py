import asyncio

import httpx2

from quaestor.llm.transport import PooledTransport


class Pool(httpx2.AsyncBaseTransport):
    """Remembers how many requests were under way at once."""

    def __init__(self) -> None:
        self.under_way = self.most = self.closed = self.asked = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.under_way += 1
        self.asked += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0.01)
        self.under_way -= 1
        if request.url.path == "/broken":
            raise httpx2.ReadError("broken", request=request)
        return httpx2.Response(200)

    async def aclose(self) -> None:
        self.closed += 1


def pools_of(*rounds: list[str]) -> list[Pool]:
    made = list[Pool]()

    def make() -> Pool:
        made.append(Pool())
        return made[-1]

    async def send() -> None:
        async with httpx2.AsyncClient(transport=PooledTransport(make), base_url="http://127.0.0.1") as client:
            for paths in rounds:
                await asyncio.gather(*(client.get(path) for path in paths), return_exceptions=True)

    asyncio.run(send())
    return made


def test_requests_one_after_the_other_share_a_pool() -> None:
    (pool,) = pools_of(["/"], ["/broken"], ["/"], ["/"])
    assert (pool.asked, pool.most, pool.closed) == (4, 1, 1)


def test_many_at_once_have_a_pool_each_and_those_that_follow_take_the_first() -> None:
    pools = pools_of(["/", "/broken"] * 8, ["/"] * 2)
    assert [pool.asked for pool in pools] == [2, 2] + [1] * 14
    assert [(pool.most, pool.closed, pool.under_way) for pool in pools] == [(1, 1, 0)] * 16
