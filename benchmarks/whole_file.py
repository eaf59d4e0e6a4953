"""Wall time and peak memory of `quaestor eval` over a whole file, on all cores.

As installed by users: compiled to bytecode regardless of the environment here, and without scikit-learn, which only
training needs. If it is installed, XGBoost imports it, which costs each process most of a second and some 50 MB.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.figure import Figure
from benchmarks.workload import SOLVER, Workload

_EVERY = 0.1
_FIRST = 24
"""Conversations of the warm-up call that compiles everything; enough to start worker processes."""


def measure(workload: Workload) -> Iterable[Figure]:
    with TemporaryDirectory() as folder:
        (Path(folder) / "sklearn.py").write_text('raise ImportError("not installed")\n', encoding="utf-8")
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join(filter(None, (folder, os.environ.get("PYTHONPATH")))),
            "PYTHONPYCACHEPREFIX": str(Path(folder) / "compiled"),
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        program = [sys.executable, "-c", "import quaestor.cli; quaestor.cli.main()"]
        command = [*program, "eval", str(workload.path), "--solver", SOLVER, "--json", "--store"]
        first = [*command, str(Path(folder) / "first.db"), "--limit", str(_FIRST)]
        subprocess.run(first, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        started, peak, largest = time.perf_counter(), 0, 0
        with subprocess.Popen(
            [*command, str(Path(folder) / "runs.db")],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as run:
            while run.poll() is None:
                family = _family(run.pid)
                peak = max(peak, sum(_kilobytes(process, "smaps_rollup", "Pss:") for process in family))
                largest = max(largest, *(_kilobytes(process, "status", "VmHWM:") for process in family), 0)
                time.sleep(_EVERY)
        seconds = time.perf_counter() - started
    if run.returncode:
        raise SystemExit(f"quaestor eval failed with code {run.returncode}")
    turns = sum(len(turns) for turns in workload.turns.values())
    yield Figure(
        "eval of the whole file",
        f"{seconds:.1f} s",
        f"{turns} turns of {workload.path.name}, all cores, once; compiled, no scikit-learn",
    )
    # Not getrusage: on Linux the maximum of a child starts with the memory of its parent.
    if largest:
        yield Figure("peak memory, largest process", _megabytes(largest), "its high-water mark in that run")
    if peak:
        yield Figure(
            "peak memory, all processes",
            _megabytes(peak),
            f"proportional set sizes summed every {_EVERY} s: pages that processes share count once",
        )


def _megabytes(kilobytes: int) -> str:
    return f"{kilobytes / 1000:.0f} MB"


def _family(process: int) -> list[int]:
    """Return a process and its descendants; empty on systems without /proc."""
    found, waiting = [], [process] if Path("/proc/self/task").exists() else []
    while waiting:
        current = waiting.pop()
        found.append(current)
        try:
            for task in os.listdir(f"/proc/{current}/task"):
                waiting += map(int, Path(f"/proc/{current}/task/{task}/children").read_text().split())
        except OSError:
            continue
    return found


def _kilobytes(process: int, file: str, name: str) -> int:
    try:
        lines = Path(f"/proc/{process}/{file}").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith(name))
