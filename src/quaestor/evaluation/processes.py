"""Engine with worker processes on this machine: an event loop in each, and a single writer.

Workers are spawned, not forked, so that all platforms behave the same and no lock is inherited. On Linux, a program may
have a server process import their modules in advance (`preload_modules`); workers are then forked from that process,
which has no locks.

Workers of a solver that asks a model send every event as it happens to the parent process, which stores it like events
of its own conversations and records model requests. Every request of every worker, on one machine or many, is reserved
at one counter, and its usage is reported before the worker's next reservation: a limit on requests is never exceeded, a
limit on tokens or money only by the requests in flight.
"""

import asyncio
import multiprocessing
import pickle
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from quaestor.conversation.turn import Turn
from quaestor.core.caching import BoundedCache, collect_seldom
from quaestor.core.computing import compute
from quaestor.core.loop_workers import MOST_DEATHS, LoopWorkers, LostWorkerError, WorkerLine, ignore_signals
from quaestor.core.serial import Triple
from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document, Section
from quaestor.errors import BudgetExceededError, EngineError
from quaestor.evaluation.engines import RunListener, gather_limited
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.recording import ConversationResult
from quaestor.evaluation.runner import SolverFactory, run_conversation
from quaestor.evaluation.watchers import EventRelay, Watcher
from quaestor.llm.budget import Meter, no_price
from quaestor.llm.models import RetryPolicy
from quaestor.llm.session import ModelConfig, ModelSession, open_session
from quaestor.llm.transcript import Exchange
from quaestor.llm.usage import Usage
from quaestor.solvers.base import Solver

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

    from quaestor.llm.transcript import Exchange


_SHORTEST_WAIT = 0.02
"""Waits below this number of seconds are skipped."""


class Counter:
    """Counter in one process."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._conversations: dict[str, Usage] = {}

    def reserve(self, model: str) -> BudgetExceededError | float:
        """Reserve one more request; return 0, the seconds to wait first, or the error that forbids it."""
        if (wait := self._meter.waiting(model)) > _SHORTEST_WAIT:
            return wait
        try:
            self._meter.reserve()
        except BudgetExceededError as error:  # returned as a value, to be sent unchanged
            return error
        return 0.0

    def hold(self, model: str, seconds: float) -> None:
        """Keep all workers from asking a model for some time."""
        self._meter.hold(model, seconds)

    def append(self, exchange: Exchange) -> None:
        """Count an exchange."""
        before = self._meter.total
        self._meter.append(exchange)
        name = exchange.place.conversation
        self._conversations[name] = self._conversations.get(name, Usage()) + self._meter.total.since(before)

    def used(self, conversation: str) -> Usage:
        """Return the usage of a conversation, including lost attempts."""
        return self._conversations.get(conversation, Usage())


class CounterLine(Protocol):
    """A worker's connection to the counter. Messages arrive in order."""

    async def reserve(self, model: str) -> BudgetExceededError | float:
        """Reserve one more request, as `Counter.reserve`."""

    def hold(self, model: str, seconds: float) -> None:
        """Keep all workers from asking a model, without waiting for a reply."""

    def append(self, exchange: Exchange) -> None:
        """Count an exchange, without waiting for a reply."""


class SharedMeter(Meter):
    """A worker's meter: counts its own turns, and reserves every request with the shared counter."""

    def __init__(self, config: ModelConfig, counter: CounterLine) -> None:
        super().__init__(None, config.price or no_price, None, config.prices)
        self._counter, self._retries = counter, RetryPolicy()

    def hold(self, model: str, seconds: float) -> float:
        """Keep all workers from asking a model for some time; return the end of this time here."""
        self._counter.hold(model, seconds)
        return super().hold(model, seconds)

    def hold_here(self, model: str, seconds: float) -> None:
        """Keep this worker from asking a model for the time that another worker announced."""
        super().hold(model, seconds)

    async def allow(self, model: str = "") -> None:
        """Reserve one more request, after waiting while the model is on hold."""
        while reply := await self._counter.reserve(model):
            if isinstance(reply, BudgetExceededError):
                raise reply
            await asyncio.sleep(self._retries.spread(reply))

    def append(self, exchange: Exchange, /) -> None:
        """Count an exchange, here and in the shared counter."""
        super().append(exchange)
        # Messages are in order, so the worker's next reservation comes after it.
        self._counter.append(exchange)


