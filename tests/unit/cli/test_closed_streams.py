"""Commands whose standard streams are closed, as a shell does with `>&-`."""

import os
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="closes streams with a shell")

MAIN = "from quaestor.cli import main; main()"


def closed(folder: Path, streams: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = shlex.join([sys.executable, "-c", MAIN, *words])
    return subprocess.run(
        ["sh", "-c", f"{command} {streams}"], cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )


@pytest.fixture
def filing(tmp_path: Path) -> Path:
    (tmp_path / "in.csv").write_text(",2023\nnet sales,17\n")
    return tmp_path


def questions_kept(folder: Path) -> int:
    with sqlite3.connect(folder / "s.db") as store:
        count = int(store.execute("SELECT count(*) FROM turns").fetchone()[0])
    store.close()
    return count


@pytest.mark.very_slow
@pytest.mark.parametrize(("streams", "code"), [("<&- >&- 2>&-", 2), (">/dev/full", 2)])
def test_an_answer_is_kept_whatever_is_closed(streams: str, code: int, filing: Path) -> None:
    done = closed(filing, streams, "ask", "--store", "s.db", "in.csv", "net sales in 2023")
    assert done.returncode == code
    assert "internal error" not in done.stderr
    assert done.stderr.count("quaestor: ") == (1 if code and "2>&-" not in streams else 0)
    assert ("17" in done.stdout) == (code == 0)
    assert questions_kept(filing) == 1


@pytest.mark.slow
@pytest.mark.parametrize("words", [("--help",), ("read", "in.csv"), ("nothing",)])
def test_no_command_has_an_internal_error(words: tuple[str, ...], filing: Path) -> None:
    done = closed(filing, ">&-", *words)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "internal error" not in done.stderr


@pytest.mark.very_slow
def test_a_command_that_prints_nothing_does_not_miss_its_output(filing: Path) -> None:
    assert closed(filing, "<&-", "mcp", "--store", "s.db").returncode == 0


@pytest.mark.very_slow
def test_a_server_says_that_nobody_can_be_told_its_address(filing: Path) -> None:
    done = closed(filing, ">&-", "serve", "--store", "s.db", "--port", "0", "in.csv")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "internal error" not in done.stderr
