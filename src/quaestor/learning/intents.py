"""Fit the classifier of intents: multinomial logistic regression by gradient descent."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from quaestor.questions.intents import IntentWeights, intent_features
from quaestor.questions.understanding import INTENTS, Reading

_LEAST = 2
_STEPS, _RATE, _DECAY = 120, 0.5, 1e-3


def fit_intents(questions: Sequence[tuple[Reading, str, str]]) -> IntentWeights:
    """Return weights learned on questions: what each is read as, the intent before it ("" of a first one), and its own."""
    features = [tuple(intent_features(reading, before=before)) for reading, before, _ in questions]
    counts = Counter(name for those in features for name in those)
    rows = {name: row for row, name in enumerate(sorted(name for name, count in counts.items() if count >= _LEAST))}
    inputs = np.zeros((len(questions), len(rows)), np.float32)
    for row, those in enumerate(features):
        inputs[row, [rows[name] for name in those if name in rows]] = 1.0
    targets = np.zeros((len(questions), len(INTENTS)), np.float32)
    targets[np.arange(len(questions)), [INTENTS.index(intent) for _, _, intent in questions]] = 1.0
    matrix = np.zeros((len(rows), len(INTENTS)), np.float32)
    squares = np.full_like(matrix, 1e-6)
    for _ in range(_STEPS):
        logits = inputs @ matrix
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        gradient = inputs.T @ (odds / odds.sum(axis=1, keepdims=True) - targets) / len(questions) + _DECAY * matrix
        squares += gradient**2  # Adagrad
        matrix -= _RATE * gradient / np.sqrt(squares)
    return IntentWeights(rows, matrix)
