"""Workers forked from a preloaded process give the same answers and leave no processes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")]

PLAY = """
import asyncio, json, sys
from functools import partial
from quaestor.core import serial
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation import processes
from quaestor.evaluation.engines import InlineEngine
from quaestor.sample import sample_path
from quaestor.solvers.registry import make_solver

class Recorder:
    def __init__(self):
        self.answers = {}
    async def on_start(self, conversation):
        pass
    async def on_finish(self, conversation, result):
        self.answers[conversation.id] = [serial.dump(turn.answer) for turn in result.turns]

def run_engine(engine):
    recorder = Recorder()
    factory = partial(make_solver, "embedded", {})
    asyncio.run(engine.run(read_dataset(sample_path()).conversations[:9], factory, recorder))
    return recorder.answers

if __name__ == "__main__":
    processes.preload_modules(["quaestor.solvers.embedded.solver", "no_such_module"])
    ahead, here = run_engine(processes.ProcessEngine(2)), run_engine(InlineEngine())
    print(json.dumps({"same": ahead == here, "turns": sum(map(len, here.values()))}))
"""


@pytest.mark.very_slow
def test_preloaded_workers_give_the_same_answers(tmp_path: Path) -> None:
    script = tmp_path / "play.py"
    script.write_text(PLAY, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=120)
    found = json.loads(done.stdout)
    assert found["same"]
    assert found["turns"] > 9
    assert done.stderr == ""


@pytest.mark.very_slow
@pytest.mark.parametrize(
    ("how", "after"),
    [(signal.SIGKILL, 3.0), (signal.SIGINT, 0.4), (signal.SIGTERM, 3.0)],
    ids=["killed while playing", "Ctrl-C while loading", "SIGTERM while playing"],
)
def test_early_end_of_a_run_leaves_no_processes(how: signal.Signals, after: float, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import quaestor.cli; quaestor.cli.main()"]
    command += ["run", "sample", "--workers", "2", "--store", str(tmp_path / "runs.db")]
    null, pipe = subprocess.DEVNULL, subprocess.PIPE
    with subprocess.Popen(command, start_new_session=True, stdout=null, stderr=pipe, text=True) as run:
        time.sleep(after)
        if how is signal.SIGKILL:
            run.kill()
        else:
            os.killpg(run.pid, how)  # as a terminal does: signal every process of the group
        assert "leaked" not in run.communicate(timeout=60)[1]
    for _ in range(100):
        try:
            os.killpg(run.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    os.killpg(run.pid, signal.SIGKILL)
    pytest.fail("processes are left ten seconds after the run ended")
