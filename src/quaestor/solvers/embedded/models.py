"""Learned models of the page solver besides its trees: the ranker and the confidence of an answer."""

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
# It has one interpretable weight per feature and form of plan. The fit (`quaestor.learning.ranking`) shrinks the
# weights of rare forms towards those of their operation and of all plans. A standalone question asks for a whole
# calculation, which a conversation does in steps, so it has additional weights.


_FIRST, _SECOND = ("leaf", "result"), ("leaf", "constant", "result")
FORMS = tuple(f"{operation}({first},{second})" for operation in OPERATIONS for first in _FIRST for second in _SECOND)
"""Forms of plans, by code: operation and kinds of operands; a lookup has the form of two leaves."""

FORMS_OF_OPERATION = len(_FIRST) * len(_SECOND)

_CODES = np.arange(-1, 14)
"""Possible codes of a categorical column."""
_INDICATORS = np.eye(len(_CODES) + 1, len(_CODES), dtype=np.float32)
"""One-hot rows by code, and a row of zeros for unknown codes."""
_WIDEST = 4.0
_RANKER_AT_ONCE = 512
"""Candidates scored together, so that intermediate results fit in the processor's cache."""

_COLUMNS = list(CANDIDATE_FEATURES)
_OPERATION, _LEFT, _RIGHT = (_COLUMNS.index(name) for name in ("operation", "first_kind", "second_kind"))
_CATEGORIES = [_COLUMNS.index(name) for name in CATEGORIES]


@dataclass(frozen=True, slots=True)
class Ranker:
    """Weights of the ranker. The softmax of a turn's scores is the probability of each plan.

    `alone` is added to the weights of every form for a standalone question.

    Shape: `mean` and `scale` have one entry per column, `weights` is forms x (columns, codes of each category, one),
        `alone` has one entry per column of `weights`.
    """

    mean: Floats
    scale: Floats
    weights: Floats
    alone: Floats

    def predict(self, rows: Floats, *, alone: bool = False) -> NDArray[np.float64]:
        """Return the score of each candidate; differences are log odds."""
        weights, columns = self.weights + self.alone if alone else self.weights, rows.shape[1]
        forms, plain = form_codes(rows), np.ascontiguousarray(weights[:, :columns])
        scores: Floats = weights[forms, -1] + _sum_category_weights(rows, forms, weights[:, columns:-1])
        for start in range(0, len(rows), _RANKER_AT_ONCE):
            part = slice(start, start + _RANKER_AT_ONCE)
            weighed = _standardise(rows[part], self.mean, self.scale)
            weighed *= plain.take(forms[part], axis=0).T
            scores[part] += np.add.reduce(weighed, axis=0)
        return scores.astype(np.float64)


def _sum_category_weights(rows: Floats, forms: NDArray[np.intp], weights: Floats) -> Floats:
    """Sum of the weights of each candidate's codes, by lookup instead of multiplication with indicators."""
    size = len(_CODES) + 1
    table = np.zeros((len(weights), len(_CATEGORIES), size), np.float32)
    table[:, :, :-1] = weights.reshape(len(weights), len(_CATEGORIES), -1)
    places = _index_codes(rows).T + np.arange(len(_CATEGORIES))[:, None] * size
    places += forms * (len(_CATEGORIES) * size)
    found: Floats = np.add.reduce(table.take(places), axis=0)
    return found


def _index_codes(rows: Floats) -> NDArray[np.intp]:
    """Index of each category's code among those with a weight; the last index for other codes."""
    return np.minimum(rows[:, _CATEGORIES].astype(np.intp) + 1, len(_CODES))


def _standardise(rows: Floats, mean: Floats, scale: Floats) -> Floats:
    """Standardised columns, clipped, as columns x rows."""
    # The features of a turn are stored column by column.
    plain = rows.T - mean[:, None]
    plain /= scale[:, None]
    return np.clip(plain, -_WIDEST, _WIDEST, out=plain)


def form_codes(rows: Floats) -> NDArray[np.intp]:
    """Return the code of each candidate's form."""
    operation, left, right = (rows[:, column].astype(np.intp) for column in (_OPERATION, _LEFT, _RIGHT))
    first = (left >= RESULT1) & (left <= RESULT3)
    second = np.where((right >= RESULT1) & (right <= RESULT3), 2, (right == CONSTANT).astype(np.intp))
    return operation * FORMS_OF_OPERATION + first * len(_SECOND) + second


def design(rows: Floats, mean: Floats, scale: Floats) -> Floats:
    """Return the design matrix: standardised columns, one-hot categories, and a one for the intercept.

    Args:
        scale: The divisor of each column after its mean is subtracted.

    Shape: `rows` is candidates x `len(CANDIDATE_FEATURES)`, `mean` and `scale` have one entry per column; the result is
        candidates x (columns, codes of each category, one).
    """
    columns = rows.shape[1]
    wide = np.empty((len(rows), columns + len(_CATEGORIES) * len(_CODES) + 1), np.float32)
    wide[:, :columns] = _standardise(rows, mean, scale).T
    codes = _index_codes(rows)
    wide[:, columns:-1] = _INDICATORS.take(codes, axis=0).reshape(len(rows), -1)
    wide[:, -1] = 1
    return wide


