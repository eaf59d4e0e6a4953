"""Worker processes of a server, which answer questions without a model and compute examples, ontologies and graphs.

A worker caches documents, what it derived from them and their conversations. If it no longer has a document, the
document is sent again. A `RemoteRunner` runs a conversation turn by turn; its watcher is notified in this process.
"""

import asyncio
import hashlib
import pickle
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar, cast

from quaestor.application.ask_service import ActiveSolver, AskRequest, make_excerpts, make_runner, resolve_solver
from quaestor.application.file_cache import load_graphs
from quaestor.application.resolve import DocumentInCorpus
from quaestor.conversation.events import Event
from quaestor.conversation.turn import ToolCall, Turn
from quaestor.core.caching import BoundedCache, collect_seldom
from quaestor.core.computing import compute
from quaestor.core.job_workers import JobListener, JobTimeoutError, JobWorkers
from quaestor.core.loop_workers import LostWorkerError, WorkerLine
from quaestor.core.serial import Triple
from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document
from quaestor.errors import EngineError, QuestionTimeoutError, SettingsError
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.processes import worker_context
from quaestor.evaluation.recording import ConversationResult, describe_failure, fatal_error, status_for_failure
from quaestor.evaluation.runner import ConversationRunner
from quaestor.evaluation.watchers import EventRelay, TurnBegun, Watcher
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.graph.writing import graph_from_triples
from quaestor.llm.usage import Usage
from quaestor.settings import Settings
from quaestor.solvers.base import Excerpts, LazySolver
from quaestor.solvers.registry import make_solver
from quaestor.store.records import now

R = TypeVar("R")

_PAGES = 8
"""The number of documents that a worker, and the cache of pickled documents, keeps."""

_CONVERSATIONS = 32
"""The number of conversations about one document that a worker keeps."""

MODULES = (__name__, "quaestor.application.ready_solver")
"""The modules that workers preload, so that they start sooner."""


class WorkerPage:
    """A document in a worker, with derived data, and its conversations by the keys of the parent process."""

    def __init__(self, page: DocumentInCorpus, request: AskRequest, line: WorkerLine | None = None) -> None:
        self.page: DocumentInCorpus = page
        self.request: AskRequest = replace(request, get_graphs=self.get_graphs)
        self.line: WorkerLine | None = line
        self.runners: OrderedDict[bytes, tuple[ConversationRunner, EventRelay]] = OrderedDict()
        self._graphs: GraphProvider | None = None
        self._active: ActiveSolver | None = None
        self._open = AsyncExitStack()

    async def get_active_solver(self) -> ActiveSolver:
        """Return the solver, opened on the first call."""
        if self._active is None:
            self._active = await self._open.enter_async_context(resolve_solver(self.request))
        return self._active

    async def get_graphs(self) -> GraphProvider:
        """Return the ontology and the graphs of the document, loaded on the first call."""
        if self._graphs is None:
            self._graphs = await load_graphs(self.page.corpus, self.request.settings, self.request.cache)
        return self._graphs


Work = Callable[[WorkerPage], Awaitable[R]]
"""Work for a worker: a module-level function, or a `functools.partial` of one."""


@dataclass(frozen=True, slots=True)
class _Job:
    """A job as it is sent; `page` is the pickled page and request, or None if the worker probably has them."""

    key: bytes
    page: bytes | None
    work: Work[Any]


class _Worker:
    """The `LoopWork` of a worker process. Its first job is the names of the solvers whose data it loads."""

    def __init__(self, line: WorkerLine) -> None:
        collect_seldom()
        self._line = line
        self._pages: OrderedDict[bytes, WorkerPage] = OrderedDict()

    async def call(self, job: _Job | frozenset[str]) -> tuple[object] | None:
        """Return the result in a tuple, or None if the worker does not have the page."""
        if isinstance(job, frozenset):
            for name in job:
                with suppress(SettingsError):  # the question that needs it reports it
                    if isinstance(solver := make_solver(name), LazySolver):
                        solver.load()
            return None
        page_state = self._pages.get(job.key)
        if page_state is None:
            if job.page is None:
                return None
            page, request = pickle.loads(job.page)  # noqa: S301 - from the process that started this one
            page_state = self._pages[job.key] = WorkerPage(page, request, self._line)
            if len(self._pages) > _PAGES:
                self._pages.popitem(last=False)
        self._pages.move_to_end(job.key)
        return (await job.work(page_state),)

    def receive(self, what: Any) -> None:
        """Do nothing."""


