"""Paired verdicts: counts, and the McNemar test compared with two other computations."""

import random
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.scoring.statistics import adjust_p_values, mcnemar, paired_figures


def enumerate_p_value(wins: int, losses: int) -> float:
    """Return the exact p-value by enumerating all outcomes of fair coin tosses."""
    tosses = wins + losses
    middle = abs(Fraction(tosses, 2) - wins)
    as_far = sum(comb(tosses, heads) for heads in range(tosses + 1) if abs(Fraction(tosses, 2) - heads) >= middle)
    return float(Fraction(as_far, 2**tosses))


@given(st.integers(0, 400), st.integers(0, 400))
def test_p_value_equals_exact_enumeration(wins: int, losses: int) -> None:
    assert mcnemar(wins, losses) == pytest.approx(enumerate_p_value(wins, losses), rel=1e-9, abs=1e-300)
    assert mcnemar(wins, losses) == mcnemar(losses, wins)


@pytest.mark.parametrize(("wins", "losses"), [(240, 12), (12, 240), (5, 5), (0, 1), (3, 0), (4000, 4200), (0, 0)])
def test_p_value_equals_another_implementation(wins: int, losses: int) -> None:
    from scipy.stats import binomtest

    expected = binomtest(wins, wins + losses, 0.5).pvalue if wins + losses else 1.0
    assert mcnemar(wins, losses) == pytest.approx(float(expected), rel=1e-9)


def test_figures_are_counted() -> None:
    first = [True, True, True, False, False, True]
    second = [True, False, False, True, False, True]
    found = paired_figures(first, second, ["a", "a", "b", "b", "c", "c"], ["x", "x", "x", "x", "y", "y"])
    assert (found.both, found.wins, found.losses, found.neither) == (2, 2, 1, 1)
    assert (found.turns, found.ties, found.first, found.second) == (6, 3, 4, 3)
    assert found.p == 1.0
    assert found.by_page.value == found.by_company.value == pytest.approx(1 / 6)
    assert (found.by_page.groups, found.by_company.groups) == (3, 2)
    assert found.by_page.low <= found.by_page.value <= found.by_page.high


def test_comparison_of_no_turns() -> None:
    found = paired_figures([], [], [], [])
    assert (found.turns, found.p, found.by_page.groups) == (0, 1.0, 0)


def test_p_value_is_small_only_for_a_real_difference() -> None:
    draw = random.Random(3)
    pages = [str(number // 6) for number in range(600)]
    one, other = ([draw.random() < 0.6 for _ in pages] for _ in range(2))
    same = paired_figures(one, other, pages, pages)
    assert same.by_page.low < 0 < same.by_page.high
    assert same.p > 0.05
    better = [draw.random() < 0.7 for _ in pages]
    far = paired_figures([right or draw.random() < 0.5 for right in better], better, pages, pages)
    assert far.by_page.low > 0
    assert far.p < 1e-6


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_never_lowers_a_p_nor_changes_their_order(ps: list[float]) -> None:
    adjusted = adjust_p_values(ps)
    assert all(p <= new <= 1 for p, new in zip(ps, adjusted, strict=True))
    order = sorted(range(len(ps)), key=lambda n: ps[n])
    assert [adjusted[n] for n in order] == sorted(adjusted)
    assert all(new <= min(1, p * len(ps)) + 1e-12 for p, new in zip(ps, adjusted, strict=True))
