"""Intervals, calibration of confidences, and paired comparisons with p-values computed in another way."""

from fractions import Fraction
from math import comb
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.scoring import statistics
from quaestor.scoring.statistics import (
    Proportion,
    ShareDifference,
    adjust_p_values,
    bin_by_confidence,
    calibration_error,
    calibration_report,
    mcnemar,
    paired_figures,
    proportion,
    rank_by_confidence,
    risk_coverage,
    share_difference,
)


def test_interval_of_no_items_is_zero() -> None:
    assert proportion([], []) == Proportion(0, 0, 0.0, 0.0)
    assert proportion([], []).value == 0.0


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("abcdef")), min_size=1, max_size=40))
def test_the_interval_lies_between_zero_and_one_and_is_repeatable(items: list[tuple[bool, str]]) -> None:
    outcomes, pages = [right for right, _ in items], [page for _, page in items]
    share = proportion(outcomes, pages)
    assert (share.correct, share.total) == (sum(outcomes), len(outcomes))
    assert 0.0 <= share.low <= share.high <= 1.0
    assert share == proportion(outcomes, pages)


def test_interval_of_one_page_is_a_point() -> None:
    share = proportion([True, False], ["a", "a"])
    assert share.low == share.high == share.value == 0.5


def test_correlated_turns_widen_the_interval() -> None:
    outcomes = [True, False] * 50
    apart = proportion(outcomes, [str(index) for index in range(100)])
    together = proportion(sorted(outcomes), [str(index // 10) for index in range(100)])
    assert together.high - together.low > 2 * (apart.high - apart.low)
    assert 0.08 < apart.value - apart.low < 0.12


@pytest.mark.parametrize("at_once", [1, 7, 40, 1000])
def test_the_interval_is_the_same_however_much_is_drawn_at_once(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(1)
    outcomes, pages = [random.random() < 0.6 for _ in range(60)], [str(random.randrange(20)) for _ in range(60)]
    whole = proportion(outcomes, pages), share_difference(outcomes, outcomes[::-1], pages)
    monkeypatch.setattr(statistics, "_AT_ONCE", at_once)
    assert (proportion(outcomes, pages), share_difference(outcomes, outcomes[::-1], pages)) == whole


def test_many_groups_are_drawn_by_kind_to_the_same_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(2)
    outcomes, pages = [random.random() < 0.6 for _ in range(4_000)], [str(random.randrange(900)) for _ in range(4_000)]
    one_by_one = proportion(outcomes, pages)
    monkeypatch.setattr(statistics, "_MANY", 100)
    by_kind = proportion(outcomes, pages)
    assert (by_kind.low, by_kind.high) == pytest.approx((one_by_one.low, one_by_one.high), abs=0.002)
    assert by_kind != one_by_one  # the resampling differs
    by_share = [random.random() for _ in range(4_000)]  # too many kinds to resample by kind
    drawn = proportion(by_share, pages)
    assert drawn.low < drawn.value < drawn.high


def test_difference_is_resampled_by_pairs() -> None:
    """Identical outcomes have a difference of 0 in every sample."""
    outcomes, pages = [True, False] * 30, [str(index) for index in range(60)]
    assert share_difference(outcomes, outcomes, pages) == ShareDifference(0.0, 0.0, 0.0, 60)
    better = share_difference([True] * 60, outcomes, pages)
    alone = proportion(outcomes, pages)
    assert (better.value, better.groups) == (0.5, 60)
    assert (better.low, better.high) == pytest.approx((1 - alone.high, 1 - alone.low))
    assert share_difference([], [], []) == ShareDifference(0.0, 0.0, 0.0, 0)


answers = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)


def test_the_error_is_the_mean_distance_of_accuracy_from_confidence() -> None:
    # Two answers at 0.9, one of them right (error 0.4); two at 0.35, both wrong (error 0.35).
    bins = bin_by_confidence([0.9, 0.9, 0.35, 0.35], [True, False, False, False])
    assert [(found.low, found.count) for found in bins if found.count] == [(0.3, 2), (0.9, 2)]
    assert calibration_error(bins) == pytest.approx((2 * 0.4 + 2 * 0.35) / 4)


def test_calibration_error_is_zero_if_sure_and_right_and_largest_if_sure_and_wrong() -> None:
    assert calibration_error(bin_by_confidence([1.0, 1.0], [True, True])) == 0
    assert calibration_error(bin_by_confidence([1.0, 1.0], [False, False])) == 1
    assert calibration_error(bin_by_confidence([], [])) == 0


def test_least_confident_answers_are_withheld_first() -> None:
    points = risk_coverage([0.2, 0.9, 0.6, 0.7], [False, True, False, True])
    assert [point.threshold for point in points] == [0.9, 0.7, 0.6, 0.2]
    assert [point.share for point in points] == [0.25, 0.5, 0.75, 1.0]
    assert [point.accuracy for point in points] == [1.0, 1.0, 2 / 3, 0.5]


def test_the_figures_of_a_run() -> None:
    found = calibration_report([0.2, 0.9, 0.6, 0.7], [False, True, False, True], ["a", "b", "a", "b"])
    assert found is not None
    assert (found.given.correct, found.given.total) == (2, 4)
    assert (found.surest_half.correct, found.surest_half.total) == (2, 2)
    assert found.error == pytest.approx((0.2 + 0.1 + 0.6 + 0.3) / 4)
    assert (found.coverage[0].threshold, found.coverage[4].threshold, found.coverage[-1].share) == (0.9, 0.7, 1.0)


@given(answers)
def test_every_answer_is_in_one_bin_and_the_last_point_covers_all(rows: list[tuple[float, bool]]) -> None:
    confidences, right = [c for c, _ in rows], [r for _, r in rows]
    bins, points = bin_by_confidence(confidences, right), risk_coverage(confidences, right)
    assert sum(found.count for found in bins) == len(rows)
    assert all(found.low - 1e-9 <= found.confidence <= found.high + 1e-9 for found in bins if found.count)
    assert 0 <= calibration_error(bins) <= 1
    assert points[-1].accuracy == sum(right) / len(rows)
    assert [confidences[n] for n in rank_by_confidence(confidences)] == sorted(confidences, reverse=True)


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


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_never_lowers_a_p_nor_changes_their_order(ps: list[float]) -> None:
    adjusted = adjust_p_values(ps)
    assert all(p <= new <= 1 for p, new in zip(ps, adjusted, strict=True))
    order = sorted(range(len(ps)), key=lambda n: ps[n])
    assert [adjusted[n] for n in order] == sorted(adjusted)
    assert all(new <= min(1, p * len(ps)) + 1e-12 for p, new in zip(ps, adjusted, strict=True))
