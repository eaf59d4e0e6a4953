"""Fits the probability that a page has the answer to a question, to questions put to their own and to other pages."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.learning.unanswerable import KINDS, OWN, Kind, SyntheticQuestion
from quaestor.questions.question import read_question
from quaestor.solvers.embedded.answerability import asked_stems, measure_answerability
from quaestor.solvers.embedded.beam import START, BeamState, advance_beam, rank_hypotheses
from quaestor.solvers.embedded.loading import EmbeddedWeights
from quaestor.solvers.embedded.models import Answerability
from quaestor.solvers.embedded.page import Floats, PageFeatures, StemWeights, build_page_features

_PRIOR = 2.0
"""Weight of the rate over all words, in questions."""
_SEEN = 2
"""Words in fewer questions have no separate weight."""
_RARE = 3
"""Words in at most this many questions give the rate of unseen words."""
_COST = 0.3
_NARROWEST = 1e-3


@dataclass(frozen=True, slots=True)
class MeasuredQuestion:
    """Question with its features.

    Attributes:
        measured: Result of `measure_answerability`.
    """

    measured: Floats
    kind: Kind


def fit_stem_weights(synthetic: Iterable[SyntheticQuestion]) -> StemWeights:
    """Return the weight of each stem of a question that a page lacks, by how rarely pages with the answer lack it.

    Args:
        synthetic: The questions; only those with an answer are used.
    """
    mentioned, lacking = Counter[str](), Counter[str]()
    for question in synthetic:
        if question.answerable:
            stems = asked_stems(read_question(question.question))
            mentioned.update(stems)
            lacking.update(stem for stem in stems if stem not in question.leaves.vocabulary)
    rare = [stem for stem, count in mentioned.items() if count <= _RARE]
    rate = (1 + sum(lacking[stem] for stem in rare)) / (2 + sum(mentioned[stem] for stem in rare))
    weight = {
        stem: round(-float(np.log((lacking[stem] + _PRIOR * rate) / (mentioned[stem] + _PRIOR))), 2)
        for stem in sorted(mentioned)
        if mentioned[stem] >= _SEEN
    }
    return StemWeights(weight, round(-float(np.log(rate)), 2))


def measure_questions(
    synthetic: Sequence[SyntheticQuestion], weights: EmbeddedWeights, stems: StemWeights
) -> list[MeasuredQuestion]:
    """Return the features of questions, each after its history as the solver answers it.

    Args:
        synthetic: Questions about companies that the weights have not seen.
    """
    histories = _HistoryReader(weights)
    found = []
    for question in synthetic:
        paths = histories.after(question)
        alone = not question.history
        choices = rank_hypotheses(
            paths, read_question(question.question), histories.page(question), weights, alone=alone
        )
        measured = measure_answerability(choices, stems)
        if measured is not None:
            found.append(MeasuredQuestion(measured, question.kind))
    return found


class _HistoryReader:
    """Answers the histories of questions, each once."""

    def __init__(self, weights: EmbeddedWeights) -> None:
        self._weights = weights
        self._pages: dict[str, PageFeatures] = {}
        self._known: dict[tuple[str, tuple[str, ...]], tuple[BeamState, ...]] = {}

    def page(self, synthetic: SyntheticQuestion) -> PageFeatures:
        digest = synthetic.document.digest
        if digest not in self._pages:
            self._pages[digest] = build_page_features(synthetic.leaves, self._weights.idf)
        return self._pages[digest]

    def after(self, synthetic: SyntheticQuestion) -> tuple[BeamState, ...]:
        """Return the readings of the history of a question."""
        paths, page = START, self.page(synthetic)
        for place, earlier_question in enumerate(synthetic.history):
            key = (synthetic.document.digest, synthetic.history[: place + 1])
            if key not in self._known:
                question = read_question(earlier_question)
                choices = rank_hypotheses(paths, question, page, self._weights, alone=not place)
                self._known[key] = advance_beam(choices, question) or paths
            paths = self._known[key]
        return paths


def fit_answerability(samples: Sequence[MeasuredQuestion], stems: StemWeights) -> Answerability | None:
    """Return the model fitted to questions; None if all of them have an answer, or none has. Deterministic.

    Questions with and without an answer have the same total weight, as do the kinds of questions without one.

    Args:
        samples: Questions put to pages.
    """
    from sklearn.linear_model import LogisticRegression

    right = np.array([sample.kind == OWN for sample in samples])
    if not len(right) or right.all() or not right.any():
        return None
    rows = np.stack([sample.measured for sample in samples]).astype(np.float64)
    mean, scale = np.round(rows.mean(axis=0), 4), np.maximum(np.round(rows.std(axis=0), 4), _NARROWEST)
    fitted = LogisticRegression(C=_COST, max_iter=2000).fit(
        (rows - mean) / scale, right, sample_weight=_balance_weights([sample.kind for sample in samples])
    )
    return Answerability(
        stems,
        mean.astype(np.float32),
        scale.astype(np.float32),
        np.round(fitted.coef_[0], 4).astype(np.float32),
        round(float(fitted.intercept_[0]), 4),
    )


def _balance_weights(kinds: Sequence[Kind]) -> NDArray[np.float64]:
    """Weight of each question: one on average, with half of the total for questions that have an answer."""
    counts = Counter(kinds)
    ways = [kind for kind in KINDS if counts[kind] and kind != OWN]
    weights: Mapping[Kind, float] = {OWN: 0.5 / counts[OWN]} | {kind: 0.5 / len(ways) / counts[kind] for kind in ways}
    return np.array([weights[kind] * len(kinds) for kind in kinds])