class _NullListener:
    """The `JobListener` of jobs without events."""

    def receive(self, message: Any) -> None:
        """Do nothing."""

    async def answer(self, request: Any) -> Any:
        """Do nothing."""


class AnswerWorkers:
    """The worker processes of a server. All calls must come from one event loop."""

    def __init__(self, workers: JobWorkers, seconds: float) -> None:
        """Use workers that are already running; a question may take at most `seconds`."""
        self._workers, self._seconds = workers, seconds
        self._pages = BoundedCache[bytes, bytes](_PAGES)

    async def do(
        self,
        page: DocumentInCorpus,
        request: AskRequest,
        work: Work[R],
        listener: JobListener | None = None,
        like: Hashable = None,
    ) -> R:
        """Run picklable work on a page in a worker. If the task is cancelled, the worker is killed.

        Jobs with the same `like` preferably go to the same worker; by default those about the same page.
        """
        key, pickled_page = _key(page, request), None
        while True:
            job = _Job(key, pickled_page, work)
            try:
                reply = await self._workers.do(job, listener or _NullListener(), self._seconds, like or key)
            except JobTimeoutError:
                raise QuestionTimeoutError(self._seconds) from None
            if reply is not None:
                return cast("R", reply[0])
            pickled_page = await asyncio.to_thread(self._pickle_page, key, page, request)

    def _pickle_page(self, key: bytes, page: DocumentInCorpus, request: AskRequest) -> bytes:
        return self._pages.get(key, lambda: pickle.dumps((page, _portable_request(request)), 5))


@asynccontextmanager
async def open_workers(asking: AskRequest, processes: int) -> AsyncIterator[AnswerWorkers | None]:
    """Yield running workers, and stop them at the end; yield None for 0 processes."""
    if not processes:
        yield None
        return
    solvers = frozenset((asking.settings.solver, Settings().solver))
    async with JobWorkers(processes, worker_context(), _Worker, solvers) as workers:
        yield AnswerWorkers(workers, asking.settings.question_seconds)


def _portable_request(request: AskRequest) -> AskRequest:
    """Return a request without the objects that cannot leave this process."""
    return AskRequest(request.settings, request.overrides, cache=request.cache)


def _key(page: DocumentInCorpus, request: AskRequest) -> bytes:
    whole = hashlib.sha256(pickle.dumps(_portable_request(request), 5))
    for document in (page.document, *page.corpus):
        whole.update(f"{document.id}\0{document.digest}\0".encode("utf-8", "surrogatepass"))
    whole.update(page.name.encode("utf-8", "surrogatepass"))
    return whole.digest()


_ATTEMPTS = 2
"""The number of attempts at a question if its worker dies before it has answered."""


_ConversationSoFar = tuple[tuple[Turn, ...], Document | None]
"""The earlier turns, and the document if a person corrected it."""


@dataclass(frozen=True, slots=True)
class _ShownGraph:
    """The graph of the facts shown so far; `graph` is empty if the watcher already has it."""

    graph_of: str | None = None
    graph: tuple[Triple, ...] = ()
    statistics: dict[str, int | str] | None = None


