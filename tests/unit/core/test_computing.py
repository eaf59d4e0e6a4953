"""What computes a little is done at once; all else goes to a thread where anybody waits on the loop."""

import asyncio
import threading

from quaestor.core.computing import compute, compute_little, little_work


async def where(little: bool, alone: bool) -> tuple[bool, bool]:
    """Whether `compute_little` and `compute` work in the loop's own thread."""
    other = None if alone else asyncio.create_task(asyncio.sleep(1))
    own = threading.get_ident()
    with little_work(little):
        found = await compute_little(threading.get_ident) == own, await compute(threading.get_ident) == own
    if other is not None:
        other.cancel()
    return found


def test_alone_all_is_done_at_once() -> None:
    assert asyncio.run(where(little=False, alone=True)) == (True, True)


def test_little_work_is_tracked_per_task() -> None:
    async def both() -> list[tuple[bool, bool]]:
        return list(await asyncio.gather(where(little=True, alone=False), where(little=False, alone=False)))

    assert asyncio.run(both()) == [(True, False), (False, False)]