def workers_config(session: ModelSession, engine: str) -> ModelConfig:
    """Return the configuration with which workers open their own sessions."""
    config = session.config
    if config is None:
        raise EngineError(
            f"the engine {engine!r} needs a session from `open_session`, as its workers open sessions of their own"
        )
    if config.tracing is not None:
        raise EngineError(
            f"the engine {engine!r} does not send traces from its workers: use 'inline', or turn tracing off"
        )
    # Recordings are written by one process, from the exchanges that workers return; only cassettes to replay are sent.
    replayed = config.cassette if config.cassette is not None and not config.cassette.live else None
    return replace(config, cassette=replayed)


class WorkersModel:
    """A worker's session with the model, opened on first use and closed when the worker ends."""

    def __init__(self, config: ModelConfig, run: str, counter: CounterLine) -> None:
        self._config, self._run = config, run
        self.meter = SharedMeter(config, counter)
        self._opening: asyncio.Task[ModelSession] | None = None
        self._stack = AsyncExitStack()

    async def session(self) -> ModelSession:
        """Return the session shared by all conversations of the worker."""
        if self._opening is None:
            self._opening = asyncio.create_task(self._open())
        return await asyncio.shield(self._opening)

    async def _open(self) -> ModelSession:
        opened = await self._stack.enter_async_context(open_session(self._config, meter=self.meter))
        opened.run = self._run
        return opened


MOST_PAGES = 64
"""Number of pages cached, as sent by the parent and as received in the workers."""

ELSEWHERE = Document("", (Section(""),), ())
"""Placeholder document for conversations that are sent without their page."""

SentPage = tuple[Document, tuple[Triple, ...] | None]
"""A page, and its graph if it is frozen."""


@dataclass(frozen=True, slots=True)
class _Job:
    conversation: Conversation
    key: tuple[str, str]
    page: bytes
    watched: bool


@dataclass(slots=True)
class _RunningConversation:
    """Conversation running in a worker, with the turns and usage reported so far."""

    conversation: Conversation
    watcher: Watcher | None
    turns: list[Turn]
    used: Usage


class _Parent:
    """Handles messages and requests of the workers in the parent process."""

    def __init__(self, session: ModelSession | None) -> None:
        self._session, self._counter = session, Counter(session.connection.meter) if session else None
        self._running: dict[str, _RunningConversation] = {}
        self.broadcast: Callable[[object], None] = lambda what: None

    @asynccontextmanager
    async def track(self, conversation: Conversation, watcher: Watcher | None) -> AsyncIterator[_RunningConversation]:
        """Track a running conversation until the block ends."""
        running = self._running[conversation.id] = _RunningConversation(conversation, watcher, [], Usage())
        try:
            yield running
        finally:
            del self._running[conversation.id]

    def receive(self, message: tuple[Any, ...]) -> None:
        """Handle a worker's message."""
        match message:
            case ("exchange", exchange):
                self._count_exchange(exchange)
            case ("event", id, index, event, call):
                if (running := self._running.get(id)) and running.watcher:
                    running.watcher.on_event(index, event, call)
            case ("hold", model, seconds) if self._counter:
                self._counter.hold(model, seconds)
                self.broadcast((model, seconds))

    def _count_exchange(self, exchange: "Exchange") -> None:
        assert self._session is not None
        meter = self._session.connection.meter
        before = meter.total
        self._session.add_exchanges([exchange])
        if running := self._running.get(exchange.place.conversation):
            running.used += meter.total.since(before)
            if running.watcher:
                running.watcher.on_exchange(exchange)

    async def answer(self, request: tuple[Any, ...]) -> object:
        """Handle a worker's request and return the reply."""
        match request:
            case ("reserve", model) if self._counter:
                return self._counter.reserve(model)
            case ("turn", id, begun):
                if (running := self._running.get(id)) and running.watcher:
                    history = tuple(running.turns) if running.conversation.chained else ()
                    await running.watcher.on_turn(replace(begun, history=history))
            case ("answer", id, index, turn):
                if (running := self._running.get(id)) and running.watcher:
                    await running.watcher.on_answer(index, turn)
                    running.turns.append(turn)
        return None


