"""Time of `quaestor --help`, and of `quaestor ask` about a cached filing and a cached page."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from time import perf_counter

from benchmarks.figure import Figure, milliseconds
from benchmarks.whole_filings.answering import DATA
from benchmarks.workload import Workload

_TIMES = 15
_FILING = "aapl-10-k-2024-11-01.html.gz"
_PAGE = """# Results

| in millions | 2024 | 2023 |
|---|---|---|
| Revenue | 120.5 | 100.0 |
| Net income | 12.1 | 9.8 |

Cash and cash equivalents were $ 15 million in 2024.
"""
_MEASURED = """
import atexit, resource, sys
from quaestor.cli import main

@atexit.register
def report():
    spent = resource.getrusage(resource.RUSAGE_SELF)
    print(sum(name.split(".")[0] == "quaestor" for name in sys.modules), spent.ru_utime + spent.ru_stime)

main()
"""


def measure(workload: Workload) -> Iterable[Figure]:
    command = [sys.executable, "-c", "import quaestor.cli; quaestor.cli.main()", "--help"]
    seconds = []
    for _ in range(_TIMES):
        started = perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        seconds.append(perf_counter() - started)
    yield milliseconds("quaestor --help", seconds, "starts")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.md"
        page.write_text(_PAGE, encoding="utf-8")
        for name, path in (("filing", DATA / _FILING), ("page", page)):
            if not path.exists():
                continue
            ask = ["ask", str(path), "what was net income in 2024?", "--store", f"{folder}/runs.db"]
            costs = [_cost([sys.executable, "-c", _MEASURED, *ask], folder) for _ in range(6)][1:]  # the first reads it
            modules, spent = min(costs, key=lambda cost: cost[1])
            yield Figure(
                f"quaestor ask, {name} read before", f"{spent:.2f} s", f"processor, least of 5; {modules} modules"
            )


def _cost(command: list[str], folder: str) -> tuple[int, float]:
    # Like an installed package, whose modules are compiled once.
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": f"{folder}/compiled", "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    modules, seconds = done.stdout.splitlines()[-1].split()
    return int(modules), float(seconds)
