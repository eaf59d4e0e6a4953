"""How sure an answer is: the share of the likeliest result, corrected by how often such shares were right."""

import math
from dataclasses import dataclass

_SUREST = 0.999


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a confidence is computed from.

    Attributes:
        share: The probability of the result among all results of the question, by the ranker.
        runner_up: The same of the next likely result; 0 if there is none.
        history: The product of the shares of the answers before.
        turn: How many turns came before.
        alone: Whether the question stands alone, and is no step of a conversation.
    """

    share: float
    runner_up: float
    history: float
    turn: int
    alone: bool = False

    @property
    def measures(self) -> tuple[float, ...]:
        """What is weighed, in the order of `MEASURES`."""
        share, other = _inside(self.share), _inside(self.runner_up)
        odds = math.log(share / (1 - share))
        return (
            odds,
            math.log(share / other),
            math.log(_inside(self.history)),
            float(self.turn > 0),
            float(self.alone),
            odds * self.alone,
        )


MEASURES = (
    "log odds of the share",
    "log of the lead",
    "log of the history",
    "a later turn",
    "alone",
    "log odds of the share, alone",
)
"""The names of `Evidence.measures`."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A logistic regression over `Evidence.measures`, fitted on answers to companies that were held out."""

    weights: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    intercept: float = 0.0

    def confidence(self, evidence: Evidence) -> float:
        """Return the probability that the answer is right."""
        odds = self.intercept + sum(w * x for w, x in zip(self.weights, evidence.measures, strict=True))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def shared_confidence(first: float, share: float, other: float) -> float:
    """Return the probability of another result than the answer, of one distribution with the answer's.

    What a calibration says of the answer it says of the results beside it: either all are less likely than the ranker
    has it, or they share what the answer leaves. None is likelier than the answer.

    Args:
        first: The probability of the answer.
        share: What the ranker gives its result.
        other: What it gives the other one.
    """
    left = (1 - first) / (1 - share) if share < 1 else 0.0
    return min(first, other * min(first / share if share else 0.0, left))


def _inside(share: float) -> float:
    return min(_SUREST, max(1 - _SUREST, share))
