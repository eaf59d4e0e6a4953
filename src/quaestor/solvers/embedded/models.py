"""The learned models of the page solver beside its trees: the ranker, and how sure an answer is."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quaestor.solvers.embedded.candidates import OPERATIONS
from quaestor.solvers.embedded.operand_pool import CONSTANT, RESULT1, RESULT3
from quaestor.solvers.embedded.page import Floats, StemWeights
from quaestor.solvers.embedded.plan_features import CANDIDATE_FEATURES, CATEGORIES

# The ranker: a conditional logit over the candidates of a turn.
#
# One weight a measure and form of plan, each of which can be read. The forms share what they have in common: the fit
# (`quaestor.learning.ranking`) makes few examples of a form count little against those of its operation, and of all.
# A question that stands alone asks for a whole calculation, which a conversation takes in steps: it has weights
# besides.


_FIRST, _SECOND = ("leaf", "result"), ("leaf", "constant", "result")
FORMS = tuple(f"{operation}({first},{second})" for operation in OPERATIONS for first in _FIRST for second in _SECOND)
"""What a plan is made of, in the order of their codes; a lookup has the form of a leaf beside a leaf."""

FORMS_OF_OPERATION = len(_FIRST) * len(_SECOND)

_CODES = np.arange(-1, 14)
"""The codes that a categorical column can have."""
_INDICATORS = np.eye(len(_CODES) + 1, len(_CODES), dtype=np.float32)
"""A row a code, and one of zeros."""
_WIDEST = 4.0
_RANKER_AT_ONCE = 512
"""Candidates that are scored together: what is computed between then stays in the processor's cache."""

_COLUMNS = list(CANDIDATE_FEATURES)
_OPERATION, _LEFT, _RIGHT = (_COLUMNS.index(name) for name in ("operation", "first_kind", "second_kind"))
_CATEGORIES = [_COLUMNS.index(name) for name in CATEGORIES]


@dataclass(frozen=True, slots=True)
class Ranker:
    """Weights by which the plans of a turn are ranked. The exponential of a score is a share, up to the turn's sum.

    `alone` is added to the weights of every form where the question stands alone.

    Shape: `mean` and `scale` have one entry a column, `weights` is forms x (columns, codes of each category, one),
        `alone` has one entry a column of `weights`.
    """

    mean: Floats
    scale: Floats
    weights: Floats
    alone: Floats

    def predict(self, rows: Floats, *, alone: bool = False) -> NDArray[np.float64]:
        """Return the score of each candidate; differences are log odds.

        Args:
            alone: Whether the question stands alone, and is not a step of a conversation.

        Shape: `rows` is candidates x `len(CANDIDATE_FEATURES)`; the scores have one entry a candidate.
        """
        weights, columns = self.weights + self.alone if alone else self.weights, rows.shape[1]
        forms, plain = form_codes(rows), np.ascontiguousarray(weights[:, :columns])
        scores: Floats = weights[forms, -1] + _of_categories(rows, forms, weights[:, columns:-1])
        for start in range(0, len(rows), _RANKER_AT_ONCE):
            part = slice(start, start + _RANKER_AT_ONCE)
            weighed = _standardised(rows[part], self.mean, self.scale)
            weighed *= plain.take(forms[part], axis=0).T
            scores[part] += np.add.reduce(weighed, axis=0)
        return scores.astype(np.float64)


def _of_categories(rows: Floats, forms: NDArray[np.intp], weights: Floats) -> Floats:
    """What the codes of each candidate weigh: looked up, and not multiplied by indicators that are zero but for one."""
    size = len(_CODES) + 1
    table = np.zeros((len(weights), len(_CATEGORIES), size), np.float32)
    table[:, :, :-1] = weights.reshape(len(weights), len(_CATEGORIES), -1)
    places = _code_places(rows).T + np.arange(len(_CATEGORIES))[:, None] * size
    places += forms * (len(_CATEGORIES) * size)
    found: Floats = np.add.reduce(table.take(places), axis=0)
    return found


def _code_places(rows: Floats) -> NDArray[np.intp]:
    """The place of the code of each category among those with a weight; behind them if it has none."""
    return np.minimum(rows[:, _CATEGORIES].astype(np.intp) + 1, len(_CODES))


