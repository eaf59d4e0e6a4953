import os
import re
import time
from pathlib import Path

import pytest

from quaestor.readers.cache import FolderCache, cache_key


@pytest.fixture
def cache(tmp_path: Path) -> FolderCache:
    return FolderCache(tmp_path / "kept", most=100_000)


def _entry(cache: FolderCache) -> Path:
    (entry,) = cache.folder.iterdir()
    return entry


def test_cache_is_shared_between_processes(cache: FolderCache) -> None:
    key = cache_key("document", "a" * 64, "html 3")
    assert cache.get(key) is None
    cache.put(key, b"\0one")
    cache.put(key, b"\0two")
    assert FolderCache(cache.folder).get(key) == b"\0two"
    assert cache.get(cache_key("document", "a" * 64, "html 4")) is None


@pytest.mark.parametrize("harm", [b"", b"quaestor", b"quaestor kept 1\n" + b"x" * 40])
def test_a_damaged_entry_is_dropped(cache: FolderCache, harm: bytes) -> None:
    cache.put("k", b"whole")
    _entry(cache).write_bytes(harm)
    assert cache.get("k") is None
    assert list(cache.folder.iterdir()) == []
    cache.put("k", b"again")
    assert cache.get("k") == b"again"


def test_flipped_bit_is_detected(cache: FolderCache) -> None:
    cache.put("k", b"whole")
    data = bytearray(_entry(cache).read_bytes())
    data[-1] ^= 1
    _entry(cache).write_bytes(data)
    assert cache.get("k") is None


def test_least_recently_used_entry_is_removed_first(cache: FolderCache) -> None:
    for number, key in enumerate("abc"):
        cache.put(key, b"x" * 30_000)
        os.utime(cache.folder / f"{key}.kept", (number, number))
    assert cache.get("a") is not None
    cache.put("d", b"x" * 30_000)
    assert [key for key in "abcd" if cache.get(key)] == ["a", "c", "d"]


def test_entry_of_half_the_cache_size_is_not_cached(cache: FolderCache) -> None:
    cache.put("k", b"x" * 60_000)
    assert not cache.folder.exists()


def test_unfinished_cache_files_are_removed_after_an_hour(cache: FolderCache) -> None:
    cache.put("k", b"whole")
    old, fresh = cache.folder / ".x.kept.1.part", cache.folder / ".y.kept.2.part"
    for path, age in ((old, 7200), (fresh, 5)):
        path.write_bytes(b"half")
        os.utime(path, (time.time() - age,) * 2)
    cache.put("m", b"more")
    assert fresh.exists()
    assert not old.exists()


def test_unwritable_folder_caches_nothing_silently(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    cache = FolderCache(file)
    cache.put("k", b"data")
    assert cache.get("k") is None
    cache.clear()


def test_cache_entries_are_private(cache: FolderCache) -> None:
    cache.put("k", b"whole")
    assert _entry(cache).stat().st_mode & 0o077 == 0
    assert cache.folder.stat().st_mode & 0o077 == 0
    cache.clear()
    assert cache.get("k") is None


@pytest.mark.parametrize("key", ["", "../k", "a/b", "a.b", "k\0"])
def test_key_cannot_name_another_file(cache: FolderCache, key: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(key))):
        cache.put(key, b"data")
