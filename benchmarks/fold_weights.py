"""Trains weights of the embedded solver for each fold of companies: `python -m benchmarks.fold_weights DIR`.

A solver that takes the weights of each page from the folder answers out of fold: its weights have never seen the
company. Training takes twelve minutes on two cores; existing weights are not trained again.
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
    """Train the weights of the folds that are missing in a folder.

    Args:
        folder: Contains a folder of weights for each fold.
        workers: Number of folds to train in parallel.
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
    """The embedded solver, each page answered with weights that never saw its company."""

    name = "embedded"

    def __init__(self, folder: Path) -> None:
        """Take the folder of the folds' weights, which may lack some folds."""
        there = [fold for fold in range(FOLDS) if (_of(folder, fold) / "card.json").exists()]
        made = {fold: make_solver("embedded", {"weights": str(_of(folder, fold))}) for fold in there}
        folds = company_folds(read_examples([DATA / "convfinqa_tune.json"]), FOLDS, SEED)
        self._solvers = {company: made[fold] for company, fold in folds.items() if fold in made}

    @property
    def companies(self) -> frozenset[str]:
        """The companies of the folds whose weights exist."""
        return frozenset(self._solvers)

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Answer with the weights that have not seen the page's company."""
        return await self._solvers[context.document.id.partition("/")[0]].solve(question, context)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fold_weights", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the weights of the folds are kept")
    parser.add_argument("--workers", type=int, default=2, help="folds trained at once")
    options = parser.parse_args()
    train_folds(options.folder, options.workers)


if __name__ == "__main__":
    main()
