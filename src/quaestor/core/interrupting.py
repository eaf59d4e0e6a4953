"""Work in a thread that another thread can interrupt, and the thread that interrupts what takes too long.

An exception is raised in the middle of the work, as Ctrl-C does in the main thread. A single call of a C function is
not interrupted; the exception is raised when it returns.
"""

import os
import threading
from collections.abc import Callable
from time import monotonic
from typing import TypeVar

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
            except InterruptedWork:  # raised before the lock was taken; it is not raised again within `_AGAIN`
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
            InterruptedWork: It was interrupted; `timed_out` says why.
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
