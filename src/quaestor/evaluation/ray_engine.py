"""The engine for many machines: conversations on the workers of a Ray cluster.

The process that called writes all of it, so what a worker that dies was about is played again, and is in the store
once. What models are asked is counted in one place (`shared_budget`).
"""

import pickle
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from quaestor.cluster.joining import Cluster, joined_cluster
from quaestor.cluster.ray_workers import RayWorkerPool
from quaestor.core.computing import compute
from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document
from quaestor.errors import BudgetExceededError
from quaestor.evaluation.asking_processes import ELSEWHERE, SentPage
from quaestor.evaluation.conversation_result import ConversationResult
from quaestor.evaluation.engines import RunListener, chunks, gather_limited
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.processes import CHUNK
from quaestor.evaluation.runner import SolverFactory, run_conversation
from quaestor.evaluation.shared_budget import Counter, WorkersModel, workers_config
from quaestor.llm.budget import Meter, no_price
from quaestor.llm.session import ModelConfig, ModelSession
from quaestor.llm.transcript import Exchange
from quaestor.llm.usage import Usage
from quaestor.solvers.base import Solver

if TYPE_CHECKING:
    from ray import ObjectRef

_MOST_PAGES = 64
"""Pages that stay where all workers reach them, besides those that are being asked about."""

_Chunk = tuple[tuple[Conversation, int], ...]
"""Conversations without their pages, each with the number of its page among what is shared."""


@dataclass(frozen=True, slots=True)
class RayEngine:
    """Plays on a Ray cluster."""

    workers: int
    address: str | None = None
    at_once: int = 8
    seconds: float | None = None

    async def play(
        self,
        conversations: Iterable[Conversation],
        factory: SolverFactory,
        listener: RunListener,
        graphs: GraphProvider | None = None,
        session: ModelSession | None = None,
    ) -> None:
        """Play every conversation once and tell the listener."""
        solver = await compute(factory)
        async with joined_cluster(self.workers, self.address) as cluster:
            config, counter = _asking(session, cluster)
            run = session.run if session else ""
            player = ConversationWork(_if_picklable(solver), factory, graphs, config, run, counter, self.seconds)
            at_once = None if session is None else self.at_once
            workers = self.workers if at_once is None else min(self.workers, at_once)
            pool = RayWorkerPool[_Chunk, tuple[ConversationResult, ...]](cluster, player, workers, at_once)
            async with pool:
                pages = _Pages(pool, graphs)

                async def play_chunk(chunk: tuple[Conversation, ...]) -> None:
                    chunk = tuple([one for one in chunk if await listener.on_start(one) is not False])
                    if not chunk:
                        return
                    job, shared = await pages.without(chunk)
                    died, results = await pool.do_counted(job, *shared)
                    for conversation, result in zip(chunk, results, strict=True):
                        played = result
                        if session is not None and counter is not None:
                            session.heard_elsewhere(played.exchanges)
                            if died:  # what was asked in vain was asked all the same
                                played = replace(played, usage=await counter.used(conversation.id))
                        await listener.on_finish(conversation, played)

                size = CHUNK if at_once is None else 1  # those that ask a model travel alone
                await gather_limited(chunks(conversations, size), play_chunk, pool.lanes)


class _Remote(Protocol):
    """An operation in another process."""

    def remote(self, *given: Any) -> Any:
        """Begin the operation, and return what is awaited for its result."""
        ...


class _Actor(Protocol):
    reserve: _Remote
    hold: _Remote
    append: _Remote
    used: _Remote


class RayCounter:
    """The counter, from any process of the cluster. A `CounterLine`."""

    def __init__(self, actor: _Actor) -> None:
        """Take the actor that counts."""
        self._actor = actor

    async def reserve(self, model: str) -> BudgetExceededError | float:
        """Allow one more request; return 0, the seconds to wait before, or what forbids it."""
        reply: BudgetExceededError | float = await self._actor.reserve.remote(model)
        return reply

    def hold(self, model: str, seconds: float) -> None:
        """Keep all workers from asking a model for some time."""
        self._actor.hold.remote(model, seconds)

    def append(self, exchange: Exchange) -> None:
        """Count one exchange."""
        self._actor.append.remote(replace(exchange, request="", response=None))

    async def used(self, conversation: str) -> Usage:
        """Return what a conversation has used, attempts that were lost included."""
        used: Usage = await self._actor.used.remote(conversation)
        return used


