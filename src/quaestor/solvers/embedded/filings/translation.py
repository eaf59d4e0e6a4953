"""How likely a question uses a word for a line with other words, learned from labelled questions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import log

from quaestor.questions.understanding import QuestionOperand

NOTHING = ""
"""Stands for no term of a line: the words of any question."""
_ANY_WORD = 0.3
"""Probability that a term of a question is independent of the line."""
_UNKNOWN = 2e-5
"""Frequency of a term that no labelled question has."""


def list_asked(operand: QuestionOperand, ignored: Collection[str]) -> tuple[str, ...]:
    """Return the terms of an operand and its pairs of neighbours, such as `top line`.

    Args:
        ignored: The terms of the company's name.
    """
    phrase = [term for term in operand.phrase if term not in ignored]
    single = (term for term in operand.terms if term not in ignored)
    return tuple(dict.fromkeys((*single, *map(" ".join, pairwise(phrase)))))


@dataclass(frozen=True)
class Translation:
    """Probabilities of the terms of questions, for the terms of the lines that answer them (IBM model 1).

    Attributes:
        asked_for: For each term of lines, and for `NOTHING`, the probabilities of terms of questions.
        frequencies: The frequencies of terms in all questions.
    """

    asked_for: Mapping[str, Mapping[str, float]] = field(default_factory=dict, repr=False)
    frequencies: Mapping[str, float] = field(default_factory=dict, repr=False)

    def measure(self, asked: Sequence[str], line: Collection[str]) -> tuple[float, float]:
        """Return how much likelier the terms of a question are for a line than for any other.

        Args:
            asked: From `list_asked`.

        Returns:
            The mean logarithm of the ratio for all terms of the line together, and for the best term of the line.
        """
        known = [self.asked_for.get(term, {}) for term in line]
        together = best = 0.0
        for term in asked:
            found = [probabilities.get(term, 0.0) for probabilities in known]
            frequency = self.frequencies.get(term, _UNKNOWN)
            together += _log_ratio(sum(found) / max(1, len(found)), frequency)
            best += _log_ratio(max(0.0, self.asked_for.get(NOTHING, {}).get(term, 0.0), *found), frequency)
        return together / max(1, len(asked)), best / max(1, len(asked))


def _log_ratio(probability: float, frequency: float) -> float:
    return log(_ANY_WORD + (1 - _ANY_WORD) * probability / frequency)
