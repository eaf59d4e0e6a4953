"""How often Python looks for cycles of objects that nobody holds any more."""

import gc
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")

_BETWEEN = 50_000
"""New objects between two looks, where Python has 700: what a turn makes is gone when it ends, with few cycles."""

_BETWEEN_SERVING = 2_000

_BETWEEN_TIDYING = 256


class _Owned:
    """Whether this process is a program's own."""

    whole = False


def collect_seldom() -> None:
    """Lets this process look for cycles seldom: for programs that own their process, not for a library's caller."""
    gc.set_threshold(_BETWEEN)
    _Owned.whole = True


def tidy() -> None:
    """Has Python give up what it keeps for reuse: megabytes of tuples once many pages went by.

    For programs that own their process, between steps of theirs; of another nothing is done. What there is the first
    time is there to stay, and is not looked at again.
    """
    if _Owned.whole:
        gc.collect()
        if not gc.get_freeze_count():
            gc.freeze()
        _give_back()


def _give_back() -> None:
    """Has the C library give free memory back to the system, where it can: glibc keeps it."""
    import ctypes

    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def tidying(items: Iterable[T]) -> Iterator[T]:
    """Yields items, and tidies up now and then where they are many."""
    for number, item in enumerate(items, 1):
        yield item
        if number % _BETWEEN_TIDYING == 0:
            del item
            tidy()


def collect_later() -> None:
    """Lets this process look for no cycles until `collect_steadily`: what a server loads at first is there to stay."""
    gc.disable()


def collect_steadily() -> None:
    """Lets this process look for cycles often from now on: for servers, in which each request leaves some behind.

    What was loaded until now is there to stay and is not looked at again, so that a look takes no time to speak of.
    """
    gc.enable()
    gc.freeze()
    gc.set_threshold(_BETWEEN_SERVING)


def collect_no_more() -> None:
    """Lets this process end without a last look for cycles, which takes a tenth of what a question takes.

    For programs that are at their end: the system takes their memory back as it is.
    """
    gc.freeze()