def _standardised(rows: Floats, mean: Floats, scale: Floats) -> Floats:
    """The columns of rows, one below the other, less their means, in deviations."""
    # The features of a turn lie column by column.
    plain = rows.T - mean[:, None]
    plain /= scale[:, None]
    return np.clip(plain, -_WIDEST, _WIDEST, out=plain)


def form_codes(rows: Floats) -> NDArray[np.intp]:
    """Return the code of each candidate's form.

    Shape: `rows` is candidates x `len(CANDIDATE_FEATURES)`; the codes, places in `FORMS`, have one entry a candidate.
    """
    operation, left, right = (rows[:, column].astype(np.intp) for column in (_OPERATION, _LEFT, _RIGHT))
    first = (left >= RESULT1) & (left <= RESULT3)
    second = np.where((right >= RESULT1) & (right <= RESULT3), 2, (right == CONSTANT).astype(np.intp))
    return operation * FORMS_OF_OPERATION + first * len(_SECOND) + second


def design(rows: Floats, mean: Floats, scale: Floats) -> Floats:
    """Return what the weights are multiplied by: standardised columns, categories as indicators, and a one.

    Args:
        rows: The features of candidates.
        scale: What each column is then divided by.

    Shape: `rows` is candidates x `len(CANDIDATE_FEATURES)`, `mean` and `scale` have one entry a column; the result is
        candidates x (columns, codes of each category, one).
    """
    columns = rows.shape[1]
    wide = np.empty((len(rows), columns + len(_CATEGORIES) * len(_CODES) + 1), np.float32)
    wide[:, :columns] = _standardised(rows, mean, scale).T
    codes = _code_places(rows)
    wide[:, columns:-1] = _INDICATORS.take(codes, axis=0).reshape(len(rows), -1)
    wide[:, -1] = 1
    return wide


_SUREST, _SUREST_CHOICE = 0.999, 0.99
_FURTHEST = 30.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a confidence is computed from.

    Attributes:
        share: The probability of the result among all results of the question, by the ranker.
        runner_up: The same of the next likely result; 0 if there is none.
        history: The product of the shares of the answers before.
        turn: How many turns came before.
        alone: Whether the question stands alone, and is not a step of a conversation.
    """

    share: float
    runner_up: float
    history: float
    turn: int
    alone: bool = False

    @property
    def measures(self) -> tuple[float, ...]:
        """What is weighed, in the order of `MEASURES`."""
        share, other = _inside(self.share), _inside(self.runner_up)
        odds = math.log(share / (1 - share))
        return (
            odds,
            math.log(share / other),
            math.log(_inside(self.history)),
            float(self.turn > 0),
            float(self.alone),
            odds * self.alone,
        )


MEASURES = (
    "log odds of the share",
    "log of the lead",
    "log of the history",
    "a later turn",
    "alone",
    "log odds of the share, alone",
)
"""The names of `Evidence.measures`."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A logistic regression over `Evidence.measures`, fitted on answers to companies that were held out."""

    weights: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    intercept: float = 0.0

    def confidence(self, evidence: Evidence) -> float:
        """Return the probability that the answer is right."""
        return _logistic(self.intercept + sum(w * x for w, x in zip(self.weights, evidence.measures, strict=True)))


def shared_confidence(first: float, share: float, other: float) -> float:
    """Return the probability of another result than the answer, of one distribution with the answer's.

    What a calibration gives the answer it gives the other results: either all are less likely than the ranker
    has it, or they share what the answer leaves. None is likelier than the answer.

    Args:
        first: The probability of the answer.
        share: What the ranker gives its result.
        other: What it gives the other one.
    """
    left = (1 - first) / (1 - share) if share < 1 else 0.0
    return min(first, other * min(first / share if share else 0.0, left))


def _inside(share: float, surest: float = _SUREST) -> float:
    return min(surest, max(1 - surest, share))


def _logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-_FURTHEST, min(_FURTHEST, odds))))


