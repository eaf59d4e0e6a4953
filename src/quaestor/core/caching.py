"""Bounded, thread-safe caches that can be cleared together."""

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
    """Thread-safe least-recently-used cache with a limit on the total size of its values.

    For values that depend on their key alone. Pickling keeps the cache but not its values.

    >>> lengths = BoundedCache[str, int](2)
    >>> lengths.get("three", lambda: len("three")), len(lengths)
    (5, 1)
    """

    def __init__(self, most: int, size: Callable[[V], int] | None = None) -> None:
        """Create an empty cache.

        Args:
            most: Limit for the sizes of all values together; the most recently used value always stays.
            size: Returns the size of a value; by default 1.
        """
        self._most, self._size = most, size or _unit_size
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._whole = 0
        self._lock = threading.Lock()
        _caches.add(self)

    def get(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key; call `make` if it is not cached.

        Two threads that ask for one key at once may both call `make`; one of the values is cached.
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
        """Remove all values."""
        with self._lock:
            self._entries.clear()
            self._whole = 0

    def __reduce__(self) -> tuple[type["BoundedCache[K, V]"], tuple[int, Callable[[V], int]]]:
        # A lock cannot be pickled, and values can be computed again.
        return BoundedCache, (self._most, self._size)

    def __len__(self) -> int:
        """Return the number of cached values."""
        return len(self._entries)


def _unit_size(_value: object) -> int:
    return 1


_caches: "weakref.WeakSet[BoundedCache[Any, Any]]" = weakref.WeakSet()
_LruCache = type(lru_cache(maxsize=1)(lambda: None))


def clear_caches() -> None:
    """Clear all caches of this package; for tests."""
    for cache in tuple(_caches):
        cache.clear()
    frozen = gc.get_freeze_count() > 0
    gc.unfreeze()  # `gc.get_objects` does not list frozen objects
    for found in gc.get_objects():
        if isinstance(found, _LruCache) and str(getattr(found, "__module__", "")).startswith("quaestor."):
            found.cache_clear()
    if frozen:
        gc.freeze()


def collect_seldom() -> None:
    """Run the garbage collector rarely; for programs that own their process, not for library callers."""
    # A turn creates few reference cycles, but the default threshold is only 700 new objects.
    gc.set_threshold(300_000)
