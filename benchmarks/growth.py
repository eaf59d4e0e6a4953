"""What a run takes as its file grows: python -m benchmarks.growth --times 1 10 100.

The file is the public one, or the bundled sample, that many times over, each copy with pages of its own names. Played
by the embedded solver in worker processes: time a turn, the most memory of the parent and of a worker, what the store
takes a turn, and how long commands take that look into it.
"""

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.workload import benchmark_file

_LOOKS = ("list", "show", "failures", "compare")
_PAUSE = 0.2


@dataclass
class Memory:
    """The most memory of the processes of a session, in MB; without what they share with each other.

    Attributes:
        parent: Of the process that was started.
        worker: Of the largest of the others.
    """

    parent: float = 0.0
    worker: float = 0.0


def grown(source: Path, times: int, target: Path) -> int:
    """Writes a file that many times over, and returns how many turns it has."""
    records = json.loads(source.read_text(encoding="utf-8"))
    with target.open("w", encoding="utf-8") as file:
        file.write("[")
        for copy in range(times):
            for place, record in enumerate(records):
                joined, name = (
                    record["id"].partition("_")[::2] if "_" in record["id"].partition("/")[0] else ("", record["id"])
                )
                id = f"{joined}{'_' if joined else ''}{f'C{copy}' if copy else ''}{name}"
                file.write("," * bool(copy or place) + json.dumps({**record, "id": id}))
        file.write("]")
    return times * sum(len(record["annotation"]["dialogue_break"]) for record in records)


def copied(store: Path, run: str) -> str:
    """Keeps a run once more under another id, without its graphs, for the command that compares two."""
    other = f"{run}-copy"
    with closing(sqlite3.connect(store)) as opened, opened:
        for table, key in (("runs", "id"), ("examples", "run"), ("turns", "run")):
            columns = [row[1] for row in opened.execute(f"PRAGMA table_info({table})")]
            taken = ", ".join("?" if column == key else f'"{column}"' for column in columns)
            opened.execute(f"INSERT INTO {table} SELECT {taken} FROM {table} WHERE {key} = ?", (other, run))
    return other


def measured(command: list[str]) -> tuple[float, Memory, str]:
    """Runs a command; returns its seconds, its memory, and what it printed."""
    memory, begun = Memory(), time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-c", "from quaestor.cli import main; main()", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as process:
        over = threading.Event()
        watching = threading.Thread(target=_watch, args=(process.pid, memory, over))
        watching.start()
        assert process.stdout is not None
        said = process.stdout.read()
        process.wait()
        seconds = time.monotonic() - begun
        over.set()
        watching.join()
    if process.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return seconds, memory, said


def _watch(session: int, memory: Memory, over: threading.Event) -> None:
    while not over.wait(_PAUSE):
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if int((entry / "stat").read_text().rpartition(")")[2].split()[3]) != session:
                    continue
                lines = (entry / "smaps_rollup").read_text().splitlines()
            except (OSError, IndexError):
                continue
            size = sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
            if int(entry.name) == session:
                memory.parent = max(memory.parent, size)
            else:
                memory.worker = max(memory.worker, size)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--times", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--file", type=Path, default=benchmark_file())
    options = parser.parse_args()
    console = Console(highlight=False, width=140)
    table = Table(
        "times",
        "turns",
        "s",
        "ms/turn",
        "parent MB",
        "worker MB",
        "store B/turn",
        *(f"runs {look}, s" for look in _LOOKS),
    )
    for times in options.times:
        with tempfile.TemporaryDirectory() as temporary:
            file, store = Path(temporary) / "grown.json", Path(temporary) / "runs.db"
            turns = grown(options.file, times, file)
            where = ["--store", str(store)]
            seconds, memory, run = measured(["run", str(file), "--workers", str(options.workers), *where])
            size = store.stat().st_size
            other = copied(store, run.strip())
            looks = {
                "list": ["runs", "list", *where],
                "show": ["runs", "show", run.strip(), *where],
                "failures": ["runs", "failures", run.strip(), *where],
                "compare": ["compare", run.strip(), other, "--dataset", str(file), *where],
            }
            took = [measured(looks[look])[0] for look in _LOOKS]
            figures = [seconds, 1000 * seconds / turns, memory.parent, memory.worker, size / turns]
            table.add_row(
                str(times), f"{turns:,}", *(f"{figure:,.1f}" for figure in figures), *(f"{one:.2f}" for one in took)
            )
            console.print(table)


if __name__ == "__main__":
    main()
