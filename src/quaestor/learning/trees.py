"""Fits the boosted trees of the leaf scorer. Deterministic with a seed and one thread."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quaestor.solvers.embedded.number_features import LEAF_FEATURES
from quaestor.solvers.embedded.page import Floats
from quaestor.solvers.embedded.trees import NODE_FIELDS, Trees

if TYPE_CHECKING:
    from xgboost import Booster

_RISING = frozenset(
    (
        "question_in_leaf question_in_row question_in_column row_in_question column_in_question question_near "
        "best_near whole_row pairs_in_question best_leaf best_row best_label best_pairs year_named "
        "year_relative question_in_caption year_near boundary side_first side_second side_best scale_asked "
        "telling best_telling best_telling_label label_told best_label_told"
    ).split()
)
"""Features with a monotone effect: a higher value never makes a leaf less likely."""

_ROUNDS = 300
_TREES_PER_ROUND = 2
"""Trees per round, whose average reduces the variance."""
_FLATTEST = 1e-6
_DIGITS = 4
"""Decimals of the stored values of leaves: more make the files a third larger, but no score better."""
LeafRows = tuple[Floats, NDArray[np.float64]]
"""Features of the leaves of one turn, and their labels: the weight of the leaves that it takes, 0 for the others."""


class FittedTrees(Trees):
    """Trees fitted by XGBoost, with their JSON in `document`."""

    def __init__(self, document: bytes, names: tuple[str, ...]) -> None:
        """Read a result of `keep_for_scoring`, with the names of the columns."""
        super().__init__(document, names)
        self.document = document

    def save(self, path: Path) -> None:
        """Write the trees as JSON."""
        path.write_bytes(self.document)


def fit_leaf_scorer(turns: Sequence[LeafRows], seed: int) -> FittedTrees:
    """Return trees that rank the leaves of a turn; the softmax of a turn's scores is the probability of each leaf.

    Args:
        turns: The features and labels of the leaves of each turn.
        seed: Seed of the rows and columns that a tree uses.
    """
    import xgboost

    names = tuple(LEAF_FEATURES)
    rows, labels = (np.concatenate(parts) for parts in zip(*turns, strict=True))
    data = xgboost.DMatrix(rows, label=labels, nthread=1)
    parameters = {
        "max_depth": 5, "eta": 0.1, "subsample": 0.8, "colsample_bytree": 0.3, "min_child_weight": 3, "lambda": 2,
        "num_parallel_tree": _TREES_PER_ROUND, "base_score": 0.0, "disable_default_eval_metric": 1, "seed": seed,
        "nthread": 1, "tree_method": "hist",
        "monotone_constraints": tuple(int(name in _RISING) for name in names),
    }  # fmt: skip
    likelihood = _Likelihood(labels, [len(right) for _, right in turns])
    booster = xgboost.train(parameters, data, num_boost_round=_ROUNDS, obj=likelihood)
    booster.feature_names = list(names)  # at the end: each round would read them again
    return fitted_trees(booster, names)


def fitted_trees(booster: "Booster", names: tuple[str, ...]) -> FittedTrees:
    """Return the trees of an XGBoost model with these columns."""
    return FittedTrees(keep_for_scoring(bytes(booster.save_raw("json")), _DIGITS), names)


def keep_for_scoring(document: bytes, digits: int | None = None) -> bytes:
    """Return the part of a model's JSON that `Trees` reads.

    Args:
        digits: Decimals to which the values of leaves are rounded; None to keep them.

    Raises:
        ValueError: The model has splits by categories, or nodes that are not numbered breadth first.
    """
    learner = json.loads(document)["learner"]
    booster = learner["gradient_booster"]
    trees = booster["model"]["trees"]
    if any(any(tree["split_type"]) for tree in trees):
        raise ValueError("splits by categories are not supported")
    for tree in trees:
        inner = [place for place, child in enumerate(tree["left_children"]) if child >= 0]
        if [tree["left_children"][place] for place in inner] != list(range(1, 2 * len(inner), 2)):
            raise ValueError("the nodes of a tree are not numbered breadth first")
        tree["split_indices"] = [
            -1 if child < 0 else index
            for index, child in zip(tree["split_indices"], tree["left_children"], strict=True)
        ]
        if digits is not None:
            tree["split_conditions"] = [
                round(value, digits) if child < 0 else value
                for value, child in zip(tree["split_conditions"], tree["left_children"], strict=True)
            ]
    reduced = {
        "feature_names": learner["feature_names"],
        "learner_model_param": {"base_score": learner["learner_model_param"]["base_score"]},
        "gradient_booster": {
            "name": booster["name"],
            "model": {"trees": [{name: tree[name] for name in NODE_FIELDS} for tree in trees]},
        },
    }
    return json.dumps({"learner": reduced}, separators=(",", ":")).encode()


class _Likelihood:
    """Negative log likelihood of the right leaves, each drawn from the leaves of its turn.

    Calling it with the scores of all rows returns the first and second derivatives.
    """

    def __init__(self, labels: NDArray[np.float64], sizes: Sequence[int]) -> None:
        self._labels = labels
        self._starts = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.intp)
        self._turn = np.repeat(np.arange(len(sizes)), sizes)
        self._weight = np.add.reduceat(labels, self._starts)[self._turn]

    def __call__(self, scores: Floats, _: object) -> tuple[Floats, Floats]:
        odds = np.exp(scores - np.maximum.reduceat(scores, self._starts)[self._turn])
        share = odds / np.add.reduceat(odds, self._starts)[self._turn]
        gradient, hessian = self._weight * share - self._labels, self._weight * share * (1 - share)
        return gradient.astype(np.float32), np.maximum(hessian, _FLATTEST).astype(np.float32)
