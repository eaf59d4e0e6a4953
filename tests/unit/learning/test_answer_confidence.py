"""Confidence is learned from judged answers."""

import random

import pytest

from quaestor.conversation.events import AnswerMeasured
from quaestor.errors import InputError
from quaestor.learning.answer_confidence import JudgedAnswer, fit_confidence
from quaestor.solvers.confidence.calibration import MEASURES


def answers(count: int = 600, companies: int = 12) -> list[JudgedAnswer]:
    """Return answers that are right as often as the agreement indicates, and mostly wrong without agreement."""
    draw, found = random.Random(3), list[JudgedAnswer]()
    for number in range(count):
        agreement = draw.choice([0.0, 0.2, 0.5, 0.9])
        right = draw.random() < (agreement if agreement else 0.1)
        measured = AnswerMeasured(agreement, int(agreement > 0.4), ties=draw.randrange(2))
        company = f"C{number % companies}"
        found.append(JudgedAnswer(measured, right, f"{company}/{number % 40}", company))
    return found


@pytest.mark.very_slow
def test_confidences_of_held_out_companies_are_calibrated() -> None:
    found = fit_confidence(answers(), {"run": "r"})
    assert found.report.given.total == 600
    assert found.report.error < 0.08
    assert found.report.surest_half.value > found.report.given.value + 0.15
    sure, unsure = AnswerMeasured(0.9, 1), AnswerMeasured(0.0, 0)
    assert found.calibration.confidence(sure) > 0.75 > 0.3 > found.calibration.confidence(unsure)
    assert {*found.calibration.weights} == {*MEASURES}
    assert (found.calibration.learned["run"], found.calibration.learned["answers"]) == ("r", 600)
    assert found.calibration.held_out["calibration error"] == round(found.report.error, 4)


@pytest.mark.slow
def test_the_same_answers_give_the_same_calibration() -> None:
    assert fit_confidence(answers(), {}) == fit_confidence(answers(), {})


@pytest.mark.parametrize(
    "few",
    [
        answers(10),
        answers(100, companies=1),
        [JudgedAnswer(a.found, True, a.page, a.company) for a in answers(100)],
        [JudgedAnswer(a.found, False, a.page, a.company) for a in answers(100)],
        [],
    ],
)
def test_too_few_answers_give_no_calibration(few: list[JudgedAnswer]) -> None:
    with pytest.raises(InputError):
        fit_confidence(few, {})
