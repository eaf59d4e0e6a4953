"""Boosted trees, read from and written to XGBoost's JSON."""

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from quaestor.errors import ModelError
from quaestor.solvers.embedded.leaves import Floats

if TYPE_CHECKING:
    import xgboost


class Predictor(Protocol):
    """What turns rows of features into one number each."""

    def predict(self, rows: Floats) -> NDArray[np.float64]:
        """Returns one number a row."""
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

    def predict(self, rows: Floats) -> NDArray[np.float64]:
        """Returns the prediction of each row: a probability for the leaf scorer, a score for the ranker."""
        if not len(rows):
            return np.zeros(0, np.float64)
        predicted: NDArray[np.float64] = self._booster.inplace_predict(rows, validate_features=False).astype(np.float64)
        return predicted
