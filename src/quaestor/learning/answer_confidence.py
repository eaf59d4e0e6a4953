"""Fits the confidence of a language model's answers to scored answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from quaestor.conversation.events import AnswerMeasured
from quaestor.errors import InputError
from quaestor.extras import require_extra
from quaestor.scoring.statistics import CalibrationReport, calibration_report
from quaestor.solvers.confidence.calibration import MEASURES, AnswerCalibration, weighed_of

FOLDS = 5
_LEAST = 20
"""Least number of answers for a fit."""


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """Scored answer with its measures.

    Attributes:
        company: Company of the report; for other files the page.
    """

    found: AnswerMeasured
    right: bool
    page: str
    company: str


@dataclass(frozen=True, slots=True)
class FittedConfidence:
    """Calibration and its quality.

    Attributes:
        report: For confidences predicted by calibrations that were fitted on other companies.
    """

    calibration: AnswerCalibration
    report: CalibrationReport


def fit_confidence(answers: Sequence[JudgedAnswer], learned: Mapping[str, JsonValue]) -> FittedConfidence:
    """Return a calibration fitted to answers. Deterministic.

    Args:
        answers: The answers of a scored run.
        learned: Description of the answers, for users.

    Raises:
        SettingsError: The extra `train` is not installed.
        InputError: There are too few answers, from one company, or all right or all wrong.
    """
    require_extra("train", "learning a calibration")
    right = sum(answer.right for answer in answers)
    companies = sorted({answer.company for answer in answers})
    if len(answers) < _LEAST or right in (0, len(answers)) or len(companies) < 2:
        raise InputError(
            f"cannot learn from {len(answers)} measured answers of {len(companies)} companies, {right} of them "
            f"correct: at least {_LEAST} are needed, from two companies, some correct and some wrong"
        )
    fold_of = {company: place % FOLDS for place, company in enumerate(companies)}
    confidences = [0.0] * len(answers)
    for fold in range(FOLDS):
        seen = [answer for answer in answers if fold_of[answer.company] != fold]
        held_out = [place for place, answer in enumerate(answers) if fold_of[answer.company] == fold]
        if held_out:
            fitted = _fit(seen, {}, {})
            for place in held_out:
                confidences[place] = fitted.confidence(answers[place].found)
    outcomes = [answer.right for answer in answers]
    report = calibration_report(confidences, outcomes, [answer.page for answer in answers])
    assert report is not None
    figures: dict[str, JsonValue] = {
        "calibration error": round(report.error, 4),
        "right": round(report.given.value, 4),
        "right of the surest half": round(report.surest_half.value, 4),
    }
    return FittedConfidence(_fit(answers, {**learned, "answers": len(answers), "right": right}, figures), report)


def _fit(
    answers: Sequence[JudgedAnswer], learned: Mapping[str, JsonValue], held_out: Mapping[str, JsonValue]
) -> AnswerCalibration:
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    right = np.array([answer.right for answer in answers])
    if right.all() or not right.any():
        # All other companies' answers are right, or all wrong: smooth the odds by one answer of each kind.
        odds = float(np.log((right.sum() + 1) / (len(right) - right.sum() + 1)))
        return AnswerCalibration(odds, dict.fromkeys(MEASURES, 0.0), learned, held_out)
    fitted = LogisticRegression(C=1.0, max_iter=1000).fit(np.array([weighed_of(a.found) for a in answers]), right)
    weights = {name: round(float(w), 4) for name, w in zip(MEASURES, fitted.coef_[0], strict=True)}
    return AnswerCalibration(round(float(fitted.intercept_[0]), 4), weights, learned, held_out)
