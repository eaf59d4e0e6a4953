"""Computing that can be interrupted, and that has a limit of time."""

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

# Work in a thread that another thread can interrupt, and the thread that interrupts what takes too long.
#
# An exception is raised in the middle of the work, as Ctrl-C does in the main thread. A single call of a C function
# is not interrupted; the exception is raised when it returns.

R = TypeVar("R")

_AGAIN = 1.0
"""Seconds after which work is interrupted again: some code swallows every exception."""


class InterruptedWork(BaseException):
    """The work was interrupted. Not an Exception, so that nothing takes it for a failure of the work."""


class Interruptible:
    """A piece of work that runs once, in the thread that calls `run`, and that any thread may interrupt.

    Attributes:
        timed_out: Whether it was interrupted because its time was over.
    """

    def __init__(self) -> None:
        self.timed_out: bool = False
        self._lock = threading.Lock()
        self._thread: int | None = None
        self._raised = self._unwanted = False

    def run(self, work: Callable[[], R]) -> R:
        """Return what the work returns.

        Raises:
            InterruptedWork: It was interrupted. Nothing is raised in this thread after the call has ended.
        """
        with self._lock:
            if self._unwanted:
                raise InterruptedWork
            self._thread = threading.get_ident()
        try:
            return work()
        finally:
            try:
                self._finish()
            except InterruptedWork:  # raised before the lock was acquired; it is not raised again within `_AGAIN`
                self._finish()
                raise

    def interrupt(self, *, timed_out: bool = False) -> None:
        """Interrupt the work, now if it is under way, or as soon as it starts."""
        if self.raise_once(timed_out=timed_out):
            _watch.begin(self, _AGAIN)

    def raise_once(self, *, timed_out: bool) -> bool:
        """Raise the interruption once, which some code may swallow; return whether the work is under way."""
        with self._lock:
            first, self._unwanted = not self._unwanted, True
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
    """Take back, in the thread itself, an exception that may not have been raised yet.

    Not by setting it to None: CPython then never clears the flag that asks for it, so that all code is slower from then
    on, and code that a debugger or a coverage tool traces never ends (3.11).
    """
    try:
        _raise_in(thread, InterruptedWork)
        while True:
            pass
    except InterruptedWork:
        pass


class _Watch:
    """A thread that interrupts work whose time is over; started with the first work. A fork gets its own."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._ends: dict[Interruptible, float] = {}
        self._looks_at = float("inf")
        self._thread: threading.Thread | None = None

    def begin(self, work: Interruptible, seconds: float) -> None:
        end = monotonic() + seconds
        with self._changed:
            self._ends[work] = end
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="watching", daemon=True)
                self._thread.start()
            elif end < self._looks_at:
                self._changed.notify()

    def end(self, work: Interruptible) -> None:
        # The thread is not woken: it finds nothing to do when it looks next.
        with self._changed:
            self._ends.pop(work, None)

    def _watch(self) -> None:
        while True:
            with self._changed:
                now = monotonic()
                late = [work for work, end in self._ends.items() if end <= now]
                for work in late:
                    if work.raise_once(timed_out=True):
                        self._ends[work] = now + _AGAIN
                    else:
                        del self._ends[work]
                self._looks_at = min(self._ends.values(), default=float("inf"))
                self._changed.wait(None if not self._ends else max(0.0, self._looks_at - monotonic()))


_watch = _Watch()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_watch.__init__)  # type: ignore[misc]


class Allowance:
    """How long several pieces of work may take together."""

    def __init__(self, seconds: float) -> None:
        self.seconds: float = seconds
        self._left = seconds

    def run(self, work: Callable[[], R], running: Interruptible) -> R:
        """Return what the work returns, interrupted when the time is over.

        Raises:
            InterruptedWork: It was interrupted; `timed_out` gives the reason.
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


# What computes, off the event loop where anybody else waits on it: in two threads for the whole process.
#
# Threads of one process share one interpreter. More of them would compute nothing sooner, and each that computes
# makes the event loop wait for its turn: two keep one long calculation from holding up a short one, and that is all.
# A loop with a single task has nobody to hold up: going to another thread and back costs a turn of the embedded
# solver a fifth. What takes less than a millisecond holds nobody up either, and the way to a thread and back takes as
# long: with fifty conversations at once it was a tenth of all work.
#
# Work can be interrupted: when its time is over (`computing_limit`), when the task that waits for it is cancelled,
# and by Ctrl-C when it is done in the main thread.

P = ParamSpec("P")

_THREADS = 2


class _Threads:
    """The threads of this process; a fork gets its own, for threads do not survive one."""

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(_THREADS, "computing")


_threads = _Threads()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_threads.__init__)  # type: ignore[misc]


_little: ContextVar[bool] = ContextVar("little", default=False)
_allowance: ContextVar[Allowance | None] = ContextVar("allowance", default=None)


@contextmanager
def little_work(little: bool) -> Iterator[None]:
    """State whether what `compute_little` is given inside takes less than a millisecond.

    Args:
        little: Whether what it goes through is small: one page, and not a whole filing.
    """
    token = _little.set(little)
    try:
        yield
    finally:
        _little.reset(token)


@contextmanager
def computing_limit(seconds: float | None) -> Iterator[None]:
    """Limit how long all work that `compute` is given inside may take together; waiting does not count.

    Args:
        seconds: The limit; None leaves the one in force.
    """
    token = _allowance.set(_allowance.get() if seconds is None else Allowance(seconds))
    try:
        yield
    finally:
        _allowance.reset(token)


async def compute_little(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Return what a function returns; at once inside of `little_work(True)`, otherwise as `compute` does.

    Args:
        work: A function that looks through a document once or twice, and no more.
    """
    call = partial(work, *args, **kwargs)
    return _run_here(call) if _little.get() else await _compute(call)


async def compute(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Return what a function returns, which computes while the event loop goes on.

    If the task that asks is the only one of its loop, the work is done at once.

    For work that computes. What may wait (a query, a file, a lock) goes to `asyncio.to_thread`: here it would keep a
    thread from everybody else. Work in one of these threads must not wait for other such work.

    Raises:
        QuestionTimeoutError: It took longer than `computing_limit` allows, and was interrupted.
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
    """Return what some work returns, done in the thread of the event loop."""
    task, running = asyncio.current_task(), Interruptible()
    assert task is not None
    _at_work[task] = running
    try:
        if task in _unwanted:
            raise asyncio.CancelledError
        with _interrupt_on_ctrl_c():
            return _within_limit(work, running)
    except InterruptedWork:
        raise asyncio.CancelledError from None
    finally:
        _at_work.pop(task, None)


_at_work: "weakref.WeakKeyDictionary[asyncio.Task[Any], Interruptible]" = weakref.WeakKeyDictionary()
_unwanted: "weakref.WeakSet[asyncio.Task[Any]]" = weakref.WeakSet()


def interrupt(task: "asyncio.Task[Any]") -> None:
    """Interrupt what a task computes in the thread of its event loop, so that it hears that it is cancelled.

    Args:
        task: Of an event loop in another thread. Whoever calls this cancels it, too.
    """
    _unwanted.add(task)
    if (running := _at_work.get(task)) is not None:
        running.interrupt()


@contextmanager
def _interrupt_on_ctrl_c() -> Iterator[None]:
    """Have Ctrl-C raise KeyboardInterrupt where asyncio would cancel a task, which cannot hear it while it computes."""
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
