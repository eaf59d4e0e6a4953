"""Fits the ranker, a conditional logit over the candidates of each turn. Deterministic."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.core.matrices import multiply
from quaestor.solvers.embedded.models import FORMS, FORMS_OF_OPERATION, Ranker, design, form_codes
from quaestor.solvers.embedded.page import Floats

_MOST = 150
"""Number of the best candidates by prior in training, besides the right ones."""
_OPERATIONS = len(FORMS) // FORMS_OF_OPERATION
_COSTS = (10.0, 100.0, 50.0, 50.0)
"""L2 penalties of the weights: of all plans, of an operation, of a form, and of independent questions."""
_ROUNDS = 120
_TINY = 1e-12
_NARROWEST = np.float32(1e-3)
"""Least divisor of a column."""


@dataclass(frozen=True, slots=True)
class RankedTurn:
    """Candidates of one turn, best prior first.

    Attributes:
        alone: Whether the question is independent, not a step of a conversation.

    Shape: `features` is candidates x `len(CANDIDATE_FEATURES)`, `right` has one entry per candidate.
    """

    features: Floats
    right: NDArray[np.float64]
    alone: bool = False


def fit_ranker(turns: Sequence[RankedTurn]) -> Ranker:
    """Return the ranker fitted to the candidates of many turns."""
    from scipy.optimize import minimize

    selected = [np.flatnonzero((np.arange(len(turn.right)) < _MOST) | (turn.right > 0)) for turn in turns]
    labels = [turn.right[keep] for turn, keep in zip(turns, selected, strict=True)]
    rows = np.concatenate([turn.features[keep] for turn, keep in zip(turns, selected, strict=True)])
    alone = np.repeat([turn.alone for turn in turns], [len(right) for right in labels])
    mean, scale = np.round(rows.mean(axis=0), 5), np.maximum(np.round(rows.std(axis=0), 5), _NARROWEST)
    likelihood = _Likelihood(design(rows, mean, scale), form_codes(rows), labels, alone)
    found = minimize(likelihood, likelihood.start, jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS}).x
    weights, of_alone = (np.round(part, 4).astype(np.float32) for part in likelihood.weights(found))
    return Ranker(mean, scale, weights, of_alone)


class _Likelihood:
    """Penalised negative log likelihood of the right plans, with its gradient.

    The weights of a form are the sum of those of all plans, of its operation and of the form; independent questions add
    a fourth term, the same for all forms.
    """

    def __init__(
        self,
        wide: Floats,
        forms: NDArray[np.intp],
        labels: Sequence[NDArray[np.float64]],
        alone: NDArray[np.bool_],
    ) -> None:
        sizes = np.array([len(right) for right in labels])
        self._right = np.concatenate(labels)
        self._starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
        self._turn = np.repeat(np.arange(len(sizes)), sizes)
        self._places = [np.flatnonzero(forms == code) for code in range(len(FORMS))]
        self._parts = [wide[places] for places in self._places]
        self._alone = np.flatnonzero(alone)
        self._of_alone = wide[self._alone]
        self._layers = (1, _OPERATIONS, len(FORMS), 1)
        self.start = np.zeros(sum(self._layers) * wide.shape[1])

    def weights(self, flat: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the weights of each form, and those that independent questions add to all forms."""
        shared, by_operation, by_form, alone = self._split(flat)
        return shared + np.repeat(by_operation, FORMS_OF_OPERATION, axis=0) + by_form, alone[0]

    def __call__(self, flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        layers = self._split(flat)
        weights, of_alone = (part.astype(np.float32) for part in self.weights(flat))
        scores = np.empty(len(self._right))
        for row, places, part in zip(weights, self._places, self._parts, strict=True):
            scores[places] = multiply(part, row)
        scores[self._alone] += multiply(self._of_alone, of_alone)
        odds = np.exp(scores - np.maximum.reduceat(scores, self._starts)[self._turn])
        right = odds * self._right
        total, correct = np.add.reduceat(odds, self._starts), np.add.reduceat(right, self._starts) + _TINY
        error = (odds / total[self._turn] - right / correct[self._turn]).astype(np.float32)
        by_form = np.array(
            [multiply(part.T, error[places]) for places, part in zip(self._places, self._parts, strict=True)]
        )
        by_operation = by_form.reshape(_OPERATIONS, FORMS_OF_OPERATION, -1).sum(axis=1)
        by_alone = multiply(self._of_alone.T, error[self._alone])[None]
        gradients = (by_operation.sum(axis=0, keepdims=True), by_operation, by_form, by_alone)
        gradient = [
            (slope + cost * layer).ravel() for slope, cost, layer in zip(gradients, _COSTS, layers, strict=True)
        ]
        costs = sum(0.5 * cost * float((layer**2).sum()) for cost, layer in zip(_COSTS, layers, strict=True))
        return float(np.log(total).sum() - np.log(correct).sum()) + costs, np.concatenate(gradient)

    def _split(self, flat: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        rows = flat.reshape(sum(self._layers), -1)
        return np.split(rows, np.cumsum(self._layers)[:-1])