_SUREST, _SUREST_CHOICE = 0.999, 0.99
_FURTHEST = 30.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """Measures for the confidence of an answer.

    Attributes:
        share: Probability of the result among all results of the question, by the ranker.
        runner_up: Probability of the next likely result; 0 if there is none.
        history: Product of the shares of the earlier answers.
        turn: Number of earlier turns.
        alone: Whether the question is standalone, not a step of a conversation.
    """

    share: float
    runner_up: float
    history: float
    turn: int
    alone: bool = False

    @property
    def measures(self) -> tuple[float, ...]:
        """Values of `MEASURES`, in that order."""
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
"""Names of `Evidence.measures`."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Logistic regression over measures, fitted on answers about held-out companies.

    Attributes:
        weights: Weights of `MEASURES` or of `CHOICE_MEASURES`.
    """

    weights: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    intercept: float = 0.0

    def confidence(self, evidence: "Evidence | ChoiceEvidence") -> float:
        """Return the probability that the answer is right."""
        return _logistic(self.intercept + sum(w * x for w, x in zip(self.weights, evidence.measures, strict=True)))


def shared_confidence(first: float, share: float, other: float) -> float:
    """Return the probability of another result than the answer, consistent with that of the answer.

    A calibration that lowers the answer's share lowers the others by the same factor; one that raises it scales
    the others down to the rest. No result is likelier than the answer.

    Args:
        share: The ranker's share of the answer's result.
        other: The ranker's share of the other result.
    """
    rest = (1 - first) / (1 - share) if share < 1 else 0.0
    return min(first, other * min(first / share if share else 0.0, rest))


def _inside(share: float, surest: float = _SUREST) -> float:
    return min(surest, max(1 - surest, share))


def _logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-_FURTHEST, min(_FURTHEST, odds))))


@dataclass(frozen=True, slots=True)
class ChoiceEvidence:
    """Measures for the confidence of a choice.

    Attributes:
        mass: Sum of the number scorer's probabilities of the cells to choose among, 0 to 1.
        share: Share of `mass` in the sum over all comparable groups.
        lines: Whether the choice is among lines, not periods.
        under_heading: Whether the answer lists the lines under a heading or above a total, without their numbers.
        of_table: Whether the answer lists all lines of a table.
        every_period: Whether the answer lists all periods of a line.
    """

    mass: float = 1.0
    share: float = 1.0
    lines: bool = False
    under_heading: bool = False
    of_table: bool = False
    every_period: bool = False

    @property
    def measures(self) -> tuple[float, ...]:
        """Values of `CHOICE_MEASURES`, in that order."""
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
"""Names of `ChoiceEvidence.measures`."""


UNFITTED = Calibration()
"""The calibration of answers for weights that were trained without one: the share of the result."""

UNFITTED_CHOICES = Calibration((0.6, -0.2, -0.9, 0.0, -1.6, 1.7), 1.7)
"""The calibration of choices for weights that were trained without one."""


def _log_odds(share: float) -> float:
    inside = _inside(share, _SUREST_CHOICE)
    return math.log(inside / (1 - inside))


# The probability that a page has the answer to a question: a logistic regression over features of both.
#
# Fitted on questions to their own pages and to pages that do not answer them (`learning.unanswerable`), with equal
# weights, so the probability without evidence is one half.


ANSWERABLE_MEASURES: dict[str, str] = {
    "words": "how many content words the question has, up to twelve",
    "unknown": "the weight of those that describe no number on the page",
    "unknown_most": "the largest weight among them",
    "unknown_share": "their share of the weight of all",
    "lacking": "the weight of the words that do not describe the number that most describe",
    "lacking_then": "the same among the numbers of the years that the question names",
    "said_then": "the share of the weight that describes the best number of those years",
    "no_number_then": "no number has a year that the question names",
    "lacking_label": "the weight of the words that are not in the labels that have most of them",
    "lacking_likeliest": "the weight of the words that do not describe the likeliest number",
    "lacking_taken": "the weight of the words that describe none of the numbers that the best plan takes",
    "lacking_taken_labels": "the same by their labels alone",
    "taken_then": "the best plan only takes numbers of the years named; 0.5 it takes none of the page",
    "earlier": "how many earlier results the best plan takes",
    "years": "how many years the question names",
    "years_lacking": "how many of them no number of the page has",
    "label_told": "the largest share of a number's label that the question has, rare words weighing more",
    "label_told_taken": "the same, on average of the numbers that the best plan takes; -1 none",
    "row_told": "the largest share of a row's label that the question has",
    "first": "it is the first question",
    "cues": "how many of its words refer to earlier questions",
    "fresh": "how many new numbers it is expected to take",
    "again": "the probability that it takes an earlier result",
    "numbers": "log of how many numbers the page has",
    "share": "log-odds of the best result's share",
    "likeliest": "the probability of the likeliest number",
    "spread": "the entropy of the numbers' probabilities",
}
"""Features of questions and pages, by name."""


@dataclass(frozen=True, slots=True)
class Answerability:
    """Model of the probability that a page has the answer.

    Attributes:
        stems: Weights of the words of questions.
        mean: Mean of each feature.
        weights: Weights of the standardised features.
        intercept: Log-odds for average features.

    Shape: `mean`, `scale` and `weights` have one entry per feature.
    """

    stems: StemWeights
    mean: Floats
    scale: Floats
    weights: Floats
    intercept: float

    def probability(self, measured: Floats) -> float:
        """Return the probability that the page has the answer."""
        return _logistic(self.intercept + float(np.dot((measured - self.mean) / self.scale, self.weights)))
