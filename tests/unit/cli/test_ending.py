"""SIGTERM to a program that waits, computes, ignores it, or was started with Ctrl-C switched off."""

import signal
import subprocess
import sys

import pytest

from quaestor.cli.ending import EXIT_CODE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are not asked to end there")

BEGIN = """
import asyncio, os, signal, sys, time
from quaestor.cli import ending
from quaestor.cli.failures import run_for_exit_code
ending.handle_sigterm()
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
ending.WITHIN = 0.3
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
def test_what_is_under_way_is_let_go_of_in_order(before: str) -> None:
    program = started(WAITS, before)
    program.terminate()
    out, err = program.communicate(timeout=30)
    assert (program.returncode, out, err.count("\n")) == (EXIT_CODE, "let go\n", 1)


@pytest.mark.slow
@pytest.mark.parametrize("before", ["", IN_BACKGROUND], ids=["", "in background"])
def test_a_loop_is_told_and_not_broken_off(before: str) -> None:
    program = started(STOPS_IN_ORDER, before)
    program.terminate()
    assert program.communicate(timeout=30)[0] == "stopped\n"


def test_in_background_ctrl_c_is_still_ignored() -> None:
    code = "print('ready', flush=True); os.kill(os.getpid(), signal.SIGINT); print('on')"
    with started(code, IN_BACKGROUND) as program:
        assert program.stdout is not None
        assert program.stdout.read() == "on\n"
    assert program.returncode == 0


def test_a_program_that_goes_on_is_ended_by_the_system() -> None:
    program = started(IGNORES)
    program.terminate()
    out, err = program.communicate(timeout=30)
    assert (program.returncode, out, err) == (-signal.SIGALRM, "no\n", "")


def test_who_asks_twice_does_not_wait() -> None:
    program = started(LETS_GO_SLOWLY)
    program.terminate()
    assert program.stdout is not None
    assert program.stdout.readline() == "wait\n"
    program.terminate()
    assert program.communicate(timeout=5) == ("", "")
    assert program.returncode == EXIT_CODE
