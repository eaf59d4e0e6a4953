"""Pages of a long file are the same if one process or several read them."""

import itertools
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pdf_files import PdfPage, pdf_of

from quaestor.readers.content import FileContent
from quaestor.readers.limited import ReadingLimits, read_limited
from quaestor.readers.pdf import side_by_side
from quaestor.readers.pdf.page_worker import pages_as_bytes, pages_of_bytes
from quaestor.readers.pdf.pages import Page, PageFailure, UnreadPages
from quaestor.readers.pdf.side_by_side import pages_of
from quaestor.readers.reading import read_file


def long_file(pages: int = 25) -> bytes:
    printed = []
    for number in range(1, pages + 1):
        page = PdfPage(rotation=90 if number == 7 else 0)
        page.text(40, 60, f"Page {number} says something of the company.", 11, bold=number % 2 == 0)
        page.row(90, "", ["2024", "2023"], [400, 480])
        page.row(104, f"Revenue of shop {number}", [f"{number}40", "120"], [400, 480])
        page.row(118, "Costs", ["75", f"({number}60)"], [400, 480])
        page.rule(300, 480, 120)
        printed.append(page)
    return pdf_of(printed)


@pytest.mark.slow
@pytest.mark.parametrize("processes", [2, 3])
def test_pages_equal_those_of_one_process(processes: int) -> None:
    data = long_file()
    one = list(pages_of(Path("long.pdf"), data, 1))
    assert list(pages_of(Path("long.pdf"), data, processes)) == one
    assert [page.number for page in one if isinstance(page, Page)] == list(range(1, 26))


def test_workers_skip_the_same_parts_of_a_large_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_by_side, "CHARACTERS_AT_MOST", 400)
    data = long_file()
    one = list(pages_of(Path("long.pdf"), data, 1))
    assert len(one) < 25
    assert list(pages_of(Path("long.pdf"), data, 2)) == one


@pytest.mark.parametrize(
    "command",
    [
        ("no-such-program",),
        (sys.executable, "-c", "raise SystemExit(3)"),
        (sys.executable, "-c", "import sys; sys.stdin.buffer.readline(); print('no pages')"),
    ],
)
def test_pages_missing_from_a_worker_are_read_in_the_main_process(
    command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = long_file()
    one = list(pages_of(Path("long.pdf"), data, 1))
    monkeypatch.setattr(side_by_side, "_COMMAND", command)
    assert list(pages_of(Path("long.pdf"), data, 2)) == one


def test_a_short_file_is_read_by_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(side_by_side, "_COMMAND", ())
    assert len(list(pages_of(Path("short.pdf"), long_file(19)))) == 19


def test_pages_are_restored_from_bytes() -> None:
    pages = [PageFailure(3, "its text is broken"), *pages_of(Path("long.pdf"), long_file(2))]
    assert pages_of_bytes(pages_as_bytes(page for page in pages if not isinstance(page, UnreadPages))) == pages
    with pytest.raises(ValueError, match="pages"):
        pages_of_bytes(b"")


@pytest.mark.very_slow
def test_a_long_file_is_read_within_limits() -> None:
    content = FileContent(Path("long.pdf"), long_file())
    assert read_limited(content, ReadingLimits(memory=1024 << 20)) == read_file(content)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at the processes in /proc")
def test_workers_end_with_the_reading_process() -> None:
    starts = (
        "import subprocess, sys, time\n"
        "w = subprocess.Popen([sys.executable, '-P', '-m', 'quaestor.readers.pdf.page_worker'], stdin=subprocess.PIPE,"
        " stdout=subprocess.PIPE)\n"
        f"w.stdin.write({json.dumps({'first': 0, 'step': 1, 'length': 5, 'memory': None}).encode()!r} + b'\\n')\n"
        "w.stdin.flush(); print(w.pid, flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", starts], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        worker = Path("/proc") / parent.stdout.readline().decode().strip() / "stat"
        assert worker.exists()
        parent.kill()
        parent.wait()
        for _ in itertools.repeat(None, 100):
            if not worker.exists() or worker.read_text().rpartition(")")[2].split()[0] == "Z":
                return
            time.sleep(0.1)
        pytest.fail("it goes on reading ten seconds after")
