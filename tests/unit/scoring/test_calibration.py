"""Reliability of confidences: bins, calibration error and coverage."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.scoring.statistics import (
    bin_by_confidence,
    calibration_error,
    calibration_report,
    rank_by_confidence,
    risk_coverage,
)

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


def test_returns_no_figures_without_confidences() -> None:
    assert calibration_report([], [], []) is None


@given(answers)
def test_every_answer_is_in_one_bin_and_the_last_point_covers_all(rows: list[tuple[float, bool]]) -> None:
    confidences, right = [c for c, _ in rows], [r for _, r in rows]
    bins, points = bin_by_confidence(confidences, right), risk_coverage(confidences, right)
    assert sum(found.count for found in bins) == len(rows)
    assert all(found.low - 1e-9 <= found.confidence <= found.high + 1e-9 for found in bins if found.count)
    assert 0 <= calibration_error(bins) <= 1
    assert points[-1].accuracy == sum(right) / len(rows)
    assert [confidences[n] for n in rank_by_confidence(confidences)] == sorted(confidences, reverse=True)
