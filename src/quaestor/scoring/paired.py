"""Paired comparison of two runs on the same turns, with significance tests.

Source: the exact test of McNemar, "Note on the sampling error of the difference between correlated proportions or
percentages" (1947): of the turns that only one run has right, half would be the first's by chance. The intervals are
those of `quaestor.scoring.bootstrap`, with the pairs kept together. For several comparisons: Holm, "A simple
sequentially rejective multiple test procedure" (1979).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

import numpy as np

from quaestor.scoring.bootstrap import ENOUGH_GROUPS, Numbers, ShareDifference, share_difference


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
