"""Computations that can be interrupted and limited in time, off the event loop if others wait for it."""

import asyncio
import contextvars
import os
import signal
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from time import monotonic
from typing import Any, ParamSpec, TypeVar

from quaestor.errors import QuestionTimeoutError

# A thread is interrupted by an exception raised in the middle of its work, as Ctrl-C does in the main thread. A call
# of a C function is not interrupted: the exception is raised when it returns.

R = TypeVar("R")

_RETRY_SECONDS = 1.0
"""Seconds after which work is interrupted again, since some code swallows every exception."""


class InterruptedWork(BaseException):
    """The work was interrupted. Not an `Exception`, so that `except Exception` does not catch it."""


class Interruptible:
    """Work that runs once, in the thread that calls `run`, and that any thread may interrupt.

    Attributes:
        timed_out: Whether it was interrupted because it exceeded its time limit.
    """

    def __init__(self) -> None:
        self.timed_out: bool = False
        self._lock = threading.Lock()
        self._thread: int | None = None
        self._raised = self._interrupted = False

    def run(self, work: Callable[[], R]) -> R:
        """Run the work and return its result.

        Raises:
            InterruptedWork: It was interrupted. Nothing is raised in this thread after this call has ended.
        """
        with self._lock:
            if self._interrupted:
                raise InterruptedWork
            self._thread = threading.get_ident()
        try:
            return work()
        finally:
            try:
                self._finish()
            except InterruptedWork:  # raised before the lock was acquired; it is not raised again so soon
                self._finish()
                raise

    def interrupt(self) -> None:
        """Interrupt the work now if it is running, or as soon as it starts."""
        if self.raise_once(timed_out=False):
            _watch.begin(self, _RETRY_SECONDS)

    def raise_once(self, *, timed_out: bool) -> bool:
        """Raise the interruption once, and return whether the work is running."""
        with self._lock:
            first, self._interrupted = not self._interrupted, True
            if self._thread is None:
                return False
            if first:
                self.timed_out = timed_out
            self._raised = True
            _raise_in(self._thread, InterruptedWork)
            return True

    def _finish(self) -> None:
        with self._lock:
            thread, self._thread = self._thread, None
            interrupted = thread if self._raised else None
        if interrupted is not None:
            _clear_interruption(interrupted)


def _raise_in(thread: int, kind: type[BaseException]) -> None:
    import ctypes  # needed only when something is interrupted

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))


def _clear_interruption(thread: int) -> None:
    """Consume, in the interrupted thread, an exception that may not have been raised yet.

    Setting it to None does not work: CPython 3.11 never clears the flag that requests it, so that all later code is
    slower, and code traced by a debugger or a coverage tool never ends.
    """
    try:
        _raise_in(thread, InterruptedWork)
        while True:
            pass
    except InterruptedWork:
        pass