class _CountingActor(Counter):
    """The counter, in a process of its own."""

    def __init__(self, config: ModelConfig, already: Usage) -> None:
        super().__init__(Meter(config.budget, config.price or no_price, already, config.prices))


def started_counter(config: ModelConfig, already: Usage, cluster: Cluster) -> RayCounter:
    """Return a counter that has begun to count, on the machine of this program."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(cluster.here, soft=False)
    kind: Any = ray.remote(_CountingActor)
    actor: _Actor = kind.options(num_cpus=0, scheduling_strategy=here).remote(replace(config, cassette=None), already)
    return RayCounter(actor)


def _asking(session: ModelSession | None, cluster: Cluster) -> "tuple[ModelConfig | None, RayCounter | None]":
    """Return how workers reach the model, and what counts for all of them; neither where no model is asked."""
    if session is None:
        return None, None
    config = workers_config(session, "ray")
    return config, started_counter(config, session.connection.meter.total, cluster)


def _if_picklable(solver: Solver) -> Solver | None:
    """Return the solver if it can be pickled; None if each worker has to build its own."""
    try:
        pickle.dumps(solver, protocol=5, buffer_callback=lambda _: None)
    except (TypeError, AttributeError, ValueError, pickle.PicklingError):  # a lock, a file, a function inside another
        return None
    return solver


class _Pages:
    """Pages where all workers reach them, each with its frozen graph: put there once for conversations that follow."""

    def __init__(self, pool: RayWorkerPool[Any, Any], graphs: GraphProvider | None) -> None:
        self._crew, self._graphs = pool, graphs
        self._shared: OrderedDict[tuple[str, str], ObjectRef[SentPage]] = OrderedDict()

    async def without(self, chunk: Sequence[Conversation]) -> "tuple[_Chunk, list[ObjectRef[SentPage]]]":
        """Return conversations without their pages, and the pages."""
        keys = [(conversation.document.id, conversation.document.digest) for conversation in chunk]
        found: dict[tuple[str, str], ObjectRef[SentPage]] = {}
        for key, conversation in zip(keys, chunk, strict=True):
            found[key] = await self._page(key, conversation.document)
        order = list(found)
        bare = (replace(conversation, document=ELSEWHERE) for conversation in chunk)
        return tuple((one, order.index(key)) for one, key in zip(bare, keys, strict=True)), list(found.values())

    async def _page(self, key: tuple[str, str], document: Document) -> "ObjectRef[SentPage]":
        if key not in self._shared:
            # Only this process has opened the store: what is frozen travels with the page.
            stored = await self._graphs.stored(document) if self._graphs else None
            self._shared[key] = self._crew.share((document, stored))
        self._shared.move_to_end(key)
        page = self._shared[key]
        while len(self._shared) > _MOST_PAGES:
            self._shared.popitem(last=False)
        return page


class ConversationWork:
    """What a worker does: plays conversations with the solver that it was handed. A `Work`."""

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
        """Take what plays."""
        self._seconds = seconds
        self._solver, self._factory, self._graphs = solver, factory, graphs
        self._config, self._run, self._counter = config, run, counter
        self._model: WorkersModel | None = None

    def __reduce__(self) -> tuple[type["ConversationWork"], tuple[Any, ...]]:
        given = (self._solver, self._factory, self._graphs, self._config, self._run, self._counter, self._seconds)
        return ConversationWork, given

    async def __call__(self, chunk: _Chunk, /, *pages: SentPage) -> tuple[ConversationResult, ...]:
        """Return how conversations went."""
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
