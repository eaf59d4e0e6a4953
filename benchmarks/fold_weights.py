"""Weights of the embedded solver for each fold of companies, kept in a folder: `python -m benchmarks.fold_weights DIR`.

What one fold's weights answer they have never seen: a solver that takes each page's weights from here is out of fold.
Training takes twelve minutes of two cores; what the folder has already is not trained again.
"""

import argparse
from pathlib import Path

from benchmarks.held_out import FOLDS, Fold, folds_of, read_data
from quaestor.conversation.answer import Answer
from quaestor.learning.deterministic import deterministic_pool
from quaestor.learning.examples import company_folds, read_examples
from quaestor.learning.saving import save_weights
from quaestor.learning.train import fit_weights
from quaestor.solvers.base import TurnContext
from quaestor.solvers.registry import make_solver

SEED = 0
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def train_folds(folder: Path, workers: int) -> None:
    """Trains the weights of the folds that a folder does not have.

    Args:
        folder: A folder of weights a fold goes into it.
        workers: How many are trained at once.
    """
    folds = enumerate(folds_of(read_data(DATA), SEED))
    waiting = [(number, fold) for number, fold in folds if not (_of(folder, number) / "card.json").exists()]
    with deterministic_pool(workers) as pool:
        for done in [pool.submit(_train, fold, _of(folder, number)) for number, fold in waiting]:
            print(done.result(), flush=True)


def _train(fold: Fold, folder: Path) -> str:
    weights = fit_weights(fold.training, fold.dialogues, fold.seed)
    save_weights(weights, folder, {"held out": sorted({example.company for example in fold.held_out})})
    return f"{folder}: {len(fold.training)} conversations"


def _of(folder: Path, fold: int) -> Path:
    return folder / f"fold-{fold}"


class OutOfFold:
    """The embedded solver, each page answered by weights that never saw its company."""

    name = "embedded"

    def __init__(self, folder: Path) -> None:
        """Take the folder of the folds' weights, be it that of some folds only."""
        there = [fold for fold in range(FOLDS) if (_of(folder, fold) / "card.json").exists()]
        made = {fold: make_solver("embedded", {"weights": str(_of(folder, fold))}) for fold in there}
        folds = company_folds(read_examples([DATA / "convfinqa_tune.json"]), FOLDS, SEED)
        self._solvers = {company: made[fold] for company, fold in folds.items() if fold in made}

    @property
    def companies(self) -> frozenset[str]:
        """Those of the folds whose weights are there."""
        return frozenset(self._solvers)

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the answer of the solver that has not seen the page's company."""
        return await self._solvers[context.document.id.partition("/")[0]].solve(question, context)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fold_weights", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the weights of the folds are kept")
    parser.add_argument("--workers", type=int, default=2, help="folds trained at once")
    options = parser.parse_args()
    train_folds(options.folder, options.workers)


if __name__ == "__main__":
    main()
