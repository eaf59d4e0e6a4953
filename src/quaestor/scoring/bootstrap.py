"""Proportions with a 95 % confidence interval, resampled by page.

Turns of one page are not independent, so pages are resampled, not turns.

Source: the percentile bootstrap of Efron and Tibshirani, "An Introduction to the Bootstrap" (1993).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Numbers = np.ndarray[Any, Any]

RESAMPLES = 2000
_AT_ONCE = 1_000_000
"""Resampled groups in memory at once."""
_MANY = 1_000
"""With more groups, counts of equal groups are drawn; this is exact too, but uses another stream of random numbers."""
_OF_A_KIND = 10
"""Minimum mean number of equal groups: drawing the count of one kind takes as long as drawing ten groups."""
SEED = 2022
ENOUGH_GROUPS = 5
"""With fewer pages or companies no interval is shown: resampling one or two gives one that is far too narrow."""
_DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Proportion:
    """Proportion with its confidence interval.

    Attributes:
        correct: The numerator; the sum of the shares if answers are right by a share.
        low: The 2.5th percentile of the resampled proportion; equal to the proportion if there is one page.
        pages: Number of pages resampled; with few of them the interval means little.
    """

    correct: int | float
    total: int
    low: float
    high: float
    pages: int = 0

    @property
    def value(self) -> float:
        """The proportion, or 0 if the total is 0."""
        return self.correct / self.total if self.total else 0.0


def percent(share: float) -> str:
    """Format a share in percent, without the percent sign."""
    return f"{100 * share:.1f}"


def in_percent(share: float) -> str:
    """Format a share as a percentage with one decimal.

    >>> in_percent(0.7669)
    '76.7 %'
    """
    return f"{percent(share)} %"


def proportion(outcomes: Sequence[bool | float] | Numbers, pages: Sequence[str] | Numbers) -> Proportion:
    """Return the mean of outcomes (right or wrong, or a share from 0 to 1) with its interval."""
    if not len(outcomes):
        return Proportion(0, 0, 0.0, 0.0)
    values = np.asarray(outcomes, dtype=float)
    interval = _interval(values, pages)
    whole = bool(((values == 0) | (values == 1)).all())
    # Summed one by one, so that the last digit does not depend on the order of NumPy's summation.
    right = int(values.sum()) if whole else round(sum(values.tolist()), _DECIMALS)
    return Proportion(right, len(outcomes), *interval)


@dataclass(frozen=True, slots=True)
class ShareDifference:
    """Difference of two shares of the same items (first minus second), with an interval resampled by `groups`."""

    value: float
    low: float
    high: float
    groups: int


def share_difference(
    first: Sequence[bool] | Numbers, second: Sequence[bool] | Numbers, groups: Sequence[str] | Numbers
) -> ShareDifference:
    """Return the difference of two shares, resampling the paired outcomes together."""
    if not len(first):
        return ShareDifference(0.0, 0.0, 0.0, 0)
    differences = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    return ShareDifference(float(differences.mean()), *_interval(differences, groups))


def group_places(names: Sequence[str]) -> Numbers:
    """Return the index of each item's group among the sorted groups."""
    place = {name: number for number, name in enumerate(sorted(set(names)))}
    return np.fromiter(map(place.__getitem__, names), np.intp, len(names))


def group_members(places: Numbers) -> list[Numbers]:
    """Return the items of each non-empty group, in their order."""
    ordered = np.argsort(places, kind="stable")
    return [found for found in np.split(ordered, np.cumsum(np.bincount(places))[:-1]) if len(found)]


def _interval(values: Numbers, names: Sequence[str] | Numbers) -> tuple[float, float, int]:
    """Return the percentiles of the mean when the groups are resampled, and the number of groups.

    Samples are drawn in batches, whose size does not change the stream of random numbers. With many groups, the counts
    of equal groups are drawn instead: groups with the same sum and total are interchangeable.
    """
    group_of = names if isinstance(names, np.ndarray) else group_places(names)
    totals = np.bincount(group_of)
    sums, totals = np.bincount(group_of, weights=values)[totals > 0], totals[totals > 0]
    random, groups = np.random.default_rng(SEED), len(totals)
    kinds, times = np.unique(sums + 1j * totals, return_counts=True) if groups > _MANY else (sums, totals)
    if groups > _MANY and len(kinds) * _OF_A_KIND < groups:
        drawn = random.multinomial(groups, times / groups, size=RESAMPLES).astype(float)
        found = (drawn @ kinds.real) / (drawn @ kinds.imag)
    else:
        found = np.empty(RESAMPLES)
        step = max(1, _AT_ONCE // groups)
        for start in range(0, RESAMPLES, step):
            places = random.integers(groups, size=(min(step, RESAMPLES - start), groups))
            found[start : start + step] = sums[places].sum(axis=1) / totals[places].sum(axis=1)
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high), groups
