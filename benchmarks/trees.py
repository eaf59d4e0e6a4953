"""CPU time of applying the boosted trees to the rows of each turn, on one core."""

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.workload import SOLVER, benchmark_file
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.runner import answer_conversation
from quaestor.solvers.embedded.loading import load_weights
from quaestor.solvers.embedded.page import Floats
from quaestor.solvers.embedded.trees import Trees
from quaestor.solvers.registry import make_solver

_CONVERSATIONS = 40
_TIMES = 5


def rows_of_turns(path: Path) -> list[Floats]:
    """Return the rows that the trees score in each turn of some conversations."""
    asked: list[Floats] = []
    scores = Trees.scores

    def note(trees: Trees, rows: Floats) -> Floats:
        asked.append(rows)
        return scores(trees, rows)

    async def answer() -> None:
        solver = make_solver(SOLVER, {})
        for conversation in read_dataset(path, _CONVERSATIONS).conversations:
            await answer_conversation(conversation, solver)

    with patch.object(Trees, "scores", note):
        asyncio.run(answer())
    return asked


def milliseconds_a_turn(apply: Callable[[Floats], Floats], turns: Sequence[Floats]) -> float:
    """Return the CPU milliseconds of one call, the best of several runs over all turns."""
    best = float("inf")
    for _ in range(_TIMES):
        began = time.process_time()
        for rows in turns:
            apply(rows)
        best = min(best, time.process_time() - began)
    return 1000 * best / len(turns)


def main() -> None:
    turns = rows_of_turns(benchmark_file())
    trees = load_weights().leaves
    assert isinstance(trees, Trees)
    print(f"{len(turns)} turns of {np.mean([*map(len, turns)]):.0f} rows on average")
    print(f"{milliseconds_a_turn(trees.scores, turns):.2f} ms a turn")


if __name__ == "__main__":
    main()
