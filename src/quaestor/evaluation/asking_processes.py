"""Conversations that ask a model, on several processes of this machine: an event loop in each, one writer for all.

A worker plays; whatever happens in it is told to the process that started it while it happens, which writes it down as
it would of a conversation of its own, records what was asked, and counts for all (`shared_budget`). What a worker that
died was about is begun again, as another attempt.
"""

import asyncio
import pickle
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from quaestor.conversation.turn import Turn
from quaestor.core.caching import BoundedCache, collect_seldom
from quaestor.core.computing import compute
from quaestor.core.loop_workers import MOST_DEATHS, LoopWorkers, LostWorkerError, WorkerLine
from quaestor.core.serial import Triple
from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document, Section
from quaestor.errors import BudgetExceededError, EngineError
from quaestor.evaluation.conversation_result import ConversationResult
from quaestor.evaluation.engines import RunListener, gather_limited
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.runner import SolverFactory, run_conversation
from quaestor.evaluation.shared_budget import Counter, WorkersModel, workers_config
from quaestor.evaluation.watchers import EventRelay, Watcher
from quaestor.llm.session import ModelConfig, ModelSession
from quaestor.llm.usage import Usage
from quaestor.solvers.base import Solver

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

    from quaestor.llm.transcript import Exchange

_PAGES = 64
"""Pages that are kept ready to be sent, or as they were received."""

ELSEWHERE = Document("", (Section(""),), ())
"""Stands for the page in a conversation that travels without it."""

SentPage = tuple[Document, tuple[Triple, ...] | None]
"""A page, and its graph where that is frozen."""


@dataclass(frozen=True, slots=True)
class _Job:
    """A conversation as it travels."""

    conversation: Conversation
    key: tuple[str, str]
    page: bytes
    watched: bool


@dataclass(slots=True)
class _Heard:
    """A conversation that is being played elsewhere, as far as it was heard of."""

    conversation: Conversation
    watcher: Watcher | None
    turns: list[Turn]
    used: Usage


async def play_asking(
    conversations: Iterable[Conversation],
    factory: SolverFactory,
    listener: RunListener,
    graphs: GraphProvider | None,
    session: ModelSession,
    spread: "tuple[int, int, SpawnContext | ForkServerContext]",
    seconds: float | None = None,
) -> None:
    """Play every conversation once and tell the listener."""
    processes, at_once, context = spread
    play = _Play(listener, session)
    make = partial(_Player, factory, graphs, workers_config(session, "processes"), session.run, play.limited, seconds)
    pages = _Pages(graphs)
    async with LoopWorkers(min(processes, at_once), context, make, play.hear, play.answer) as workers:
        play.broadcast = workers.broadcast

        async def play_one(conversation: Conversation) -> None:
            for _ in range(MOST_DEATHS):
                watcher = await listener.on_start(conversation)
                if watcher is False:
                    return
                key, page = await pages.written(conversation.document)
                job = _Job(replace(conversation, document=ELSEWHERE), key, page, watcher is not None)
                async with play.hearing(conversation, watcher) as heard:
                    try:
                        played: ConversationResult = await workers.call(job, key)
                    except LostWorkerError:
                        await listener.on_lost(conversation, heard.used)
                        continue
                    if watcher is not None:
                        played = replace(played, turns=tuple(heard.turns))
                await listener.on_finish(conversation, played)
                return
            raise EngineError(
                f"{MOST_DEATHS} worker processes died in a row on {conversation.id} (killed, or out of memory): "
                "resume the run, with fewer workers if it happens again"
            )

        await gather_limited(conversations, play_one, at_once)


class _Pages:
    """Pages as they travel."""

    def __init__(self, graphs: GraphProvider | None) -> None:
        self._graphs = graphs
        self._written = BoundedCache[tuple[str, str], bytes](_PAGES)

    async def written(self, document: Document) -> tuple[tuple[str, str], bytes]:
        key = document.id, document.digest
        # Only this process has opened the store: what is frozen travels with the page.
        stored = await self._graphs.stored(document) if self._graphs else None
        return key, self._written.get(key, lambda: pickle.dumps((document, stored), 5))


