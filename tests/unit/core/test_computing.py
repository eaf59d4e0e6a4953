"""Little work is done in the loop's thread, other work in another thread if other tasks need the loop."""

import asyncio
import threading

from quaestor.core.computing import compute, compute_little, little_work


async def runs_in_loop_thread(little: bool, alone: bool) -> tuple[bool, bool]:
    """Return whether `compute_little` and `compute` run in the loop's own thread."""
    other = None if alone else asyncio.create_task(asyncio.sleep(1))
    own = threading.get_ident()
    with little_work(little):
        found = await compute_little(threading.get_ident) == own, await compute(threading.get_ident) == own
    if other is not None:
        other.cancel()
    return found


def test_single_task_computes_in_the_loop() -> None:
    assert asyncio.run(runs_in_loop_thread(little=False, alone=True)) == (True, True)


def test_little_work_is_tracked_per_task() -> None:
    async def both() -> list[tuple[bool, bool]]:
        return list(
            await asyncio.gather(
                runs_in_loop_thread(little=True, alone=False), runs_in_loop_thread(little=False, alone=False)
            )
        )

    assert asyncio.run(both()) == [(True, False), (False, False)]
