"""Boosted trees, read from and written to XGBoost's JSON."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from quaestor.errors import ModelError
from quaestor.solvers.embedded.leaves import Floats

if TYPE_CHECKING:
    import xgboost


class Predictor(Protocol):
    """What turns the leaves of a page into probabilities."""

    def predict(self, blocks: Sequence[Floats]) -> list[NDArray[np.float64]]:
        """Returns for each block of rows one probability a row."""
        ...


class Trees:
    """Boosted trees, one thread, read from XGBoost's JSON."""

    def __init__(self, booster: "xgboost.Booster", names: tuple[str, ...]) -> None:
        self._booster = booster
        self.names = names

    @classmethod
    def read(cls, path: Path, names: tuple[str, ...]) -> "Trees":
        """Returns the trees of a file.

        Raises:
            ModelError: The file is no such model, or was trained on other columns.
        """
        import xgboost

        booster = xgboost.Booster({"nthread": 1})
        try:
            booster.load_model(path)
        except (xgboost.core.XGBoostError, OSError, ValueError) as error:
            raise ModelError(
                f"cannot read the weights {path.name}: {str(error).splitlines()[0]}; train them again"
            ) from error
        if tuple(booster.feature_names or ()) != names:
            raise ModelError(f"the weights {path.name} were trained on other columns; train them again")
        return cls(booster, names)

    def save(self, path: Path) -> None:
        """Writes the trees as XGBoost's JSON."""
        self._booster.save_model(path)

    def predict(self, blocks: Sequence[Floats]) -> list[NDArray[np.float64]]:
        """Returns for each block of rows the share of each row: the probability that it is the leaf that is meant."""
        if not any(map(len, blocks)):
            return [np.zeros(0) for _ in blocks]
        rows = np.concatenate(blocks)
        scores = self._booster.inplace_predict(rows, validate_features=False).astype(np.float64)
        ends = np.cumsum([len(block) for block in blocks])[:-1]
        return [_shares(part) for part in np.split(scores, ends)]


def _shares(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    odds = np.exp(scores - scores.max(initial=-np.inf))
    shares: NDArray[np.float64] = odds / odds.sum()
    return shares
