"""The input of the benchmarks: a dataset, run once on one core, with the time of each turn."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Turn
from quaestor.core.caching import collect_seldom
from quaestor.datasets.convfinqa import read_conversation
from quaestor.datasets.dataset import Dataset
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.runner import answer_conversation
from quaestor.sample import sample_path
from quaestor.solvers.base import Solver, TurnContext
from quaestor.solvers.registry import make_solver

SOLVER = "embedded"
SUPPORT = str(Path(__file__).resolve().parents[1] / "tests" / "support")
"""Folder with the servers of the tests."""


@dataclass(frozen=True, slots=True)
class Workload:
    """A dataset with its reading times and the solver's answers.

    Attributes:
        seconds: The solver's time for each turn, in the order of execution.
        reading: Time to read each page without caches, in the order of the file.
    """

    path: Path
    dataset: Dataset
    turns: dict[str, tuple[Turn, ...]]
    seconds: tuple[float, ...]
    reading: tuple[float, ...]


class TimedSolver:
    """A solver that records its times."""

    def __init__(self, solver: Solver) -> None:
        self.name, self._solver, self.seconds = solver.name, solver, list[float]()

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the solver's answer, and record its time."""
        started = perf_counter()
        try:
            return await self._solver.solve(question, context)
        finally:
            self.seconds.append(perf_counter() - started)


def benchmark_file() -> Path:
    """Return the public file next to the repository, or the bundled sample."""
    public = Path(__file__).resolve().parents[2] / "shared" / "data" / "convfinqa_tune.json"
    return public if public.exists() else sample_path()


def play_workload(path: Path) -> Workload:
    """Run the dataset of a file on one core."""
    # Like the command line and its worker processes.
    collect_seldom()
    reading = _read_pages(path)
    dataset = read_dataset(path)
    solver = TimedSolver(make_solver(SOLVER, {}))
    # Warm-up: the first turn loads the weights.
    asyncio.run(answer_conversation(dataset.conversations[0], solver))
    solver.seconds.clear()

    async def run() -> dict[str, tuple[Turn, ...]]:
        return {item.id: await answer_conversation(item, solver) for item in dataset.conversations}

    return Workload(path, dataset, asyncio.run(run()), tuple(solver.seconds), reading)


def _read_pages(path: Path) -> tuple[float, ...]:
    seconds, pages = [], set()
    for record in json.loads(path.read_text(encoding="utf-8")):
        if record["filename"] not in pages:
            pages.add(record["filename"])
            started = perf_counter()
            read_conversation(record, "benchmark")
            seconds.append(perf_counter() - started)
    return tuple(seconds)
