"""Worker processes that wait: an event loop in each, many calls at once, and a line to the process that started them.

What is called here sends and asks while it goes on, in the order in which it happens; `workers` makes plain calls over
the same line. Owns how workers are started, heard and ended.

The standard library's pool shares one pipe and its locks among all workers: one that is killed while it writes leaves
the others, and the parent, waiting for the rest for ever; and a parent that is killed leaves its named semaphores. Here
each worker has a connection of its own, and nothing else is shared. Whoever lets go of its end ends the other: a worker
ends as soon as its parent ends, in the middle of a call too. One that dies is replaced, and its calls fail with
`LostWorkerError`: whoever made them knows whether they may be made again.
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
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from quaestor.errors import EngineError

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

MOST_DEATHS = 4
"""Workers that may die one after the other before what they were about is to blame."""

_HARDLY_MORE = 2
_LOWEST_PRIORITY = 19
_MOST_ALIKE = 256

_SET_DEATH_SIGNAL = 1
"""`PR_SET_PDEATHSIG` of prctl(2)."""

_HEAD = struct.Struct(">BQQ")
"""Before each message: its kind, what it is of, and its length in bytes."""

_CALL, _BROADCAST, _REPLY, _FAILED, _READY, _RESULT, _ERROR, _ASKED, _UP = range(9)


class Frames(asyncio.Protocol):
    """The messages of a connection. Those of one turn of the event loop go out together."""

    def __init__(self, hear: Callable[[int, int, bytes], None], lost: Callable[[], None]) -> None:
        """Take who hears of a message (its kind, its number, itself), and who of the end of the connection."""
        self._hear, self._lost = hear, lost
        self._came, self._going = bytearray(), list[bytes]()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send what was to be sent before there was a connection."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if self._going:
            self._flush()

    def data_received(self, data: bytes) -> None:
        """Hand on what is whole."""
        self._came += data
        at, end = 0, len(self._came)
        while end - at >= _HEAD.size:
            kind, number, length = _HEAD.unpack_from(self._came, at)
            begin = at + _HEAD.size
            if end - begin < length:
                break
            at = begin + length
            self._hear(kind, number, bytes(self._came[begin:at]))
        del self._came[:at]

    def connection_lost(self, exc: Exception | None) -> None:
        """Call back."""
        self._transport = None
        self._lost()

    def send(self, kind: int, number: int, written: bytes = b"") -> None:
        """Send a message, soon; nothing if the connection has ended.

        Args:
            kind: Of which kind it is, 0 to 255.
        """
        if not self._going:
            asyncio.get_running_loop().call_soon(self._flush)
        self._going += (_HEAD.pack(kind, number, len(written)), written)

    def _flush(self) -> None:
        if self._transport is not None:
            self._transport.write(b"".join(self._going))
            self._going.clear()

    def close(self) -> None:
        """End the connection; what was not sent is not sent any more."""
        if self._transport is not None:
            self._transport.abort()


class LostWorkerError(Exception):
    """The worker that made a call has died."""


class WorkerLine(Protocol):
    """A worker's way to the process that started it. Messages arrive in order."""

    def send(self, what: Any) -> None:
        """Send a message."""

    async def ask(self, what: Any) -> Any:
        """Send a message, and return the answer, or raise it."""


class LoopWork(Protocol):
    """What a worker does."""

    async def call(self, job: Any) -> Any:
        """Return what comes of a job; others are under way meanwhile."""

    def receive(self, what: Any) -> None:
        """Receive what is broadcast to all workers."""


@dataclass(slots=True, eq=False)
class _Worker:
    """A worker as the process sees it that started it."""

    process: BaseProcess
    frames: Frames
    calls: "dict[int, asyncio.Future[Any]]" = field(default_factory=dict)
    ready: bool = False


