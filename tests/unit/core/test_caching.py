"""Caches: size limits, use by several threads, and clearing."""

import gc
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial

import pytest

from quaestor.core.caching import BoundedCache, clear_caches
from quaestor.ontology.labels import RUNGS, plain


def test_least_recently_used_value_is_evicted() -> None:
    cache, calls = BoundedCache[str, str](2), list[str]()

    def make(key: str) -> str:
        calls.append(key)
        return key.upper()

    def get(key: str) -> str:
        return cache.get(key, partial(make, key))

    assert [get(key) for key in ("a", "b", "a", "c", "a", "b")] == ["A", "B", "A", "C", "A", "B"]
    assert calls == ["a", "b", "c", "b"]
    assert len(cache) == 2


def test_values_are_weighted_by_size_and_the_last_one_is_kept() -> None:
    cache = BoundedCache[int, list[int]](10, len)
    for size in (4, 5, 3):
        cache.get(size, partial(list, range(size)))
    assert len(cache) == 2
    cache.get(99, lambda: [0] * 99)
    assert len(cache) == 1
    cache.get(2, lambda: [0] * 2)
    assert len(cache) == 1


def test_cache_is_shared_by_threads() -> None:
    cache = BoundedCache[int, int](8)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: cache.get(n % 20, lambda: (n % 20) ** 2), range(4000)))
    assert found == [(n % 20) ** 2 for n in range(4000)]
    assert len(cache) == 8


@pytest.mark.very_slow
def test_all_caches_are_cleared_at_once() -> None:
    cache = BoundedCache[str, int](2)
    cache.get("a", lambda: 1)
    plain("Net Revenue")
    RUNGS[2].key("Net Revenues")
    gc.freeze()
    clear_caches()
    assert len(cache) == 0
    for cached in (plain, RUNGS[2].key):
        assert isinstance(cached, type(lru_cache(plain)))
        assert cached.cache_info().currsize == 0
    assert cache.get("a", lambda: 2) == 2