@dataclass(frozen=True, slots=True)
class ChoiceEvidence:
    """What the confidence of a choice is computed from.

    Attributes:
        mass: What the number scorer gives the cells that are chosen among, 0 to 1.
        share: The same of all groups like them.
        lines: Whether it chooses among lines, and not among periods.
        under_heading: Whether it names the lines under a heading or above a total, without their numbers.
        of_table: Whether it names all lines of a table.
        every_period: Whether it names all periods of a line.
    """

    mass: float = 1.0
    share: float = 1.0
    lines: bool = False
    under_heading: bool = False
    of_table: bool = False
    every_period: bool = False

    @property
    def measures(self) -> tuple[float, ...]:
        """What is weighed, by the names of `CHOICE_MEASURES`."""
        named = self.under_heading or self.of_table
        odds = (0.0, 0.0) if named else (_log_odds(self.mass), _log_odds(self.share))
        kinds = (self.lines and not named, self.under_heading, self.of_table, self.every_period)
        return (*odds, *map(float, kinds))


CHOICE_MEASURES = (
    "log odds of the mass",
    "log odds of the share",
    "among lines",
    "lines under a heading",
    "all lines of a table",
    "all periods of a line",
)
"""The names of `ChoiceEvidence.measures`."""


@dataclass(frozen=True, slots=True)
class ChoiceCalibration:
    """A logistic regression over `ChoiceEvidence.measures`, fitted on questions of pages that were held out.

    The weights here are for folders that were trained before there were any.
    """

    weights: tuple[float, ...] = (0.6, -0.2, -0.9, 0.0, -1.6, 1.7)
    intercept: float = 1.7

    def confidence(self, evidence: ChoiceEvidence) -> float:
        """Return the probability that a choice is right."""
        return _logistic(self.intercept + sum(w * x for w, x in zip(self.weights, evidence.measures, strict=True)))


def _log_odds(share: float) -> float:
    inside = _inside(share, _SUREST_CHOICE)
    return math.log(inside / (1 - inside))


# How likely a page holds the answer to a question: a logistic regression over what is measured of both.
#
# Learned from questions that are put to their own pages, and to pages that do not answer them
# (`learning.unanswerable`). Half of those have an answer, so half is what it says where nothing speaks for either.


ANSWERABLE_MEASURES: dict[str, str] = {
    "words": "how many words of meaning the question has, up to twelve",
    "unknown": "the weight of those that describe no number of the page",
    "unknown_most": "the largest weight among them",
    "unknown_share": "their share of the weight of all",
    "lacking": "the weight of the words that do not describe the number that most describe",
    "lacking_then": "the same among the numbers of the years that the question names",
    "said_then": "the share of the weight that describes the best number of those years",
    "no_number_then": "no number is of a year that the question names",
    "lacking_label": "the weight of the words that are not in the labels that have most of them",
    "lacking_likeliest": "the weight of the words that do not describe the likeliest number",
    "lacking_taken": "the weight of the words that describe none of the numbers that the best plan takes",
    "lacking_taken_labels": "the same by their labels alone",
    "taken_then": "the best plan takes numbers of the years named alone; 0.5 it takes none of the page",
    "earlier": "how many earlier results the best plan takes",
    "years": "how many years the question names",
    "years_lacking": "how many of them no number of the page is of",
    "label_told": "the largest share of a number's label that the question says, rare words counting more",
    "label_told_taken": "the same, on average of the numbers that the best plan takes; -1 none",
    "row_told": "the largest share of a row's label that the question says",
    "first": "it is the first question",
    "cues": "how many words of it lean on earlier questions",
    "fresh": "how many new numbers it is expected to take",
    "again": "the probability that it takes an earlier result",
    "numbers": "log of how many numbers the page has",
    "share": "log-odds of the best result's share",
    "likeliest": "the probability of the likeliest number",
    "spread": "the entropy of the numbers' probabilities",
}
"""What is measured, by name."""


@dataclass(frozen=True, slots=True)
class Answerability:
    """What was learned of questions and pages.

    Attributes:
        stems: The weights of the words of questions.
        mean: What is measured, on average.
        weights: Of what is measured, in deviations.
        intercept: The log-odds of an average question.

    Shape: `mean`, `scale` and `weights` have one entry a measure.
    """

    stems: StemWeights
    mean: Floats
    scale: Floats
    weights: Floats
    intercept: float

    def probability(self, measured: Floats) -> float:
        """Return the probability that the page holds the answer.

        Shape: One entry a measure.
        """
        return _logistic(self.intercept + float(np.dot((measured - self.mean) / self.scale, self.weights)))
