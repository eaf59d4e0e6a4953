"""Processes whose arithmetic comes to the same on every machine.

Linear algebra adds up in the order that suits the processor and the number of its cores. The last digits differ, and
training makes other weights of them, which answer one close call in a hundred otherwise. The order can only be chosen
before the libraries are loaded, so training is given processes of its own.
"""

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context

from quaestor.core.workers import Workers

_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_ONE_KERNEL = {"OPENBLAS_CORETYPE": "Nehalem"}
"""The kernels that every x86-64 processor has on which numpy runs. Newer ones have others of their own."""


@contextmanager
def deterministic_pool(count: int) -> Iterator[Workers]:
    """Give so many processes that add up in one order: on all x86-64 machines the same one."""
    with (
        one_order(),
        Workers(count, get_context("spawn"), "start again, with fewer workers if it happens again") as workers,
    ):
        yield workers


@contextmanager
def one_order() -> Iterator[None]:
    """Let processes that are started inside add up in one order."""
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
    """Return the environment in which a process adds up in that order."""
    return _ONE_THREAD | (_ONE_KERNEL if platform.machine() in ("x86_64", "AMD64") else {})
