"""Runs coroutines from synchronous code, in scripts and in notebooks, whose event loop is already running.

All coroutines run in one event loop in a background thread, for the lifetime of the process, because the connections of
a conversation belong to the loop in which they were opened.
"""

import asyncio
import atexit
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import TypeVar

from quaestor.core.computing import interrupt
from quaestor.errors import InputError

T = TypeVar("T")

_EXIT_SECONDS = 2.0
"""Seconds that open resources may take to close when the process exits."""


class _Background:
    """The background event loop of this process. A fork creates its own, because threads do not survive it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def is_current_thread(self) -> bool:
        """Whether the calling code runs in the background loop."""
        return threading.current_thread() is self._thread

    def loop(self) -> asyncio.AbstractEventLoop:
        """Return the running event loop, starting it if necessary."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="quaestor", daemon=True)
                self._thread.start()
            return self._loop

    def submit(self, begin: Callable[[], Coroutine[object, object, None]]) -> None:
        if self._loop is not None and self._loop.is_running():
            asyncio.run_coroutine_threadsafe(begin(), self._loop)

    def end(self) -> None:
        if self._loop is None or self._thread is None:
            return
        with suppress(TimeoutError, CancelledError):
            asyncio.run_coroutine_threadsafe(_finish_tasks(), self._loop).result(2 * _EXIT_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_EXIT_SECONDS)
        if not self._loop.is_running():
            self._loop.close()


async def _finish_tasks() -> None:
    """Wait for running tasks, and cancel those that take too long."""
    if tasks := asyncio.all_tasks() - {asyncio.current_task()}:
        _, late = await asyncio.wait(tasks, timeout=_EXIT_SECONDS)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)


_background = _Background()
atexit.register(_background.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_background.__init__)  # type: ignore[misc]


def run_sync(coroutine: Coroutine[object, object, T]) -> T:
    """Run a coroutine and return its result. Ctrl-C cancels the coroutine before KeyboardInterrupt is raised.

    Raises:
        InputError: Called by code that runs in the background loop, such as a solver, which would deadlock.

    >>> async def answer() -> int:
    ...     return 42
    >>> run_sync(answer())
    42
    """
    if _background.is_current_thread:
        coroutine.close()
        raise InputError(
            "synchronous calls cannot be used inside a solver: await the variant whose name ends in _async"
        )
    future, cancel = _start(coroutine)
    try:
        return future.result()
    except KeyboardInterrupt:
        cancel()
        with suppress(Exception, CancelledError):
            future.exception()
        raise


def _start(coroutine: Coroutine[object, object, T]) -> tuple[Future[T], Callable[[], None]]:
    """Run a coroutine in the background loop; return its future and how to cancel it, also while it computes."""
    loop, tasks = _background.loop(), list[asyncio.Task[object]]()

    async def run() -> T:
        if (task := asyncio.current_task()) is not None:
            tasks.append(task)
        return await coroutine

    future = asyncio.run_coroutine_threadsafe(run(), loop)

    def cancel() -> None:
        if not tasks:  # it has not started
            future.cancel()
        for task in tasks:
            interrupt(task)  # the loop cannot process a cancellation while a task computes in its thread
            loop.call_soon_threadsafe(task.cancel)

    return future, cancel


async def run_in_background(coroutine: Coroutine[object, object, T]) -> T:
    """Run a coroutine in the background loop without blocking the caller's loop, and return its result."""
    if _background.is_current_thread:
        return await coroutine
    future, cancel = _start(coroutine)
    try:
        return await asyncio.shield(asyncio.wrap_future(future))  # the work is cancelled once, below
    except asyncio.CancelledError:
        cancel()
        raise


def run_later(begin: Callable[[], Coroutine[object, object, None]]) -> None:
    """Run a coroutine in the background loop without waiting for it, if the loop has been started."""
    _background.submit(begin)
