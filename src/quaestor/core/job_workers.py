"""Worker processes that run one job at a time and can be killed during a job without harm to others.

If a job is slow, an additional worker is started so that other jobs need not wait. A job that may be endless continues
at the lowest CPU priority.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from quaestor.core.loop_workers import LoopWork, LoopWorkers, LostWorkerError, WorkerLine
from quaestor.errors import EngineError

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

_SLOW, _ENDLESS = 0.5, 1.5
"""Seconds after which a job counts as slow, and as possibly endless."""

_MOST_SLOW, _MOST_ENDLESS = 8, 24
"""Maximum number of additional workers for slow and for possibly endless jobs; each takes memory."""

_MOST_REMEMBERED = 256


class JobTimeoutError(Exception):
    """A job took longer than it may, and its worker was killed."""


class JobListener(Protocol):
    """Receiver of a worker's messages during a job."""

    def receive(self, message: Any) -> None:
        """Handle a message."""

    async def answer(self, request: Any) -> Any:
        """Return the answer to a request of the worker; the time limit of the job then starts again."""


@dataclass(slots=True, eq=False)
class _Worker:
    """Worker with the job that it runs.

    Attributes:
        seconds: Time limit of the job, which starts again after each answer to the worker.
        end: When the limit is reached, by the clock of the event loop.
    """

    process: LoopWorkers
    listener: JobListener | None = None
    seconds: float = float("inf")
    end: float = float("inf")
    slow: bool = False
    endless: bool = False


class JobWorkers:
    """Workers that exist for the duration of the `async with` block. For one event loop."""

    def __init__(
        self,
        count: int,
        context: "SpawnContext | ForkServerContext",
        make: Callable[[WorkerLine], LoopWork],
        first: Any,
    ) -> None:
        """Start no worker yet.

        Args:
            count: Number of concurrent jobs, not counting slow ones.
            make: Called once in each process to create its work; must be picklable.
            first: First job of each new worker, which loads what later jobs need.
        """
        self._count, self._context, self._make, self._first = count, context, make, first
        self._workers: set[_Worker] = set()
        self._idle: deque[_Worker] = deque()
        self._last_used: OrderedDict[Hashable, _Worker] = OrderedDict()
        self._waiting: deque[asyncio.Future[_Worker]] = deque()
        self._starting: set[asyncio.Task[None]] = set()
        self._over = False

    async def __aenter__(self) -> Self:
        """Begin to start the workers, without waiting for them."""
        self._fill()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Kill the workers, even during a job."""
        self._over = True
        for task in self._starting:
            task.cancel()
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_exception(EngineError("the worker processes have been stopped"))
        for worker in list(self._workers):
            await self._end(worker)
        await asyncio.gather(*self._starting, return_exceptions=True)

    async def do(self, job: object, listener: JobListener, seconds: float | None = None, like: Hashable = None) -> Any:
        """Run a job and return its result. If the task is cancelled, the worker is killed.

        Args:
            seconds: Time limit from the start of the job; None means no limit.
            like: Jobs with an equal value go to the same worker if it is idle.

        Raises:
            JobTimeoutError: The job exceeded its time limit.
            LostWorkerError: The worker died.
            EngineError: No worker can be started.
            Exception: Any exception of the job.
        """
        loop = asyncio.get_running_loop()
        worker = await self._take(like)
        worker.listener, worker.seconds = listener, float("inf") if seconds is None else seconds
        worker.end = loop.time() + worker.seconds
        timers = loop.call_later(_SLOW, self._note_slow, worker), loop.call_later(_ENDLESS, self._note_endless, worker)
        done = asyncio.ensure_future(worker.process.call(job))
        try:
            while not done.done():
                left = worker.end - loop.time()
                if left <= 0:
                    raise JobTimeoutError
                await asyncio.wait([done], timeout=None if left == float("inf") else left)
        finally:
            for timer in timers:
                timer.cancel()
            # A worker's lowered priority cannot be raised again, so it is not reused.
            if worker.endless or not done.done() or isinstance(done.exception(), LostWorkerError):
                done.cancel()
                await self._end(worker)
                self._fill()
            else:
                worker.listener, worker.slow = None, False
                self._give(worker)
                if self._spare > 0 and self._idle:
                    await self._end(self._idle.popleft())
        return done.result()

    async def _take(self, like: Hashable) -> _Worker:
        if self._over:
            raise EngineError("the worker processes have been stopped")
        if self._idle:
            before = self._last_used.get(like)
            worker = before if before is not None and before in self._idle else self._idle[0]
            self._idle.remove(worker)
        else:
            self._fill()
            worker = await self._wait()
        self._last_used[like] = worker
        self._last_used.move_to_end(like)
        if len(self._last_used) > _MOST_REMEMBERED:
            self._last_used.popitem(last=False)
        return worker

    async def _wait(self) -> _Worker:
        waiting: asyncio.Future[_Worker] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        try:
            return await waiting
        except asyncio.CancelledError:
            if waiting.done() and not waiting.cancelled() and waiting.exception() is None:
                self._give(waiting.result())
            raise

    def _give(self, worker: _Worker) -> None:
        """Give a free worker to the call that has waited longest."""
        while self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.done():
                waiting.set_result(worker)
                return
        self._idle.append(worker)

    def _note_slow(self, worker: _Worker) -> None:
        worker.slow = True
        self._fill()

    def _note_endless(self, worker: _Worker) -> None:
        worker.endless = True
        worker.process.yield_to_others()
        self._fill()

    @property
    def _spare(self) -> int:
        """Number of workers (running or starting) beyond those needed; negative if there are too few."""
        endless = min(sum(worker.endless for worker in self._workers), _MOST_ENDLESS)
        slow = min(sum(worker.slow and not worker.endless for worker in self._workers), _MOST_SLOW)
        return len(self._workers) + len(self._starting) - self._count - slow - endless

    def _fill(self) -> None:
        """Start the missing workers."""
        while self._spare < 0 and not self._over:
            task = asyncio.create_task(self._start())
            self._starting.add(task)
            task.add_done_callback(self._starting.discard)

    async def _start(self) -> None:
        def hear(message: Any) -> None:
            if worker.listener is not None:
                worker.listener.receive(message)

        async def answer(request: Any) -> Any:
            if worker.listener is None:
                return None
            try:
                return await worker.listener.answer(request)
            finally:
                worker.end = asyncio.get_running_loop().time() + worker.seconds

        process = LoopWorkers(1, self._context, self._make, hear, answer)
        worker = _Worker(process)
        try:
            await process.__aenter__()
            await process.call(self._first)
        except BaseException as error:
            await process.__aexit__(None, None, None)
            if not isinstance(error, Exception):
                raise
            while self._waiting:  # no other worker is started before the next job
                if not (waiting := self._waiting.popleft()).done():
                    waiting.set_exception(EngineError(f"cannot start a worker process: {error}"))
            return
        self._workers.add(worker)
        self._give(worker)

    async def _end(self, worker: _Worker) -> None:
        self._workers.discard(worker)
        await worker.process.__aexit__(None, None, None)
