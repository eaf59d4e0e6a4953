"""Fits the probabilities of words of questions, given the words of the lines that answer them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from quaestor.solvers.embedded.filings.translation import NOTHING, Translation

_ROUNDS = 5
_LEAST_COUNT = 0.3
"""Expected number of uses below which a pair of terms is dropped."""
_LEAST_PROBABILITY, _LEAST_FILINGS = 0.01, 2
"""Minimum probability of a pair of terms, and number of filings whose questions have it."""
_DROPPED = 1e-5
"""Probability of a dropped pair while the others are fitted."""


@dataclass(frozen=True, slots=True)
class AskedLine:
    """Terms of an operand of a question, and of the line that it means."""

    filing: str
    asked: tuple[str, ...]
    line: tuple[str, ...]


def fit_translation(samples: Iterable[AskedLine]) -> Translation:
    """Return the probabilities fitted to the operands of labelled questions, by expectation maximization."""
    samples = [one for one in samples if one.asked and one.line]
    fitted: Mapping[str, Mapping[str, float]] = {}
    for _ in range(_ROUNDS):
        fitted = _improve(samples, fitted)
    filings: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for one in samples:
        for term in one.line:
            for asked in one.asked:
                filings[term, asked].add(one.filing)
    common = {
        term: {
            asked: probability
            for asked, probability in found.items()
            if term == NOTHING or (probability > _LEAST_PROBABILITY and len(filings[term, asked]) >= _LEAST_FILINGS)
        }
        for term, found in fitted.items()
    }
    counts = Counter(asked for one in samples for asked in one.asked)
    paired = {asked for found in common.values() for asked in found}  # the frequencies of others make no difference
    frequencies = {term: count / counts.total() for term, count in counts.items() if count > 1 and term in paired}
    return Translation({term: found for term, found in common.items() if found}, frequencies)


def _improve(
    samples: Sequence[AskedLine], fitted: Mapping[str, Mapping[str, float]]
) -> Mapping[str, Mapping[str, float]]:
    """Return better probabilities: each use of a term is shared out among the terms of its line."""
    counts: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for one in samples:
        line = (NOTHING, *one.line)
        for asked in one.asked:
            shares = [fitted[term].get(asked, _DROPPED) if fitted else 1.0 for term in line]
            whole = sum(shares)
            for term, share in zip(line, shares, strict=True):
                counts[term][asked] += share / whole
    totals = {term: sum(found.values()) for term, found in counts.items()}
    return {
        term: {asked: count / totals[term] for asked, count in found.items() if count > _LEAST_COUNT}
        for term, found in counts.items()
    }
