import asyncio
from pathlib import Path

import pytest

from quaestor.datasets.formats import read_document
from quaestor.errors import ReadingLimitError
from quaestor.readers import reading
from quaestor.readers.cache import FolderCache
from quaestor.readers.content import read_content
from quaestor.readers.limited import ReadingLimits
from quaestor.readers.reading import read_in_process

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("reading_processes")]

LIMITS = ReadingLimits()
ROOM, FULL = asyncio.Semaphore(1), asyncio.Semaphore(0)
TABLE = "Results of the year,,\n,2009,2008\nnet sales,$ 120 million,$ 100 million\nrent,5,4\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "results.csv"
    path.write_text(TABLE)
    return path


def nothing_is_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> None:
        raise AssertionError("a reader was called in this process")

    monkeypatch.setattr(reading, "_read", read)


async def test_file_parsed_in_another_process_is_cached_here(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = read_document(file)
    nothing_is_read_here(monkeypatch)
    found = read_document(file, await read_in_process(read_content(file), None, LIMITS, ROOM))
    assert (found.id, found.digest) == (here.id, here.digest)


@pytest.mark.slow
async def test_cached_document_is_not_parsed_again(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, cached = read_document(file), FolderCache(tmp_path / "kept")
    nothing_is_read_here(monkeypatch)
    await read_in_process(read_content(file), cached, LIMITS, ROOM)
    assert read_document(file, cached).digest == here.digest
    assert await read_in_process(read_content(file), cached, ReadingLimits(memory=1, seconds=0.0), FULL) is cached


async def test_file_over_the_limits_gives_a_one_line_error(file: Path) -> None:
    with pytest.raises(ReadingLimitError) as raised:
        await read_in_process(read_content(file), None, ReadingLimits(seconds=0.01), ROOM)
    assert raised.value.setting == "read_seconds"


async def test_file_without_reader_is_returned_to_the_caller(tmp_path: Path) -> None:
    for name, data in {"data.json": b'[{"id": 1}]', "some.bin": b"\x00\x01\x02\x03" * 50}.items():
        (tmp_path / name).write_bytes(data)
        assert await read_in_process(read_content(tmp_path / name), None, LIMITS, ROOM) is None