class RemoteRunner:
    """A conversation in progress, like `ConversationRunner`; the `JobListener` of its questions."""

    def __init__(
        self, workers: AnswerWorkers, page: DocumentInCorpus, request: AskRequest, document: Document, watcher: Watcher
    ) -> None:
        self._workers, self._page, self._request, self._watcher = workers, page, request, watcher
        self._document = document
        self._started = now()
        self._turns: list[Turn] = []
        self._open: tuple[TurnBegun, list[Event], list[ToolCall]] | None = None
        self._shown = _ShownGraph()
        self._key = secrets.token_bytes(8)
        self._asked = False

    async def begin(self, turns: Sequence[Turn] = ()) -> None:
        """Prepare for the next question, after some turns."""
        self._turns = [*turns]

    async def continue_from(self, turns: Sequence[Turn], document: Document, excerpts: Excerpts | None) -> None:
        """Continue from other turns, and from a document with corrected numbers."""
        self._document, self._open = document, None
        self._key, self._asked = secrets.token_bytes(8), False
        await self.begin(turns)

    async def ask(self, text: str) -> None:
        """Run the next turn; the watcher is notified of it."""
        before = len(self._turns)
        for _ in range(_ATTEMPTS):
            try:
                self._shown = await self._do(partial(_ask, text))
            except LostWorkerError:
                if len(self._turns) > before:
                    break
            else:
                return
        raise EngineError("the worker process that was to answer died (killed, or out of memory): ask again")

    async def graph(self) -> KnowledgeGraph | None:
        """Return the graph of the facts shown so far, or None before the first question."""
        shown: _ShownGraph = await self._do(_get_shown_graph)
        return await compute(graph_from_triples, shown.graph, self._page.document.id) if shown.graph_of else None

    async def _do(self, work: Any) -> Any:
        """Do work in the conversation; the state that the worker lacks is sent."""
        sent = None if self._asked else self._conversation_so_far()
        self._asked = True
        while True:
            result = await self._workers.do(
                self._page, self._request, partial(_do_work, self._key, len(self._turns), sent, work), self, self._key
            )
            if result is not None:
                return result
            sent = self._conversation_so_far()

    def _conversation_so_far(self) -> _ConversationSoFar:
        return tuple(self._turns), None if self._document is self._page.document else self._document

    def receive(self, message: tuple[Any, ...]) -> None:
        """Record an event of the open turn, and notify the watcher."""
        _, _, index, event, call = message
        if self._open is not None:
            _, events, calls = self._open
            events.append(event)
            if call is not None:
                calls.append(call)
        self._watcher.on_event(index, event, call)

    async def answer(self, request: tuple[Any, ...]) -> None:
        """Record the start of a turn or its answer, and notify the watcher."""
        match request:
            case ("turn", _, begun):
                begun = replace(begun, history=tuple(self._turns))
                self._open = begun, [], []
                await self._watcher.on_turn(begun)
            case ("answer", _, index, turn):
                await self._watcher.on_answer(index, turn)
                self._turns.append(turn)
                self._open = None

    def get_broken_turn(self, error: str) -> Turn | None:
        """Return the interrupted turn with its events so far; None if no turn is open."""
        if (begun_turn := self._open) is None:
            return None
        begun, events, calls = begun_turn
        return begun.unanswered(error, events, calls)

    async def result(self, failure: Exception | None = None) -> ConversationResult:
        """Return the result of the conversation."""
        error, shown = None if failure is None else describe_failure(failure), self._shown
        return ConversationResult(
            started=self._started,
            finished=max(self._started, now()),
            turns=tuple(self._turns),
            broken=None if error is None else self.get_broken_turn(error),
            status="complete" if failure is None else status_for_failure(failure),
            error=error,
            graph=shown.graph,
            graph_of=shown.graph_of,
            kg_stats=shown.statistics or {},
            exchanges=(),
            usage=Usage(),
            end=fatal_error(failure),
        )


async def _do_work(key: bytes, count: int, so_far: _ConversationSoFar | None, work: Any, here: WorkerPage) -> Any:
    """Do work in a conversation, in a worker; None if the conversation is not cached and was not sent."""
    runner, relay = here.runners.pop(key, (None, None))
    if runner is None or relay is None or len(runner.turns) != count:
        if so_far is None:
            return None
        assert here.line is not None  # this is a worker
        (turns, corrected), page = so_far, here.page.document
        relay = EventRelay(here.line, page.id)
        excerpts = await compute(make_excerpts, page, here.request)
        if excerpts is not None and corrected is not None:
            excerpts = excerpts.over(corrected)
        conversation = Conversation(page.id, corrected or page, ())
        runner = make_runner(conversation, await here.get_active_solver(), await here.get_graphs(), excerpts, relay)
        await runner.begin(turns)
    result = await work(runner, relay)
    # Only now: an interrupted conversation is restarted from its turns.
    here.runners[key] = runner, relay
    if len(here.runners) > _CONVERSATIONS:
        here.runners.popitem(last=False)
    return result


async def _ask(text: str, runner: ConversationRunner, relay: EventRelay) -> _ShownGraph:
    await runner.ask(text)
    graph = await runner.graph()
    if graph is None:
        return _ShownGraph()
    is_known = relay.graph_of == graph.digest_of_document
    return _ShownGraph(graph.digest_of_document, () if is_known else graph.triples(), graph.statistics())


async def _get_shown_graph(runner: ConversationRunner, relay: EventRelay) -> _ShownGraph:
    graph = await runner.graph()
    return _ShownGraph() if graph is None else _ShownGraph(graph.digest_of_document, graph.triples())
