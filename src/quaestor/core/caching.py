"""Caches: bounded, safe among threads, and cleared at once."""

import gc
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """Keeps what was used last, up to a bound on the whole; several threads may use it at once.

    For values that depend on their key alone: whether one is cached changes how long an answer takes, never the answer.
    It survives pickling, without its values.

    >>> lengths = BoundedCache[str, int](2)
    >>> lengths.get("three", lambda: len("three")), len(lengths)
    (5, 1)
    """

    def __init__(self, most: int, size: Callable[[V], int] | None = None) -> None:
        """Take the bound.

        Args:
            most: The sizes of all values together are at most this; the one used last stays whatever its size.
            size: What a value counts; by default each counts one.
        """
        self._most, self._size = most, size or _unit_size
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._whole = 0
        self._lock = threading.Lock()
        _clearings.add(self)

    def get(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key, made if it is not cached.

        Two threads that want one key at once may both make it; one of the two values stays.
        """
        with self._lock:
            if (found := self._entries.get(key)) is not None:
                self._entries.move_to_end(key)
                return found[0]
        value = make()
        size = self._size(value)
        with self._lock:
            _, replaced = self._entries.pop(key, (None, 0))
            self._entries[key] = value, size
            self._whole += size - replaced
            while self._whole > self._most and len(self._entries) > 1:
                _, (_, dropped) = self._entries.popitem(last=False)
                self._whole -= dropped
        return value

    def clear(self) -> None:
        """Forget all values."""
        with self._lock:
            self._entries.clear()
            self._whole = 0

    def __reduce__(self) -> tuple[type["BoundedCache[K, V]"], tuple[int, Callable[[V], int]]]:
        # Cached values can be made again; a lock cannot be pickled.
        return BoundedCache, (self._most, self._size)

    def __len__(self) -> int:
        """The number of values in the cache."""
        return len(self._entries)


def _unit_size(_value: object) -> int:
    return 1


_clearings: "weakref.WeakSet[BoundedCache[Any, Any]]" = weakref.WeakSet()
_LruCache = type(lru_cache(maxsize=1)(lambda: None))


def clear_caches() -> None:
    """Forget all that this package keeps between calls, as in a process that has just begun; for tests."""
    for cache in tuple(_clearings):
        cache.clear()
    set_aside = gc.get_freeze_count() > 0
    gc.unfreeze()  # what was set aside is in no list of objects
    for found in gc.get_objects():
        if isinstance(found, _LruCache) and str(getattr(found, "__module__", "")).startswith("quaestor."):
            found.cache_clear()
    if set_aside:
        gc.freeze()


def collect_seldom() -> None:
    """Let this process look for cycles seldom: for programs that own their process, not for a library's caller."""
    # What a turn makes is freed when it ends, with few cycles; Python would look after 700 new objects.
    gc.set_threshold(300_000)
