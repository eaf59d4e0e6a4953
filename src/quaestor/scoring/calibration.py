"""How far confidences can be believed: calibration, and what is gained by leaving out the least sure answers.

Source: expected calibration error as in Guo et al., "On Calibration of Modern Neural Networks" (2017), section 2, with
bins of equal width; risk and coverage as in Geifman and El-Yaniv, "Selective Classification for Deep Neural Networks"
(2017).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quaestor.scoring.bootstrap import Numbers, Proportion, group_places, proportion

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """The answers whose confidence lies in one range.

    Attributes:
        low: The range's lower end, which belongs to it.
        high: Its upper end, which does not, but for 1.
        confidence: Their mean confidence; 0 if there are none.
        accuracy: The share of them that is right; 0 if there are none.
    """

    low: float
    high: float
    count: int
    confidence: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Coverage:
    """What is right where only the surest answers are given.

    Attributes:
        threshold: The smallest confidence among the answers given.
        accuracy: The share of them that is right; the risk is 1 less that.
    """

    threshold: float
    share: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """How the confidences of a run's answers stand to what was right.

    Attributes:
        given: The answers that carry a confidence, and how many of them are right.
        error: The expected calibration error, 0 to 1.
        surest_half: The half of them with the largest confidence.
        bins: Ten ranges of confidence of equal width.
        coverage: The surest tenth of the answers, the surest two tenths, and so on to all.
    """

    given: Proportion
    error: float
    surest_half: Proportion
    bins: tuple[Bin, ...]
    coverage: tuple[Coverage, ...]


def calibration_report(
    confidences: Sequence[float], right: Sequence[bool], pages: Sequence[str] | Numbers
) -> CalibrationReport | None:
    """Return the figures over answers with confidences; None if there is none.

    Args:
        confidences: One an answer, 0 to 1.
        right: Whether it is right, in the same order.
        pages: The page of each, or its place among all pages, for the intervals.
    """
    if not confidences:
        return None
    groups = pages if isinstance(pages, np.ndarray) else group_places(pages)
    bins, half = reliability(confidences, right), surest_first(confidences)[: _part(len(confidences), 0.5)]
    every = risk_coverage(confidences, right)
    return CalibrationReport(
        given=proportion(right, groups),
        error=calibration_error(bins),
        surest_half=proportion([right[n] for n in half], groups[list(half)]),
        bins=bins,
        coverage=tuple(every[_part(len(every), tenths / 10) - 1] for tenths in range(1, 11)),
    )


def reliability(confidences: Sequence[float], right: Sequence[bool], bins: int = BINS) -> tuple[Bin, ...]:
    """Return the answers by confidence, in ranges of equal width.

    Args:
        confidences: One an answer, 0 to 1.
        right: Whether it is right, in the same order.
        bins: Into how many ranges 0 to 1 is cut.

    Source: The reliability diagram of Guo et al., "On Calibration of Modern Neural Networks" (2017), section 2.

    >>> [(b.low, b.count, b.accuracy) for b in reliability([0.2, 0.9, 1.0, 0.6], [False, True, True, False], 2)]
    [(0.0, 1, 0.0), (0.5, 3, 0.6666666666666666)]
    """
    members: list[list[int]] = [[] for _ in range(bins)]
    for n, confidence in enumerate(confidences):
        members[min(bins - 1, int(confidence * bins))].append(n)
    return tuple(
        Bin(
            low=place / bins,
            high=(place + 1) / bins,
            count=len(inside),
            confidence=sum(confidences[n] for n in inside) / max(1, len(inside)),
            accuracy=sum(right[n] for n in inside) / max(1, len(inside)),
        )
        for place, inside in enumerate(members)
    )


def calibration_error(bins: Sequence[Bin]) -> float:
    """Return the expected calibration error: how far accuracy is from confidence, averaged over answers."""
    whole = sum(found.count for found in bins)
    return sum(found.count * abs(found.accuracy - found.confidence) for found in bins) / whole if whole else 0.0


def risk_coverage(confidences: Sequence[float], right: Sequence[bool]) -> tuple[Coverage, ...]:
    """Return what is right of the surest answer, of the two surest, and so on to all of them."""
    points, hits = [], 0
    for count, n in enumerate(surest_first(confidences), start=1):
        hits += right[n]
        points.append(Coverage(confidences[n], count / len(confidences), hits / count))
    return tuple(points)


def surest_first(confidences: Sequence[float]) -> list[int]:
    """Return the places of the answers, the surest first; equals in their order."""
    return sorted(range(len(confidences)), key=lambda n: -confidences[n])


def _part(count: int, share: float) -> int:
    return max(1, round(count * share))
