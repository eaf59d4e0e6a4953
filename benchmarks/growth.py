"""Resources of a run as its file grows: python -m benchmarks.growth --times 1 10 100 [--keep FOLDER].

The input is the public file or the bundled sample, repeated with a separate page name for each copy. The embedded
solver runs it in worker processes: time and CPU per turn, peak memory of the parent and of a worker, store size per
turn. Then the run is scored, and commands read the store: CPU seconds, in total and in excess of the same command on a
run of a dozen turns, which measures startup and imports. With `--keep` the run stays in the folder and is reused by
later calls.
"""

import argparse
import json
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.workload import benchmark_file

_LOOKS = ("list", "show", "failures", "compare")
_PAUSE = 0.2


@dataclass
class ResourceUsage:
    """Resources used by the processes of a session; memory in MB, without shared pages.

    Attributes:
        parent: Peak memory of the main process.
        worker: Peak memory of the largest other process.
        cpu: CPU seconds of all processes as sampled; up to 0.2 s of each process may be missing.
        own: CPU seconds of the main process and the processes it waited for.
        seconds: Wall time.
    """

    parent: float = 0.0
    worker: float = 0.0
    cpu: float = 0.0
    own: float = 0.0
    seconds: float = 0.0


def write_repeated(source: Path, times: int, target: Path) -> int:
    """Write a file repeated `times` times, and return its number of turns."""
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


def copy_run(store: Path, run: str) -> str:
    """Copy a run with its scores under another id, without its graphs, for the command that compares two runs."""
    other = f"{run}-copy"
    of_run = ("examples", "turns", "scores", "scored_examples", "scored_turns")
    tables = {"runs": "id", **dict.fromkeys(of_run, "run")}
    with closing(sqlite3.connect(store)) as opened, opened:
        if opened.execute("SELECT 1 FROM runs WHERE id = ?", (other,)).fetchone():
            return other
        for table, key in tables.items():
            columns = [row[1] for row in opened.execute(f"PRAGMA table_info({table})")]
            new = {key: "?", **({"id": "id || '-copy'"} if table == "scores" else {})}
            new |= {"score": "score || '-copy'"} if "score" in columns else {}
            taken = ", ".join(new.get(column, f'"{column}"') for column in columns)
            opened.execute(f"INSERT INTO {table} SELECT {taken} FROM {table} WHERE {key} = ?", (other, run))
    return other


def measure_command(command: list[str]) -> tuple[ResourceUsage, str]:
    """Run a command, and return its resources and its output."""
    used, begun, before = ResourceUsage(), time.monotonic(), _waited_for()
    with subprocess.Popen(
        [sys.executable, "-c", "from quaestor.cli import main; main()", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as process:
        over = threading.Event()
        watching = threading.Thread(target=_watch, args=(process.pid, used, over))
        watching.start()
        assert process.stdout is not None
        output = process.stdout.read()
        process.wait()
        used.seconds, used.own = time.monotonic() - begun, _waited_for() - before
        over.set()
        watching.join()
    if process.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return used, output


def _waited_for() -> float:
    """Return the CPU seconds of all child processes that have been waited for."""
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


def _watch(session: int, used: ResourceUsage, over: threading.Event) -> None:
    ticks, cpu = os.sysconf("SC_CLK_TCK"), dict[int, int]()
    while not over.wait(_PAUSE):
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                stat = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(stat[3]) != session:
                    continue
                cpu[int(entry.name)] = int(stat[11]) + int(stat[12])
                lines = (entry / "smaps_rollup").read_text().splitlines()
            except (OSError, IndexError):
                continue
            size = sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
            if int(entry.name) == session:
                used.parent = max(used.parent, size)
            else:
                used.worker = max(used.worker, size)
        used.cpu = sum(cpu.values()) / ticks


@dataclass(frozen=True)
class StoredRun:
    """A run in a store.

    Attributes:
        size: Size of the store in bytes.
    """

    turns: int
    run: str
    size: int
    used: ResourceUsage


def run_file(source: Path, times: int, workers: int, folder: Path) -> StoredRun:
    """Run a repeated file into a separate store, unless the folder already contains it."""
    file, store, known = folder / f"{times}.json", folder / f"{times}.db", folder / f"{times}.played.json"
    if known.exists():
        kept = json.loads(known.read_text(encoding="utf-8"))
        return StoredRun(**{**kept, "used": ResourceUsage(**kept["used"])})
    turns = write_repeated(source, times, file)
    used, run = measure_command(["run", str(file), "--workers", str(workers), "--store", str(store)])
    found = StoredRun(turns, run.strip(), store.stat().st_size, used)
    known.write_text(json.dumps(asdict(found)), encoding="utf-8")
    return found


def time_commands(file: Path, store: Path, run: str) -> dict[str, float]:
    """Score a run, and return the CPU seconds of each command that reads its store, the best of three."""
    where = ["--store", str(store)]
    scoring, _ = measure_command(["score", run, str(file), *where])
    other = copy_run(store, run)
    looks = {
        "list": ["runs", "list", *where],
        "show": ["runs", "show", run, *where],
        "failures": ["runs", "failures", run, *where],
        "compare": ["compare", run, other, *where],
    }
    took = {look: min(measure_command(looks[look])[0].own for _ in range(3)) for look in _LOOKS}
    return {**took, "score": scoring.own, "score MB": scoring.parent}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--times", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--file", type=Path, default=benchmark_file())
    parser.add_argument("--keep", type=Path, help="where runs are kept")
    parser.add_argument("--play-only", action="store_true", help="do not look into the stores")
    options = parser.parse_args()
    console = Console(highlight=False, width=140)
    table = Table("times", "turns", "s", "ms/turn", "CPU ms/turn", "parent MB", "worker MB", "store B/turn")
    looks = Table(
        "times", *(f"{look}, CPU s" for look in _LOOKS), *(f"{look}, beyond start" for look in _LOOKS), "score, CPU s"
    )
    with tempfile.TemporaryDirectory() if options.keep is None else nullcontext(options.keep) as chosen:
        folder = Path(chosen)
        folder.mkdir(parents=True, exist_ok=True)
        few = None if options.play_only else _few(folder)
        for times in options.times:
            found = run_file(options.file, times, options.workers, folder)
            used, turns = found.used, found.turns
            figures = [used.seconds, 1000 * used.seconds / turns, 1000 * used.cpu / turns, used.parent, used.worker]
            table.add_row(str(times), f"{turns:,}", *(f"{figure:,.1f}" for figure in (*figures, found.size / turns)))
            console.print(table)
            if few is not None:
                took = time_commands(folder / f"{times}.json", folder / f"{times}.db", found.run)
                beyond = [f"{max(0.0, took[look] - few[look]):.2f}" for look in _LOOKS]
                scored = f"{took['score']:.1f} ({took['score MB']:,.0f} MB)"
                looks.add_row(str(times), *(f"{took[look]:.2f}" for look in _LOOKS), *beyond, scored)
                console.print(looks)


def _few(folder: Path) -> dict[str, float]:
    """Return the CPU seconds of the commands on a small run of the bundled sample."""
    store = folder / "few.db"
    _, run = measure_command(["run", "sample", "--limit", "3", "--store", str(store)])
    return time_commands(Path("sample"), store, run.strip())


if __name__ == "__main__":
    main()
