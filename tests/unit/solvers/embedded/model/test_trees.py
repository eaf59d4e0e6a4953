"""Boosted trees applied with numpy: computed by hand, and bitwise equal to XGBoost."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quaestor.errors import ModelError
from quaestor.learning.trees import FittedTrees, keep_for_scoring
from quaestor.solvers.embedded.trees import Trees


def stump(column: int, threshold: float, yes: float, no: float, missing_is_yes: bool) -> dict[str, Any]:
    return {
        "split_indices": [column, -1, -1],
        "split_conditions": [threshold, yes, no], "default_left": [int(missing_is_yes), 0, 0],
    }  # fmt: skip


UNEVEN: dict[str, Any] = {
    # size < 10: 1.0; otherwise age < 3: 20.0; otherwise 300.0
    "split_indices": [0, -1, 1, -1, -1],
    "split_conditions": [10.0, 1.0, 3.0, 20.0, 300.0], "default_left": [0, 0, 1, 0, 0],
}  # fmt: skip


def document(*trees: dict[str, Any], base: str = "[0E0]", booster: str = "gbtree") -> bytes:
    learner = {
        "feature_names": ["size", "age"],
        "learner_model_param": {"base_score": base},
        "gradient_booster": {"name": booster, "model": {"trees": list(trees)}},
    }
    return json.dumps({"learner": learner}).encode()


def test_score_of_a_row_is_the_sum_of_its_leaves() -> None:
    trees = Trees(document(UNEVEN, stump(1, 5.0, 0.5, -0.5, False)), ("size", "age"))
    rows = np.array([[9.9, 4], [10, 2.9], [10, 3], [11, 5]], np.float32)
    assert trees.scores(rows).tolist() == [1.5, 20.5, 300.5, 299.5]


def test_a_missing_value_follows_the_default_branch() -> None:
    trees = Trees(document(UNEVEN, stump(1, 5.0, 0.5, -0.5, False)), ("size", "age"))
    rows = np.array([[np.nan, 4], [10, np.nan], [np.nan, np.nan]], np.float32)
    # An unknown size counts as large, an unknown age as young in the first tree and as old in the second.
    assert trees.scores(rows).tolist() == [300.5, 19.5, 19.5]


def test_terms_are_added_in_single_precision_and_in_order() -> None:
    leaves = [1e8, *[1.0] * 20, -1e8]  # 1e8 + 1 is 1e8 in single precision; another order would give another sum
    trees = Trees(document(*(stump(0, 1.0, leaf, leaf, True) for leaf in leaves)), ("size", "age"))
    for count in (1, 2, 3, 8, 9, 100):
        assert trees.scores(np.zeros((count, 2), np.float32)).tolist() == [0.0] * count


def test_scores_become_shares_of_their_block() -> None:
    trees = Trees(document(stump(0, 1.0, 0.0, float(np.log(3)), True)), ("size", "age"))
    block, nothing = np.array([[0, 0], [2, 0]], np.float32), np.zeros((0, 2), np.float32)
    shares = trees.predict([block, nothing, block[:1]])
    assert [part.tolist() for part in shares] == [pytest.approx([0.25, 0.75]), [], [1.0]]


def test_fitted_trees_are_written_unchanged(tmp_path: Path) -> None:
    text = document(UNEVEN)
    FittedTrees(text, ("size", "age")).save(tmp_path / "leaves.json")
    assert (tmp_path / "leaves.json").read_bytes() == text
    assert Trees.read(tmp_path / "leaves.json", ("size", "age")).names == ("size", "age")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        document(),
        document(UNEVEN, base="5E-1"),
        document(UNEVEN, booster="dart"),
        document({**UNEVEN, "split_indices": [0] * 5}),
        document({**UNEVEN, "split_indices": [2, -1, 1, -1, -1]}),
        document({**UNEVEN, "default_left": [0]}),
    ],
)
def test_error_names_an_invalid_file(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "leaves.json").write_bytes(content)
    with pytest.raises(ModelError, match=r"leaves\.json"):
        Trees.read(tmp_path / "leaves.json", ("size", "age"))


def test_trees_of_other_columns_are_refused(tmp_path: Path) -> None:
    (tmp_path / "leaves.json").write_bytes(document(UNEVEN))
    with pytest.raises(ModelError, match=r"leaves\.json"):
        Trees.read(tmp_path / "leaves.json", ("age", "size"))


def test_nodes_that_are_not_numbered_breadth_first_are_refused() -> None:
    tree = {
        "left_children": [1, 3, -1, -1, -1], "right_children": [2, 4, -1, -1, -1], "split_type": [0] * 5,
        "split_indices": [0, 1, 0, 0, 0], "split_conditions": [1.0] * 5, "default_left": [0] * 5,
    }  # fmt: skip
    assert json.loads(keep_for_scoring(document(tree)))["learner"]["gradient_booster"]["model"]["trees"] == [
        {"split_indices": [0, 1, -1, -1, -1], "split_conditions": [1.0] * 5, "default_left": [0] * 5}
    ]
    with pytest.raises(ValueError, match="breadth first"):
        keep_for_scoring(document(tree | {"left_children": [3, 1, -1, -1, -1]}))


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 2, 5, 8])
def test_trees_of_any_depth_score_missing_values_like_xgboost(depth: int) -> None:
    xgboost = pytest.importorskip("xgboost")
    random = np.random.default_rng(depth)
    rows = random.normal(size=(2000, 6)).astype(np.float32)
    target = np.sin(rows[:, 0] * 3) + np.where(rows[:, 1] > 0, rows[:, 2], -1)
    # Missing values depend on the target in both directions, so that both default branches are learned.
    rows[(target > 1) & (random.random(2000) < 0.7), 0] = np.nan
    rows[(target < -1) & (random.random(2000) < 0.7), 2] = np.nan
    names = tuple("abcdef")
    data = xgboost.DMatrix(rows, label=target, feature_names=list(names))
    booster = xgboost.train(
        {"max_depth": depth, "base_score": 0.0, "nthread": 1, "tree_method": "hist"}, data, num_boost_round=30
    )
    text = bytes(booster.save_raw("json"))
    ways = {
        way
        for tree in json.loads(text)["learner"]["gradient_booster"]["model"]["trees"]
        for way in tree["default_left"]
    }
    assert ways == {0, 1}
    predicted = booster.inplace_predict(rows).tobytes()
    loaded = keep_for_scoring(text)
    assert len(loaded) < len(text)
    assert Trees(loaded, names).scores(rows).tobytes() == predicted
