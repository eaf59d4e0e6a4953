"""Trains the ranker of sentences that answer a question about a filing.

The answering sentences are those with most of the words of the right answer, or with its number.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quaestor.core.terms import terms
from quaestor.facts.sentences import SentenceIndex
from quaestor.learning.trees import FittedTrees, fitted_trees
from quaestor.solvers.embedded.filings.words import SentenceCandidates

_WORD = re.compile(r"[a-z0-9]+(?:[.,][0-9]+)*")
_SMALL = frozenset(
    """the and for with from that this were was are its their than which into over about more less other also have has
    been due by of to in on a an as at or""".split()
)
_SHARES_WORDS, _HAS_NUMBER = 2.0, 2.0
_LEAST = 0.45
"""Least share of a right answer's words in a sentence that answers."""
WORD_INTENTS = frozenset({"why", "description", "text_fact", "yesno", "two_part", "lookup"})
"""Intents of the questions from which the ranker learns."""
_ROUNDS = 320
_PARAMETERS = {
    "objective": "rank:ndcg", "max_depth": 5, "eta": 0.12, "subsample": 0.8, "colsample_bytree": 0.4, "max_bin": 32,
    "min_child_weight": 2, "lambda": 4.0, "lambdarank_num_pair_per_sample": 8, "seed": 7, "base_score": 0.0,
    "nthread": 1,
}  # fmt: skip
_NEAREST, _EVERY = 12, 3
"""Wrong sentences in training: the likeliest few, and every third of the others."""
_GRADES = 7
_RISING = (
    "_own", "_before", "_near", "_under", "_whole", "_behind", "alias", "score", "pairs", "subject", "_recall", "_fits",
    "head_named", "window",
)  # fmt: skip
"""Features with a monotone effect: a higher value never makes a sentence less likely."""


def fit_word_ranker(samples: Sequence[tuple[SentenceCandidates, NDArray[np.float32]]]) -> FittedTrees:
    """Return trees that rank the sentences that may answer a question."""
    import xgboost

    rows, labels, sizes = [], [], []
    for candidates, grades in samples:
        places = np.arange(len(grades))
        selected = (grades > 0) | (places < _NEAREST) | (places % _EVERY == 0)
        rows.append(candidates.features[selected])
        labels.append(np.minimum(np.round(1.5 * grades[selected]), _GRADES))
        sizes.append(int(selected.sum()))
    names = samples[0][0].names
    rising = tuple(int(name.endswith(_RISING)) for name in names)
    data = xgboost.DMatrix(np.vstack(rows), label=np.concatenate(labels), group=sizes, feature_names=list(names))
    return fitted_trees(xgboost.train(_PARAMETERS | {"monotone_constraints": rising}, data, _ROUNDS), names)


def grade_sentences(answer: Mapping[str, Any], index: SentenceIndex) -> dict[int, float]:
    """Return the grades of the sentences that answer a question, by their index; the others are left out.

    Args:
        answer: The right answer in the label.
    """
    found: dict[int, float] = {}
    for text in _texts_of(answer):
        wanted = _words(text)
        for at in _find_similar(tuple(dict.fromkeys(terms(text))), index, _LEAST * 0.8):
            share = len(wanted & _words(index.sentences[at].text)) / max(1, len(wanted))
            if share >= _LEAST:
                found[at] = found.get(at, 0.0) + _SHARES_WORDS * share
    for value in _values_of(answer):
        for at in index.numbers.get(abs(value), ()):
            found[int(at)] = found.get(int(at), 0.0) + _HAS_NUMBER
    return found


def _find_similar(wanted: tuple[str, ...], index: SentenceIndex, share: float) -> list[int]:
    """Indices of the sentences that have at least this share of some terms."""
    if not wanted:
        return []
    counts = index.having(wanted).sum(axis=0)
    return [int(at) for at in (counts >= share * len(wanted)).nonzero()[0]]


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if len(word) > 2 and word not in _SMALL}


def _texts_of(answer: Mapping[str, Any]) -> list[str]:
    found = [text for key in ("text", "label") if (text := answer.get(key))]
    for part in (*answer.get("parts", ()), *answer.get("any_of", ())):
        found += _texts_of(part)
    return found


def _values_of(answer: Mapping[str, Any]) -> list[float]:
    value = answer.get("value")
    found = [float(value)] if isinstance(value, int | float) else []
    for part in (*answer.get("parts", ()), *answer.get("any_of", ()), *answer.get("values", ())):
        found += _values_of(part)
    return found
