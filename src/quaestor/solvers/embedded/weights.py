"""The learned numbers of the solver, in text files that a person can open.

A folder of weights holds `idf.json` (how telling each stem is), `signature.json` (logistic regression),
`leaves.json` and `ranker.json` (boosted trees in XGBoost's JSON format), and `card.json` (data, date, digest).
There is no pickle in it, and nothing in it runs.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from quaestor.errors import ModelError
from quaestor.solvers.embedded.features import CANDIDATE_FEATURES
from quaestor.solvers.embedded.leaves import Floats
from quaestor.solvers.embedded.scoring import LEAF_FEATURES, Idf
from quaestor.solvers.embedded.signature import SignatureModel

if TYPE_CHECKING:
    import xgboost

WEIGHT_FILES = ("idf.json", "signature.json", "leaves.json", "ranker.json")
"""The files of a folder of weights, in the order of their digest."""


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


@dataclass(frozen=True, slots=True)
class Weights:
    """All that the solver learned."""

    idf: Idf
    signature: SignatureModel
    leaves: Predictor
    ranker: Predictor


def column_names(table: dict[str, str]) -> tuple[str, ...]:
    """Returns the names of a feature table as XGBoost takes them, which forbids `[`, `]` and `<`."""
    return tuple(table)


@lru_cache(maxsize=4)
def load_weights(folder: Path | None = None) -> Weights:
    """Returns the weights of a folder, by default those shipped with the package.

    Raises:
        ModelError: A file is missing, damaged, or of other columns than this version's.
    """
    folder = folder or Path(str(files("quaestor.solvers.embedded").joinpath("weights")))
    if not folder.is_dir():
        raise ModelError(f"there are no weights in {folder}; `quaestor train` makes them")
    return Weights(
        idf=_read_idf(folder / "idf.json"),
        signature=_read_signature(folder / "signature.json"),
        leaves=Trees.read(folder / "leaves.json", column_names(LEAF_FEATURES)),
        ranker=Trees.read(folder / "ranker.json", column_names(CANDIDATE_FEATURES)),
    )


def _read_json(path: Path) -> dict[str, object]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot read the weights {path.name}: {error}; train them again") from error
    if not isinstance(data, dict):
        raise ModelError(f"the weights {path.name} are no JSON object; train them again")
    return data


def _read_idf(path: Path) -> Idf:
    data = _read_json(path)
    match data:
        case {"weight": dict(weight), "unseen": float(unseen) | int(unseen)}:
            return Idf({str(stem): float(value) for stem, value in weight.items()}, float(unseen))
    raise ModelError(f"the weights {path.name} have not the form that `quaestor train` writes")


def _read_signature(path: Path) -> SignatureModel:
    data = _read_json(path)
    match data:
        case {"classes": list(classes), "features": dict(features), "intercept": list(intercept)}:
            # Sparse rows: a feature's weights are pairs of class and weight.
            weights = np.zeros((len(features), len(classes)), np.float32)
            for row, pairs in enumerate(features.values()):
                for column, weight in pairs:
                    weights[row, column] = weight
            return SignatureModel(
                classes=tuple(map(str, classes)),
                features={str(name): row for row, name in enumerate(features)},
                weights=weights,
                intercept=np.array(intercept, np.float32),
            )
    raise ModelError(f"the weights {path.name} have not the form that `quaestor train` writes")
