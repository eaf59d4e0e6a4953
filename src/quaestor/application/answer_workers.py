"""Worker processes of a server, which answer questions without a model and compute examples, ontologies and graphs.

A worker caches documents, what it derived from them and their conversations. If it no longer has a document, the
document is sent again.
"""

import asyncio
import hashlib
import pickle
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, TypeVar, cast

from quaestor.application.ask_service import ActiveSolver, AskRequest, resolve_solver
from quaestor.application.file_cache import load_graphs
from quaestor.application.resolve import DocumentInCorpus
from quaestor.core.caching import BoundedCache, collect_seldom
from quaestor.core.job_workers import JobListener, JobTimeoutError, JobWorkers
from quaestor.core.loop_workers import WorkerLine
from quaestor.errors import QuestionTimeoutError, SettingsError
from quaestor.evaluation.context_selection import PlaceExcerpts
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.processes import worker_context
from quaestor.evaluation.runner import ConversationRunner
from quaestor.evaluation.watchers import EventRelay
from quaestor.retrieval.index import PlaceIndex, load_index
from quaestor.settings import Settings
from quaestor.solvers.base import LazySolver
from quaestor.solvers.registry import make_solver

R = TypeVar("R")

_PAGES = 8
"""The number of documents that a worker, and the cache of pickled documents, keeps."""

_CONVERSATIONS = 32
"""The number of conversations about one document that a worker keeps."""

MODULES = (__name__, "quaestor.application.ready_solver")
"""The modules that workers preload, so that they start sooner."""


class WorkerPage:
    """A document in a worker, with the data derived from it.

    Attributes:
        runners: The conversations about the document with their event relays, by the keys of the parent process.
    """

    def __init__(self, page: DocumentInCorpus, request: AskRequest, line: WorkerLine | None = None) -> None:
        """Derive nothing yet; each part is computed when it is first needed."""
        self.page: DocumentInCorpus = page
        self.request: AskRequest = replace(request, get_graphs=self.get_graphs)
        self.line: WorkerLine | None = line
        self.runners: OrderedDict[bytes, tuple[ConversationRunner, EventRelay]] = OrderedDict()
        self._graphs: GraphProvider | None = None
        self._index: PlaceIndex | None = None
        self._index_lock = Lock()
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

    def index(self) -> PlaceIndex:
        """Return the index of the places of the document, loaded on the first call."""
        with self._index_lock:
            if self._index is None:
                document = self.page.document
                self._index = load_index(document, None if document.is_page else self.request.cache)
            return self._index

    def excerpts(self) -> PlaceExcerpts | None:
        """Return the excerpts of a document; None for a page, which is read whole."""
        if self.page.document.is_page:
            return None
        request = self.request
        return PlaceExcerpts(self.page.document, request.settings.excerpt_tokens, self.index, request.cache)

    def keep(self, key: bytes, runner: ConversationRunner, relay: EventRelay) -> None:
        """Store a conversation for later questions, dropping the oldest if there are too many."""
        self.runners[key] = runner, relay
        if len(self.runners) > _CONVERSATIONS:
            self.runners.popitem(last=False)


Work = Callable[[WorkerPage], Awaitable[R]]
"""Work for a worker: a module-level function, or a `functools.partial` of one."""


@dataclass(frozen=True, slots=True)
class _Job:
    """A job as it is sent; `page` is the pickled page and request, or None if the worker probably has them."""

    key: bytes
    page: bytes | None
    work: Work[Any]


@dataclass(frozen=True, slots=True)
class _Load:
    """The first job of a worker: load the data that solvers need."""

    solvers: frozenset[str]


class _MissingPage:
    """The reply of a worker that does not have the page."""


class _Worker:
    """The `LoopWork` of a worker process."""

    def __init__(self, line: WorkerLine) -> None:
        collect_seldom()
        self._line = line
        self._pages: OrderedDict[bytes, WorkerPage] = OrderedDict()

    async def call(self, job: _Job | _Load) -> object:
        if isinstance(job, _Load):
            for name in job.solvers:
                with suppress(SettingsError):  # the question that needs it reports it
                    if isinstance(solver := make_solver(name), LazySolver):
                        solver.load()
            return None
        page_state = self._pages.get(job.key)
        if page_state is None:
            if job.page is None:
                return _MissingPage()
            page, request = pickle.loads(job.page)  # noqa: S301 - from the process that started this one
            page_state = self._pages[job.key] = WorkerPage(page, request, self._line)
            if len(self._pages) > _PAGES:
                self._pages.popitem(last=False)
        self._pages.move_to_end(job.key)
        return await job.work(page_state)

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
        """Run work on a page in a worker, and return its result. If the task is cancelled, the worker is killed.

        Args:
            work: Must be picklable.
            like: Jobs with the same value preferably go to the same worker; by default the page.

        Raises:
            QuestionTimeoutError: The work took too long.
            LostWorkerError: The worker died.
            Exception: Whatever the work raises.
        """
        key, pickled_page = _key(page, request), None
        while True:
            job = _Job(key, pickled_page, work)
            try:
                result = await self._workers.do(job, listener or _NullListener(), self._seconds, like or key)
            except JobTimeoutError:
                raise QuestionTimeoutError(self._seconds) from None
            if not isinstance(result, _MissingPage):
                return cast("R", result)
            pickled_page = await asyncio.to_thread(self._pickle_page, key, page, request)

    def _pickle_page(self, key: bytes, page: DocumentInCorpus, request: AskRequest) -> bytes:
        return self._pages.get(key, lambda: pickle.dumps((page, _portable_request(request)), 5))


@asynccontextmanager
async def open_workers(asking: AskRequest, processes: int) -> AsyncIterator[AnswerWorkers | None]:
    """Yield running workers, and stop them at the end; yield None for 0 processes."""
    if not processes:
        yield None
        return
    load_job = _Load(frozenset((asking.settings.solver, Settings().solver)))
    async with JobWorkers(processes, worker_context(), _Worker, load_job) as workers:
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
