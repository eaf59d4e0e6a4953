"""What computes, off the event loop where anybody else waits on it: in two threads for the whole process.

Threads of one process share one interpreter. More of them would compute nothing sooner, and each that computes makes
the event loop wait for its turn: two keep one long calculation from holding up a short one, and that is all. A loop
with a single task has nobody to hold up: going to another thread and back costs a turn of the embedded solver a fifth.
What takes less than a millisecond holds nobody up either, and the way to a thread and back takes as long: with fifty
conversations at once it was a tenth of all work.

Work can be interrupted: when its time is over (`computing_limit`), when the task that waits for it is cancelled, and by
Ctrl-C when it is done in the main thread.
"""

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
from typing import Any, ParamSpec, TypeVar

from quaestor.core.interrupting import Allowance, InterruptedWork, Interruptible
from quaestor.errors import QuestionTimeoutError

P = ParamSpec("P")
R = TypeVar("R")

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
    """Say whether what `compute_little` is given inside takes less than a millisecond.

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
    return _at_once(call) if _little.get() else await _compute(call)


async def compute(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Return what a function returns, which computes while the event loop goes on.

    Where the task that asks is the only one of its loop, the work is done at once.

    For work that computes. What may wait (a query, a file, a lock) goes to `asyncio.to_thread`: here it would keep a
    thread from everybody else. Work in one of these threads must not wait for other such work.

    Raises:
        QuestionTimeoutError: It took longer than `computing_limit` allows, and was interrupted.
    """
    return await _compute(partial(work, *args, **kwargs))


async def _compute(work: Callable[[], R]) -> R:
    if len(asyncio.all_tasks()) == 1:
        return _at_once(work)
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


def _at_once(work: Callable[[], R]) -> R:
    """Return what some work returns, done in the thread of the event loop."""
    task, running = asyncio.current_task(), Interruptible()
    assert task is not None
    _at_work[task] = running
    try:
        if task in _unwanted:
            raise asyncio.CancelledError
        with _ctrl_c_at_once():
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
def _ctrl_c_at_once() -> Iterator[None]:
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
