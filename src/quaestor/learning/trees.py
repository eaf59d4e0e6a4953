"""Boosted trees for the leaf scorer. Deterministic with a seed and one thread."""

import numpy as np
from numpy.typing import NDArray

from quaestor.solvers.embedded.leaves import Floats
from quaestor.solvers.embedded.scoring import LEAF_FEATURES
from quaestor.solvers.embedded.trees import Trees

_RISING = frozenset(
    (
        "question_in_leaf question_in_row question_in_column row_in_question column_in_question question_near "
        "best_near whole_row pairs_in_question best_leaf best_row best_label best_pairs year_named "
        "year_relative question_in_caption year_near boundary side_first side_second side_best scale_asked"
    ).split()
)
"""Columns that speak for a leaf: more of them never makes it less likely. What is known need not be learned."""


def fit_leaf_scorer(rows: Floats, labels: NDArray[np.float64], seed: int) -> Trees:
    """Returns trees that give the probability of a leaf."""
    import xgboost

    names = tuple(LEAF_FEATURES)
    data = xgboost.DMatrix(rows, label=labels, feature_names=list(names), nthread=1)
    parameters = {
        "objective": "binary:logistic", "max_depth": 5, "eta": 0.1, "subsample": 0.8, "colsample_bytree": 0.6,
        "min_child_weight": 3, "lambda": 2, "seed": seed, "nthread": 1, "tree_method": "hist",
        "monotone_constraints": tuple(int(name in _RISING) for name in names),
    }  # fmt: skip
    return Trees(xgboost.train(parameters, data, num_boost_round=160), names)
