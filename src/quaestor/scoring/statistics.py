"""Proportions with 95 % intervals, calibration of confidences, and paired comparison of two runs.

Turns of one page are not independent, so pages are resampled, not turns.

Sources: the percentile bootstrap of Efron and Tibshirani, "An Introduction to the Bootstrap" (1993); expected
calibration error as in Guo et al., "On Calibration of Modern Neural Networks" (2017), section 2, with bins of equal
width; risk and coverage as in Geifman and El-Yaniv, "Selective Classification for Deep Neural Networks" (2017); the
exact test of McNemar, "Note on the sampling error of the difference between correlated proportions or percentages"
(1947): of the turns that only one run has right, half would be the first's by chance; for several comparisons, Holm, "A
simple sequentially rejective multiple test procedure" (1979).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

import numpy as np

from quaestor.core.matrices import multiply

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
        found = multiply(drawn, kinds.real) / multiply(drawn, kinds.imag)
    else:
        found = np.empty(RESAMPLES)
        step = max(1, _AT_ONCE // groups)
        for start in range(0, RESAMPLES, step):
            places = random.integers(groups, size=(min(step, RESAMPLES - start), groups))
            found[start : start + step] = sums[places].sum(axis=1) / totals[places].sum(axis=1)
    low, high = np.quantile(found, [0.025, 0.975])
    return float(low), float(high), groups


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


@dataclass(frozen=True, slots=True)
class PairedFigures:
    """Two runs over the turns judged in both; `wins` are right only in the first, `losses` only in the second."""

    turns: int
    both: int
    wins: int
    losses: int
    ties: int
    neither: int
    p: float
    difference: float
    by_page: ShareDifference
    by_company: ShareDifference

    @property
    def first(self) -> int:
        """Turns that are right in the first run."""
        return self.both + self.wins

    @property
    def second(self) -> int:
        """Turns that are right in the second run."""
        return self.both + self.losses


def paired_figures(
    first: Sequence[bool] | Numbers,
    second: Sequence[bool] | Numbers,
    pages: Sequence[str] | Numbers,
    companies: Sequence[str] | Numbers,
) -> PairedFigures:
    """Compare two runs over the same turns."""
    one, other = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    neither, losses, wins, both = np.bincount(2 * one + other, minlength=4).tolist()
    by_page, by_company = share_difference(first, second, pages), share_difference(first, second, companies)
    p = mcnemar(wins, losses)
    return PairedFigures(len(one), both, wins, losses, both + neither, neither, p, by_page.value, by_page, by_company)


def mcnemar(wins: int, losses: int) -> float:
    """Return the two-sided p value of McNemar's exact test; needs scipy.

    >>> mcnemar(0, 0), round(mcnemar(1, 9), 6)
    (1.0, 0.021484)
    """
    if not wins + losses:
        return 1.0
    from scipy.special import bdtr

    # The distribution is symmetric, so both tails are equally likely.
    return min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5)))


def adjust_p_values(ps: Sequence[float]) -> tuple[float, ...]:
    """Return p values adjusted for multiple comparisons by Holm's method.

    >>> [round(p, 6) for p in adjust_p_values([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(ps, kind="stable")
    adjusted = np.empty(len(ps))
    adjusted[order] = np.maximum.accumulate(np.minimum(1, np.arange(len(ps), 0, -1) * np.asarray(ps)[order]))
    return tuple(adjusted.tolist())


def label_run(place: int) -> str:
    """Return the short name of a run: A, B, ... Z, A1.

    >>> label_run(0), label_run(27)
    ('A', 'B1')
    """
    return ascii_uppercase[place % 26] + (str(place // 26) if place >= 26 else "")


def format_points(share: float) -> str:
    """Format a difference of shares in percentage points, with its sign."""
    return f"{100 * share:+.1f}"


def format_interval(found: ShareDifference) -> str:
    """Format an interval in percentage points; empty if too few groups were resampled."""
    return f"{format_points(found.low)} to {format_points(found.high)}" if found.groups >= ENOUGH_GROUPS else ""


def p_value(p: float) -> str:
    """Format a p value: three decimals, or scientific notation if it is small.

    >>> p_value(0.0421), p_value(3.06e-56), p_value(1.0)
    ('0.042', '3.1e-56', '1.000')
    """
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1e}"


def paired_cells(found: PairedFigures) -> tuple[str, ...]:
    """Format a pair as table cells: wins, losses, difference, its intervals by page and company, and p."""
    intervals = format_interval(found.by_page), format_interval(found.by_company)
    return str(found.wins), str(found.losses), format_points(found.difference), *intervals, p_value(found.p)
