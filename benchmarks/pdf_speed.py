"""Time to read PDF files: `python -m benchmarks.pdf_speed FILE... [--before FOLDER] [--runs N]`.

Reads each file alternately with one process and with as many as the machine allows, and with `--before` also with an
earlier version (the `src` folder of a checkout). For each way: the minimum wall and CPU time, the wall time relative to
the first way, and the memory of the reading process and of all its processes.
"""

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

_READS = """
import os, sys, threading, time
from pathlib import Path
from quaestor.readers.content import FileContent
from quaestor.readers.pdf.reader import PdfReader

if sys.argv[2] == "one":
    from quaestor.readers.pdf import side_by_side
    side_by_side._PROCESSES_AT_MOST = 1

def memory(process):
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
        below = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return 0
    own = next((int(line.split()[1]) for line in lines if line.startswith("VmRSS")), 0)
    return own + sum(map(memory, below))

peak = 0
def watch():
    global peak
    while True:
        peak = max(peak, memory(os.getpid()))
        time.sleep(0.02)

threading.Thread(target=watch, daemon=True).start()
path = Path(sys.argv[1])
document = PdfReader().read(FileContent(path, path.read_bytes()))
import resource
print(len(document.blocks), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, peak)
"""


@dataclass(frozen=True, slots=True)
class _Reading:
    """Costs of reading a file: wall and CPU seconds; KB of the reading process, and of all processes."""

    seconds: float
    computing: float
    memory: int
    all_memory: int


def _read(path: Path, way: str, source: Path) -> _Reading:
    environment = {**os.environ, "PYTHONPATH": str(source)}
    before, started = os.times(), time.perf_counter()
    command = [sys.executable, "-c", _READS, str(path), way]
    fields = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    seconds, after = time.perf_counter() - started, os.times()
    computing = after.children_user + after.children_system - before.children_user - before.children_system
    return _Reading(seconds, computing, int(fields[1]), int(fields[2]))


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--before", type=Path, help="the `src` folder of an earlier version")
    parser.add_argument("--runs", type=int, default=3)
    wanted = parser.parse_args()
    own = Path(__file__).parents[1] / "src"
    ways = {"one process": ("one", own), "several processes": ("several", own)}
    if wanted.before is not None:
        ways = {"before": ("before", wanted.before), **ways}
    table = Table("file", "read by", "s", "s of computing", "part of the first", "MB", "MB of all processes")
    for path in wanted.files:
        readings: dict[str, list[_Reading]] = {name: [] for name in ways}
        for _ in range(wanted.runs):  # alternating, because others may use the machine
            for name, (way, source) in ways.items():
                readings[name].append(_read(path, way, source))
        shortest = {name: min(reading.seconds for reading in found) for name, found in readings.items()}
        first = next(iter(shortest.values()))
        for name, found in readings.items():
            table.add_row(
                path.name,
                name,
                f"{shortest[name]:.1f}",
                f"{min(reading.computing for reading in found):.1f}",
                f"{shortest[name] / first:.2f}",
                f"{max(reading.memory for reading in found) >> 10}",
                f"{max(reading.all_memory for reading in found) >> 10}",
            )
    console = Console(highlight=False)
    console.print(f"{os.cpu_count()} processors, {os.getloadavg()[0]:.1f} processes waiting for one", table)


if __name__ == "__main__":
    main()
