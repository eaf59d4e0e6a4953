"""The weights by which is foreseen which earlier results a question uses, fitted to labelled conversations."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.conversation.references.lineage import latest_results, results_of_turns
from quaestor.conversation.references.pointing import read_pointing
from quaestor.conversation.references.ranking import BY_HAND, Weights, cue_features, sets_of, traits_of
from quaestor.learning.references import LabelledReference
from quaestor.questions.question import read_question

Floats = NDArray[np.float64]

_RIDGE = 0.3
"""The weight of the squares in the penalty."""

_SEEN = 15
"""A trait together with a cue has a weight only where so many sets show it."""

SPARSITY = 2.0
"""The weight of the absolute values: of 1, 2, 3 and 5 the best on held-out companies, within what chance allows."""


@dataclass(frozen=True, slots=True)
class ReferenceSample:
    """A question with the sets of earlier results that it may use.

    Attributes:
        shown: For each set its traits, each with each cue of the question.
        right: The place of the set that is used.
    """

    company: str
    shown: tuple[tuple[tuple[str, str], ...], ...]
    right: int


def reference_samples(labelled: Iterable[LabelledReference]) -> list[ReferenceSample]:
    """Return the questions whose set is among the candidates; the others teach nothing."""
    by_hand = {cue for cues in BY_HAND.values() for cue in cues}
    samples = []
    for item in labelled:
        asked = read_question(item.question)
        latest = latest_results(results_of_turns(item.memory))
        candidates = sets_of(asked, latest)
        place = next((n for n, c in enumerate(candidates) if item.is_right(r.turn for r in c)), None)
        if place is not None:
            cues = sorted(cue_features(asked, latest) - by_hand)
            pointed = read_pointing(asked, latest)
            traits = (traits_of(chosen, asked, latest, pointed) for chosen in candidates)
            shown = tuple(tuple((t, c) for t in own for c in cues) for own in traits)
            samples.append(ReferenceSample(item.company, shown, place))
    return samples


@dataclass(frozen=True, slots=True)
class _Sets:
    """The candidate sets of many questions as numbers.

    Attributes:
        row: With `column`: the set that shows a trait with a cue.
        column: The trait with its cue.
    """

    owner: NDArray[np.int64]
    right: NDArray[np.int64]
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    names: tuple[tuple[str, str], ...]

    def scores(self, weights: Floats) -> Floats:
        """Return the sum of the weights of each set's traits."""
        scores: Floats = np.bincount(self.row, weights[self.column], len(self.owner)).astype(np.float64)
        return scores

    def shown(self, strength: Floats) -> Floats:
        """Return how much of each trait is shown, each set counted with its strength."""
        shown: Floats = np.bincount(self.column, strength[self.row], len(self.names)).astype(np.float64)
        return shown


def fit_references(samples: Sequence[ReferenceSample], sparsity: float = SPARSITY) -> Weights:
    """Return the weights of traits with cues that make the sets in use the likeliest: a multinomial logit.

    Args:
        sparsity: The weight of the absolute values in the penalty; a larger one leaves fewer weights.
    """
    from scipy.optimize import minimize

    sets = _numbered(samples)
    width, questions = len(sets.names), len(sets.right)
    if not width:
        return {}
    truth = np.zeros(len(sets.owner))
    truth[sets.right] = 1
    wanted = sets.shown(truth)

    def loss(halves: Floats) -> tuple[float, Floats]:
        # Positive and negative halves, both bounded by 0: their sum is the absolute value, and it is smooth.
        weights = halves[:width] - halves[width:]
        scores = sets.scores(weights)
        top = np.full(questions, -np.inf)
        np.maximum.at(top, sets.owner, scores)
        raised = np.exp(scores - top[sets.owner])
        whole = np.bincount(sets.owner, raised, questions)
        unlikeliness = float((np.log(whole) + top - scores[sets.right]).sum())
        penalty = 0.5 * _RIDGE * float(weights @ weights) + sparsity * float(halves.sum())
        slope = sets.shown(raised / whole[sets.owner]) - wanted + _RIDGE * weights
        return unlikeliness + penalty, np.concatenate([slope + sparsity, sparsity - slope])

    start, bounds = np.zeros(2 * width), [(0, None)] * (2 * width)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 400}).x
    weights: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for column, (trait, cue) in enumerate(sets.names):
        weight = round(float(found[column] - found[width + column]), 2)
        if weight:
            weights[trait][cue] = weight
    return dict(weights)


def _numbered(samples: Iterable[ReferenceSample]) -> _Sets:
    owner, right, shown = list[int](), list[int](), list[tuple[tuple[str, str], ...]]()
    for sample in samples:
        owner += [len(right)] * len(sample.shown)
        right.append(len(shown) + sample.right)
        shown += sample.shown
    counts = Counter(pair for pairs in shown for pair in pairs)
    names = tuple(sorted(pair for pair, count in counts.items() if count >= _SEEN))
    columns = {pair: column for column, pair in enumerate(names)}
    cells = [(row, columns[pair]) for row, pairs in enumerate(shown) for pair in pairs if pair in columns]
    rows, numbers = np.array(cells, np.int64).reshape(-1, 2).T
    return _Sets(np.array(owner), np.array(right), rows, numbers, names)
