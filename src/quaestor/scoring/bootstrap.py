"""Proportions with a 95 % interval, resampled by page.

Owns the resampling. Turns of one page share its difficulties, so pages are drawn, not turns.

Source: the percentile interval of the bootstrap, as in Efron and Tibshirani, "An Introduction to the Bootstrap" (1993).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

RESAMPLES = 2000
_AT_ONCE = 1_000_000
"""Draws that are in memory together."""
_MANY = 5_000
"""Groups from which on they are drawn by kind: exact as well, another stream of random numbers."""
_MOST_KINDS = 1_000
SEED = 2022
_DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Proportion:
    """How many of how many, with its uncertainty.

    Attributes:
        correct: The numerator; where answers are right by a share, the sum of the shares.
        total: The denominator.
        low: The 2.5th percentile of the resampled proportion; equal to the proportion where there is one page.
        high: The 97.5th percentile.
        pages: How many pages were drawn from; of a few an interval says nothing.
    """

    correct: int | float
    total: int
    low: float
    high: float
    pages: int = 0

    @property
    def value(self) -> float:
        """The proportion, 0 where nothing was counted."""
        return self.correct / self.total if self.total else 0.0


def proportion(outcomes: Sequence[bool | float], pages: Sequence[str]) -> Proportion:
    """Returns the share of outcomes that are true, with its interval.

    Args:
        outcomes: Right or wrong, one an item; or by what share, 0 to 1.
        pages: The page of each item, in the same order.
    """
    if not outcomes:
        return Proportion(0, 0, 0.0, 0.0)
    import numpy as np

    groups = _places(pages)
    totals = np.bincount(groups)
    hits = np.bincount(groups, weights=np.asarray(outcomes, dtype=float))
    low, high = _interval(hits, totals)
    whole = all(outcome in (0, 1) for outcome in outcomes)
    right = int(sum(outcomes)) if whole else round(float(sum(outcomes)), _DECIMALS)
    return Proportion(right, len(outcomes), low, high, len(totals))


@dataclass(frozen=True, slots=True)
class ShareDifference:
    """How far two shares of the same items are apart, with its uncertainty.

    Attributes:
        value: The first share less the second.
        low: The 2.5th percentile of the resampled difference; equal to the difference where there is one group.
        high: The 97.5th percentile.
        groups: How many pages, or companies, were drawn from.
    """

    value: float
    low: float
    high: float
    groups: int


def share_difference(first: Sequence[bool], second: Sequence[bool], groups: Sequence[str]) -> ShareDifference:
    """Returns how far two shares are apart, with an interval in which the pairs stay together.

    Args:
        first: Right or wrong, one an item.
        second: Of the same items, by another.
        groups: What is drawn: the page or the company of each item.
    """
    if not first:
        return ShareDifference(0.0, 0.0, 0.0, 0)
    import numpy as np

    places = _places(groups)
    totals = np.bincount(places)
    apart = np.asarray(first, dtype=float) - np.asarray(second, dtype=float)
    low, high = _interval(np.bincount(places, weights=apart), totals)
    return ShareDifference(float(apart.mean()), low, high, len(totals))


def _places(groups: Sequence[str]) -> "np.ndarray[Any, Any]":
    """Returns the place of each item's group among the groups in their order."""
    import numpy as np

    place = {name: number for number, name in enumerate(sorted(set(groups)))}
    return np.fromiter((place[name] for name in groups), np.intp, len(groups))


def _interval(sums: "np.ndarray[Any, Any]", totals: "np.ndarray[Any, Any]") -> tuple[float, float]:
    """Returns the percentiles of the resampled ratio of the groups' sums to the groups' totals.

    Drawn part by part: the stream of random numbers is the same, whatever the size of a part. Of many groups it is
    drawn how often each kind comes, for groups of one sum and one total are the same to a ratio.
    """
    import numpy as np

    random, groups = np.random.default_rng(SEED), len(totals)
    kinds, times = np.unique(np.stack([sums, totals], axis=1), axis=0, return_counts=True)
    if groups > _MANY and len(kinds) < _MOST_KINDS:
        drawn = random.multinomial(groups, times / groups, size=RESAMPLES)
        found = (drawn @ kinds[:, 0]) / (drawn @ kinds[:, 1])
    else:
        found = np.empty(RESAMPLES)
        step = max(1, _AT_ONCE // groups)
        for start in range(0, RESAMPLES, step):
            places = random.integers(groups, size=(min(step, RESAMPLES - start), groups))
            found[start : start + step] = sums[places].sum(axis=1) / totals[places].sum(axis=1)
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high)
