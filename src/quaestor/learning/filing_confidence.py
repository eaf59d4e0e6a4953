"""Learn how often an answer about a filing is right, and how often a question has none, from labelled conversations."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from quaestor.core.answer_value import AnswerValue, Number, Text, ValueList, YesNo
from quaestor.core.quantity import Scale
from quaestor.facts.table import FactTable
from quaestor.learning.filings import LabelledQuestion
from quaestor.learning.trees import fitted_trees
from quaestor.solvers.embedded.filings.deciding import ConfidenceModel, Decision, decide_question
from quaestor.solvers.embedded.filings.turns import FilingWeights, PastTurn

_ROUNDS = 120
_PARAMETERS = {
    "objective": "binary:logitraw", "max_depth": 4, "eta": 0.06, "subsample": 0.7, "colsample_bytree": 0.4,
    "min_child_weight": 4, "lambda": 4.0, "base_score": 0.0, "seed": 7,
}  # fmt: skip
_FACTORS = {"": 1.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_WORD = re.compile(r"[a-z0-9]+(?:[.,][0-9]+)*")
_SHARED_WORDS = 0.45
_ROUNDED = 0.006


@dataclass(frozen=True, slots=True)
class PlayedQuestion:
    """A labelled question as it was answered.

    Attributes:
        question: With its label.
        right: Whether the first result is right.
        decision: All results.
    """

    question: LabelledQuestion
    right: bool
    decision: Decision

    @property
    def features(self) -> Mapping[str, float]:
        """What the confidence is computed from; empty if there was no plan."""
        return self.decision.features


def play_questions(
    questions: Sequence[LabelledQuestion], table: FactTable, weights: FilingWeights
) -> list[PlayedQuestion]:
    """Return the questions about one filing as they are answered, each conversation with its own history."""
    played = []
    past: list[PastTurn] = []
    for one in questions:
        if one.turn == 0:
            past = []
        decision = decide_question(one.text, past, table, weights)
        results = decision.results
        right = bool(results) and is_right(one.answer, results[0].value, results[0].scale)
        played.append(PlayedQuestion(one, right, decision))
        past.append(PastTurn(one.text, results[0].proposal.plan if results else None))
    return played


def fit_confidence(played: Sequence[PlayedQuestion]) -> ConfidenceModel:
    """Return the model of confidence that played questions teach."""
    import xgboost

    rows = [one for one in played if one.features]
    names = tuple(sorted({name for one in rows for name in one.features}))
    matrix = np.array([[one.features.get(name, np.nan) for name in names] for one in rows], np.float32)
    trees = []
    for labels in ([one.right for one in rows], ["none" not in one.question.answer for one in rows]):
        data = xgboost.DMatrix(matrix, label=np.array(labels, np.float32), feature_names=list(names))
        booster = xgboost.train(_PARAMETERS, data, _ROUNDS)
        trees.append(fitted_trees(booster, names))
    return ConfidenceModel(names, *trees)


def with_confidence(played: PlayedQuestion, model: ConfidenceModel) -> PlayedQuestion:
    """Return a played question with the probabilities of a model."""
    right, answerable = model.predict(played.features)
    return replace(played, decision=replace(played.decision, right=right, answerable=answerable))


def is_right(label: Mapping[str, Any], value: AnswerValue, scale: Scale) -> bool:  # noqa: PLR0911 - a kind of label each
    """Return whether an answer is what a label calls right.

    Args:
        label: As `shared/data/questions` has it; numbers are right within their rounding, words if they have enough
            of the label's words.
        value: The answer.
        scale: What one unit of a number stands for.
    """
    if "any_of" in label:
        return any(is_right(one, value, scale) for one in label["any_of"])
    if "none" in label:
        return False
    numbers = _numbers(value, scale)
    text = str(value).lower()
    if "parts" in label or "values" in label:
        parts = [one for one in (*label.get("parts", ()), *label.get("values", ())) if "value" in one]
        return bool(parts) and all(any(_is_number(one, number) for number in numbers) for one in parts)
    if "yes" in label:
        return value == YesNo(label["yes"]) or (
            isinstance(value, Text) and text.startswith("yes" if label["yes"] else "no")
        )
    if "label" in label:
        return _shares_words(label["label"], text, 0.5)
    if "value" in label:
        return any(_is_number(label, number) for number in numbers[:1])
    return _shares_words(label.get("text", ""), text, _SHARED_WORDS)


def _numbers(value: AnswerValue, scale: Scale) -> list[tuple[float, Scale]]:
    match value:
        case Number(value=number):
            return [(float(number), scale)]
        case ValueList(items=items):
            return [(float(item.number), item.scale or scale) for item in items if item.number is not None]
    return []


def _is_number(label: Mapping[str, Any], number: tuple[float, Scale]) -> bool:
    wanted, (value, scale) = float(label["value"]), number
    digits = len(str(label["value"]).partition(".")[2]) if isinstance(label["value"], float) else 0
    tolerance = max(abs(wanted) * _ROUNDED, 0.51 * 10**-digits)
    if label.get("unit") == "percent":
        found = (value,) if scale is Scale.PERCENT else (value * 100, value)
        return any(abs(one - wanted) <= max(tolerance, 0.051) for one in found)
    factor = _FACTORS.get(label.get("scale") or "", 1.0)
    amount = value * (1.0 if scale is Scale.PERCENT else float(scale.factor))
    return bool(abs(amount - wanted * factor) <= tolerance * factor)


def _shares_words(label: str, text: str, least: float) -> bool:
    wanted = {word for word in _WORD.findall(str(label).lower()) if len(word) > 2}
    return bool(wanted) and len(wanted & set(_WORD.findall(text))) >= max(1.0, least * len(wanted))
