"""Worker processes with an event loop each, for many concurrent calls that may wait.

During a call, the worker may send messages and requests to its parent, which arrive in order.

The pool of the standard library shares one pipe and its locks among all workers: a worker that is killed while it
writes blocks the others and the parent for ever, and a killed parent leaves its named semaphores behind. Here each
worker has a separate connection, and nothing else is shared. A worker ends as soon as its parent does, even during a
call. A worker that dies is replaced, and its calls fail with `LostWorkerError`; only the caller knows whether they may
be repeated.
"""

import asyncio
import itertools
import multiprocessing
import os
import pickle
import signal
import socket
import struct
import sys
import threading
import traceback
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from quaestor.errors import EngineError

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

MOST_DEATHS = 4
"""Successive deaths of workers after which their work is taken to be the cause."""

_MOST_EXTRA_CALLS = 2
_LOWEST_PRIORITY = 19
_MOST_REMEMBERED = 256

_SET_DEATH_SIGNAL = 1
"""`PR_SET_PDEATHSIG` of prctl(2)."""

_HEAD = struct.Struct(">BQQ")
"""Header of a message: its kind, the number of its call or request, and its length in bytes."""

_CALL, _BROADCAST, _REPLY, _FAILED, _READY, _RESULT, _ERROR, _ASKED, _UP = range(9)


Handler = Callable[[int, int, bytes], None]
"""Receives the kind, the number and the bytes of a message."""


def _send(writer: asyncio.StreamWriter, kind: int, number: int, written: bytes = b"") -> None:
    """Send a message; ignored if the connection has ended."""
    if not writer.is_closing():
        writer.write(_HEAD.pack(kind, number, len(written)) + written)


async def _receive(reader: asyncio.StreamReader, handle: Handler) -> None:
    """Pass on messages until the connection ends."""
    with suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            kind, number, length = _HEAD.unpack(await reader.readexactly(_HEAD.size))
            handle(kind, number, await reader.readexactly(length))


class LostWorkerError(Exception):
    """The worker that ran a call has died."""


class WorkerLine(Protocol):
    """Connection from a worker to its parent process. Messages arrive in order."""

    def send(self, what: Any) -> None:
        """Send a message."""

    async def ask(self, what: Any) -> Any:
        """Send a request and return its answer, or raise the error of the parent."""


class LoopWork(Protocol):
    """Work of a worker process."""

    async def call(self, job: Any) -> Any:
        """Run a job and return its result; other jobs may run concurrently."""

    def receive(self, what: Any) -> None:
        """Handle a message that was broadcast to all workers."""


@dataclass(slots=True, eq=False)
class _Worker:
    """Worker as seen by its parent process."""

    process: BaseProcess
    writer: asyncio.StreamWriter
    calls: "dict[int, asyncio.Future[Any]]" = field(default_factory=dict)
    ready: bool = False


