"""The ranker: a conditional logit over the candidates of a turn.

One weight a measure and form of plan, each of which can be read. The forms share what they have in common: the fit
(`quaestor.learning.ranking`) makes few examples of a form count little against those of its operation, and of all.
A question that stands alone asks for a whole calculation, which a conversation takes in steps: it has weights besides.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.solvers.embedded.candidates.operations import OPERATIONS
from quaestor.solvers.embedded.candidates.pool import CONSTANT, RESULT1, RESULT3
from quaestor.solvers.embedded.features.candidates import CANDIDATE_FEATURES, CATEGORIES
from quaestor.solvers.embedded.page.word_matrix import Floats

_FIRST, _SECOND = ("leaf", "result"), ("leaf", "constant", "result")
FORMS = tuple(f"{operation}({first},{second})" for operation in OPERATIONS for first in _FIRST for second in _SECOND)
"""What a plan is made of, in the order of their codes; a lookup has the form of a leaf beside a leaf."""

FORMS_OF_OPERATION = len(_FIRST) * len(_SECOND)

_CODES = np.arange(-1, 14)
"""The codes that a categorical column can have."""
_INDICATORS = np.eye(len(_CODES) + 1, len(_CODES), dtype=np.float32)
"""A row a code, and one of zeros."""
_WIDEST = 4.0
_AT_ONCE = 512
"""Candidates that are scored together: what is computed between then stays in the processor's cache."""

_COLUMNS = list(CANDIDATE_FEATURES)
_OPERATION, _LEFT, _RIGHT = (_COLUMNS.index(name) for name in ("operation", "first_kind", "second_kind"))
_CATEGORIES = [_COLUMNS.index(name) for name in CATEGORIES]


@dataclass(frozen=True, slots=True)
class Ranker:
    """Weights by which the plans of a turn are ranked. The exponential of a score is a share, up to the turn's sum.

    `alone` is added to the weights of every form where the question stands alone.

    Shape: `mean` and `scale` have one entry a column, `weights` is forms x (columns, codes of each category, one),
        `alone` has one entry a column of `weights`.
    """

    mean: Floats
    scale: Floats
    weights: Floats
    alone: Floats

    def predict(self, rows: Floats, *, alone: bool = False) -> NDArray[np.float64]:
        """Return the score of each candidate; differences are log odds.

        Args:
            alone: Whether the question stands alone, and is no step of a conversation.

        Shape: `rows` is candidates x `len(CANDIDATE_FEATURES)`; the scores have one entry a candidate.
        """
        weights, columns = self.weights + self.alone if alone else self.weights, rows.shape[1]
        forms, plain = form_codes(rows), np.ascontiguousarray(weights[:, :columns])
        scores: Floats = weights[forms, -1] + _of_categories(rows, forms, weights[:, columns:-1])
        for start in range(0, len(rows), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            weighed = _standardised(rows[part], self.mean, self.scale)
            weighed *= plain.take(forms[part], axis=0).T
            scores[part] += np.add.reduce(weighed, axis=0)
        return scores.astype(np.float64)


def _of_categories(rows: Floats, forms: NDArray[np.intp], weights: Floats) -> Floats:
    """What the codes of each candidate weigh: looked up, and not multiplied by indicators that are zero but for one."""
    size = len(_CODES) + 1
    table = np.zeros((len(weights), len(_CATEGORIES), size), np.float32)
    table[:, :, :-1] = weights.reshape(len(weights), len(_CATEGORIES), -1)
    places = _code_places(rows).T + np.arange(len(_CATEGORIES))[:, None] * size
    places += forms * (len(_CATEGORIES) * size)
    found: Floats = np.add.reduce(table.take(places), axis=0)
    return found


def _code_places(rows: Floats) -> NDArray[np.intp]:
    """Where the code of each category stands among those that have a weight; behind them, if it has none."""
    return np.minimum(rows[:, _CATEGORIES].astype(np.intp) + 1, len(_CODES))


def _standardised(rows: Floats, mean: Floats, scale: Floats) -> Floats:
    """The columns of rows, one below the other, less their means, in deviations."""
    # The features of a turn lie column by column.
    plain = rows.T - mean[:, None]
    plain /= scale[:, None]
    return np.clip(plain, -_WIDEST, _WIDEST, out=plain)


def form_codes(rows: Floats) -> NDArray[np.intp]:
    """Return the code of each candidate's form.

    Shape: `rows` is candidates x `len(CANDIDATE_FEATURES)`; the codes, places in `FORMS`, have one entry a candidate.
    """
    operation, left, right = (rows[:, column].astype(np.intp) for column in (_OPERATION, _LEFT, _RIGHT))
    first = (left >= RESULT1) & (left <= RESULT3)
    second = np.where((right >= RESULT1) & (right <= RESULT3), 2, (right == CONSTANT).astype(np.intp))
    return operation * FORMS_OF_OPERATION + first * len(_SECOND) + second


def design(rows: Floats, mean: Floats, scale: Floats) -> Floats:
    """Return what the weights are multiplied by: standardised columns, categories as indicators, and a one.

    Args:
        rows: The features of candidates.
        scale: What each column is then divided by.

    Shape: `rows` is candidates x `len(CANDIDATE_FEATURES)`, `mean` and `scale` have one entry a column; the result is
        candidates x (columns, codes of each category, one).
    """
    columns = rows.shape[1]
    wide = np.empty((len(rows), columns + len(_CATEGORIES) * len(_CODES) + 1), np.float32)
    wide[:, :columns] = _standardised(rows, mean, scale).T
    codes = _code_places(rows)
    wide[:, columns:-1] = _INDICATORS.take(codes, axis=0).reshape(len(rows), -1)
    wide[:, -1] = 1
    return wide
