"""Worker processes that a call is sent to, and none of which outlives the process that started them.

The standard library's pool shares one pipe and its locks among all workers: one that is killed while it writes leaves
the others, and the parent, waiting for the rest for ever; and a parent that is killed leaves its named semaphores. Here
each worker has a connection of its own, and nothing else is shared. Whoever lets go of its end ends the other: a worker
goes as soon as its parent is gone, in the middle of a call too, and the death of a worker is an error at once.
"""

import os
import pickle
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from quaestor.errors import EngineError

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

P = ParamSpec("P")
T = TypeVar("T")

_AT_ONCE = 2
"""Calls that a worker has been sent: the one that it is at, and the next, so that it never waits for its parent."""

_SET_DEATH_SIGNAL = 1
"""`PR_SET_PDEATHSIG` of prctl(2)."""

_Call = tuple[Callable[..., Any], tuple[Any, ...], Mapping[str, Any]]


@dataclass(slots=True)
class _Waiting:
    """A call that no worker has been sent yet."""

    call: _Call
    ended: "Future[Any]"


@dataclass(slots=True, eq=False)
class _Worker:
    """A worker process as its parent sees it."""

    process: BaseProcess
    connection: Connection
    sent: "deque[Future[Any]]" = field(default_factory=deque)
    free: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(_AT_ONCE))


class Workers(Executor):
    """Processes that make calls; functions, arguments and results travel pickled.

    Every worker is started with the first call. Leaving the block ends them all, whatever they are doing: who wants
    results has waited for them. Interrupts of a terminal, and SIGTERM to a whole group of processes, are not for
    them: their parent decides what it means.
    """

    def __init__(
        self,
        count: int,
        context: "SpawnContext | ForkServerContext",
        advice: str,
        prepare: Callable[[], None] | None = None,
    ) -> None:
        """Starts nothing.

        Args:
            count: How many processes.
            context: How they are started. A process that is forked would hold the connections of the others.
            advice: What to do where one dies, for the error.
            prepare: Called once in each, before its first call; it must survive pickling.
        """
        self._count, self._context, self._advice, self._prepare = count, context, advice, prepare
        self._waiting: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._workers: list[_Worker] = []
        self._lock = threading.Lock()
        self._over: Exception | None = None

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Returns what a call comes to, once it is made.

        Raises:
            EngineError: The workers have ended, one of them by itself. Calls that are under way end with it too.
        """
        ended: Future[T] = Future()
        with self._lock:
            if self._over is not None:
                raise self._over
            self._waiting.put(_Waiting((fn, args, kwargs), ended))
            if not self._threads:
                # Started there: a fork server answers when it has loaded everything, and nobody here waits for that.
                self._threads = [threading.Thread(target=self._employ, daemon=True) for _ in range(self._count)]
                for thread in self._threads:
                    thread.start()
        return ended

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends all workers, also in the middle of a call, which then ends with an error.

        Args:
            wait: Whether to wait until they are gone.
            cancel_futures: Without effect: nothing is left to be made.
        """
        self._end(EngineError("the worker processes have been stopped"))
        if wait:
            for thread in self._threads:
                thread.join()

    def _employ(self) -> None:
        """Starts a worker, has it make calls, and sees it off."""
        try:
            ours, theirs = self._context.Pipe()
            process = self._context.Process(target=_serve, args=(theirs, self._prepare), daemon=True)
            with deaf():
                process.start()
            theirs.close()  # so that the worker's end is closed when the worker is gone
        except Exception as error:  # noqa: BLE001  # what it is prepared with cannot be pickled, or the system has no more
            self._end(error)
            return
        worker = _Worker(process, ours)
        with self._lock:
            self._workers.append(worker)
            if self._over is not None:
                process.kill()
        receiving = threading.Thread(target=self._receive, args=(worker,), daemon=True)
        receiving.start()
        self._send(worker)
        process.join()
        receiving.join()
        ours.close()

    def _send(self, worker: _Worker) -> None:
        while True:
            worker.free.acquire()
            waiting = self._waiting.get()
            if waiting is None:
                self._waiting.put(None)  # for the next worker
                return
            if not waiting.ended.set_running_or_notify_cancel():
                worker.free.release()
                continue
            try:
                written = pickle.dumps(waiting.call)
                with self._lock:
                    if self._over is not None:
                        raise self._over
                    worker.sent.append(waiting.ended)
            except Exception as error:  # noqa: BLE001  # whatever an object says of being pickled
                waiting.ended.set_exception(error)
                worker.free.release()
                continue
            del waiting
            with suppress(OSError):  # it has died, which is told by who receives from it
                worker.connection.send_bytes(written)

    def _receive(self, worker: _Worker) -> None:
        while True:
            try:
                written = worker.connection.recv_bytes()
            except (EOFError, OSError):
                self._end(EngineError(f"a worker process died (killed, or out of memory): {self._advice}"))
                return
            with self._lock:
                if self._over is not None:
                    return
                ended = worker.sent.popleft()
            worker.free.release()
            try:
                result, error = pickle.loads(written)  # noqa: S301  # from a process of ours
            except Exception as failure:  # noqa: BLE001  # whatever an object says of being unpickled
                result, error = None, failure
            if error is None:
                ended.set_result(result)
            else:
                ended.set_exception(error)
            del written, ended, result, error  # nothing is held while the next one is waited for

    def _end(self, why: Exception) -> None:
        """Ends every worker, and every call that has not come to its end."""
        with self._lock:
            if self._over is not None:
                return
            self._over = why
            left = [ended for worker in self._workers for ended in worker.sent]
            while not self._waiting.empty():
                waiting = self._waiting.get()
                if waiting is not None and waiting.ended.set_running_or_notify_cancel():
                    left.append(waiting.ended)
            for worker in self._workers:
                worker.process.kill()
                worker.free.release()
        self._waiting.put(None)
        for ended in left:
            ended.set_exception(why)


