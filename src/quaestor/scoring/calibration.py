"""Reliability of confidences: calibration, and accuracy when the least confident answers are left out.

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
    """Answers with a confidence in one range: `low` is included, `high` only if it is 1."""

    low: float
    high: float
    count: int
    confidence: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Coverage:
    """Accuracy of the share of answers whose confidence is at least the threshold."""

    threshold: float
    share: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """Calibration of a run's answers; `coverage` has the most confident tenth, two tenths, ... of them."""

    given: Proportion
    error: float
    surest_half: Proportion
    bins: tuple[Bin, ...]
    coverage: tuple[Coverage, ...]


def calibration_report(
    confidences: Sequence[float], right: Sequence[bool], pages: Sequence[str] | Numbers
) -> CalibrationReport | None:
    """Return the figures over answers with confidences from 0 to 1, or None if there are no answers."""
    if not confidences:
        return None
    groups = pages if isinstance(pages, np.ndarray) else group_places(pages)
    bins, every = bin_by_confidence(confidences, right), risk_coverage(confidences, right)
    half = rank_by_confidence(confidences)[: _part(len(confidences), 0.5)]
    return CalibrationReport(
        given=proportion(right, groups),
        error=calibration_error(bins),
        surest_half=proportion(np.asarray(right)[half], groups[half]),
        bins=bins,
        coverage=tuple(every[_part(len(every), tenths / 10) - 1] for tenths in range(1, 11)),
    )


def bin_by_confidence(confidences: Sequence[float], right: Sequence[bool], bins: int = BINS) -> tuple[Bin, ...]:
    """Return the answers by confidence, in bins of equal width from 0 to 1.

    Source: The reliability diagram of Guo et al., "On Calibration of Modern Neural Networks" (2017), section 2.

    >>> [(b.low, b.count, b.accuracy) for b in bin_by_confidence([0.2, 0.9, 1.0, 0.6], [False, True, True, False], 2)]
    [(0.0, 1, 0.0), (0.5, 3, 0.6666666666666666)]
    """
    sure = np.asarray(confidences, dtype=float)
    places = np.minimum((sure * bins).astype(int), bins - 1)
    counts = np.bincount(places, minlength=bins)
    means = (np.bincount(places, of, bins) / np.maximum(1, counts) for of in (sure, np.asarray(right, dtype=float)))
    rows = enumerate(zip(counts.tolist(), *(mean.tolist() for mean in means), strict=True))
    return tuple(Bin(place / bins, (place + 1) / bins, *row) for place, row in rows)


def calibration_error(bins: Sequence[Bin]) -> float:
    """Return the expected calibration error: the mean distance of accuracy from confidence, weighted by answers."""
    whole = sum(found.count for found in bins)
    return sum(found.count * abs(found.accuracy - found.confidence) for found in bins) / whole if whole else 0.0


def risk_coverage(confidences: Sequence[float], right: Sequence[bool]) -> tuple[Coverage, ...]:
    """Return the accuracy of the most confident answer, of the two most confident, and so on up to all answers."""
    order, total = rank_by_confidence(confidences), len(confidences)
    hits = np.cumsum(np.asarray(right, dtype=int)[order]).tolist()
    points = enumerate(zip(order, hits, strict=True), start=1)
    return tuple(Coverage(confidences[place], count / total, right / count) for count, (place, right) in points)


def rank_by_confidence(confidences: Sequence[float]) -> list[int]:
    """Return the indexes of the answers by falling confidence; ties keep their order."""
    return sorted(range(len(confidences)), key=lambda n: -confidences[n])


def _part(count: int, share: float) -> int:
    return max(1, round(count * share))
