"""What it costs to apply the boosted trees: with numpy, as the solver does, and with XGBoost, which fits them.

`python -m benchmarks.trees` compares the two on the rows of turns as the solver asks for them, in CPU time of one core,
and what loading either adds to a process in seconds and megabytes (on Linux). XGBoost has to be installed;
scikit-learn, which it would load if it found it, counts as missing.
"""

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from unittest.mock import patch

import numpy as np

from benchmarks.workload import SOLVER, benchmark_file
from quaestor.datasets.formats import read_dataset
from quaestor.evaluation.runner import play_conversation
from quaestor.solvers.embedded.model.loading import SHIPPED_WEIGHTS, load_weights
from quaestor.solvers.embedded.model.trees import Trees
from quaestor.solvers.embedded.page.word_matrix import Floats
from quaestor.solvers.registry import make_solver

_CONVERSATIONS = 40
_TIMES = 5
_FILE = SHIPPED_WEIGHTS / "leaves.json"

_PEAK = (
    "seconds = time.process_time() - began\n"
    "status = dict(line.split(':') for line in open('/proc/self/status'))\n"
    "print(int(status['VmHWM'].split()[0]) / 1024, seconds)"
)
_BEFORE = (
    "import sys, time, numpy, json, quaestor.solvers.embedded.features.numbers as columns\n"
    "import quaestor.solvers.embedded.model.trees as trees\n"
    "from pathlib import Path\n"
    "began = time.process_time()\n"
)
_LOADING = {
    "nothing": "",
    "numpy": f"trees.Trees.read(Path({str(_FILE)!r}), tuple(columns.LEAF_FEATURES))\n",
    "XGBoost": "sys.modules['sklearn'] = None\nimport xgboost\n"
    f"xgboost.Booster({{'nthread': 1}}).load_model({str(_FILE)!r})\n",
}


def rows_of_turns(path: Path) -> list[Floats]:
    """Returns what the trees are asked in each turn of some conversations, as the solver answers them."""
    asked: list[Floats] = []
    scores = Trees.scores

    def note(trees: Trees, rows: Floats) -> Floats:
        asked.append(rows)
        return scores(trees, rows)

    async def play() -> None:
        solver = make_solver(SOLVER, {})
        for conversation in read_dataset(path, _CONVERSATIONS).conversations:
            await play_conversation(conversation, solver)

    with patch.object(Trees, "scores", note):
        asyncio.run(play())
    return asked


def milliseconds_a_turn(apply: Callable[[Floats], Floats], turns: Sequence[Floats]) -> float:
    """Returns the CPU time of one call, the best of some runs over all turns."""
    best = float("inf")
    for _ in range(_TIMES):
        began = time.process_time()
        for rows in turns:
            apply(rows)
        best = min(best, time.process_time() - began)
    return 1000 * best / len(turns)


def loading(what: str) -> tuple[float, float]:
    """Returns the megabytes and the seconds of CPU that a process has used when it has loaded the trees."""
    code = _BEFORE + _LOADING[what] + _PEAK
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    return float(found[0]), float(found[1])


def main() -> None:
    import xgboost

    turns = rows_of_turns(benchmark_file())
    trees = load_weights().leaves
    assert isinstance(trees, Trees)
    booster = xgboost.Booster({"nthread": 1})
    booster.load_model(_FILE)
    by_xgboost = partial(booster.inplace_predict, validate_features=False)
    assert all(trees.scores(rows).tobytes() == by_xgboost(rows).tobytes() for rows in turns)
    print(f"{len(turns)} turns of {np.mean([*map(len, turns)]):.0f} rows on average")
    for name, apply in (("numpy", trees.scores), ("XGBoost", by_xgboost)):
        print(f"{name:8} {milliseconds_a_turn(apply, turns):.2f} ms a turn")
    nothing = [loading("nothing") for _ in range(_TIMES)]
    for name in ("numpy", "XGBoost"):
        found = [loading(name) for _ in range(_TIMES)]
        more = median(size for size, _ in found) - median(size for size, _ in nothing)
        print(f"{name:8} {median(seconds for _, seconds in found):.2f} s and {more:.0f} MB to load")


if __name__ == "__main__":
    main()
