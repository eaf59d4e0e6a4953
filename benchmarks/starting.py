"""How long `quaestor --help` takes."""

import subprocess
import sys
from collections.abc import Iterable
from time import perf_counter

from benchmarks.figure import Figure, milliseconds
from benchmarks.workload import Workload

_TIMES = 15


def measure(workload: Workload) -> Iterable[Figure]:
    command = [sys.executable, "-c", "import quaestor.cli; quaestor.cli.main()", "--help"]
    seconds = []
    for _ in range(_TIMES):
        started = perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        seconds.append(perf_counter() - started)
    yield milliseconds("quaestor --help", seconds, "starts")
