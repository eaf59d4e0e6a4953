"""SIGTERM to a program that waits, computes or ignores it, and closed standard streams."""

import shlex
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from quaestor.cli.signals import EXIT_CODE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are not asked to end there")

BEGIN = """
import asyncio, os, signal, sys, time
from quaestor.cli import signals
from quaestor.cli.failures import run_for_exit_code
signals.handle_sigterm()
"""
IN_BACKGROUND = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
WAITS = """
async def wait():
    try:
        print("ready", flush=True)
        await asyncio.sleep(60)
    finally:
        print("let go", flush=True)
sys.exit(run_for_exit_code(lambda: asyncio.run(wait())))
"""
IGNORES = """
signals.WITHIN = 0.3
word = "ready"
while True:
    try:
        print(word, flush=True)
        time.sleep(60)
    except KeyboardInterrupt:
        word = "no"
"""
LETS_GO_SLOWLY = """
def work():
    try:
        print("ready", flush=True)
        time.sleep(60)
    finally:
        print("wait", flush=True)
        time.sleep(60)
sys.exit(run_for_exit_code(work))
"""


STOPS_IN_ORDER = """
async def wait():
    try:
        print("ready", flush=True)
        while True:
            time.sleep(0.01)
            await asyncio.sleep(0)
    except asyncio.CancelledError:
        print("stopped", flush=True)
asyncio.run(wait())
"""


def started(code: str, before: str = "") -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    program = subprocess.Popen([sys.executable, "-c", before + BEGIN + code], stdout=pipe, stderr=pipe, text=True)
    assert program.stdout is not None
    assert program.stdout.readline() == "ready\n"
    return program


@pytest.mark.slow
@pytest.mark.parametrize("before", ["", IN_BACKGROUND], ids=["", "in background"])
def test_open_resources_are_released_in_order(before: str) -> None:
    program = started(WAITS, before)
    program.terminate()
    out, err = program.communicate(timeout=30)
    assert (program.returncode, out, err.count("\n")) == (EXIT_CODE, "let go\n", 1)


@pytest.mark.slow
@pytest.mark.parametrize("before", ["", IN_BACKGROUND], ids=["", "in background"])
def test_repeated_calls_are_reported_but_not_stopped(before: str) -> None:
    program = started(STOPS_IN_ORDER, before)
    program.terminate()
    assert program.communicate(timeout=30)[0] == "stopped\n"


def test_sigint_stays_ignored_in_the_background() -> None:
    code = "print('ready', flush=True); os.kill(os.getpid(), signal.SIGINT); print('on')"
    with started(code, IN_BACKGROUND) as program:
        assert program.stdout is not None
        assert program.stdout.read() == "on\n"
    assert program.returncode == 0


def test_unresponsive_program_is_killed_by_the_system() -> None:
    program = started(IGNORES)
    program.terminate()
    out, err = program.communicate(timeout=30)
    assert (program.returncode, out, err) == (-signal.SIGALRM, "no\n", "")


def test_second_interrupt_ends_immediately() -> None:
    program = started(LETS_GO_SLOWLY)
    program.terminate()
    assert program.stdout is not None
    assert program.stdout.readline() == "wait\n"
    program.terminate()
    assert program.communicate(timeout=5) == ("", "")
    assert program.returncode == EXIT_CODE


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


def count_stored_questions(folder: Path) -> int:
    with sqlite3.connect(folder / "s.db") as store:
        count = int(store.execute("SELECT count(*) FROM turns").fetchone()[0])
    store.close()
    return count


@pytest.mark.very_slow
@pytest.mark.parametrize(("streams", "errors"), [("<&- >&- 2>&-", 0), (">/dev/full", 1)])
def test_answer_is_stored_even_if_the_page_is_closed(streams: str, errors: int, filing: Path) -> None:
    done = closed(filing, streams, "ask", "--store", "s.db", "in.csv", "net sales in 2023")
    assert (done.returncode, done.stdout) == (2, "")
    assert "internal error" not in done.stderr
    assert done.stderr.count("quaestor: ") == errors
    assert count_stored_questions(filing) == 1


@pytest.mark.slow
@pytest.mark.parametrize("words", [("--help",), ("read", "in.csv"), ("nothing",)])
def test_no_command_has_an_internal_error(words: tuple[str, ...], filing: Path) -> None:
    done = closed(filing, ">&-", *words)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "internal error" not in done.stderr
