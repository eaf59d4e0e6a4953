"""Folds of a cross-validation on a Ray cluster: one a worker, in processes that add up in one order.

The same weights and answers come of them as of processes of this machine, if the machines are of one kind.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from quaestor.cluster.joining import joined_cluster
from quaestor.cluster.ray_workers import RayWorkerPool
from quaestor.evaluation.engines import gather_limited
from quaestor.learning.deterministic import variables_of_order

Fold = TypeVar("Fold")
Answers = TypeVar("Answers")


@dataclass(frozen=True, slots=True)
class _Answering(Generic[Fold, Answers]):
    answer: Callable[[Fold], Answers]

    async def __call__(self, fold: Fold, /, *_shared: object) -> Answers:
        # In a thread without an event loop: what plays conversations there begins one of its own.
        return await asyncio.to_thread(self.answer, fold)


def answer_on_ray(
    answer: Callable[[Fold], Answers],
    folds: Sequence[Fold],
    workers: int,
    address: str | None = None,
    on_fold: Callable[[int], None] | None = None,
) -> list[Answers]:
    """Return what a function makes of each fold, in their order.

    Args:
        workers: How many at once, at most.
        address: Of the cluster; None starts one on this machine.
        on_fold: Called with the number of folds that are done.

    Raises:
        EngineError: The cluster is missing, or its workers die.
    """
    answered: dict[int, Answers] = {}

    async def answer_all() -> None:
        work = _Answering(answer)
        async with (
            joined_cluster(workers, address) as cluster,
            RayWorkerPool[Fold, Answers](cluster, work, workers, variables=variables_of_order()) as pool,
        ):

            async def one(number: int) -> None:
                answered[number] = await pool.do(folds[number])
                if on_fold:
                    on_fold(len(answered))

            await gather_limited(range(len(folds)), one, pool.lanes)

    asyncio.run(answer_all())
    return [answered[number] for number in range(len(folds))]
