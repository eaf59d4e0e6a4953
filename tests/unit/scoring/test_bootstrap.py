from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.scoring import statistics
from quaestor.scoring.statistics import Proportion, ShareDifference, proportion, share_difference


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
