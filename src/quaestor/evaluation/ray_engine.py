"""Engine for many machines: runs conversations on the workers of a Ray cluster.

Only the calling process writes to the store, so conversations of a worker that died are run again and stored once.
Model requests are counted in one place (`shared_budget`).
"""

import pickle
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from quaestor.cluster.ray_workers import Cluster, RayWorkerPool, joined_cluster
from quaestor.core.computing import compute
from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document
from quaestor.errors import BudgetExceededError
from quaestor.evaluation.engines import RunListener, gather_limited
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.processes import ELSEWHERE, Counter, SentPage, WorkersModel, workers_config
from quaestor.evaluation.recording import ConversationResult
from quaestor.evaluation.runner import SolverFactory, run_conversation
from quaestor.llm.budget import Meter, no_price
from quaestor.llm.session import ModelConfig, ModelSession
from quaestor.llm.transcript import Exchange
from quaestor.llm.usage import Usage
from quaestor.solvers.base import Solver

if TYPE_CHECKING:
    from ray import ObjectRef

_CHUNK = 4
"""Conversations sent together: they usually share one copy of a page, and little is lost if a run is stopped."""
_MOST_PAGES = 64
"""Maximum number of pages kept in the object store, besides those in use."""

_Chunk = tuple[tuple[Conversation, int], ...]
"""Conversations without their pages, each with the index of its shared page."""


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
        solver = await compute(factory)
        async with joined_cluster(self.workers, self.address) as cluster:
            config, counter = _model_access(session, cluster)
            run = session.run if session else ""
            work = ConversationWork(_picklable(solver), factory, graphs, config, run, counter, self.seconds)
            at_once = None if session is None else self.at_once
            workers = self.workers if at_once is None else min(self.workers, at_once)
            pool = RayWorkerPool[_Chunk, tuple[ConversationResult, ...]](cluster, work, workers, at_once)
            async with pool:
                pages = _Pages(pool, graphs)

                async def run_chunk(chunk: tuple[Conversation, ...]) -> None:
                    chunk = tuple([one for one in chunk if await listener.on_start(one) is not False])
                    if not chunk:
                        return
                    job, shared = await pages.without(chunk)
                    died, results = await pool.do_counted(job, *shared)
                    for conversation, returned in zip(chunk, results, strict=True):
                        result = returned
                        if session is not None and counter is not None:
                            session.add_exchanges(result.exchanges)
                            if died:  # requests of lost attempts were used too
                                result = replace(result, usage=await counter.used(conversation.id))
                        await listener.on_finish(conversation, result)

                size = _CHUNK if at_once is None else 1  # conversations that ask a model are sent singly
                await gather_limited(_chunks(conversations, size), run_chunk, pool.lanes)


def _chunks(conversations: Iterable[Conversation], size: int) -> Iterator[tuple[Conversation, ...]]:
    """Yield conversations in groups that are sent together."""
    waiting = iter(conversations)
    while chunk := tuple(islice(waiting, size)):
        yield chunk


class RayCounter:
    """Client of the shared counter, usable in any process of the cluster. Implements `CounterLine`."""

    def __init__(self, actor: Any) -> None:
        """Set the handle of the counting actor."""
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
    """Counter in a separate process."""

    def __init__(self, config: ModelConfig, already: Usage) -> None:
        super().__init__(Meter(config.budget, config.price or no_price, already, config.prices))


def started_counter(config: ModelConfig, already: Usage, cluster: Cluster) -> RayCounter:
    """Start a counter on the machine of this program."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(cluster.here, soft=False)
    kind: Any = ray.remote(_CountingActor)
    options = kind.options(num_cpus=0, scheduling_strategy=here)
    return RayCounter(options.remote(replace(config, cassette=None), already))


def _model_access(session: ModelSession | None, cluster: Cluster) -> "tuple[ModelConfig | None, RayCounter | None]":
    """Return the workers' model configuration and the shared counter; None for both without a model."""
    if session is None:
        return None, None
    config = workers_config(session, "ray")
    return config, started_counter(config, session.connection.meter.total, cluster)


def _picklable(solver: Solver) -> Solver | None:
    """Return the solver if it can be pickled; None if each worker has to build it."""
    try:
        pickle.dumps(solver, protocol=5, buffer_callback=lambda _: None)
    except (TypeError, AttributeError, ValueError, pickle.PicklingError):  # it has a lock, a file or a nested function
        return None
    return solver


class _Pages:
    """Pages in the object store, each with its frozen graph, shared by consecutive conversations."""

    def __init__(self, pool: RayWorkerPool[Any, Any], graphs: GraphProvider | None) -> None:
        self._pool, self._graphs = pool, graphs
        self._shared: OrderedDict[tuple[str, str], ObjectRef[SentPage]] = OrderedDict()

    async def without(self, chunk: Sequence[Conversation]) -> "tuple[_Chunk, list[ObjectRef[SentPage]]]":
        """Return conversations without their pages, and references to the pages."""
        keys = [(conversation.document.id, conversation.document.digest) for conversation in chunk]
        found: dict[tuple[str, str], ObjectRef[SentPage]] = {}
        for key, conversation in zip(keys, chunk, strict=True):
            found[key] = await self._page(key, conversation.document)
        order = list(found)
        bare = (replace(conversation, document=ELSEWHERE) for conversation in chunk)
        return tuple((one, order.index(key)) for one, key in zip(bare, keys, strict=True)), list(found.values())

    async def _page(self, key: tuple[str, str], document: Document) -> "ObjectRef[SentPage]":
        if key not in self._shared:
            # Only this process has the store open, so the frozen graph is shared with the page.
            stored = await self._graphs.stored(document) if self._graphs else None
            self._shared[key] = self._pool.share((document, stored))
        self._shared.move_to_end(key)
        page = self._shared[key]
        while len(self._shared) > _MOST_PAGES:
            self._shared.popitem(last=False)
        return page


class ConversationWork:
    """Worker side: runs conversations with the given solver. Implements `Work`."""

    def __init__(
        self,
        solver: Solver | None,
        factory: SolverFactory,
        graphs: GraphProvider | None,
        config: ModelConfig | None,
        run: str,
        counter: RayCounter | None,
        seconds: float | None = None,
    ) -> None:
        """Set the solver, the graphs and the access to the model."""
        self._seconds = seconds
        self._solver, self._factory, self._graphs = solver, factory, graphs
        self._config, self._run, self._counter = config, run, counter
        self._model: WorkersModel | None = None

    async def __call__(self, chunk: _Chunk, /, *pages: SentPage) -> tuple[ConversationResult, ...]:
        """Run conversations and return their results."""
        if self._solver is None:
            self._solver = self._factory()
        if self._model is None and self._config is not None and self._counter is not None:
            self._model = WorkersModel(self._config, self._run, self._counter)
        session = None if self._model is None else await self._model.session()
        results = []
        for conversation, number in chunk:
            document, stored = pages[number]
            whole = replace(conversation, document=document)
            results.append(
                await run_conversation(whole, self._solver, self._graphs, session, stored=stored, seconds=self._seconds)
            )
        return tuple(results)
