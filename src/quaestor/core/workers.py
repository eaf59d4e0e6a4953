"""Executor that runs plain function calls in worker processes, built on `loop_workers`."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from quaestor.core.loop_workers import LoopWorkers, LostWorkerError, WorkerLine
from quaestor.errors import EngineError

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

P = ParamSpec("P")
T = TypeVar("T")

_AT_ONCE = 2
"""Calls sent to a worker at once: the running one and the next, so that it never waits for its parent."""

_Call = tuple[Callable[..., Any], tuple[Any, ...], Mapping[str, Any]]


class Workers(Executor):
    """Executor with worker processes; functions, arguments and results must be picklable.

    All workers start with the first call. Leaving the `with` block kills them, even during a call. If one worker dies,
    all end, and unfinished calls fail. Workers ignore Ctrl-C and SIGTERM, which only their parent handles.
    """

    def __init__(
        self,
        count: int,
        context: "SpawnContext | ForkServerContext",
        advice: str,
    ) -> None:
        """Start no worker yet.

        Args:
            context: The start method; not `fork`, since a forked worker would inherit the connections of the others.
            advice: Advice for the error message if a worker dies.
        """
        self._count, self._context, self._advice = count, context, advice
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._over: Exception | None = None
        self._begun = threading.Event()
        self._loop: asyncio.AbstractEventLoop
        self._pool: LoopWorkers
        self._ended: asyncio.Event
        self._room: asyncio.Semaphore
        self._calls: set[asyncio.Task[None]] = set()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Schedule a call and return its future.

        Raises:
            EngineError: The workers were stopped, or one has died. Unfinished calls fail with it too.
        """
        ended: Future[T] = Future()
        with self._lock:
            if self._over is not None:
                raise self._over
            if self._thread is None:
                self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
                self._thread.start()
                self._begun.wait()
            self._loop.call_soon_threadsafe(self._begin, (fn, args, kwargs), ended)
        return ended

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Kill all workers; unfinished calls fail.

        Args:
            wait: Whether to wait until the workers have ended.
            cancel_futures: Ignored, since all calls end anyway.
        """
        self._end(EngineError("the worker processes have been stopped"))
        if wait and self._thread is not None:
            self._thread.join()

    async def _serve(self) -> None:
        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        self._room = asyncio.Semaphore(_AT_ONCE * self._count)
        async with LoopWorkers(self._count, self._context, _Calls, _ignore_message, _answer) as self._pool:
            self._begun.set()
            await self._ended.wait()
        await asyncio.gather(*self._calls)

    def _begin(self, call: _Call, ended: "Future[Any]") -> None:
        task = asyncio.create_task(self._make(call, ended))
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)

    async def _make(self, call: _Call, ended: "Future[Any]") -> None:
        async with self._room:
            if not ended.set_running_or_notify_cancel():
                return
            try:
                result = await self._pool.call(call)
            except LostWorkerError:
                self._end(EngineError(f"a worker process died (killed, or out of memory): {self._advice}"))
                ended.set_exception(self._over)
            except Exception as error:  # noqa: BLE001  # raised again by the future
                ended.set_exception(error)
            else:
                ended.set_result(result)

    def _end(self, why: Exception) -> None:
        with self._lock:
            self._over = self._over or why
            if self._thread is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._ended.set)


def _ignore_message(_: object) -> None:
    """Ignore messages, which plain calls never send."""


async def _answer(_: object) -> None:
    """Answer requests with None; plain calls never send any."""


class _Calls:
    """`LoopWork` that runs calls one after the other."""

    def __init__(self, _: WorkerLine) -> None:
        # A thread, so that the event loop stays free to receive calls and to notice the end of the parent.
        self._thread = ThreadPoolExecutor(1)

    async def call(self, job: _Call) -> object:
        function, args, kwargs = job
        return await asyncio.get_running_loop().run_in_executor(self._thread, partial(function, *args, **kwargs))

    def receive(self, what: object) -> None:
        """Ignore broadcasts, which plain calls do not use."""
