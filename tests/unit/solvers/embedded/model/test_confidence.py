import pytest

from quaestor.solvers.embedded.model.confidence import Calibration, Evidence


def test_more_share_more_lead_and_a_surer_history_are_surer() -> None:
    calibration = Calibration((0.9, 0.2, 0.2, 0.5), -0.3)
    plain = calibration.confidence(Evidence(0.6, 0.2, 0.5, 1))
    assert calibration.confidence(Evidence(0.8, 0.2, 0.5, 1)) > plain
    assert calibration.confidence(Evidence(0.6, 0.3, 0.5, 1)) < plain
    assert calibration.confidence(Evidence(0.6, 0.2, 0.9, 1)) > plain


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_it_is_a_probability_at_the_ends_too(share: float) -> None:
    assert 0 < Calibration().confidence(Evidence(share, 0.0, 0.0, 0)) < 1


def test_unfitted_it_is_the_share() -> None:
    assert Calibration().confidence(Evidence(0.7, 0.1, 0.2, 3)) == pytest.approx(0.7)
