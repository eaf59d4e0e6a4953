"""Arithmetic on one thread: on several, sums are added in another order, and close calls fall otherwise."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_thread() -> Iterator[None]:
    """Keeps the libraries of linear algebra to one thread, so that a machine's cores do not change what is learned."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield
