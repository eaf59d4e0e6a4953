"""Proportions with a 95 % interval, resampled by page.

Turns of one page share its difficulties, so pages are drawn, not turns.

Source: the percentile interval of the bootstrap, as in Efron and Tibshirani, "An Introduction to the Bootstrap" (1993).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Numbers = np.ndarray[Any, Any]

RESAMPLES = 2000
_AT_ONCE = 1_000_000
"""Draws that are in memory together."""
_MANY = 1_000
"""Groups from which on they are drawn by kind: exact as well, another stream of random numbers."""
_OF_A_KIND = 10
"""So many of a kind there have to be on average: it takes as long to draw how often a kind comes as ten groups."""
SEED = 2022
ENOUGH_GROUPS = 5
"""Of fewer pages or companies no interval is shown: resampling one or two gives one that is far too narrow."""
_DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Proportion:
    """How many of how many, with its uncertainty.

    Attributes:
        correct: The numerator; where answers are right by a share, the sum of the shares.
        low: The 2.5th percentile of the resampled proportion; equal to the proportion if there is one page.
        pages: How many pages were drawn from; of a few an interval says nothing.
    """

    correct: int | float
    total: int
    low: float
    high: float
    pages: int = 0

    @property
    def value(self) -> float:
        """The proportion, 0 if nothing was counted."""
        return self.correct / self.total if self.total else 0.0


def percent(share: float) -> str:
    """Return a share in percent, without the sign."""
    return f"{100 * share:.1f}"


def proportion(outcomes: Sequence[bool | float] | Numbers, pages: Sequence[str] | Numbers) -> Proportion:
    """Return the share of outcomes that are right, or right by a share from 0 to 1, with its interval."""
    if not len(outcomes):
        return Proportion(0, 0, 0.0, 0.0)
    values = np.asarray(outcomes, dtype=float)
    hits, totals = _sum_groups(values, pages)
    low, high = _interval(hits, totals)
    whole = bool(((values == 0) | (values == 1)).all())
    # One after the other: so a sum of shares is the same to the last digit, whatever adds them.
    right = int(values.sum()) if whole else round(sum(values.tolist()), _DECIMALS)
    return Proportion(right, len(outcomes), low, high, len(totals))


@dataclass(frozen=True, slots=True)
class ShareDifference:
    """The first of two shares of the same items less the second, with the interval resampled by `groups`."""

    value: float
    low: float
    high: float
    groups: int


def share_difference(
    first: Sequence[bool] | Numbers, second: Sequence[bool] | Numbers, groups: Sequence[str] | Numbers
) -> ShareDifference:
    """Return how far two shares are apart, with an interval in which the pairs of outcomes stay together."""
    if not len(first):
        return ShareDifference(0.0, 0.0, 0.0, 0)
    differences = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    sums, totals = _sum_groups(differences, groups)
    low, high = _interval(sums, totals)
    return ShareDifference(float(differences.mean()), low, high, len(totals))


def group_places(names: Sequence[str]) -> Numbers:
    """Return the place of each item's group among the groups in their order."""
    place = {name: number for number, name in enumerate(sorted(set(names)))}
    return np.fromiter(map(place.__getitem__, names), np.intp, len(names))


def group_members(places: Numbers) -> list[Numbers]:
    """Return the items of each group that has any, in their order."""
    ordered = np.argsort(places, kind="stable")
    return [found for found in np.split(ordered, np.cumsum(np.bincount(places))[:-1]) if len(found)]


def _sum_groups(values: Numbers, groups: Sequence[str] | Numbers) -> tuple[Numbers, Numbers]:
    """Return the sum of each group's items, and how many it has; groups without any are left out."""
    places = groups if isinstance(groups, np.ndarray) else group_places(groups)
    totals = np.bincount(places)
    sums = np.bincount(places, weights=values)
    return sums[totals > 0], totals[totals > 0]


def _interval(sums: Numbers, totals: Numbers) -> tuple[float, float]:
    """Return the percentiles of the resampled ratio of the groups' sums to the groups' totals.

    Drawn part by part: the stream of random numbers is the same, whatever the size of a part. Of many groups it is
    drawn how often each kind comes, for groups of one sum and one total are the same to a ratio.
    """
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
    return float(low), float(high)
