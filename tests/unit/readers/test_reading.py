from pathlib import Path

import pytest
from plugin_package import install

from quaestor.datasets.formats import read_dataset, read_document
from quaestor.documents.repairs import WarningKind
from quaestor.errors import DatasetError
from quaestor.readers import reading
from quaestor.readers.cache import FolderCache
from quaestor.readers.content import FileContent
from quaestor.readers.reading import read_file

TABLE = "| a | 2023 |\n|---|---|\n| rent | 5 |\n"


def test_file_is_read_by_content_not_by_name(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(TABLE)
    document = read_document(path)
    assert document.tables[0].cells[1][1].quantity
    assert [".csv" in warning.detail for warning in document.warnings] == [True]


def test_text_with_a_table_gives_no_warning(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(TABLE)
    assert WarningKind.LOST not in {warning.kind for warning in read_document(path).warnings}


def test_unknown_file_kind_lists_the_known_ones(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(range(32)) * 9)
    with pytest.raises(DatasetError, match=r"a\.bin.*markdown, csv, text"):
        read_document(path)


def test_a_document_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, cache = tmp_path / "a.md", FolderCache(tmp_path / "kept")
    path.write_text(TABLE)
    first = read_dataset(path, cache=cache)
    monkeypatch.setattr(reading, "_read", None)
    assert read_dataset(path, cache=cache) == first
    with pytest.raises(TypeError):
        read_dataset(path)


def test_other_content_name_or_reader_is_not_served_from_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = FolderCache(tmp_path / "kept")
    one, other = tmp_path / "a.md", tmp_path / "b.md"
    for path in (one, other):
        path.write_text(TABLE)
    assert read_document(one, cache).id == "a.md"
    assert read_document(other, cache).id == "b.md"
    one.write_text(TABLE.replace("5", "6"))
    assert read_document(one, cache).tables[0].cells[1][1].text == "6"
    assert len(list(cache.folder.iterdir())) == 3
    monkeypatch.setattr("quaestor.readers.registry.code_of_reading", lambda: "another")
    read_document(one, cache)
    assert len(list(cache.folder.iterdir())) == 4


def test_damaged_cache_entry_is_read_again(tmp_path: Path) -> None:
    path, cache = tmp_path / "a.md", FolderCache(tmp_path / "kept")
    path.write_text(TABLE)
    whole = read_document(path, cache)
    (entry,) = cache.folder.iterdir()
    entry.write_bytes(entry.read_bytes()[:-9])
    assert read_document(path, cache) == whole
    cache.put(entry.stem, b'{"id": "a.md"}')
    assert read_document(path, cache) == whole


def test_plugin_readers_with_a_version_are_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Mine:
        name = "mine"

        def recognises(self, content: FileContent) -> bool:
            return True

        read = staticmethod(reading.read_file)

    path, cache = tmp_path / "a.md", FolderCache(tmp_path / "kept")
    path.write_text(TABLE)
    document = read_document(path)
    monkeypatch.setattr(Mine, "read", lambda self, content: document)
    monkeypatch.setattr(reading, "find_reader", lambda content: Mine())
    assert read_document(path, cache) == document
    assert not cache.folder.exists()
    monkeypatch.setattr(Mine, "version", "1", raising=False)
    assert read_document(path, cache) == document
    assert cache.folder.exists()


READER = """
class Fails:
    name = "fails"

    def recognises(self, content):
        if content.data.startswith(b"fail at once"):
            raise LookupError("unknown encoding: UTF-1.5")
        return content.data.startswith(b"fail")

    def read(self, content):
        raise LookupError("unknown encoding: UTF-1.5")
"""


def test_any_library_error_is_named_and_chained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "fails", READER, {"quaestor.readers": {"fails": "fails:Fails"}})
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(DatasetError, match="LookupError") as raised:
        read_file(FileContent(Path("a.txt"), b"fail 5\n"))
    assert isinstance(raised.value.__cause__, LookupError)


def test_reader_that_fails_to_recognise_a_file_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    install(tmp_path, "fails", READER, {"quaestor.readers": {"fails": "fails:Fails"}})
    monkeypatch.syspath_prepend(str(tmp_path))
    found = read_file(FileContent(Path("a.txt"), b"fail at once, 5 times.\n"))
    assert found is not None
    assert found[0] == "text"
    assert "fails" in caplog.text
