"""Learned weights that pages and filings share: boosted trees, and rows of linear classifiers.

Trees are read from what is kept of XGBoost's JSON and applied with numpy alone.
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

# XGBoost fits the trees (`learning/trees.py`), and only who trains needs it: it brings scipy along, seven times the
# size of what is here. What is computed here is bit for bit what XGBoost computes; a test compares the two wherever
# XGBoost is installed.
#
# Trees ask the same things again and again, so each distinct question is put once to all rows. The answers of 64 rows
# are the bits of one number, and the rows go down a tree side by side: at each node those for which it is true take
# the half of the tree below one branch, the others that below the other (bit slicing).


_DEEPEST = 8
"""Trees are filled up to one depth, so memory doubles with each level, and a way down has to fit into a byte. The
shipped ones have five."""

_SLICE = 64
"""Rows whose answers to one question make one number."""
_AT_ONCE = 4 * _SLICE
"""Rows that are scored together: what is computed between takes some MB for them, however many there are in all."""

SHIPPED_WEIGHTS = Path(str(files("quaestor.solvers.embedded").joinpath("weights")))
"""The folder of the weights that come with the package."""

Floats = NDArray[np.float32]
_Whole = NDArray[np.intp]
_Flags = NDArray[np.bool_]


class _TreeJson(TypedDict):
    """One tree: lists by node, breadth first. An end has the index -1 and its value as condition.

    The two nodes below each other node follow each other in the order of the nodes above them, so they need no list.
    """

    split_indices: list[int]
    split_conditions: list[float]
    default_left: list[int]


_Field = Literal["split_indices", "split_conditions", "default_left"]
NODE_FIELDS = get_args(_Field)
"""What is read of the nodes of a tree."""


@dataclass(frozen=True, slots=True)
class _Questions:
    """What trees ask, each question once: is the column's value below the threshold?

    Attributes:
        missing_is_below: How a value that is missing counts.

    Shape:
        column: (questions,).
        threshold, missing_is_below: (questions, 1).
    """

    column: _Whole
    threshold: Floats
    missing_is_below: _Flags

    def answers(self, rows: Floats) -> NDArray[np.uint64]:
        """Return the answers for rows, those of 64 as the bits of a number.

        Shape: `rows` is rows x columns, the answers are questions x (rows / 64, rounded up).
        """
        columns = np.zeros((rows.shape[1], -(-len(rows) // _SLICE) * _SLICE), np.float32)
        columns[:, : len(rows)] = rows.T
        asked = columns.take(self.column, axis=0)
        below = asked < self.threshold
        if np.isnan(rows).any():
            below |= np.isnan(asked) & self.missing_is_below
        return np.packbits(below).view(np.uint64).reshape(len(below), -1)


class Trees:
    """Boosted trees."""

    def __init__(self, document: bytes, names: tuple[str, ...] | None = None) -> None:
        """Take what XGBoost writes.

        Args:
            document: The JSON of a model.
            names: The columns that it has to be of; None for those that it names itself.

        Raises:
            ModelError: It is not such a model, or was trained on other columns.
        """
        try:
            learner = from_json(document)["learner"]
            trained_on = tuple(learner["feature_names"])
            booster = learner["gradient_booster"]
            if booster["name"] != "gbtree" or float(learner["learner_model_param"]["base_score"].strip("[]")) != 0:
                raise ValueError("the trees do not start from zero")
            self._questions, self._nodes, self._values = _fill_up(cast("list[_TreeJson]", booster["model"]["trees"]))
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error).partition("\n")[0]
            raise ModelError(f"not in the format that training writes: {reason}") from error
        if trained_on != (names or trained_on) or self._questions.column.max() >= len(trained_on):
            raise ModelError("trained on other columns")
        self.names: tuple[str, ...] = trained_on

    @classmethod
    def read(cls, path: Path, names: tuple[str, ...] | None = None) -> "Trees":
        """Return the trees of a file.

        Args:
            path: The file, in XGBoost's JSON.
            names: The columns that they have to be of; None for those that the file names.

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
        """Return for each block of rows the share of each row: the probability that it is the leaf that is meant.

        Shape: Each block is leaves x `len(LEAF_FEATURES)`; the array for it has one entry a leaf, and the list one
            array a block.
        """
        if not any(map(len, blocks)):
            return [np.zeros(0) for _ in blocks]
        scores = self.scores(np.concatenate(blocks)).astype(np.float64)
        ends = np.cumsum([len(block) for block in blocks])[:-1]
        return [_shares(part) for part in np.split(scores, ends)]

    def scores_of(self, names: tuple[str, ...], rows: Floats) -> Floats:
        """Return the score of each row, whose columns have names.

        Raises:
            ModelError: The trees were trained on other columns.
        """
        if names != self.names:
            raise ModelError("the weights were trained on other features; train them again")
        return self.scores(rows)

    def scores(self, rows: Floats) -> Floats:
        """Return for each row the sum of the trees' values, in their order and in single precision, as XGBoost does.

        Args:
            rows: Values; one that is missing is not a number.

        Shape: `rows` is rows x columns of the model; the scores have one entry a row.
        """
        # Readings of one page differ in a few columns, so a quarter of the rows are there already.
        place: dict[bytes, int] = {}
        places = [place.setdefault(row.tobytes(), len(place)) for row in np.asarray(rows, np.float32)]
        distinct = np.frombuffer(b"".join(place), np.float32).reshape(-1, rows.shape[1])
        parts = range(0, max(1, len(distinct)), _AT_ONCE)
        return np.concatenate([self._scores(distinct[start : start + _AT_ONCE]) for start in parts])[places]

    def _scores(self, rows: Floats) -> Floats:
        """The scores of a few rows."""
        below = self._questions.answers(rows).take(self._nodes, axis=0)
        trees, slices = below.shape[1:]
        way = np.zeros((trees, slices * _SLICE), np.uint8)
        while len(below):
            root, half = below[0], len(below) // 2
            way += way
            way |= np.unpackbits(root.view(np.uint8)).reshape(way.shape)
            left, right = below[1 : 1 + half], below[1 + half :]
            below = (left ^ right) & root
            below ^= left
        here = way[:, : len(rows)] + np.arange(0, len(self._values), len(self._values) // trees)[:, None]
        return _sum_in_order(self._values.take(here))


def _fill_up(trees: Sequence[_TreeJson]) -> tuple[_Questions, _Whole, Floats]:
    """Return what trees ask, which of it each node of each tree asks, and the values of the ends, tree after tree.

    All trees become full ones, of the depth of the deepest. An end that is higher up is repeated at all places below
    it, so it does not matter what is asked on the way there. Of the nodes the root comes first, then those below it
    for the answer no, each followed by its own, then those for yes; the ends are in that order too.

    Shape: The nodes are nodes of a tree x trees.
    """
    if not trees:
        raise ValueError("no trees")
    sizes = [len(tree["split_indices"]) for tree in trees]
    roots = np.cumsum([0, *sizes[:-1]])
    column = np.array(_joined(trees, "split_indices"), np.intp)
    ends = column < 0
    # What is below, to the left of it, after the two of each node before it; an end goes on to itself.
    asking = np.cumsum(~ends)
    place = asking - np.repeat(asking[roots], sizes)
    below = np.where(ends, np.arange(len(ends)), np.repeat(roots, sizes) + 2 * place + 1)
    other = below + ~ends
    column = np.where(ends, 0, column)
    threshold = np.array(_joined(trees, "split_conditions"), np.float32)
    missing_is_below = np.array(_joined(trees, "default_left"), np.bool_)
    if not len(column) == len(threshold) == len(missing_is_below):
        raise ValueError("the lists of a tree differ in length")
    # A question as one number: column, way of what is missing, threshold.
    asked = column.astype(np.uint64) << np.uint64(33) | missing_is_below.astype(np.uint64) << np.uint64(32)
    asked |= threshold.view(np.uint32)
    levels, here = list[_Whole](), roots
    while not levels or not ends[here].all():
        if len(levels) == _DEEPEST:
            raise ValueError(f"a tree is deeper than {_DEEPEST}")
        levels.append(here)
        here = np.stack((other[here], below[here]), axis=1).ravel()
    order = np.empty((0, len(here)), np.intp)
    for level in reversed(levels):
        order = np.concatenate((level[None], order[:, 0::2], order[:, 1::2]))
    _, first, question = np.unique(asked[order], return_index=True, return_inverse=True)
    once = order.ravel()[first]
    questions = _Questions(column[once], threshold[once, None], missing_is_below[once, None])
    return questions, question.reshape(order.shape), threshold[here]


def _joined(trees: Sequence[_TreeJson], field: _Field) -> list[float]:
    """Return one field of the nodes of all trees, tree after tree."""
    return list(chain.from_iterable(tree[field] for tree in trees))


def _sum_in_order(terms: Floats) -> Floats:
    """Return sums down the first axis, one term after the other: in another order a float has another sum.

    numpy adds whole rows in order, unless a row is a single number: then it adds in pairs.
    """
    if terms.shape[1] == 1:
        return cast("Floats", np.cumsum(terms, axis=0, dtype=np.float32)[-1])
    return cast("Floats", np.add.reduce(terms, axis=0, dtype=np.float32))


def _shares(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    odds = np.exp(scores - scores.max(initial=-np.inf))
    shares: NDArray[np.float64] = odds / odds.sum()
    return shares


def read_sparse_rows(rows: Sequence[Sequence[float]], width: int, path: Path) -> Floats:
    """Return the weights of features by class: in a row of the file a class and its weight follow each other.

    Zeros are left out. Lists of numbers and not of pairs, since a hundred thousand small lists take most of the time of
    reading a file.
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
