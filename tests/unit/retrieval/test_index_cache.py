from pathlib import Path

import pytest
from reports import a_report

from quaestor.questions.question import read_question
from quaestor.readers.cache import FolderCache
from quaestor.retrieval import index
from quaestor.retrieval.finding import find_places
from quaestor.retrieval.index import PlaceIndex, WordIndex, load_index

QUESTION = read_question("what were net sales of paper in 2024?")


@pytest.fixture(autouse=True)
def _of_a_process_that_has_just_begun() -> None:
    index._INDEXES.clear()


def test_an_index_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = FolderCache(tmp_path)
    built = load_index(a_report(), cache)
    index._INDEXES.clear()
    monkeypatch.setattr(PlaceIndex, "of", lambda _: pytest.fail("it is built again"))
    assert find_places(load_index(a_report(), cache), QUESTION) == find_places(built, QUESTION)


def test_unusable_cached_index_is_rebuilt(tmp_path: Path) -> None:
    cache = FolderCache(tmp_path)
    built = load_index(a_report(), cache)
    (entry,) = tmp_path.glob("*.kept")
    cache.put(entry.stem, b"something else")
    index._INDEXES.clear()
    assert find_places(load_index(a_report(), cache), QUESTION) == find_places(built, QUESTION)
    assert cache.get(entry.stem) == built.words.to_bytes()


def test_index_in_memory_is_neither_loaded_nor_rebuilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, report = FolderCache(tmp_path), a_report()
    built = load_index(report, cache)
    monkeypatch.setattr(PlaceIndex, "of", lambda *_: pytest.fail("it is built again"))
    monkeypatch.setattr(WordIndex, "load", lambda *_: pytest.fail("it is read again"))
    other = a_report()
    found = load_index(other, cache)
    assert found.document is other
    assert find_places(found, QUESTION) == find_places(built, QUESTION)
    assert find_places(load_index(other, None), QUESTION) == find_places(built, QUESTION)