class _Worker:
    """Worker side: runs conversations. Implements `LoopWork` and, as the line to the counter, `CounterLine`."""

    def __init__(
        self,
        factory: SolverFactory,
        graphs: GraphProvider | None,
        model: tuple[ModelConfig, str, bool] | None,
        seconds: float | None,
        line: WorkerLine,
    ) -> None:
        collect_seldom()
        self._factory, self._graphs, self._seconds, self._line = factory, graphs, seconds, line
        self._model, self._limited = None if model is None else WorkersModel(*model[:2], self), bool(model and model[2])
        # Without a model, the next conversation waits here, so that the worker never waits for its parent.
        self._room = asyncio.Lock() if model is None else nullcontext()
        self._solver: asyncio.Task[Solver] | None = None
        self._pages = BoundedCache[tuple[str, str], SentPage](MOST_PAGES)

    async def call(self, job: _Job) -> ConversationResult:
        """Run a conversation; if it is watched, the result omits what was already sent."""
        if self._solver is None:
            # The solver is built here because it may read weights, and errors in this method reach the parent.
            self._solver = asyncio.create_task(compute(self._factory))
        solver = await asyncio.shield(self._solver)
        document, stored = self._pages.get(job.key, lambda: pickle.loads(job.page))  # noqa: S301 - from the parent
        conversation = replace(job.conversation, document=document)
        watcher = EventRelay(self._line, conversation.id) if job.watched else None
        session = await self._model.session() if self._model else None
        async with self._room:
            result = await run_conversation(conversation, solver, self._graphs, session, watcher, stored, self._seconds)
        if watcher is None:
            return replace(result, exchanges=())
        unchanged = watcher.graph_of == result.graph_of
        return replace(result, exchanges=(), turns=(), graph=() if unchanged else result.graph)

    def receive(self, what: tuple[str, float]) -> None:
        """Stop asking a model for the time that another worker announced."""
        if self._model is not None:
            self._model.meter.hold_here(*what)

    async def reserve(self, model: str) -> BudgetExceededError | float:
        """Reserve one more request if the budget is limited."""
        if not self._limited:
            return 0.0
        reply: BudgetExceededError | float = await self._line.ask(("reserve", model))
        return reply

    def hold(self, model: str, seconds: float) -> None:
        """Keep all workers from asking a model for some time."""
        self._line.send(("hold", model, seconds))

    def append(self, exchange: "Exchange") -> None:
        """Send an exchange to be counted."""
        self._line.send(("exchange", exchange))


ASKING = (
    "quaestor.llm.clients",
    "quaestor.llm.guarded",
    "quaestor.llm.transport",
)
"""Additional modules for workers if the solver asks a model."""


class _Preloading:
    """Whether workers are forked from a server process that has imported their modules."""

    started = False


def preload_modules(modules: Sequence[str]) -> None:
    """Start importing the workers' modules in a server process, in the background.

    Intended for programs, not libraries, before the first worker starts. It does nothing on systems other than Linux,
    where libraries cannot safely be forked after their import.
    """
    if sys.platform != "linux" or threading.current_thread() is not threading.main_thread():
        return
    from multiprocessing import forkserver

    multiprocessing.get_context("forkserver").set_forkserver_preload([__name__, *modules])
    with ignore_signals():
        forkserver.ensure_running()
    _Preloading.started = True


def worker_context() -> "ForkServerContext | SpawnContext":
    """Return the multiprocessing context for worker processes."""
    return multiprocessing.get_context("forkserver") if _Preloading.started else multiprocessing.get_context("spawn")


@dataclass(frozen=True, slots=True)
class ProcessEngine:
    """Runs conversations in worker processes; those of a worker that died are started again as new attempts."""

    workers: int
    at_once: int | None = None
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
        parent, pages = _Parent(session), BoundedCache[tuple[str, str], bytes](MOST_PAGES)
        count, at_once, model = self.workers, 2 * self.workers, None
        if session is not None:
            at_once = self.at_once or self.workers
            count = min(self.workers, at_once)
            model = workers_config(session, "processes"), session.run, session.connection.meter.limited
        make = partial(_Worker, factory, graphs, model, self.seconds)
        async with LoopWorkers(count, worker_context(), make, parent.receive, parent.answer) as workers:
            parent.broadcast = workers.broadcast

            async def run_one(conversation: Conversation) -> None:
                document = conversation.document
                key = document.id, document.digest
                for _ in range(MOST_DEATHS):
                    watcher = await listener.on_start(conversation)
                    if watcher is False:
                        return
                    # Only this process has the store open, so the frozen graph is sent with the page.
                    stored = await graphs.stored(document) if graphs else None
                    page = pages.get(key, partial(pickle.dumps, (document, stored), 5))
                    watched = watcher is not None and session is not None
                    job = _Job(replace(conversation, document=ELSEWHERE), key, page, watched)
                    async with parent.track(conversation, watcher) as running:
                        try:
                            result: ConversationResult = await workers.call(job, key)
                        except LostWorkerError:
                            await listener.on_lost(conversation, running.used)
                            continue
                        if watched:
                            result = replace(result, turns=tuple(running.turns))
                    await listener.on_finish(conversation, result)
                    return
                raise EngineError(
                    f"{MOST_DEATHS} worker processes died in a row on {conversation.id} (killed, or out of memory): "
                    "resume the run, with fewer workers if it happens again"
                )

            await gather_limited(conversations, run_one, at_once)
