"""Training adds numbers in the same order on every machine."""

import multiprocessing
import os
import platform
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from quaestor.errors import EngineError
from quaestor.learning.deterministic import deterministic_pool


def test_the_order_is_chosen_for_the_processes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    with deterministic_pool(1) as pool:
        assert pool.submit(os.getenv, "OMP_NUM_THREADS").result() == "1"
        assert pool.submit(os.getenv, "OPENBLAS_NUM_THREADS").result() == "1"
    assert os.environ["OMP_NUM_THREADS"] == "3"
    assert "OPENBLAS_NUM_THREADS" not in os.environ


@pytest.mark.slow
@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="the kernels of other processors are not named"
)
def test_linear_algebra_uses_one_architecture_and_thread() -> None:
    threadpool_info = pytest.importorskip("threadpoolctl").threadpool_info
    with deterministic_pool(1) as pool:
        pool.submit(np.zeros, 1).result()
        libraries = [library for library in pool.submit(threadpool_info).result() if library["user_api"] == "blas"]
    assert {(library["architecture"], library["num_threads"]) for library in libraries} == {("Nehalem", 1)}


def end_this_process() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def run_while_one_dies() -> None:
    with deterministic_pool(2) as pool:
        calls = [pool.submit(end_this_process), *(pool.submit(time.sleep, 60) for _ in range(4))]
        for call in calls:
            call.result(timeout=30)


@pytest.mark.slow
def test_death_of_a_process_fails_every_call_immediately() -> None:
    before = multiprocessing.active_children()
    with pytest.raises(EngineError, match="fewer workers"):
        run_while_one_dies()
    assert set(multiprocessing.active_children()) <= set(before)


@pytest.mark.slow
def test_leaving_the_block_ends_running_calls() -> None:
    before = multiprocessing.active_children()
    with deterministic_pool(1) as pool:
        assert pool.submit(os.getpid).result() != os.getpid()
        pool.submit(time.sleep, 300)
    assert set(multiprocessing.active_children()) <= set(before)


PARENT = """
import os, time
from quaestor.learning.deterministic import deterministic_pool
if __name__ == "__main__":
    with deterministic_pool(2) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        calls = [pool.submit(time.sleep, 300) for _ in range(4)]
        time.sleep(300)
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_processes_of_a_killed_parent_end(how: signal.Signals, tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline().strip().isdigit()
        parent.send_signal(how)
        parent.wait(timeout=60)
    for _ in range(100):
        try:
            os.killpg(parent.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    pytest.fail("processes are left ten seconds after their parent ended")
