"""What computes, off the event loop where anybody else waits on it: in two threads for the whole process.

Threads of one process share one interpreter. More of them would compute nothing sooner, and each that computes makes
the event loop wait for its turn: two keep one long calculation from holding up a short one, and that is all. A loop
with a single task has nobody to hold up: going to another thread and back costs a turn of the embedded solver a fifth.
What takes less than a millisecond holds nobody up either, and the way to a thread and back takes as long: with fifty
conversations at once it was a tenth of all work.
"""

import asyncio
import contextvars
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import ParamSpec, TypeVar

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


@contextmanager
def little_work(little: bool) -> Iterator[None]:
    """Says whether what `compute_little` is given inside takes less than a millisecond.

    Args:
        little: Whether what it goes through is small: one page, and not a whole filing.
    """
    token = _little.set(little)
    try:
        yield
    finally:
        _little.reset(token)


async def compute_little(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Returns what a function returns; at once inside of `little_work(True)`, otherwise as `compute` does.

    Args:
        work: A function that looks through a document once or twice, and no more.
        args: What it is given.
        kwargs: What it is given by name.
    """
    return work(*args, **kwargs) if _little.get() else await compute(work, *args, **kwargs)


async def compute(work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Returns what a function returns, which computes while the event loop goes on.

    Where the task that asks is the only one of its loop, the work is done at once.

    For work that computes. What may wait (a query, a file, a lock) goes to `asyncio.to_thread`: here it would keep a
    thread from everybody else. Work in one of these threads must not wait for other such work.

    Args:
        work: The function.
        args: What it is given.
        kwargs: What it is given by name.
    """
    if len(asyncio.all_tasks()) == 1:
        return work(*args, **kwargs)
    call = partial(contextvars.copy_context().run, partial(work, *args, **kwargs))
    return await asyncio.get_running_loop().run_in_executor(_threads.pool, call)
