"""Confidence of choices."""

import pytest

from quaestor.solvers.embedded.models import CHOICE_MEASURES, UNFITTED_CHOICES, ChoiceEvidence


def test_choice_features_have_names() -> None:
    assert len(ChoiceEvidence().measures) == len(CHOICE_MEASURES) == len(UNFITTED_CHOICES.weights)


@pytest.mark.parametrize("mass", [0.0, 0.3, 1.0])
def test_a_confidence_is_a_probability(mass: float) -> None:
    assert 0 < UNFITTED_CHOICES.confidence(ChoiceEvidence(mass, mass)) < 1


def test_confidence_increases_with_the_score() -> None:
    known = [UNFITTED_CHOICES.confidence(ChoiceEvidence(mass)) for mass in (0.05, 0.5, 0.95)]
    assert known == sorted(known)


def test_lines_under_a_heading_are_surer_than_all_of_a_table() -> None:
    named, all_of_it = ChoiceEvidence(under_heading=True), ChoiceEvidence(of_table=True)
    assert UNFITTED_CHOICES.confidence(named) > UNFITTED_CHOICES.confidence(all_of_it)
