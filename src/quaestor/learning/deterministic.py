"""Processes whose floating-point arithmetic is the same on every machine.

Linear algebra sums in an order that depends on the processor and its number of cores. The last digits differ, and so
do the trained weights, which then answer one close call in a hundred differently. The order can only be chosen before
the libraries are loaded, so training runs in separate processes.
"""

import os
import platform
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context

from quaestor.core.loop_workers import end_with_parent
from quaestor.errors import EngineError

_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_ONE_KERNEL = {"OPENBLAS_CORETYPE": "Nehalem"}
"""Kernels for every x86-64 processor that numpy supports; newer processors have others by default."""


@contextmanager
def deterministic_pool(count: int) -> Iterator[Executor]:
    """Yield processes that sum in the same order on all x86-64 machines; leaving the block kills them.

    Raises:
        EngineError: A process has died.
    """
    pool = ProcessPoolExecutor(count, get_context("spawn"), end_with_parent)
    try:
        with one_order():
            yield pool
    except BrokenProcessPool as error:
        raise EngineError(
            "a worker process died (killed, or out of memory): start again, with fewer workers if it happens again"
        ) from error
    finally:
        for process in list((pool._processes or {}).values()):
            process.kill()
        pool.shutdown(cancel_futures=True)


@contextmanager
def one_order() -> Iterator[None]:
    """Set the environment for deterministic sums in child processes."""
    chosen = variables_of_order()
    before = {name: os.environ.get(name) for name in chosen}
    os.environ.update(chosen)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def variables_of_order() -> dict[str, str]:
    """Return the environment variables for deterministic sums."""
    return _ONE_THREAD | (_ONE_KERNEL if platform.machine() in ("x86_64", "AMD64") else {})
