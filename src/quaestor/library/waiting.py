"""Coroutines from plain code, in a script and in a notebook, whose event loop runs already.

All are run by one event loop in a thread of its own, for as long as the process lives: what a conversation holds open
belongs to the loop in which it was opened.
"""

import asyncio
import atexit
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Generic, TypeVar

from quaestor.core.computing import interrupt
from quaestor.errors import InputError

T = TypeVar("T")

_AT_EXIT = 2.0
"""Seconds that what is still open may take to close when the process ends."""


class _Background:
    """The event loop of this process; a fork gets its own, for threads do not survive one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def is_here(self) -> bool:
        """Whether this code is run by it."""
        return threading.current_thread() is self._thread

    def loop(self) -> asyncio.AbstractEventLoop:
        """Return it, running."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="quaestor", daemon=True)
                self._thread.start()
            return self._loop

    def submit(self, begin: Callable[[], Coroutine[object, object, None]]) -> None:
        """Run a coroutine without waiting for it, unless nothing was run yet."""
        if self._loop is not None and self._loop.is_running():
            asyncio.run_coroutine_threadsafe(begin(), self._loop)

    def end(self) -> None:
        """Let what it runs come to its end, and stops it."""
        if self._loop is None or self._thread is None:
            return
        with suppress(TimeoutError, CancelledError):
            asyncio.run_coroutine_threadsafe(_end_all(), self._loop).result(2 * _AT_EXIT)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_AT_EXIT)
        if not self._loop.is_running():
            self._loop.close()


async def _end_all() -> None:
    """Wait for what is closing, and ends what is left."""
    if tasks := asyncio.all_tasks() - {asyncio.current_task()}:
        _, late = await asyncio.wait(tasks, timeout=_AT_EXIT)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)


_background = _Background()
atexit.register(_background.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_background.__init__)  # type: ignore[misc]


def run_sync(coroutine: Coroutine[object, object, T]) -> T:
    """Return what a coroutine returns. An interrupt from the keyboard ends it before it is raised here.

    Raises:
        InputError: It is called by code that a plain call runs already, such as a solver: it would wait for itself.

    >>> async def answer() -> int:
    ...     return 42
    >>> run_sync(answer())
    42
    """
    if _background.is_here:
        coroutine.close()
        raise InputError(
            "synchronous calls cannot be used inside a solver: await the variant whose name ends in _async"
        )
    running = _RunningCoroutine(coroutine)
    try:
        return running.future.result()
    except KeyboardInterrupt:
        running.cancel()
        with suppress(Exception, CancelledError):
            running.future.exception()
        raise


class _RunningCoroutine(Generic[T]):
    """A coroutine that the loop of plain calls runs."""

    def __init__(self, coroutine: Coroutine[object, object, T]) -> None:
        self.future: Future[T] = Future()
        self._loop = _background.loop()
        self._coroutine = coroutine
        self._task: asyncio.Task[T] | None = None
        self._loop.call_soon_threadsafe(self._create_task)

    def cancel(self) -> None:
        """End it, whatever it waits for or computes."""
        # The loop hears of nothing while a task computes in its thread.
        if (task := self._task) is not None:
            interrupt(task)
        self._loop.call_soon_threadsafe(self._cancel)

    def _create_task(self) -> None:
        self._task = self._loop.create_task(self._coroutine)
        self._task.add_done_callback(self._set_result)

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _set_result(self, task: "asyncio.Task[T]") -> None:
        if self.future.cancelled():  # nobody waits for it any more
            return
        if task.cancelled():
            self.future.set_exception(CancelledError())
        elif (error := task.exception()) is not None:
            self.future.set_exception(error)
        else:
            self.future.set_result(task.result())


async def run_in_background(coroutine: Coroutine[object, object, T]) -> T:
    """Return what a coroutine returns, run by the loop of plain calls while the caller's own goes on."""
    if _background.is_here:
        return await coroutine
    running = _RunningCoroutine(coroutine)
    try:
        return await asyncio.wrap_future(running.future)
    except asyncio.CancelledError:
        running.cancel()
        raise


def run_later(begin: Callable[[], Coroutine[object, object, None]]) -> None:
    """Run a coroutine by the loop of plain calls, if there is one, without waiting for it."""
    _background.submit(begin)
