"""Fits the classifier of a turn's operation and operands, from questions and programs alone."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from quaestor.learning.examples import Example
from quaestor.learning.labels import label_turn
from quaestor.plan.steps import Tree
from quaestor.questions.question import read_question
from quaestor.questions.question_times import with_stated_years
from quaestor.solvers.embedded.candidates import OPERATIONS
from quaestor.solvers.embedded.operand_pool import SignatureModel, find_signature, list_features
from quaestor.solvers.embedded.turn_state import DialogueState

_SEEN = 8
"""Rarer signatures are pooled with the others of their operation."""
_FEATURE_SEEN = 4
"""Rarer features are dropped."""
_REGULARIZATION = 0.25
"""Inverse strength of the L2 penalty."""
_SMALL = 0.02
"""Smaller weights are not stored."""
DIGITS = 2
"""Decimals of the stored weights."""


@dataclass(frozen=True, slots=True)
class SignatureSample:
    """Turn without its page."""

    company: str
    features: dict[str, float]
    signature: str


def signature_samples(examples: Iterable[Example]) -> list[SignatureSample]:
    """Return the turns of all examples; literals are distinguished by their text alone."""
    return [sample for example in examples for sample in _samples(example)]


def second_samples(joined: Iterable[Example]) -> list[SignatureSample]:
    """Return the first turn of the second part of each joined conversation."""
    return [_samples(example)[example.second] for example in joined]


def _samples(example: Example) -> list[SignatureSample]:
    samples, state, trees, signatures = [], DialogueState(), list[Tree](), list[str]()
    for question, gold in zip(map(read_question, example.questions), example.gold, strict=True):
        turn, tree = label_turn(question, gold, trees, state, None, lambda options: options[0])
        signature = find_signature(question, turn.outcome, state)
        features = list_features(with_stated_years(question, state.questions), state.questions, signatures)
        samples.append(SignatureSample(example.company, features, signature))
        state = state.after(question, turn.outcome)
        trees.append(tree)
        signatures.append(signature)
    return samples


def fit_signature(samples: Sequence[SignatureSample]) -> SignatureModel:
    """Return the classifier fitted to the samples. Deterministic."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    counts = Counter(sample.signature for sample in samples)
    targets = [pool_rare_signature(sample.signature, counts) for sample in samples]
    vectorizer = DictVectorizer(dtype=np.float32)
    matrix = vectorizer.fit_transform([sample.features for sample in samples])
    frequent = np.flatnonzero(np.asarray((matrix > 0).sum(axis=0)).ravel() >= _FEATURE_SEEN)
    regression = LogisticRegression(C=_REGULARIZATION, max_iter=300).fit(matrix[:, frequent], targets)
    weights = regression.coef_.T.astype(np.float32)
    weights[np.abs(weights) < _SMALL] = 0
    names = vectorizer.get_feature_names_out()[frequent]
    return SignatureModel(
        classes=tuple(map(str, regression.classes_)),
        features={str(name): row for row, name in enumerate(names)},
        weights=np.round(weights, DIGITS),
        intercept=regression.intercept_.astype(np.float32),
    )


def pool_rare_signature(signature: str, counts: Counter[str]) -> str:
    """Return the class of a signature: the signature, or `operation(other)` if it is rare."""
    if counts[signature] >= _SEEN:
        return signature
    operation = signature.partition("(")[0]
    return f"{operation}(other)" if operation in OPERATIONS else "lookup(other)"
