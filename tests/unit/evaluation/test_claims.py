"""A lease releases its claims when its block ends, even if the store swallows the cancellation."""

import asyncio
from typing import cast

from quaestor.evaluation.writing import Lease
from quaestor.store.base import RunStore


class CancellationSwallowingStore:
    """A store that returns normally when it is cancelled, like some database drivers."""

    def __init__(self) -> None:
        self.renewed, self.waiting = list[float](), asyncio.Event()

    async def renew_claims(self, run: str, owner: str, seconds: float) -> None:
        self.renewed.append(seconds)
        if seconds:
            self.waiting.set()
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                return


def test_claims_are_released_if_the_store_swallows_a_cancellation() -> None:
    async def record_renewals() -> list[float]:
        store = CancellationSwallowingStore()
        async with asyncio.timeout(30), Lease(0.03).renew_until_end(cast("RunStore", store), "run"):
            await store.waiting.wait()
        return store.renewed

    assert asyncio.run(record_renewals()) == [0.03, 0]