class _Watch:
    """Thread that interrupts work after its time limit; started with the first work, and anew after a fork."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._ends: dict[Interruptible, float] = {}
        self._next_check = float("inf")
        self._thread: threading.Thread | None = None

    def begin(self, work: Interruptible, seconds: float) -> None:
        end = monotonic() + seconds
        with self._changed:
            self._ends[work] = end
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="watching", daemon=True)
                self._thread.start()
            elif end < self._next_check:
                self._changed.notify()

    def end(self, work: Interruptible) -> None:
        # No need to wake the thread: it will find nothing to do.
        with self._changed:
            self._ends.pop(work, None)

    def _watch(self) -> None:
        while True:
            with self._changed:
                now = monotonic()
                late = [work for work, end in self._ends.items() if end <= now]
                for work in late:
                    if work.raise_once(timed_out=True):
                        self._ends[work] = now + _RETRY_SECONDS
                    else:
                        del self._ends[work]
                self._next_check = min(self._ends.values(), default=float("inf"))
                self._changed.wait(None if not self._ends else max(0.0, self._next_check - monotonic()))


_watch = _Watch()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_watch.__init__)  # type: ignore[misc]


class Allowance:
    """Time limit shared by several pieces of work."""

    def __init__(self, seconds: float) -> None:
        self.seconds: float = seconds
        self._left = seconds

    def run(self, work: Callable[[], R], running: Interruptible) -> R:
        """Run the work and return its result.

        Raises:
            InterruptedWork: It was interrupted; `running.timed_out` shows whether by the time limit.
        """
        if self._left <= 0:
            running.timed_out = True
            raise InterruptedWork
        began = monotonic()
        _watch.begin(running, self._left)
        try:
            return running.run(work)
        finally:
            _watch.end(running)
            self._left -= monotonic() - began


# If other tasks wait for the event loop, computations run in two threads for the whole process.
#
# The threads share one interpreter, so more of them would not be faster, and each delays the event loop. Two are enough
# that a long calculation does not block a short one. If the loop has a single task, the work runs in the loop's own
# thread: switching threads makes a turn of the embedded solver a fifth slower. So does work of less than a millisecond,
# which takes no longer than the switch (a tenth of all time with fifty conversations at once).
#
# Work is interrupted at its time limit (`computing_limit`), when the task that waits for it is cancelled, and by Ctrl-C
# if it runs in the main thread.

P = ParamSpec("P")

_THREADS = 2


class _Threads:
    """Thread pool of this process; created anew after a fork, which threads do not survive."""

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(_THREADS, "computing")


_threads = _Threads()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_threads.__init__)  # type: ignore[misc]


_little: ContextVar[bool] = ContextVar("little", default=False)
_allowance: ContextVar[Allowance | None] = ContextVar("allowance", default=None)


@contextmanager
def little_work(little: bool) -> Iterator[None]:
    """Set whether calls of `compute_little` in the block take less than a millisecond.

    Args:
        little: Whether the document is small: a page rather than a whole filing.
    """
    token = _little.set(little)
    try:
        yield
    finally:
        _little.reset(token)


@contextmanager
def computing_limit(seconds: float | None) -> Iterator[None]:
    """Limit the total time of all calls of `compute` in the block; waiting does not count.

    Args:
        seconds: The limit; None keeps the current one.
    """
    token = _allowance.set(_allowance.get() if seconds is None else Allowance(seconds))
    try:
        yield
    finally:
        _allowance.reset(token)


async def compute_little(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a function: in the event loop within `little_work(True)`, otherwise as `compute` does.

    Args:
        work: A function that scans a document at most twice.
    """
    call = partial(work, *args, **kwargs)
    return _run_here(call) if _little.get() else await _compute(call)


async def compute(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a function in a thread while the event loop continues; in this thread if its loop has no other task.

    Only for work that computes: work that waits (a query, a file, a lock) belongs in `asyncio.to_thread`, because here
    it would block one of two threads. It must not wait for other work in these threads.

    Raises:
        QuestionTimeoutError: It was interrupted at the limit of `computing_limit`.
    """
    return await _compute(partial(work, *args, **kwargs))


async def _compute(work: Callable[[], R]) -> R:
    if len(asyncio.all_tasks()) == 1:
        return _run_here(work)
    running = Interruptible()
    call = partial(contextvars.copy_context().run, _within_limit, work, running)
    try:
        return await asyncio.get_running_loop().run_in_executor(_threads.pool, call)
    except asyncio.CancelledError:
        running.interrupt()
        raise


def _within_limit(work: Callable[[], R], running: Interruptible) -> R:
    allowance = _allowance.get()
    if allowance is None:
        return running.run(work)
    try:
        return allowance.run(work, running)
    except InterruptedWork:
        if running.timed_out:
            raise QuestionTimeoutError(allowance.seconds) from None
        raise


def _run_here(work: Callable[[], R]) -> R:
    """Run work in the thread of the event loop, and return its result."""
    task, running = asyncio.current_task(), Interruptible()
    assert task is not None
    _running[task] = running
    try:
        if task in _cancelled:
            raise asyncio.CancelledError
        with _interrupt_on_ctrl_c():
            return _within_limit(work, running)
    except InterruptedWork:
        raise asyncio.CancelledError from None
    finally:
        _running.pop(task, None)


_running: "weakref.WeakKeyDictionary[asyncio.Task[Any], Interruptible]" = weakref.WeakKeyDictionary()
_cancelled: "weakref.WeakSet[asyncio.Task[Any]]" = weakref.WeakSet()


def interrupt(task: "asyncio.Task[Any]") -> None:
    """Interrupt what a task computes in the thread of its event loop.

    Args:
        task: A task of an event loop in another thread. The caller must also cancel it.
    """
    _cancelled.add(task)
    if (running := _running.get(task)) is not None:
        running.interrupt()


@contextmanager
def _interrupt_on_ctrl_c() -> Iterator[None]:
    """Have Ctrl-C raise KeyboardInterrupt: asyncio would cancel the task, which has no effect while it computes."""
    if threading.current_thread() is threading.main_thread():
        before = signal.getsignal(signal.SIGINT)
        if isinstance(getattr(getattr(before, "func", None), "__self__", None), asyncio.Runner):
            signal.signal(signal.SIGINT, signal.default_int_handler)
            try:
                yield
            finally:
                signal.signal(signal.SIGINT, before)
            return
    yield