@contextmanager
def deaf() -> Iterator[None]:
    """Has processes that are started within, and theirs, hear no interrupt and no SIGTERM; this one loses none."""
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


def _serve(connection: Connection, prepare: Callable[[], None] | None) -> None:
    """Makes the calls that come in, one after the other, until the parent lets go."""
    die_with_parent()
    for number in (signal.SIGINT, signal.SIGTERM):  # where there is no mask
        signal.signal(number, signal.SIG_IGN)
    calls: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(connection, calls), daemon=True).start()
    if prepare is not None:
        prepare()
    while True:
        written = _made(calls.get())
        try:
            connection.send_bytes(written)
        except OSError:
            os._exit(1)  # nobody is there any more


def _listen(connection: Connection, calls: "SimpleQueue[bytes]") -> None:
    """Hands calls on, and ends this process when the parent lets go of the connection or dies, even by SIGKILL."""
    try:
        while True:
            calls.put(connection.recv_bytes())
    except (EOFError, OSError):
        os._exit(1)


def _made(written: bytes) -> bytes:
    """Makes a call; returns its result, or what it failed with, as they travel."""
    try:
        function, args, kwargs = pickle.loads(written)  # noqa: S301  # from the process that started this one
        return pickle.dumps((function(*args, **kwargs), None))
    except Exception as error:  # noqa: BLE001  # whatever it is, it is raised where the call was sent from
        return pickle.dumps((None, as_it_travels(error)))


def as_it_travels(error: Exception) -> Exception:
    """Returns an error of this worker process with a note where it was made; one that cannot travel, in words."""
    error.add_note(f"in a worker process:\n{''.join(traceback.format_exception(error))}")
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301  # some errors can be written and not be read again
    except Exception:  # noqa: BLE001
        return EngineError(f"{type(error).__name__}: {error}")
    return error