class LoopWorkers:
    """Workers that live while the block is entered. For one event loop."""

    def __init__(
        self,
        count: int,
        context: "SpawnContext | ForkServerContext",
        make: Callable[[WorkerLine], LoopWork],
        hear: Callable[[Any], None],
        answer: Callable[[Any], Awaitable[Any]],
    ) -> None:
        """Start nothing.

        Args:
            make: Called once in each, makes what it does there; it must survive pickling.
            hear: Called with each message of a worker, in the event loop.
            answer: Returns what a worker asks for; what it raises is raised there.
        """
        self._count, self._context, self._make, self._hear, self._answer = count, context, make, hear, answer
        self._workers: list[_Worker] = []
        self._alike: OrderedDict[Hashable, _Worker] = OrderedDict()
        self._hiring: set[asyncio.Task[None]] = set()
        self._answering: set[asyncio.Task[None]] = set()
        self._numbers = itertools.count()
        self._hired, self._complete = asyncio.Event(), False
        self._died_young = 0
        self._failure: Exception | None = None
        self._over = False
        self._started: list[BaseProcess] = []
        self._lock = threading.Lock()

    async def __aenter__(self) -> Self:
        """Begin to start the workers."""
        for _ in range(self._count):
            self._hire()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """End them, whatever they are doing; calls that nobody has waited for fail."""
        with self._lock:
            self._over = True
            for process in self._started:
                process.kill()
            for process in self._started:
                process.join()
        self._fail(LostWorkerError())
        for worker in self._workers:
            worker.frames.close()
        for task in self._answering:
            task.cancel()
        # A worker that is being started is ended by who starts it.
        await asyncio.gather(*self._hiring, *self._answering, return_exceptions=True)

    async def call(self, job: object, like: Hashable = None) -> Any:
        """Return what comes of a job, done by a worker that has few.

        Args:
            job: What `LoopWork.call` is given; it must survive pickling.
            like: What it has in common with others: they go to one worker, if that has hardly more than the rest.

        Raises:
            LostWorkerError: The worker died.
            EngineError: None can be started.
            Exception: Whatever the work raised.
        """
        worker = await self._next(like)
        number, ended = next(self._numbers), asyncio.get_running_loop().create_future()
        written = pickle.dumps(job, 5)
        worker.calls[number] = ended
        worker.frames.send(_CALL, number, written)
        try:
            return await ended
        finally:
            worker.calls.pop(number, None)

    def yield_to_others(self) -> None:
        """Have the workers compute only when nothing else on this machine wants to."""
        for worker in self._workers:
            for thread in _list_threads(worker.process):
                with suppress(OSError):  # it has just ended
                    _lower_priority(thread)

    def broadcast(self, what: object) -> None:
        """Send all workers a message."""
        written = pickle.dumps(what, 5)
        for worker in self._workers:
            worker.frames.send(_BROADCAST, 0, written)

    async def _next(self, like: Hashable) -> _Worker:
        # With the first calls until all are there: else one worker would have all of these.
        while self._failure is None and not (self._workers and self._complete):
            self._hired.clear()
            await self._hired.wait()
        if self._failure is not None:
            raise self._failure
        chosen = min(self._workers, key=lambda worker: len(worker.calls))
        before = self._alike.pop(like, chosen)
        if before in self._workers and len(before.calls) <= len(chosen.calls) + _HARDLY_MORE:
            chosen = before
        self._alike[like] = chosen
        if len(self._alike) > _MOST_ALIKE:
            self._alike.popitem(last=False)
        return chosen

    def _hire(self) -> None:
        task = asyncio.create_task(self._begin())
        self._hiring.add(task)
        task.add_done_callback(self._hiring.discard)

    async def _begin(self) -> None:
        """Start a worker, and hear it from then on."""
        try:
            # In a thread: a fork server answers when it has loaded everything, and nobody here waits for that.
            process, ours = await asyncio.to_thread(self._start)
        except Exception as error:  # noqa: BLE001 - what cannot be pickled raises in its own way
            self._fail(error)
            return
        if self._over:
            ours.close()
            return
        frames = Frames(lambda *frame: self._handle_frame(worker, *frame), lambda: self._replace_lost(worker))
        worker = _Worker(process, frames)
        self._workers.append(worker)
        await asyncio.get_running_loop().create_connection(lambda: frames, sock=ours)
        self._complete = self._complete or len(self._workers) == self._count
        self._hired.set()

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

    def _handle_frame(self, worker: _Worker, kind: int, number: int, written: bytes) -> None:
        if kind == _UP:
            self._hear(pickle.loads(written))  # noqa: S301 - from a process of ours, as all that follows
        elif kind == _ASKED:
            task = asyncio.create_task(self._reply(worker, number, written))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
        elif kind == _READY:
            worker.ready = True
        elif (ended := worker.calls.get(number)) is not None and not ended.done():
            try:
                value = pickle.loads(written)  # noqa: S301
            except Exception as failure:  # noqa: BLE001 - whatever an object raises when unpickled
                kind, value = _ERROR, failure
            if kind == _RESULT:
                ended.set_result(value)
            else:
                ended.set_exception(value)

    async def _reply(self, worker: _Worker, number: int, written: bytes) -> None:
        try:
            value, kind = await self._answer(pickle.loads(written)), _REPLY  # noqa: S301
        except Exception as error:  # noqa: BLE001 - raised again where it was asked
            value, kind = error, _FAILED
        worker.frames.send(kind, number, pickle.dumps(value, 5))

    def _replace_lost(self, worker: _Worker) -> None:
        """A worker has died, or is ended."""
        if self._over:
            return
        self._workers.remove(worker)
        with self._lock:
            self._started.remove(worker.process)
        worker.process.kill()
        worker.process.join()
        self._died_young = 0 if worker.ready else self._died_young + 1
        if self._died_young >= MOST_DEATHS:
            self._fail(EngineError("worker processes die at startup (killed, or out of memory); use fewer workers"))
        for ended in worker.calls.values():
            if not ended.done():
                ended.set_exception(self._failure or LostWorkerError())
        if self._failure is None:
            self._hire()

    def _fail(self, why: Exception) -> None:
        """Nothing is to be had of any worker any more."""
        self._failure = self._failure or why
        self._hired.set()
        for worker in self._workers:
            for ended in worker.calls.values():
                if not ended.done():
                    ended.set_exception(why)