class _Play:
    """What the process that started the workers hears of them, and answers."""

    def __init__(self, listener: RunListener, session: ModelSession) -> None:
        self._session, self._counter = session, Counter(session.connection.meter)
        self._heard: dict[str, _Heard] = {}
        self.limited = session.connection.meter.limited
        self.broadcast: Callable[[object], None] = lambda what: None

    @asynccontextmanager
    async def hearing(self, conversation: Conversation, watcher: Watcher | None) -> AsyncIterator[_Heard]:
        """Hears of a conversation as long as the block lasts."""
        heard = self._heard[conversation.id] = _Heard(conversation, watcher, [], Usage())
        try:
            yield heard
        finally:
            del self._heard[conversation.id]

    def hear(self, message: tuple[Any, ...]) -> None:
        """Hears what a worker says."""
        match message:
            case ("exchange", exchange):
                self._count_exchange(exchange)
            case ("event", id, index, event, call):
                if (heard := self._heard.get(id)) and heard.watcher:
                    heard.watcher.on_event(index, event, call)
            case ("hold", model, seconds):
                self._counter.hold(model, seconds)
                self.broadcast((model, seconds))

    def _count_exchange(self, exchange: "Exchange") -> None:
        meter = self._session.connection.meter
        before = meter.total
        self._session.heard_elsewhere([exchange])
        if heard := self._heard.get(exchange.place.conversation):
            heard.used += meter.total.since(before)
            if heard.watcher:
                heard.watcher.on_exchange(exchange)

    async def answer(self, asked: tuple[Any, ...]) -> object:
        """Return what a worker asks for."""
        match asked:
            case ("reserve", model):
                return self._counter.reserve(model)
            case ("turn", id, begun):
                if (heard := self._heard.get(id)) and heard.watcher:
                    history = tuple(heard.turns) if heard.conversation.chained else ()
                    await heard.watcher.on_turn(replace(begun, history=history))
            case ("answer", id, index, turn):
                if (heard := self._heard.get(id)) and heard.watcher:
                    await heard.watcher.on_answer(index, turn)
                    heard.turns.append(turn)
        return None


class _Player:
    """What a worker does: plays conversations. A `LoopWork`, and the way to the counter, a `CounterLine`."""

    def __init__(
        self,
        factory: SolverFactory,
        graphs: GraphProvider | None,
        config: ModelConfig,
        run: str,
        limited: bool,
        seconds: float | None,
        line: WorkerLine,
    ) -> None:
        collect_seldom()
        self._seconds = seconds
        self._factory, self._graphs, self._limited, self._line = factory, graphs, limited, line
        self._model = WorkersModel(config, run, self)
        self._solver: asyncio.Task[Solver] | None = None
        self._pages = BoundedCache[tuple[str, str], SentPage](_PAGES)

    async def call(self, job: _Job) -> ConversationResult:
        """Return how a conversation went; of one that is watched, without what was told before."""
        if self._solver is None:
            # A solver may read its weights. Its errors reach the process that started this one from here.
            self._solver = asyncio.create_task(compute(self._factory))
        solver = await asyncio.shield(self._solver)
        document, stored = self._pages.get(job.key, lambda: pickle.loads(job.page))  # noqa: S301 - from our parent
        conversation = replace(job.conversation, document=document)
        watcher = EventRelay(self._line, conversation.id) if job.watched else None
        session = await self._model.session()
        played = await run_conversation(conversation, solver, self._graphs, session, watcher, stored, self._seconds)
        if watcher is None:
            return replace(played, exchanges=())
        unchanged = watcher.graph_of == played.graph_of
        return replace(played, exchanges=(), turns=(), graph=() if unchanged else played.graph)

    def receive(self, what: tuple[str, float]) -> None:
        """Leave a model alone that another worker has to leave alone."""
        self._model.meter.hold_here(*what)

    async def reserve(self, model: str) -> BudgetExceededError | float:
        """Ask for one more request, if there is a limit."""
        if not self._limited:
            return 0.0
        reply: BudgetExceededError | float = await self._line.ask(("reserve", model))
        return reply

    def hold(self, model: str, seconds: float) -> None:
        """Keep all workers from asking a model for some time."""
        self._line.send(("hold", model, seconds))

    def append(self, exchange: "Exchange") -> None:
        """Tell of one exchange."""
        self._line.send(("exchange", exchange))
