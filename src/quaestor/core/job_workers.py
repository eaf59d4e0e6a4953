"""Worker processes that do one job at a time, each of which can be killed in the middle of it without harm to others.

A slow job does not keep others waiting: another worker is started in the place of its worker. One that may be endless
gets only what the others leave of the processors.
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
"""Seconds after which a job counts as slow, and as one that may be endless."""

_MOST_SLOW, _MOST_ENDLESS = 8, 24
"""How many workers may have such jobs at once, besides those that are to be there for others. Each takes memory."""

_ALIKE = 256


class JobTimeoutError(Exception):
    """A job took longer than it may, and its worker was killed."""


class JobListener(Protocol):
    """Hears a worker's messages while it does a job."""

    def hear(self, message: Any) -> None:
        """Receive a message."""

    async def answer(self, asked: Any) -> Any:
        """Return what the worker asks for. The time of the job starts anew."""


@dataclass(slots=True, eq=False)
class _Worker:
    """A worker, and the job that it does.

    Attributes:
        seconds: How long the job may take after each answer to the worker.
        end: When its time is over, by the clock of the event loop.
    """

    process: LoopWorkers
    listener: JobListener | None = None
    seconds: float = float("inf")
    end: float = float("inf")
    slow: bool = False
    endless: bool = False


class JobWorkers:
    """Workers that live while the block is entered. For one event loop."""

    def __init__(
        self,
        count: int,
        context: "SpawnContext | ForkServerContext",
        make: Callable[[WorkerLine], LoopWork],
        first: Any,
    ) -> None:
        """Start nothing.

        Args:
            count: How many jobs are done at once, without slow ones.
            make: Called once in each process, makes what it does there; it must survive pickling.
            first: A job for each new worker, to load what others need.
        """
        self._count, self._context, self._make, self._first = count, context, make, first
        self._workers: set[_Worker] = set()
        self._idle: deque[_Worker] = deque()
        self._alike: OrderedDict[Hashable, _Worker] = OrderedDict()
        self._waiting: deque[asyncio.Future[_Worker]] = deque()
        self._starting: set[asyncio.Task[None]] = set()
        self._over = False

    async def __aenter__(self) -> Self:
        """Begin to start the workers."""
        self._fill()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Kill the workers, whatever they do."""
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
        """Return what comes of a job. If the task is cancelled, the worker is killed.

        Args:
            seconds: How long it may take once it has begun; None means no limit.
            like: What it has in common with others: they go to the same worker if that is idle.

        Raises:
            JobTimeoutError: It took too long.
            LostWorkerError: The worker died.
            EngineError: No worker can be started.
            Exception: Whatever the work raised.
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
            # One that was set back behind all others stays there: it cannot be used again.
            if worker.endless or not done.done() or _lost(done):
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
            before = self._alike.get(like)
            worker = before if before is not None and before in self._idle else self._idle[0]
            self._idle.remove(worker)
        else:
            self._fill()
            worker = await self._wait()
        self._alike[like] = worker
        self._alike.move_to_end(like)
        if len(self._alike) > _ALIKE:
            self._alike.popitem(last=False)
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
        """Hand a worker that is free to whoever has waited for longest."""
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
        """How many workers there are, or are being started, beyond those that are to be there; negative if too few."""
        endless = min(sum(worker.endless for worker in self._workers), _MOST_ENDLESS)
        slow = min(sum(worker.slow and not worker.endless for worker in self._workers), _MOST_SLOW)
        return len(self._workers) + len(self._starting) - self._count - slow - endless

    def _fill(self) -> None:
        """Start workers that are to be there, and are not."""
        while self._spare < 0 and not self._over:
            task = asyncio.create_task(self._start())
            self._starting.add(task)
            task.add_done_callback(self._starting.discard)

    async def _start(self) -> None:
        def hear(message: Any) -> None:
            if worker.listener is not None:
                worker.listener.hear(message)

        async def answer(asked: Any) -> Any:
            if worker.listener is None:
                return None
            try:
                return await worker.listener.answer(asked)
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
            while self._waiting:  # nobody else starts one before the next job
                if not (waiting := self._waiting.popleft()).done():
                    waiting.set_exception(EngineError(f"cannot start a worker process: {error}"))
            return
        self._workers.add(worker)
        self._give(worker)

    async def _end(self, worker: _Worker) -> None:
        self._workers.discard(worker)
        await worker.process.__aexit__(None, None, None)


def _lost(done: "asyncio.Future[Any]") -> bool:
    return isinstance(done.exception(), LostWorkerError)
