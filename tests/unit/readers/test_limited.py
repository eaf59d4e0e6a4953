"""Untrusted files are read in a separate process: limits, results and environment."""

import asyncio
import gzip
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from plugin_package import install
from workbooks import write_workbook

from quaestor.documents.document import Document
from quaestor.errors import DatasetError, ReadingLimitError, SettingsError
from quaestor.readers.content import FileContent
from quaestor.readers.limited import ReadingLimits, read_limited, read_limited_async
from quaestor.readers.reading import read_file

CSV = b"( in millions ),2009,2008\nnet sales,120,100\nrent,5,4\n"


def read(data: bytes, name: str, limits: ReadingLimits | None = None) -> tuple[str, Document]:
    content = FileContent(Path(name), data)
    return read_limited(content, limits or ReadingLimits())


def test_document_equals_one_read_in_this_process() -> None:
    assert read(CSV, "sales.csv") == read_file(FileContent(Path("sales.csv"), CSV))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "name"),
    [
        pytest.param(b"\x89PNG\r\n\x1a\n" + bytes(99), "chart.csv", marks=pytest.mark.slow),
        (b"%PDF-1.7\nnothing more", "cut.pdf"),
        pytest.param(b"PK\x03\x04" + bytes(99), "cut.xlsx", marks=pytest.mark.slow),
        pytest.param(gzip.compress(CSV * 50, mtime=0)[:80], "cut.csv.gz", marks=pytest.mark.slow),
        pytest.param(b'{"a": 1}', "data.json", marks=pytest.mark.slow),
    ],
)
def test_unreadable_file_is_one_line_with_its_name_and_no_path(data: bytes, name: str) -> None:
    with pytest.raises(DatasetError, match=re.escape(name)) as raised:
        read(data, name)
    message = str(raised.value)
    assert "\n" not in message
    assert os.getcwd() not in message


@pytest.mark.slow
def test_a_file_that_takes_too_much_memory_names_the_setting() -> None:
    bomb = b"<html><body><table><tr><td>rent</td><td>5</td></tr></table>" + b" " * (200 << 20)
    with pytest.raises(ReadingLimitError) as raised:
        read(gzip.compress(bomb, 1), "big.html", ReadingLimits(memory=600 << 20))
    assert (raised.value.path, raised.value.setting, raised.value.limit) == (
        "big.html", "read_memory_mb", "600 MB of memory",
    )  # fmt: skip


@pytest.mark.parametrize("waiting", [False, True])
def test_a_file_that_takes_too_long_names_the_setting(waiting: bool) -> None:
    content, limits = FileContent(Path("slow.csv"), CSV), ReadingLimits(seconds=0.01)
    with pytest.raises(ReadingLimitError) as raised:
        asyncio.run(read_limited_async(content, limits)) if waiting else read_limited(content, limits)
    assert (raised.value.setting, raised.value.limit) == ("read_seconds", "0.01 seconds")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the time of computing")
def test_the_time_of_computing_is_limited_too() -> None:
    rows = b"<tr><td>rent</td><td>5</td></tr>" * 60_000
    with pytest.raises(ReadingLimitError) as raised:
        read(b"<html><body><table>" + rows, "slow.html", ReadingLimits(seconds=1))
    assert raised.value.setting == "read_seconds"


@pytest.mark.slow
def test_a_document_that_is_too_large_once_it_is_read_is_refused() -> None:
    with pytest.raises(DatasetError, match="500 bytes"):
        read(CSV, "sales.csv", ReadingLimits(written=500))


def test_a_reading_that_is_cancelled_ends_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[asyncio.subprocess.Process] = []
    start = asyncio.create_subprocess_exec

    async def noted(*command: Any, **options: Any) -> asyncio.subprocess.Process:
        started.append(await start(*command, **options))
        return started[0]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)

    async def cancel() -> None:
        reading = asyncio.ensure_future(read_limited_async(FileContent(Path("sales.csv"), CSV)))
        while not started:
            await asyncio.sleep(0.001)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading

    asyncio.run(cancel())
    assert started[0].returncode is not None


@pytest.mark.very_slow
def test_decompression_bomb_is_refused(tmp_path: Path) -> None:
    bomb = write_workbook(
        tmp_path / "b.xlsx", {"S": [["a", 1]]}, parts={"xl/worksheets/sheet1.xml": b"<s>" * (90 << 20)}
    )
    assert bomb.stat().st_size < 5 << 20
    with pytest.raises(DatasetError, match=r"b\.xlsx"):
        read(bomb.read_bytes(), "b.xlsx")


READER = """
import os
import re
from quaestor import FileContent, ParagraphPart, assemble

class Tells:
    name = "tells"

    def recognises(self, content: FileContent) -> bool:
        return content.data.startswith(b"tell me")

    def read(self, content: FileContent):
        print("a word of a library")
        os.write(1, b"a word of another library")
        return assemble(content.path.name, [ParagraphPart((" ".join(sorted(os.environ)), "5 plants ."))])
"""


@pytest.mark.slow
def test_process_has_no_secrets_of_its_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "tells", READER, {"quaestor.readers": {"tells": "tells:Tells"}})
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("QUAESTOR_STORE", "mongodb://user:word@host/db")
    reader, document = read(b"tell me", "ask.tell")
    text = " ".join(sentence.text for sentence in document.sentences)
    assert (reader, document.id) == ("tells", "ask.tell")
    assert "PATH" in text
    assert "OPENAI" not in text
    assert "QUAESTOR" not in text


BREAKS = """
class Breaks:
    name = "breaks"

    def recognises(self, content):
        return content.data.startswith(b"break")

    def read(self, content):
        from quaestor.errors import SettingsError
        if content.data == b"break the setting":
            raise SettingsError("no such extra")
        raise LookupError("unknown: zlib")
"""


@pytest.mark.slow
def test_errors_of_other_packages_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "breaks", BREAKS, {"quaestor.readers": {"breaks": "breaks:Breaks"}})
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(SettingsError):
        read(b"break the setting", "a.b")
    with pytest.raises(DatasetError, match="LookupError") as raised:
        read(b"break", "a.b")
    assert "unknown: zlib" in "".join(raised.value.__notes__)


STARTS = """
import subprocess, sys, time
worker = [sys.executable, "-P", "-m", "quaestor.readers.limited_worker"]
print(subprocess.Popen(worker, stdin=0, stdout=subprocess.DEVNULL).pid, flush=True)
time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at the processes in /proc")
def test_reading_process_ends_with_its_parent() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", STARTS], stdin=pipe, stdout=pipe) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        worker = Path("/proc") / parent.stdout.readline().decode().strip() / "stat"
        parent.stdin.write(
            json.dumps({"name": "a.csv", "wanted": "document", **asdict(ReadingLimits())}).encode() + b"\n"
        )
        parent.stdin.flush()  # the file is never sent completely
        time.sleep(1)
        assert worker.exists()
        parent.kill()
        parent.wait()
        for _ in range(100):
            if not worker.exists() or worker.read_text().rpartition(")")[2].split()[0] == "Z":
                return
            time.sleep(0.1)
        pytest.fail("it goes on reading ten seconds after")
