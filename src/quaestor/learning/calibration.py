"""Fits the calibration of confidences."""

from collections.abc import Sequence

import numpy as np

from quaestor.solvers.embedded.model.confidence import Calibration, Evidence


def fit_calibration(evidence: Sequence[Evidence], right: Sequence[bool]) -> Calibration:
    """Returns the calibration fitted to answers that were right or not. Deterministic."""
    from sklearn.linear_model import LogisticRegression

    if len(set(right)) < 2:
        return Calibration()
    fitted = LogisticRegression(C=10.0, max_iter=1000).fit(np.array([e.measures for e in evidence]), np.array(right))
    return Calibration(tuple(round(float(w), 4) for w in fitted.coef_[0]), round(float(fitted.intercept_[0]), 4))
