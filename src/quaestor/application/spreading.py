"""Work on many files or pages, spread over a Ray cluster where a person names one, else done here one after the other.

Owns that what comes back is handled in this process, in whatever order it comes: a store has one writer.
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from quaestor.application.run_service import workers_on_ray
from quaestor.cluster.joining import joined_cluster
from quaestor.cluster.ray_workers import RayWorkerPool, Work
from quaestor.evaluation.engines import gather_limited
from quaestor.settings import Settings

J = TypeVar("J")
R = TypeVar("R")


async def spread(
    work: Work[J, R], jobs: Iterable[J], handle: Callable[[J, R], Awaitable[None]], settings: Settings
) -> None:
    """Has jobs done and handles what comes of each, once.

    Args:
        handle: Takes a job and what came of it, here.
        settings: What spreads them: the engine `ray`, or else nothing.

    Raises:
        EngineError: There is no such cluster, or its workers die.
        Exception: Whatever the work or `handle` raised first.
    """
    if settings.engine != "ray":
        for job in jobs:
            await handle(job, await work(job))
        return
    workers = workers_on_ray(settings)
    async with (
        joined_cluster(workers, settings.address) as cluster,
        RayWorkerPool[J, R](cluster, work, workers) as pool,
    ):

        async def done(job: J) -> None:
            await handle(job, await pool.do(job))

        await gather_limited(jobs, done, pool.lanes)
