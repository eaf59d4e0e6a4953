"""What a cascade of two runs would come to."""

from decimal import Decimal

import pytest

from quaestor.application.simulated_cascade import StageTurn, cascade_curve
from quaestor.llm.usage import Usage

COST = Usage(1, 100, 10, cost=Decimal("0.01"))
SURE, UNSURE, WRONG_AND_SURE = (
    StageTurn(right=True, confidence=0.9),
    StageTurn(right=False, confidence=0.3),
    StageTurn(right=False, confidence=0.8),
)
RIGHT, WRONG = StageTurn(right=True, usage=COST), StageTurn(right=False, usage=COST)


def curve(first: list[StageTurn], second: list[StageTurn], *thresholds: float) -> list[tuple[int, float]]:
    found = cascade_curve(first, second, ["page"] * len(first), thresholds)
    return [(point.passed, point.right.correct) for point in found]


def test_turns_below_the_threshold_are_the_second_run_s() -> None:
    first, second = [SURE, UNSURE, WRONG_AND_SURE], [WRONG, RIGHT, RIGHT]
    assert curve(first, second, 0.0, 0.3, 0.5, 0.85, 1.0) == [(0, 1), (0, 1), (1, 2), (2, 3), (3, 2)]


def test_only_the_turns_that_are_passed_cost() -> None:
    points = cascade_curve([SURE, UNSURE], [RIGHT, RIGHT], ["p", "q"], (0.0, 0.5, 1.0))
    assert [point.usage.cost for point in points] == [None, Decimal("0.01"), Decimal("0.02")]
    assert [point.share for point in points] == [0.0, 0.5, 1.0]


def test_what_the_first_run_uses_is_used_in_any_case() -> None:
    dear = StageTurn(right=True, confidence=0.9, usage=COST)
    (point,) = cascade_curve([dear, dear], [RIGHT, RIGHT], ["p", "q"], (0.5,))
    assert (point.passed, point.usage.requests) == (0, 2)


@pytest.mark.parametrize("silent", [StageTurn(right=False, answered=False, confidence=0.9), StageTurn(right=True)])
def test_what_has_no_value_or_no_confidence_is_never_sure_enough(silent: StageTurn) -> None:
    assert curve([silent], [RIGHT], 0.1) == [(1, 1)]


def test_where_the_second_failed_the_first_stands_and_where_it_is_silent_it_does_not() -> None:
    right_but_unsure = StageTurn(right=True, confidence=0.2)
    failed = StageTurn(right=False, answered=False, failed=True)
    silent = StageTurn(right=False, answered=False)
    assert curve([right_but_unsure], [failed], 0.5) == [(1, 1)]
    assert curve([right_but_unsure], [silent], 0.5) == [(1, 0)]
    assert curve([StageTurn(right=False, answered=False, failed=True)], [failed], 0.5) == [(1, 0)]
