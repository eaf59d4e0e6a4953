"""Interrupting a run, and going on with it."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from made_up import a_record, write_dataset

from quaestor.application.run_service import find_run
from quaestor.errors import InputError, UnknownRunError
from quaestor.store.base import open_store

# The command line as it is, with the scripted solver under the embedded one's name.
PROGRAM = """
import signal, pytest, scripted, stand_in, quaestor.cli
# A shell that starts the tests in the background has them ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
with pytest.MonkeyPatch.context() as patch:
    stand_in.stand_in(patch, scripted.ScriptedSolver)
    quaestor.cli.main()
"""


def start(*arguments: str) -> subprocess.Popen[str]:
    support = Path(__file__).parents[2] / "support"
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        env=os.environ | {"PYTHONPATH": str(support)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def stored_turns() -> int:
    try:
        with sqlite3.connect("file:runs.db?mode=ro", uri=True) as store:
            # Of all attempts: what was under way when it was stopped is played again, and kept twice.
            turns = 'SELECT DISTINCT conversation, "index" FROM turns'
            return int(store.execute(f"SELECT count(*) FROM ({turns})").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


@pytest.mark.very_slow
def test_ctrl_c_says_how_to_go_on_and_going_on_finishes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    slow = ("sleep 0.03 cell 1 1", "sleep 0.03 cell 1 2", "change")
    records = [a_record(f"Single_NORD/2012/page_{number}.pdf-1", slow) for number in range(15)]
    write_dataset(tmp_path / "slow.json", *records)
    run = start("eval", "slow.json", "--store", "runs.db", "--workers", "1")
    while stored_turns() < 6:
        assert run.poll() is None
        time.sleep(0.02)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert (run.returncode, out) == (130, "")
    played = stored_turns()
    assert played < 45
    identity = err.split()[-1]

    again = start("eval", "slow.json", "--store", "runs.db", "--workers", "1", "--resume", identity)
    out, err = again.communicate(timeout=60)
    assert again.returncode == 0, err
    assert f"run {identity}" in err
    assert stored_turns() == 45


def test_an_empty_store_has_no_latest_run() -> None:
    async def look(name: str) -> None:
        async with open_store("sqlite://") as store:
            await find_run(store, name)

    for name in ("latest", "", "2020"):
        with pytest.raises((UnknownRunError, InputError)):
            asyncio.run(look(name))
