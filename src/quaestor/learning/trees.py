"""Boosted trees for the leaf scorer and the ranker. Deterministic with a seed and one thread."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quaestor.solvers.embedded.features import CANDIDATE_FEATURES
from quaestor.solvers.embedded.leaves import Floats
from quaestor.solvers.embedded.scoring import LEAF_FEATURES
from quaestor.solvers.embedded.weights import Trees


def fit_leaf_scorer(rows: Floats, labels: NDArray[np.float64], seed: int) -> Trees:
    """Returns trees that give the probability of a leaf."""
    import xgboost

    names = tuple(LEAF_FEATURES)
    data = xgboost.DMatrix(rows, label=labels, feature_names=list(names), nthread=1)
    parameters = {
        "objective": "binary:logistic", "max_depth": 5, "eta": 0.1, "subsample": 0.8, "colsample_bytree": 0.6,
        "min_child_weight": 3, "lambda": 2, "seed": seed, "nthread": 1, "tree_method": "hist",
    }  # fmt: skip
    return Trees(xgboost.train(parameters, data, num_boost_round=160), names)


def fit_ranker(rows: Sequence[Floats], labels: Sequence[NDArray[np.float64]], seed: int) -> Trees:
    """Returns trees that score the candidates of a turn; one array of rows a turn."""
    import xgboost

    names = tuple(CANDIDATE_FEATURES)
    data = xgboost.DMatrix(np.concatenate(rows), label=np.concatenate(labels), feature_names=list(names), nthread=1)
    data.set_group([len(group) for group in rows])
    parameters = {
        "objective": "rank:ndcg", "lambdarank_pair_method": "topk", "lambdarank_num_pair_per_sample": 12,
        "max_depth": 5, "eta": 0.1, "subsample": 0.8, "colsample_bytree": 0.5, "min_child_weight": 1, "lambda": 2,
        "seed": seed, "nthread": 1, "tree_method": "hist", "ndcg_exp_gain": False,
    }  # fmt: skip
    return Trees(xgboost.train(parameters, data, num_boost_round=220), names)
