"""Learned models shared by pages and filings: boosted trees, and sparse rows of linear classifiers.

Trees are read from a subset of XGBoost's JSON and evaluated with numpy alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Literal, TypedDict, cast, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic_core import from_json

from quaestor.errors import ModelError

# XGBoost fits the trees (`learning/trees.py`) and is needed only for training: with scipy it is seven times the size of
# the dependencies here. The scores here equal those of XGBoost bit for bit; a test compares them if XGBoost is
# installed.
#
# Trees repeat their tests, so each distinct test (column below threshold) is evaluated once for all rows. The results
# of 64 rows are the bits of one integer, and all rows go down a tree in parallel: at each node, rows whose test is true
# take the half of the tree below one branch, the others that below the other (bit slicing).


_DEEPEST = 8
"""Greatest depth. Trees are padded to one depth, so memory doubles with each level, and a path has to fit into a byte.
The shipped trees have a depth of five."""

_SLICE = 64
"""Rows whose results for one test are packed into one integer."""
_AT_ONCE = 4 * _SLICE
"""Rows that are scored together, which limits the memory for intermediate results to some MB."""

SHIPPED_WEIGHTS = Path(str(files("quaestor.solvers.embedded").joinpath("weights")))
"""Folder of the weights in the package."""

Floats = NDArray[np.float32]
_Integers = NDArray[np.intp]
_Flags = NDArray[np.bool_]


class _TreeJson(TypedDict):
    """One tree as lists by node, breadth first. A leaf has the index -1 and its value as condition.

    The two children of each inner node are adjacent, in the order of their parents, so no list of children is needed.
    """

    split_indices: list[int]
    split_conditions: list[float]
    default_left: list[int]


_Field = Literal["split_indices", "split_conditions", "default_left"]
NODE_FIELDS = get_args(_Field)
"""Fields that are read from the nodes of a tree."""


@dataclass(frozen=True, slots=True)
class _SplitTests:
    """Distinct tests of trees: is the column's value below the threshold?

    Attributes:
        missing_is_below: Result for a missing value.

    Shape:
        column: (tests,).
        threshold, missing_is_below: (tests, 1).
    """

    column: _Integers
    threshold: Floats
    missing_is_below: _Flags

    def evaluate(self, rows: Floats) -> NDArray[np.uint64]:
        """Return the results for rows, packed as bits, 64 rows per integer.

        Shape: `rows` is rows x columns, the results are tests x (rows / 64, rounded up).
        """
        columns = np.zeros((rows.shape[1], -(-len(rows) // _SLICE) * _SLICE), np.float32)
        columns[:, : len(rows)] = rows.T
        values = columns.take(self.column, axis=0)
        below = values < self.threshold
        if np.isnan(rows).any():
            below |= np.isnan(values) & self.missing_is_below
        return np.packbits(below).view(np.uint64).reshape(len(below), -1)


class Trees:
    """Boosted trees."""

    def __init__(self, document: bytes, names: tuple[str, ...] | None = None) -> None:
        """Read a model in XGBoost's JSON.

        Args:
            names: The required columns; None to accept those of the model.
        """
        try:
            learner = from_json(document)["learner"]
            trained_on = tuple(learner["feature_names"])
            booster = learner["gradient_booster"]
            if booster["name"] != "gbtree" or float(learner["learner_model_param"]["base_score"].strip("[]")) != 0:
                raise ValueError("the trees do not start from zero")
            self._tests, self._nodes, self._values = _fill_up(cast("list[_TreeJson]", booster["model"]["trees"]))
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error).partition("\n")[0]
            raise ModelError(f"not in the format that training writes: {reason}") from error
        if trained_on != (names or trained_on) or self._tests.column.max() >= len(trained_on):
            raise ModelError("trained on other columns")
        self.names: tuple[str, ...] = trained_on

    @classmethod
    def read(cls, path: Path, names: tuple[str, ...] | None = None) -> "Trees":
        """Return the trees of a file.

        Args:
            names: The required columns; None to accept those of the file.

        Raises:
            ModelError: The file is not such a model, or was trained on other columns.
        """
        try:
            return cls(path.read_bytes(), names)
        except (OSError, ModelError) as error:
            raise ModelError(
                f"cannot read the weights {path.name}: {error}; regenerate them with `quaestor train`"
            ) from error

    def predict(self, blocks: Sequence[Floats]) -> list[NDArray[np.float64]]:
        """Return for each block the probability of each row that its leaf is the intended one.

        Shape: Each block is leaves x `len(LEAF_FEATURES)`; the result has one array per block, with one entry per leaf.
        """
        if not any(map(len, blocks)):
            return [np.zeros(0) for _ in blocks]
        scores = self.scores(np.concatenate(blocks)).astype(np.float64)
        ends = np.cumsum([len(block) for block in blocks])[:-1]
        return [_shares(part) for part in np.split(scores, ends)]

    def scores_of(self, names: tuple[str, ...], rows: Floats) -> Floats:
        """Return the score of each row, given the names of its columns.

        Raises:
            ModelError: The trees were trained on other columns.
        """
        if names != self.names:
            raise ModelError("the weights were trained on other features; train them again")
        return self.scores(rows)

    def scores(self, rows: Floats) -> Floats:
        """Return the sum of the trees' values for each row, in their order and in single precision, as XGBoost does.

        Args:
            rows: Values, with nan for missing ones.

        Shape: `rows` is rows x columns of the model; the scores have one entry per row.
        """
        # Readings of one page differ in few columns, so that a quarter of the rows are duplicates.
        place: dict[bytes, int] = {}
        places = [place.setdefault(row.tobytes(), len(place)) for row in np.asarray(rows, np.float32)]
        distinct = np.frombuffer(b"".join(place), np.float32).reshape(-1, rows.shape[1])
        parts = range(0, max(1, len(distinct)), _AT_ONCE)
        return np.concatenate([self._scores(distinct[start : start + _AT_ONCE]) for start in parts])[places]

    def _scores(self, rows: Floats) -> Floats:
        below = self._tests.evaluate(rows).take(self._nodes, axis=0)
        trees, slices = below.shape[1:]
        path = np.zeros((trees, slices * _SLICE), np.uint8)
        while len(below):
            root, half = below[0], len(below) // 2
            path += path
            path |= np.unpackbits(root.view(np.uint8)).reshape(path.shape)
            left, right = below[1 : 1 + half], below[1 + half :]
            below = (left ^ right) & root
            below ^= left
        here = path[:, : len(rows)] + np.arange(0, len(self._values), len(self._values) // trees)[:, None]
        return _sum_in_order(self._values.take(here))


def _fill_up(trees: Sequence[_TreeJson]) -> tuple[_SplitTests, _Integers, Floats]:
    """Return the distinct tests of trees, the test of each node of each tree, and the values of the leaves, by tree.

    All trees are padded to the depth of the deepest. A leaf higher up is repeated at all positions below it, so the
    tests on the way do not matter. The root comes first, then the nodes of its subtree for false, then those for true,
    each in the same order; the leaves have that order too.

    Shape: The tests of the nodes are nodes of a tree x trees.
    """
    if not trees:
        raise ValueError("no trees")
    sizes = [len(tree["split_indices"]) for tree in trees]
    roots = np.cumsum([0, *sizes[:-1]])
    column = np.array(_join_field(trees, "split_indices"), np.intp)
    ends = column < 0
    # Index of the left child, after those of all nodes before; a leaf is its own child.
    inner = np.cumsum(~ends)
    place = inner - np.repeat(inner[roots], sizes)
    below = np.where(ends, np.arange(len(ends)), np.repeat(roots, sizes) + 2 * place + 1)
    other = below + ~ends
    column = np.where(ends, 0, column)
    threshold = np.array(_join_field(trees, "split_conditions"), np.float32)
    missing_is_below = np.array(_join_field(trees, "default_left"), np.bool_)
    if not len(column) == len(threshold) == len(missing_is_below):
        raise ValueError("the lists of a tree differ in length")
    # A test as one integer: column, result for missing values, threshold.
    keys = column.astype(np.uint64) << np.uint64(33) | missing_is_below.astype(np.uint64) << np.uint64(32)
    keys |= threshold.view(np.uint32)
    levels, here = list[_Integers](), roots
    while not levels or not ends[here].all():
        if len(levels) == _DEEPEST:
            raise ValueError(f"a tree is deeper than {_DEEPEST}")
        levels.append(here)
        here = np.stack((other[here], below[here]), axis=1).ravel()
    order = np.empty((0, len(here)), np.intp)
    for level in reversed(levels):
        order = np.concatenate((level[None], order[:, 0::2], order[:, 1::2]))
    _, first, test = np.unique(keys[order], return_index=True, return_inverse=True)
    once = order.ravel()[first]
    tests = _SplitTests(column[once], threshold[once, None], missing_is_below[once, None])
    return tests, test.reshape(order.shape), threshold[here]


def _join_field(trees: Sequence[_TreeJson], field: _Field) -> list[float]:
    """One field of the nodes of all trees, by tree."""
    return list(chain.from_iterable(tree[field] for tree in trees))


def _sum_in_order(terms: Floats) -> Floats:
    """Sums over the first axis, term by term: the result of a float sum depends on the order.

    numpy adds whole rows in order, except if a row is a single number: then it adds in pairs.
    """
    if terms.shape[1] == 1:
        return cast("Floats", np.cumsum(terms, axis=0, dtype=np.float32)[-1])
    return cast("Floats", np.add.reduce(terms, axis=0, dtype=np.float32))


def _shares(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    odds = np.exp(scores - scores.max(initial=-np.inf))
    shares: NDArray[np.float64] = odds / odds.sum()
    return shares


def read_sparse_rows(rows: Sequence[Sequence[float]], width: int, path: Path) -> Floats:
    """Return the weights of features by class from rows that alternate a class and its weight; the others are zero.

    Rows are flat because a hundred thousand small lists of pairs would take most of the time of reading a file.
    """
    weights = np.zeros((len(rows), width), np.float32)
    try:
        pairs = np.fromiter(chain.from_iterable(rows), np.float64).reshape(-1, 2)
        sizes = [len(row) // 2 for row in rows]
        weights[np.repeat(np.arange(len(rows)), sizes), pairs[:, 0].astype(np.intp)] = pairs[:, 1]
    except (TypeError, ValueError, IndexError) as error:
        raise ModelError(
            f"the weights {path.name} have an unexpected format; regenerate them with `quaestor train`"
        ) from error
    return weights