def _list_threads(process: BaseProcess) -> list[int]:
    """Return the numbers by which a process's threads have priorities: on Linux each has its own."""
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
    """Does what comes in until the process that started this one lets go, or dies."""
    die_with_parent()
    for number in (signal.SIGINT, signal.SIGTERM):  # without a mask
        signal.signal(number, signal.SIG_IGN)
    # The connection shows it too, but not while something computes in the event loop.
    threading.Thread(target=_end_with_parent, daemon=True).start()
    asyncio.run(_WorkerProcess(make).serve(line))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


class _WorkerProcess:
    """A worker, in its own process. A `WorkerLine`."""

    def __init__(self, make: Callable[[WorkerLine], LoopWork]) -> None:
        self._work = make(self)
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._numbers = itertools.count()
        self._doing: set[asyncio.Task[None]] = set()
        self._frames: Frames

    async def serve(self, line: socket.socket) -> None:
        def leave() -> None:
            os._exit(1)  # nobody is there any more

        self._loop = asyncio.get_running_loop()
        _, self._frames = await self._loop.create_connection(lambda: Frames(self._handle_frame, leave), sock=line)
        self._frames.send(_READY, 0)
        await asyncio.Event().wait()

    def send(self, what: Any) -> None:
        """Send a message, from any thread."""
        written = pickle.dumps(what, 5)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self._loop.call_soon_threadsafe(self._frames.send, _UP, 0, written)
        else:
            self._frames.send(_UP, 0, written)

    async def ask(self, what: Any) -> Any:
        """Send a message, and return the answer, or raise it."""
        number, answered = next(self._numbers), self._loop.create_future()
        self._asked[number] = answered
        self._frames.send(_ASKED, number, pickle.dumps(what, 5))
        try:
            return await answered
        finally:
            del self._asked[number]

    def _handle_frame(self, kind: int, number: int, written: bytes) -> None:
        if kind == _CALL:
            task = asyncio.create_task(self._do(number, written))
            self._doing.add(task)
            task.add_done_callback(self._doing.discard)
        elif kind == _BROADCAST:
            self._work.receive(pickle.loads(written))  # noqa: S301 - from the process that started this one
        elif (answered := self._asked.get(number)) is not None and not answered.done():
            value = pickle.loads(written)  # noqa: S301
            if kind == _REPLY:
                answered.set_result(value)
            else:
                answered.set_exception(value)

    async def _do(self, number: int, written: bytes) -> None:
        try:
            result = await self._work.call(pickle.loads(written))  # noqa: S301
            kind, answer = _RESULT, _as_result(result)
        except Exception as error:  # noqa: BLE001 - raised again where the call was sent from
            kind, answer = _ERROR, pickle.dumps(make_picklable(error), 5)
        self._frames.send(kind, number, answer)


def _as_result(result: object) -> bytes:
    try:
        return pickle.dumps(result, 5)
    except Exception as error:
        raise EngineError(f"the result of a worker could not be pickled: {error}") from error


def make_picklable(error: Exception) -> Exception:
    """Return an error of this worker process with a note where it was made; one that cannot travel, in words."""
    error.add_note(f"in a worker process:\n{''.join(traceback.format_exception(error))}")
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301  # some errors can be written and not be read again
    except Exception:  # noqa: BLE001
        return EngineError(f"{type(error).__name__}: {error}")
    return error


@contextmanager
def ignore_signals() -> Iterator[None]:
    """Keep interrupts and SIGTERM from processes that are started within, and theirs; this one loses none."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # It lets them through when it is started, which would end what is begun here.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def die_with_parent() -> None:
    """Have the system kill this process when the one that started it has died, whatever it computes. On Linux only.

    A thread that waits for that end does not run while a C function holds the interpreter.
    """
    if sys.platform != "linux":
        return
    import ctypes
    from multiprocessing import forkserver

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
    # Each process that a fork server has started keeps it alive. This one does not, so that the server ends with the
    # process that started both.
    server: Any = forkserver._forkserver
    if (alive := getattr(server, "_forkserver_alive_fd", None)) is not None:
        server._forkserver_alive_fd = None
        os.close(alive)
