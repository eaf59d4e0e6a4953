"""Engine for many machines: runs conversations on the workers of a Ray cluster.

Only the calling process writes to the store, so conversations of a worker that died are run again and stored once.
Model requests are counted in one place (`processes.Counter`).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from quaestor.cluster.ray_workers import RayWorkerPool, joined_cluster
from quaestor.core.caching import BoundedCache
from quaestor.datasets.dataset import Conversation
from quaestor.errors import BudgetExceededError
from quaestor.evaluation.engines import RunListener, gather_limited
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.processes import ELSEWHERE, MOST_PAGES, Counter, SentPage, WorkersModel, workers_config
from quaestor.evaluation.recording import ConversationResult
from quaestor.evaluation.runner import SolverFactory, run_conversation
from quaestor.llm.budget import Meter, no_price
from quaestor.llm.session import ModelConfig, ModelSession
from quaestor.llm.transcript import Exchange
from quaestor.llm.usage import Usage
from quaestor.solvers.base import Solver

if TYPE_CHECKING:
    from ray import ObjectRef


@dataclass(frozen=True, slots=True)
class RayEngine:
    """Runs conversations on a Ray cluster."""

    workers: int
    address: str | None = None
    at_once: int = 8
    seconds: float | None = None

    async def run(
        self,
        conversations: Iterable[Conversation],
        factory: SolverFactory,
        listener: RunListener,
        graphs: GraphProvider | None = None,
        session: ModelSession | None = None,
    ) -> None:
        """Run every conversation once and notify the listener."""
        async with joined_cluster(self.workers, self.address):
            model: tuple[ModelConfig, str, RayCounter] | None = None
            at_once, workers = self.at_once if session else None, self.workers
            if session is not None:
                config = workers_config(session, "ray")
                counter = started_counter(config, session.connection.meter.total)
                model, workers = (config, session.run, counter), min(workers, self.at_once)
            work = ConversationWork(factory, graphs, model, self.seconds)
            pages: BoundedCache[tuple[str, str], ObjectRef[SentPage]] = BoundedCache(MOST_PAGES)
            async with RayWorkerPool[Conversation, ConversationResult](work, workers, at_once) as pool:

                async def run_one(conversation: Conversation) -> None:
                    if await listener.on_start(conversation) is False:
                        return
                    document = conversation.document
                    # Only this process has the store open, so the frozen graph is shared with the page.
                    page = document, await graphs.stored(document) if graphs else None
                    shared = pages.get((document.id, document.digest), partial(pool.share, page))
                    died, result = await pool.do_counted(replace(conversation, document=ELSEWHERE), shared)
                    if session is not None and model is not None:
                        session.add_exchanges(result.exchanges)
                        if died:  # requests of lost attempts were used too
                            result = replace(result, usage=await model[2].used(conversation.id))
                    await listener.on_finish(conversation, result)

                await gather_limited(conversations, run_one, pool.lanes)


class RayCounter:
    """Client of the shared counter, usable in any process of the cluster. Implements `CounterLine`."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    async def reserve(self, model: str) -> BudgetExceededError | float:
        """Reserve one more request; return 0, the seconds to wait first, or the error that forbids it."""
        reply: BudgetExceededError | float = await self._actor.reserve.remote(model)
        return reply

    def hold(self, model: str, seconds: float) -> None:
        """Keep all workers from asking a model for some time."""
        self._actor.hold.remote(model, seconds)

    def append(self, exchange: Exchange) -> None:
        """Count an exchange."""
        self._actor.append.remote(replace(exchange, request="", response=None))

    async def used(self, conversation: str) -> Usage:
        """Return the usage of a conversation, including lost attempts."""
        used: Usage = await self._actor.used.remote(conversation)
        return used


class _CountingActor(Counter):
    def __init__(self, config: ModelConfig, already: Usage) -> None:
        super().__init__(Meter(config.budget, config.price or no_price, already, config.prices))


def started_counter(config: ModelConfig, already: Usage) -> RayCounter:
    """Start a counter on the machine of this program."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    kind: Any = ray.remote(_CountingActor)
    options = kind.options(num_cpus=0, scheduling_strategy=here)
    return RayCounter(options.remote(replace(config, cassette=None), already))


class ConversationWork:
    """Worker side: runs conversations with a solver that is built once. Implements `Work`."""

    def __init__(
        self,
        factory: SolverFactory,
        graphs: GraphProvider | None,
        model: tuple[ModelConfig, str, RayCounter] | None,
        seconds: float | None,
    ) -> None:
        self._factory, self._graphs, self._access, self._seconds = factory, graphs, model, seconds
        self._solver: Solver | None = None
        self._model: WorkersModel | None = None

    async def __call__(self, conversation: Conversation, /, page: SentPage) -> ConversationResult:
        """Run a conversation about a shared page."""
        if self._solver is None:
            self._solver = self._factory()
        if self._model is None and self._access is not None:
            self._model = WorkersModel(*self._access)
        session = None if self._model is None else await self._model.session()
        whole, stored = replace(conversation, document=page[0]), page[1]
        return await run_conversation(whole, self._solver, self._graphs, session, None, stored, self._seconds)