class LoopWorkers:
    """Workers that exist for the duration of the `async with` block. For one event loop."""

    def __init__(
        self,
        count: int,
        context: "SpawnContext | ForkServerContext",
        make: Callable[[WorkerLine], LoopWork],
        hear: Callable[[Any], None],
        answer: Callable[[Any], Awaitable[Any]],
    ) -> None:
        """Start no worker yet.

        Args:
            make: Called once in each process to create its work; must be picklable.
            hear: Called in the event loop with each message of a worker.
            answer: Returns the answer to a request of a worker; its exceptions are raised in the worker.
        """
        self._count, self._context, self._make, self._hear, self._answer = count, context, make, hear, answer
        self._workers: list[_Worker] = []
        self._last_used: OrderedDict[Hashable, _Worker] = OrderedDict()
        self._starting: set[asyncio.Task[None]] = set()
        self._answering: set[asyncio.Task[None]] = set()
        self._receiving: set[asyncio.Task[None]] = set()
        self._numbers = itertools.count()
        self._changed, self._complete = asyncio.Event(), False
        self._startup_deaths = 0
        self._failure: Exception | None = None
        self._over = False
        self._started: list[BaseProcess] = []
        self._lock = threading.Lock()

    async def __aenter__(self) -> Self:
        """Begin to start the workers, without waiting for them."""
        for _ in range(self._count):
            self._start_worker()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Kill the workers; unfinished calls fail."""
        with self._lock:
            self._over = True
            for process in self._started:
                process.kill()
            for process in self._started:
                process.join()
        self._fail(LostWorkerError())
        for worker in self._workers:
            worker.writer.transport.abort()
        for task in self._answering:
            task.cancel()
        # `_start` kills a worker that is still starting.
        await asyncio.gather(*self._starting, *self._answering, *self._receiving, return_exceptions=True)

    async def call(self, job: object, like: Hashable = None) -> Any:
        """Run a job in one of the least busy workers, and return its result.

        Args:
            job: Argument of `LoopWork.call`; must be picklable.
            like: Jobs with an equal value go to the same worker, unless it is clearly busier than the others.

        Raises:
            LostWorkerError: The worker died.
            EngineError: No worker can be started.
            Exception: Any exception of the job.
        """
        worker = await self._next(like)
        number, ended = next(self._numbers), asyncio.get_running_loop().create_future()
        written = pickle.dumps(job, 5)
        worker.calls[number] = ended
        _send(worker.writer, _CALL, number, written)
        try:
            return await ended
        finally:
            worker.calls.pop(number, None)

    def yield_to_others(self) -> None:
        """Give the workers the lowest CPU priority."""
        for worker in self._workers:
            for thread in _list_threads(worker.process):
                with suppress(OSError):  # the thread has just ended
                    _lower_priority(thread)

    def broadcast(self, what: object) -> None:
        """Send a message to all workers."""
        written = pickle.dumps(what, 5)
        for worker in self._workers:
            _send(worker.writer, _BROADCAST, 0, written)

    async def _next(self, like: Hashable) -> _Worker:
        # Wait at first until all workers have started: otherwise one worker would get all of the first calls.
        while self._failure is None and not (self._workers and self._complete):
            self._changed.clear()
            await self._changed.wait()
        if self._failure is not None:
            raise self._failure
        chosen = min(self._workers, key=lambda worker: len(worker.calls))
        before = self._last_used.pop(like, chosen)
        if before in self._workers and len(before.calls) <= len(chosen.calls) + _MOST_EXTRA_CALLS:
            chosen = before
        self._last_used[like] = chosen
        if len(self._last_used) > _MOST_REMEMBERED:
            self._last_used.popitem(last=False)
        return chosen

    def _start_worker(self) -> None:
        task = asyncio.create_task(self._begin())
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    async def _begin(self) -> None:
        """Start a worker and connect to it."""
        try:
            # In a thread, since a fork server answers only when it has loaded everything.
            process, ours = await asyncio.to_thread(self._start)
        except Exception as error:  # noqa: BLE001 - pickling may raise any exception
            self._fail(error)
            return
        reader, writer = await asyncio.open_connection(sock=ours)
        if self._over:
            writer.transport.abort()
            return
        worker = _Worker(process, writer)
        self._workers.append(worker)
        task = asyncio.create_task(_receive(reader, partial(self._handle_message, worker)))
        self._receiving.add(task)
        task.add_done_callback(lambda ended: self._replace_lost(worker, ended))
        self._complete = self._complete or len(self._workers) == self._count
        self._changed.set()

    def _start(self) -> tuple[BaseProcess, socket.socket]:
        ours, theirs = socket.socketpair()
        try:
            process = self._context.Process(target=_serve, args=(theirs, self._make), daemon=True)
            with ignore_signals():
                process.start()
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()  # so that the worker's end is closed when the worker ends
        with self._lock:
            self._started.append(process)
            if self._over:
                process.kill()
                process.join()
        return process, ours

    def _handle_message(self, worker: _Worker, kind: int, number: int, written: bytes) -> None:
        if kind == _UP:
            self._hear(pickle.loads(written))  # noqa: S301 - all messages come from our own processes
        elif kind == _ASKED:
            task = asyncio.create_task(self._reply(worker, number, written))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
        elif kind == _READY:
            worker.ready = True
        elif (ended := worker.calls.get(number)) is not None and not ended.done():
            try:
                value = pickle.loads(written)  # noqa: S301
            except Exception as failure:  # noqa: BLE001 - unpickling may raise any exception
                kind, value = _ERROR, failure
            if kind == _RESULT:
                ended.set_result(value)
            else:
                ended.set_exception(value)

    async def _reply(self, worker: _Worker, number: int, written: bytes) -> None:
        try:
            value, kind = await self._answer(pickle.loads(written)), _REPLY  # noqa: S301
        except Exception as error:  # noqa: BLE001 - raised again in the worker
            value, kind = error, _FAILED
        _send(worker.writer, kind, number, pickle.dumps(value, 5))

    def _replace_lost(self, worker: _Worker, ended: "asyncio.Task[None]") -> None:
        """Fail the calls of a worker that has ended, and start another one."""
        self._receiving.discard(ended)
        worker.writer.transport.abort()
        if self._over:
            return
        self._workers.remove(worker)
        with self._lock:
            self._started.remove(worker.process)
        worker.process.kill()
        worker.process.join()
        self._startup_deaths = 0 if worker.ready else self._startup_deaths + 1
        if self._startup_deaths >= MOST_DEATHS:
            self._fail(EngineError("worker processes die at startup (killed, or out of memory); use fewer workers"))
        for call in worker.calls.values():
            if not call.done():
                call.set_exception(self._failure or LostWorkerError())
        if self._failure is None:
            self._start_worker()

    def _fail(self, why: Exception) -> None:
        """Fail all current and future calls."""
        self._failure = self._failure or why
        self._changed.set()
        for worker in self._workers:
            for ended in worker.calls.values():
                if not ended.done():
                    ended.set_exception(why)


def _list_threads(process: BaseProcess) -> list[int]:
    """Return the ids by which priorities are set: of each thread on Linux, else of the process."""
    try:
        return [int(name) for name in os.listdir(f"/proc/{process.pid}/task")]
    except OSError:
        return [] if process.pid is None else [process.pid]


def _lower_priority(thread: int) -> None:
    if sys.platform == "linux":
        os.sched_setscheduler(thread, os.SCHED_IDLE, os.sched_param(0))
    elif sys.platform != "win32":
        os.setpriority(os.PRIO_PROCESS, thread, _LOWEST_PRIORITY)


def _serve(line: socket.socket, make: Callable[[WorkerLine], LoopWork]) -> None:
    """Run the worker process until its parent closes the connection or dies."""
    # The connection shows the end of the parent too, but not while the event loop is busy computing.
    end_with_parent()
    asyncio.run(_WorkerProcess(make).serve(line))


def end_with_parent() -> None:
    """Let this worker process ignore SIGINT and SIGTERM, and end when its parent does."""
    _die_with_parent()
    for number in (signal.SIGINT, signal.SIGTERM):  # without a mask
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_wait_for_end_of_parent, daemon=True).start()


def _wait_for_end_of_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


class _WorkerProcess:
    """Worker inside its own process. Implements `WorkerLine`."""

    def __init__(self, make: Callable[[WorkerLine], LoopWork]) -> None:
        self._work = make(self)
        self._futures: dict[int, asyncio.Future[Any]] = {}
        self._numbers = itertools.count()
        self._doing: set[asyncio.Task[None]] = set()
        self._writer: asyncio.StreamWriter

    async def serve(self, line: socket.socket) -> None:
        self._loop = asyncio.get_running_loop()
        reader, self._writer = await asyncio.open_connection(sock=line)
        _send(self._writer, _READY, 0)
        await _receive(reader, self._handle_message)
        os._exit(1)  # the parent has ended

    def send(self, what: Any) -> None:
        """Send a message, from any thread."""
        written = pickle.dumps(what, 5)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self._loop.call_soon_threadsafe(_send, self._writer, _UP, 0, written)
        else:
            _send(self._writer, _UP, 0, written)

    async def ask(self, what: Any) -> Any:
        """Send a request and return its answer, or raise the error of the parent."""
        number, answered = next(self._numbers), self._loop.create_future()
        self._futures[number] = answered
        _send(self._writer, _ASKED, number, pickle.dumps(what, 5))
        try:
            return await answered
        finally:
            del self._futures[number]

    def _handle_message(self, kind: int, number: int, written: bytes) -> None:
        if kind == _CALL:
            task = asyncio.create_task(self._do(number, written))
            self._doing.add(task)
            task.add_done_callback(self._doing.discard)
        elif kind == _BROADCAST:
            self._work.receive(pickle.loads(written))  # noqa: S301 - from the parent process
        elif (answered := self._futures.get(number)) is not None and not answered.done():
            value = pickle.loads(written)  # noqa: S301
            if kind == _REPLY:
                answered.set_result(value)
            else:
                answered.set_exception(value)

    async def _do(self, number: int, written: bytes) -> None:
        try:
            result = await self._work.call(pickle.loads(written))  # noqa: S301
            kind, answer = _RESULT, _as_result(result)
        except Exception as error:  # noqa: BLE001 - raised again in the parent
            kind, answer = _ERROR, pickle.dumps(make_picklable(error), 5)
        _send(self._writer, kind, number, answer)


def _as_result(result: object) -> bytes:
    try:
        return pickle.dumps(result, 5)
    except Exception as error:
        raise EngineError(f"the result of a worker could not be pickled: {error}") from error


def make_picklable(error: Exception) -> Exception:
    """Add the traceback of this process to an error as a note; replace an error that cannot be pickled."""
    error.add_note(f"in a worker process:\n{''.join(traceback.format_exception(error))}")
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301  # some errors can be pickled but not unpickled
    except Exception:  # noqa: BLE001
        return EngineError(f"{type(error).__name__}: {error}")
    return error


@contextmanager
def ignore_signals() -> Iterator[None]:
    """Block SIGINT and SIGTERM for processes started in the block and their children; none is lost in this process."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # The resource tracker unblocks these signals when it starts, so it must be running before they are blocked.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _die_with_parent() -> None:
    """Have the system kill this process when its parent has died. On Linux only.

    A thread that waits for the end of the parent cannot run while a C function holds the interpreter.
    """
    if sys.platform != "linux":
        return
    import ctypes
    from multiprocessing import forkserver

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
    # A fork server lives as long as any process that it has started. Closing this file descriptor lets it end with the
    # parent.
    server: Any = forkserver._forkserver
    if (alive := getattr(server, "_forkserver_alive_fd", None)) is not None:
        server._forkserver_alive_fd = None
        os.close(alive)
