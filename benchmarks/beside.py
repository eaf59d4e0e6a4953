"""Time per turn compared with another version of the code: `python -m benchmarks.beside CHECKOUT`.

Each version runs in a separate process, and they take turns with each conversation of the benchmark's file, so that
other load slows both. The minimum time of each turn over several runs counts; medians and means over all turns are
printed relative to the other version. `--python` names an interpreter with the other version's dependencies.
"""

import argparse
import asyncio
import gc
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from statistics import mean, median

ROOT = Path(__file__).resolve().parents[1]


class Checkout:
    """A checkout, and the process that runs its code."""

    def __init__(self, root: Path, python: str) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(root), str(root / "src")))}
        pipe = subprocess.PIPE
        command = [python, str(Path(__file__).resolve()), "--plays"]
        self._process = subprocess.Popen(command, cwd=root, env=environment, stdin=pipe, stdout=pipe, text=True)
        self.conversations = int(self._read())

    def seconds(self, conversation: int, *, greedy: bool) -> list[float]:
        """Run a conversation and return the time of each turn."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{conversation} {greedy:d}\n")
        self._process.stdin.flush()
        found: list[float] = json.loads(self._read())
        return found

    def end(self) -> None:
        """End the process."""
        self._process.communicate()

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"the version in {self._process.args!r} ended, see above")
        return line


@contextmanager
def versions(other: Path, python: str) -> Iterator[tuple[Checkout, Checkout]]:
    """Yield both versions, this one first."""
    both = Checkout(ROOT, sys.executable), Checkout(other, python)
    try:
        yield both
    finally:
        for version in both:
            version.end()


def least(both: tuple[Checkout, Checkout], plays: int, *, greedy: bool) -> list[list[float]]:
    """Return for each version the minimum time of each turn."""
    results: list[list[list[float]]] = [[], []]
    # Repeat the whole file rather than each conversation: a page that was just read would still be cached.
    for _ in range(plays):
        times: list[list[float]] = [[], []]
        for conversation in range(both[0].conversations):
            for version, seconds in zip(both, times, strict=True):
                seconds.extend(version.seconds(conversation, greedy=greedy))
        for all_of_it, seconds in zip(results, times, strict=True):
            all_of_it.append(seconds)
    return [list(map(min, zip(*all_of_it, strict=True))) for all_of_it in results]


def run_conversations() -> None:
    """Run the conversations whose numbers arrive on stdin, with the code on the import path."""
    from benchmarks.ablation import paths_kept
    from benchmarks.workload import SOLVER, TimedSolver, benchmark_file
    from quaestor.datasets.formats import read_dataset
    from quaestor.evaluation.runner import answer_conversation
    from quaestor.solvers.registry import make_solver

    gc.disable()  # both versions collect rarely, each in its own way
    conversations = read_dataset(benchmark_file()).conversations
    solver = TimedSolver(make_solver(SOLVER, {}))
    asyncio.run(answer_conversation(conversations[0], solver))
    print(len(conversations), flush=True)
    for line in sys.stdin:
        number, greedy = map(int, line.split())
        solver.seconds.clear()
        with paths_kept(1) if greedy else nullcontext():
            asyncio.run(answer_conversation(conversations[number], solver))
        print(json.dumps(solver.seconds), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.beside", description=__doc__)
    parser.add_argument("checkout", type=Path, nargs="?", help="the other version")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that runs it")
    parser.add_argument("--plays", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--times", type=int, default=5, help="how often the file is played")
    options = parser.parse_args()
    if options.plays:
        run_conversations()
        return
    if options.checkout is None:
        parser.error("which version? give the folder of a checkout")
    with versions(options.checkout.resolve(), options.python) as both:
        for greedy in (False, True):
            here, there = least(both, options.times, greedy=greedy)
            shares = ", ".join(f"{name.__name__} {name(here) / name(there):.2f}" for name in (median, mean))
            print(f"a turn{', greedy' * greedy}: {shares} of the other's ({len(here)} turns)", flush=True)


if __name__ == "__main__":
    main()
