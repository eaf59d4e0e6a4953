import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor.solvers.embedded.models import Calibration, Evidence, shared_confidence


def test_confidence_increases_with_share_lead_and_history() -> None:
    calibration = Calibration((0.9, 0.2, 0.2, 0.5, -0.4, -0.1), -0.3)
    plain = calibration.confidence(Evidence(0.6, 0.2, 0.5, 1))
    assert calibration.confidence(Evidence(0.8, 0.2, 0.5, 1)) > plain
    assert calibration.confidence(Evidence(0.6, 0.3, 0.5, 1)) < plain
    assert calibration.confidence(Evidence(0.6, 0.2, 0.9, 1)) > plain
    assert calibration.confidence(Evidence(0.6, 0.2, 0.5, 1, alone=True)) < plain


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_confidence_is_a_probability_at_the_extremes(share: float) -> None:
    assert 0 < Calibration().confidence(Evidence(share, 0.0, 0.0, 0)) < 1


def test_default_confidence_is_the_share() -> None:
    assert Calibration().confidence(Evidence(0.7, 0.1, 0.2, 3)) == pytest.approx(0.7)


@given(st.floats(0.001, 0.999), st.floats(0.01, 0.99), st.floats(0, 1))
def test_confidence_of_another_result_is_not_higher_and_both_sum_to_at_most_one(
    first: float, share: float, other: float
) -> None:
    found = shared_confidence(first, share, other * (1 - share))
    assert 0 <= found <= first
    assert first + found <= 1 + 1e-9
