"""Any file is read as a document or raises a one-line error, within the memory and time limits of readers."""

import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from workbooks import write_workbook

from quaestor.datasets.formats import read_document
from quaestor.errors import InputError
from quaestor.testing.plugins import SCRAPS

_BYTES = 1_500 << 20
_SECONDS = 60
_READ = """
import re, sys, time
from pathlib import Path
from quaestor.datasets.formats import read_document
from quaestor.errors import InputError
started = time.process_time()
try:
    document = read_document(sys.argv[1])
    print(" ".join(warning.detail for warning in document.warnings[:5]) or "read")
except InputError as error:
    print(error)
# Not ru_maxrss: a process begins with what the one that started it had.
peak = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]
print(peak, time.process_time() - started)
"""


def _numbers(path: Path) -> None:
    line = ",".join(f"{number}.25" for number in range(9))
    with path.open("w") as file:
        file.write("label," + ",".join(str(2010 + n) for n in range(9)) + "\n")
        for start in range(0, 500_000, 10_000):
            file.write("\n".join(f"line {start + n},{line}" for n in range(10_000)) + "\n")
            if file.tell() > 3_000_000:
                return


def _one_cell(path: Path) -> None:
    path.write_text("label,2023\nnotes," + "word " * 1_000_000 + "\nrent,5\n")


def _sheet_bomb(path: Path) -> None:
    sheet = b"<worksheet><sheetData>" + b" " * (520 << 20) + b"</sheetData></worksheet>"
    write_workbook(path, {"S": []}, parts={"xl/worksheets/sheet1.xml": sheet})


def _rows_bomb(path: Path) -> None:
    sheet = b"<worksheet><sheetData>" + b"<row/>" * 4_100_000 + b"</sheetData></worksheet>"
    write_workbook(path, {"S": []}, parts={"xl/worksheets/sheet1.xml": sheet})


def _packed_bomb(path: Path) -> None:
    with gzip.open(path, "wb", 1) as file:
        for _ in range(300):
            file.write(b"<p>" + b" " * (1 << 20))


def _markdown(path: Path) -> None:
    path.write_text("# a\n" + "| a | 2023 |\n|---|---|\n| rent | 5 |\n\n" * 26_000)


def _nested(path: Path) -> None:
    path.write_text("<html><body>" + "<div>" * 100_000 + "rent 5" + "</div>" * 100_000)


def _zeros(path: Path) -> None:
    path.write_bytes(b"rent of the stores in 2023,\0 5\n" * 10_000)


@pytest.mark.very_slow
@pytest.mark.parametrize(
    ("name", "write", "message"),
    [
        ("big.csv", _numbers, "10,000 rows were read"),
        ("cell.csv", _one_cell, "characters"),
        ("bomb.xlsx", _sheet_bomb, "longer than"),
        ("rows.xlsx", _rows_bomb, "it has more than"),
        ("bomb.html.gz", _packed_bomb, "larger than"),
        ("long.md", _markdown, "were read"),
        ("deep.html", _nested, "nested"),
        ("zeros.csv", _zeros, "control characters"),
    ],
)
def test_excessive_file_stays_within_limits(
    tmp_path: Path, name: str, write: Callable[[Path], None], message: str
) -> None:
    path = tmp_path / name
    write(path)
    done = subprocess.run(
        [sys.executable, "-c", _READ, str(path)], capture_output=True, text=True, timeout=5 * _SECONDS, check=True
    )
    *lines, figures = done.stdout.strip().splitlines()
    assert message in " ".join(lines)
    assert len(lines) == 1
    memory, seconds = map(float, figures.split())
    unit = 1 if sys.platform == "darwin" else 1024
    assert memory * unit < _BYTES
    assert seconds < _SECONDS


MARKUP = (
    "<html><head><script>open('/tmp/x')</script></head><body onload='run()'><img src='https://acme.example/a.png'>"
    "<table><tr><td></td><td>2023</td></tr><tr><td>rent</td><td>5</td></tr></table></body></html>"
)


@pytest.mark.parametrize("name", ["a.html", "a.csv", "a.xlsx", "a.md", "a.txt", "a.pdf", "a"])
def test_scripts_are_not_run_and_images_are_not_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a reader asks the network")

    monkeypatch.setattr("socket.socket.connect", refuse)
    (tmp_path / name).write_text(MARKUP)
    document = read_document(tmp_path / name)
    assert [cell.text for cell in document.tables[0].cells[1]] == ["rent", "5"]
    assert not any("open(" in sentence.text for sentence in document.sentences)


@pytest.mark.parametrize("suffix", [".html", ".csv", ".xlsx", ".md", ".txt", ".pdf", ".json", ".gz", ""])
@pytest.mark.parametrize("data", [b"\x1f\x8b\x08\0", *SCRAPS])
def test_random_content_is_a_document_or_a_one_line_error(tmp_path: Path, suffix: str, data: bytes) -> None:
    path = tmp_path / f"scrap{suffix}"
    path.write_bytes(data)
    try:
        found: object = read_document(path)
    except InputError as error:
        found = str(error)
    assert "\n" not in found if isinstance(found, str) else found
