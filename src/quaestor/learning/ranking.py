"""Fits the ranker, a conditional logit: the plan that is right is the likeliest of its turn. Deterministic."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quaestor.solvers.embedded.model.ranker import FORMS, FORMS_OF_OPERATION, Ranker, design, form_codes
from quaestor.solvers.embedded.page.word_matrix import Floats

Rows = tuple[Floats, NDArray[np.float64]]
"""The candidates of one turn, best prior first, and how right each is."""

_MOST = 150
"""How many wrong candidates of a turn are learned from: those that only signature and leaves do not rule out."""

_OPERATIONS = len(FORMS) // FORMS_OF_OPERATION
_COSTS = (10.0, 100.0, 50.0)
"""What the square of a weight costs: of one that all plans share, of what an operation adds, of what a form adds."""

_ROUNDS = 120
_TINY = 1e-12
_NARROWEST = np.float32(1e-3)
"""The least deviation that a column is divided by."""


def fit_ranker(turns: Sequence[Rows]) -> Ranker:
    """Returns the ranker fitted to the candidates of many turns."""
    from scipy.optimize import minimize

    kept = [np.flatnonzero((np.arange(len(right)) < _MOST) | (right > 0)) for _, right in turns]
    labels = [right[keep] for (_, right), keep in zip(turns, kept, strict=True)]
    rows = np.concatenate([features[keep] for (features, _), keep in zip(turns, kept, strict=True)])
    mean, scale = np.round(rows.mean(axis=0), 5), np.maximum(np.round(rows.std(axis=0), 5), _NARROWEST)
    likelihood = _Likelihood(design(rows, mean, scale), form_codes(rows), labels)
    found = minimize(likelihood, likelihood.start, jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS}).x
    return Ranker(mean, scale, np.round(likelihood.weights(found), 4).astype(np.float32))


class _Likelihood:
    """The negative log likelihood of the right plans, with its gradient; the costs of the weights are added.

    The weights of a form are a sum of three: of all plans, of its operation, and its own.
    """

    def __init__(self, wide: Floats, forms: NDArray[np.intp], labels: Sequence[NDArray[np.float64]]) -> None:
        sizes = np.array([len(right) for right in labels])
        self._right = np.concatenate(labels)
        self._starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
        self._turn = np.repeat(np.arange(len(sizes)), sizes)
        self._places = [np.flatnonzero(forms == code) for code in range(len(FORMS))]
        self._parts = [wide[places] for places in self._places]
        self._layers = (1, _OPERATIONS, len(FORMS))
        self.start = np.zeros(sum(self._layers) * wide.shape[1])

    def weights(self, flat: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the weights of each form."""
        shared, by_operation, by_form = self._split(flat)
        summed: NDArray[np.float64] = shared + np.repeat(by_operation, FORMS_OF_OPERATION, axis=0) + by_form
        return summed

    def __call__(self, flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        layers, weights = self._split(flat), self.weights(flat).astype(np.float32)
        scores = np.empty(len(self._right))
        for row, places, part in zip(weights, self._places, self._parts, strict=True):
            scores[places] = part @ row
        odds = np.exp(scores - np.maximum.reduceat(scores, self._starts)[self._turn])
        right = odds * self._right
        whole, good = np.add.reduceat(odds, self._starts), np.add.reduceat(right, self._starts) + _TINY
        error = (odds / whole[self._turn] - right / good[self._turn]).astype(np.float32)
        by_form = np.array([part.T @ error[places] for places, part in zip(self._places, self._parts, strict=True)])
        by_operation = by_form.reshape(_OPERATIONS, FORMS_OF_OPERATION, -1).sum(axis=1)
        pulls = (by_operation.sum(axis=0, keepdims=True), by_operation, by_form)
        gradient = [(pull + cost * layer).ravel() for pull, cost, layer in zip(pulls, _COSTS, layers, strict=True)]
        costs = sum(0.5 * cost * float((layer**2).sum()) for cost, layer in zip(_COSTS, layers, strict=True))
        return float(np.log(whole).sum() - np.log(good).sum()) + costs, np.concatenate(gradient)

    def _split(self, flat: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        rows = flat.reshape(sum(self._layers), -1)
        return np.split(rows, np.cumsum(self._layers)[:-1])
