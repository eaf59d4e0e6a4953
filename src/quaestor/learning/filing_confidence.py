"""Fits the confidence of answers about filings, and the probability that there is one, to labelled conversations."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np

from quaestor.core.answer_value import AnswerValue, Number, Text, ValueList, YesNo
from quaestor.core.quantity import Scale
from quaestor.facts.table import FactTable
from quaestor.learning.filings import LabelledQuestion, label_parts
from quaestor.learning.text_matching import fit_text_matcher
from quaestor.learning.trees import FittedTrees, fitted_trees
from quaestor.solvers.embedded.filings.deciding import ConfidenceModel, Decision, decide_question
from quaestor.solvers.embedded.filings.text_matching import MATCH_FEATURES, TextMatcher
from quaestor.solvers.embedded.filings.turns import FilingWeights, PastTurn

_PARAMETERS = {
    "objective": "binary:logitraw", "eta": 0.06, "subsample": 0.7, "colsample_bytree": 0.4, "lambda": 4.0,
    "base_score": 0.0, "seed": 7,
}  # fmt: skip
_OF_RIGHT = {"max_depth": 5, "min_child_weight": 10}, 375
_OF_ANSWERABLE = {"max_depth": 3, "min_child_weight": 4}, 600
"""Parameters and number of rounds; a question has several results that may be right, so the first has more samples."""
_FACTORS = {"": 1.0, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_WORD = re.compile(r"[a-z0-9]+(?:[.,][0-9]+)*")
_NUMBER = re.compile(r"\d[\d,]*\.?\d*")
_SMALL = frozenset(
    "the and for with from that this were was are its their than which into over about more less other also have has "
    "been due".split()
)
_SHARED_WORDS = 0.45
_ROUNDED = 0.006


@dataclass(frozen=True, slots=True)
class PlayedQuestion:
    """Labelled question with its answers.

    Attributes:
        rights: Whether each of the judged results is right.
    """

    question: LabelledQuestion
    rights: tuple[bool, ...]
    decision: Decision

    @property
    def right(self) -> bool:
        """Whether the first result is right."""
        return any(self.rights[:1])


def play_questions(
    questions: Sequence[LabelledQuestion], table: FactTable, weights: FilingWeights
) -> list[PlayedQuestion]:
    """Answer the questions about one filing, each conversation with its own history."""
    answered = []
    past: list[PastTurn] = []
    for one in questions:
        if one.turn == 0:
            past = []
        decision = decide_question(one.text, past, table, weights)
        results = decision.results
        answered.append(_compare(one, decision))
        right = nan if weights.confidence is None else decision.right
        past.append(PastTurn(one.text, results[0].proposal.plan if results else None, right))
    return answered


def _compare(one: LabelledQuestion, decision: Decision) -> PlayedQuestion:
    judged = decision.results[: len(decision.features)]
    rights = tuple(is_right(one.answer, result.value, result.scale) for result in judged)
    return PlayedQuestion(one, rights, decision)


def with_parts(answered: Iterable[PlayedQuestion]) -> Iterator[PlayedQuestion]:
    """Yield answered questions and, for compound questions with labelled parts, their parts."""
    for one in answered:
        yield one
        if one.decision.parts and (labelled := label_parts(one.question)):
            yield from (_compare(part, known) for part, known in zip(labelled, one.decision.parts, strict=True))


def play_folds(
    weights: Sequence[FilingWeights], play: Callable[[Sequence[FilingWeights]], list[list[PlayedQuestion]]]
) -> list[list[PlayedQuestion]]:
    """Answer the questions of each fold with weights that were learned on the others.

    All are answered twice, the second time with a confidence that was fitted on the other folds, so that the confidence
    of earlier answers is known.

    Args:
        weights: The weights for each fold, learned without its filings.
        play: Answers the questions of all folds, each fold with its weights.
    """
    answered = play(weights)
    return answered if len(answered) == 1 else play(with_fold_confidences(weights, answered))


def with_fold_confidences(
    weights: Sequence[FilingWeights],
    answered: Sequence[Sequence[PlayedQuestion]],
    fits: "MatcherFits | None" = None,
) -> list[FilingWeights]:
    """Return the weights of each fold with a confidence that is fitted to the answers of the other folds.

    Args:
        fits: See `fit_confidence`.
    """
    return [
        replace(known, confidence=fit_confidence(answered, fits, left_out=place)) for place, known in enumerate(weights)
    ]


class MatcherFits:
    """Matchers of texts that are fitted without some of the folds, each fitted once."""

    def __init__(self, answered: Sequence[Sequence[PlayedQuestion]]) -> None:
        """Read the answers of all folds."""
        self._folds = [[one for one in with_parts(fold) if one.decision.features] for fold in answered]
        self._fitted: dict[frozenset[int], TextMatcher | None] = {}

    def without(self, *left_out: int | None) -> TextMatcher | None:
        """Return the matcher fitted to all folds but some; None if none is left."""
        places = frozenset(range(len(self._folds))).difference(left_out)
        if places not in self._fitted:
            known = [one for place in sorted(places) for one in self._folds[place]]
            texts = [(one.decision.texts, one.rights) for one in known if one.decision.texts is not None]
            self._fitted[places] = fit_text_matcher(texts) if texts else None
        return self._fitted[places]


def fit_confidence(
    answered: Sequence[Sequence[PlayedQuestion]], fits: MatcherFits | None = None, left_out: int | None = None
) -> ConfidenceModel:
    """Return the confidence model fitted to answered questions.

    Args:
        answered: The answers of each fold. The texts of each are compared by a matcher that was fitted to the others.
        fits: Fits these matchers; if None, texts are not compared.
        left_out: Index of a fold whose answers are not used.
    """
    import xgboost

    known, rows = [], []
    for place, fold in enumerate(answered):
        if place == left_out:
            continue
        matcher = fits.without(place, left_out) if fits else None
        for one in with_parts(fold):
            if one.decision.features:
                known.append(one)
                rows.append(_match_texts(one.decision, matcher))
    names = tuple(sorted({name for several in rows for row in several for name in row}))

    def fit(
        rows: Sequence[Mapping[str, float]], labels: Sequence[bool], size: Mapping[str, int], rounds: int
    ) -> FittedTrees:
        matrix = np.array([[row.get(name, np.nan) for name in names] for row in rows], np.float32)
        data = xgboost.DMatrix(matrix, label=np.array(labels, np.float32), feature_names=list(names))
        return fitted_trees(xgboost.train({**_PARAMETERS, **size}, data, rounds), names)

    right = fit(
        [row for several in rows for row in several], [right for one in known for right in one.rights], *_OF_RIGHT
    )
    has_answer = ["none" not in one.question.answer for one in known]
    answerable = fit([first for first, *_ in rows], has_answer, *_OF_ANSWERABLE)
    return ConfidenceModel(names, right, answerable, fits.without(left_out) if fits else None)


def _match_texts(decision: Decision, matcher: TextMatcher | None) -> list[Mapping[str, float]]:
    """Return the features of each result, those of the texts by a certain matcher."""
    own = [{name: value for name, value in row.items() if name not in MATCH_FEATURES} for row in decision.features]
    if matcher is None or decision.texts is None:
        return list(own)
    return [{**row, **more} for row, more in zip(own, matcher.measure(decision.texts), strict=True)]


def is_right(label: Mapping[str, Any], value: AnswerValue, scale: Scale) -> bool:  # noqa: PLR0911 - a kind of label each
    """Return whether an answer is right according to a label.

    Args:
        label: In the format of `shared/data/questions`; numbers are right within their rounding, words if they have
            enough of the label's words.
        scale: The scale of a number.
    """
    if "any_of" in label:
        return any(is_right(one, value, scale) for one in label["any_of"])
    if "none" in label:
        return False
    numbers = _numbers(value, scale)
    text = str(value).lower()
    if "values" in label:
        return bool(label["values"]) and all(
            any(_is_number(one, number) for number in numbers) if "value" in one else is_right(one, value, scale)
            for one in label["values"]
        )
    if "parts" in label:
        return bool(label["parts"]) and all(
            ("value" in one and any(_is_number(one, number) for number in numbers)) or is_right(one, value, scale)
            for one in label["parts"]
        )
    if "yes" in label:
        return value == YesNo(label["yes"]) or (
            isinstance(value, Text) and text.startswith("yes" if label["yes"] else "no")
        )
    if "label" in label:
        return _shares_words(label["label"], text, 0.5)
    if "value" in label:
        return any(_is_number(label, number) for number in numbers[:1]) or (
            isinstance(value, Text) and any(_is_number(label, number) for number in _numbers_in(text))
        )
    return _shares_words(label.get("text", ""), text, _SHARED_WORDS)


def _numbers(value: AnswerValue, scale: Scale) -> list[tuple[float, Scale]]:
    match value:
        case Number(value=number):
            return [(float(number), scale)]
        case ValueList(items=items):
            return [(float(item.number), item.scale or scale) for item in items if item.number is not None]
    return []


def _numbers_in(text: str) -> Iterator[tuple[float, Scale]]:
    """Yield the numbers of a quotation, in ones and in each scale that it names."""
    scales = [Scale.ONE, *(scale for scale in (Scale.THOUSAND, Scale.MILLION, Scale.BILLION) if str(scale) in text)]
    for number in _NUMBER.findall(text):
        for scale in scales:
            yield float(number.replace(",", "")), scale


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
    wanted = {word for word in _WORD.findall(str(label).lower()) if len(word) > 2 and word not in _SMALL}
    return bool(wanted) and len(wanted & set(_WORD.findall(text))) >= max(1.0, least * len(wanted))
