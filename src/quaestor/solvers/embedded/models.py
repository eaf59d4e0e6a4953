"""The learned models of the solver: boosted trees, the ranker, and how sure an answer is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal, Protocol, TypedDict, cast, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic_core import from_json

from quaestor.errors import ModelError
from quaestor.solvers.embedded.candidates import OPERATIONS
from quaestor.solvers.embedded.operand_pool import CONSTANT, RESULT1, RESULT3
from quaestor.solvers.embedded.page import Floats, StemWeights
from quaestor.solvers.embedded.plan_features import CANDIDATE_FEATURES, CATEGORIES

# Boosted trees, read from what is kept of XGBoost's JSON and applied with numpy alone.
#
# XGBoost fits the trees (`learning/trees.py`), and only who trains needs it: it brings scipy along, seven times the
# size of what is here. What is computed here is bit for bit what XGBoost computes; a test compares the two wherever
# XGBoost is installed.
#
# Trees ask the same things again and again, so each distinct question is put once to all rows. The answers of 64 rows
# are the bits of one number, and the rows go down a tree side by side: at each node those for which it is true take
# the half of the tree below one branch, the others that below the other (bit slicing).


_DEEPEST = 8
"""Trees are filled up to one depth, so memory doubles with each level, and a way down has to fit into a byte. The
shipped ones have five."""

_SLICE = 64
"""Rows whose answers to one question make one number."""
_AT_ONCE = 4 * _SLICE
"""Rows that are scored together: what is computed between takes some MB for them, however many there are in all."""

_Whole = NDArray[np.intp]
_Flags = NDArray[np.bool_]


class Predictor(Protocol):
    """What turns the leaves of a page into probabilities."""

    def predict(self, blocks: Sequence[Floats]) -> list[NDArray[np.float64]]:
        """Return for each block of rows one probability a row.

        Shape: Each block is leaves x `len(LEAF_FEATURES)`; the array for it has one entry a leaf, and the list one
            array a block.
        """
        ...


class _TreeJson(TypedDict):
    """One tree: lists by node, breadth first. An end has the index -1 and its value as condition.

    The two nodes below each other node follow each other in the order of the nodes above them, so they need no list.
    """

    split_indices: list[int]
    split_conditions: list[float]
    default_left: list[int]


_Field = Literal["split_indices", "split_conditions", "default_left"]
NODE_FIELDS = get_args(_Field)
"""What is read of the nodes of a tree."""


@dataclass(frozen=True, slots=True)
class _Questions:
    """What trees ask, each question once: is the column's value below the threshold?

    Attributes:
        missing_is_below: How a value that is missing counts.

    Shape:
        column: (questions,).
        threshold, missing_is_below: (questions, 1).
    """

    column: _Whole
    threshold: Floats
    missing_is_below: _Flags

    def answers(self, rows: Floats) -> NDArray[np.uint64]:
        """Return the answers for rows, those of 64 as the bits of a number.

        Shape: `rows` is rows x columns, the answers are questions x (rows / 64, rounded up).
        """
        columns = np.zeros((rows.shape[1], -(-len(rows) // _SLICE) * _SLICE), np.float32)
        columns[:, : len(rows)] = rows.T
        asked = columns.take(self.column, axis=0)
        below = asked < self.threshold
        if np.isnan(rows).any():
            below |= np.isnan(asked) & self.missing_is_below
        return np.packbits(below).view(np.uint64).reshape(len(below), -1)


class Trees:
    """Boosted trees."""

    def __init__(self, document: bytes, names: tuple[str, ...] | None = None) -> None:
        """Take what XGBoost writes.

        Args:
            document: The JSON of a model.
            names: The columns that it has to be of; None for those that it names itself.

        Raises:
            ModelError: It is not such a model, or was trained on other columns.
        """
        try:
            learner = from_json(document)["learner"]
            trained_on = tuple(learner["feature_names"])
            booster = learner["gradient_booster"]
            if booster["name"] != "gbtree" or float(learner["learner_model_param"]["base_score"].strip("[]")) != 0:
                raise ValueError("the trees do not start from zero")
            self._questions, self._nodes, self._values = _fill_up(cast("list[_TreeJson]", booster["model"]["trees"]))
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error).partition("\n")[0]
            raise ModelError(f"not in the format that training writes: {reason}") from error
        if trained_on != (names or trained_on) or self._questions.column.max() >= len(trained_on):
            raise ModelError("trained on other columns")
        self.names: tuple[str, ...] = trained_on

    @classmethod
    def read(cls, path: Path, names: tuple[str, ...] | None = None) -> "Trees":
        """Return the trees of a file.

        Args:
            path: The file, in XGBoost's JSON.
            names: The columns that they have to be of; None for those that the file names.

        Raises:
            ModelError: The file is not such a model, or was trained on other columns.
        """
        try:
            return cls(path.read_bytes(), names)
        except (OSError, ModelError) as error:
            raise ModelError(
                f"cannot read the weights {path.name}: {error}; regenerate them with `quaestor train`"
            ) from error

    def predict(self, blocks: Sequence[Floats]) -> list[NDArray[np.float64]]:
        """Return for each block of rows the share of each row: the probability that it is the leaf that is meant.

        Shape: Each block is leaves x `len(LEAF_FEATURES)`; the array for it has one entry a leaf, and the list one
            array a block.
        """
        if not any(map(len, blocks)):
            return [np.zeros(0) for _ in blocks]
        scores = self.scores(np.concatenate(blocks)).astype(np.float64)
        ends = np.cumsum([len(block) for block in blocks])[:-1]
        return [_shares(part) for part in np.split(scores, ends)]

    def scores_of(self, names: tuple[str, ...], rows: Floats) -> Floats:
        """Return the score of each row, whose columns have names.

        Raises:
            ModelError: The trees were trained on other columns.
        """
        if names != self.names:
            raise ModelError("the weights were trained on other features; train them again")
        return self.scores(rows)

    def scores(self, rows: Floats) -> Floats:
        """Return for each row the sum of the trees' values, in their order and in single precision, as XGBoost does.

        Args:
            rows: Values; one that is missing is not a number.

        Shape: `rows` is rows x columns of the model; the scores have one entry a row.
        """
        # Readings of one page differ in a few columns, so a quarter of the rows are there already.
        place: dict[bytes, int] = {}
        places = [place.setdefault(row.tobytes(), len(place)) for row in np.asarray(rows, np.float32)]
        distinct = np.frombuffer(b"".join(place), np.float32).reshape(-1, rows.shape[1])
        parts = range(0, max(1, len(distinct)), _AT_ONCE)
        return np.concatenate([self._scores(distinct[start : start + _AT_ONCE]) for start in parts])[places]

    def _scores(self, rows: Floats) -> Floats:
        """The scores of a few rows."""
        below = self._questions.answers(rows).take(self._nodes, axis=0)
        trees, slices = below.shape[1:]
        way = np.zeros((trees, slices * _SLICE), np.uint8)
        while len(below):
            root, half = below[0], len(below) // 2
            way += way
            way |= np.unpackbits(root.view(np.uint8)).reshape(way.shape)
            left, right = below[1 : 1 + half], below[1 + half :]
            below = (left ^ right) & root
            below ^= left
        here = way[:, : len(rows)] + np.arange(0, len(self._values), len(self._values) // trees)[:, None]
        return _sum_in_order(self._values.take(here))


def _fill_up(trees: Sequence[_TreeJson]) -> tuple[_Questions, _Whole, Floats]:
    """Return what trees ask, which of it each node of each tree asks, and the values of the ends, tree after tree.

    All trees become full ones, of the depth of the deepest. An end that is higher up is repeated at all places below
    it, so it does not matter what is asked on the way there. Of the nodes the root comes first, then those below it
    where the answer is no, each followed by its own, then those where it is yes; the ends are in that order too.

    Shape: The nodes are nodes of a tree x trees.
    """
    if not trees:
        raise ValueError("no trees")
    sizes = [len(tree["split_indices"]) for tree in trees]
    roots = np.cumsum([0, *sizes[:-1]])
    column = np.array(_joined(trees, "split_indices"), np.intp)
    ends = column < 0
    # What is below, to the left of it, after the two of each node before it; an end goes on to itself.
    asking = np.cumsum(~ends)
    place = asking - np.repeat(asking[roots], sizes)
    below = np.where(ends, np.arange(len(ends)), np.repeat(roots, sizes) + 2 * place + 1)
    other = below + ~ends
    column = np.where(ends, 0, column)
    threshold = np.array(_joined(trees, "split_conditions"), np.float32)
    missing_is_below = np.array(_joined(trees, "default_left"), np.bool_)
    if not len(column) == len(threshold) == len(missing_is_below):
        raise ValueError("the lists of a tree differ in length")
    # A question as one number: column, way of what is missing, threshold.
    asked = column.astype(np.uint64) << np.uint64(33) | missing_is_below.astype(np.uint64) << np.uint64(32)
    asked |= threshold.view(np.uint32)
    levels, here = list[_Whole](), roots
    while not levels or not ends[here].all():
        if len(levels) == _DEEPEST:
            raise ValueError(f"a tree is deeper than {_DEEPEST}")
        levels.append(here)
        here = np.stack((other[here], below[here]), axis=1).ravel()
    order = np.empty((0, len(here)), np.intp)
    for level in reversed(levels):
        order = np.concatenate((level[None], order[:, 0::2], order[:, 1::2]))
    _, first, question = np.unique(asked[order], return_index=True, return_inverse=True)
    once = order.ravel()[first]
    questions = _Questions(column[once], threshold[once, None], missing_is_below[once, None])
    return questions, question.reshape(order.shape), threshold[here]


def _joined(trees: Sequence[_TreeJson], field: _Field) -> list[float]:
    """Return one field of the nodes of all trees, tree after tree."""
    return list(chain.from_iterable(tree[field] for tree in trees))


def _sum_in_order(terms: Floats) -> Floats:
    """Return sums down the first axis, one term after the other: in another order a float has another sum.

    numpy adds whole rows in order, unless a row is a single number: then it adds in pairs.
    """
    if terms.shape[1] == 1:
        return cast("Floats", np.cumsum(terms, axis=0, dtype=np.float32)[-1])
    return cast("Floats", np.add.reduce(terms, axis=0, dtype=np.float32))


def _shares(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    odds = np.exp(scores - scores.max(initial=-np.inf))
    shares: NDArray[np.float64] = odds / odds.sum()
    return shares


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


_SUREST = 0.999


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
        odds = self.intercept + sum(w * x for w, x in zip(self.weights, evidence.measures, strict=True))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


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


def _inside(share: float) -> float:
    return min(_SUREST, max(1 - _SUREST, share))


_CHOICE_CONFIDENCE_SUREST = 0.99


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
        odds = self.intercept + sum(w * x for w, x in zip(self.weights, evidence.measures, strict=True))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def _log_odds(share: float) -> float:
    inside = min(_CHOICE_CONFIDENCE_SUREST, max(1 - _CHOICE_CONFIDENCE_SUREST, share))
    return math.log(inside / (1 - inside))


# How likely a page holds the answer to a question: a logistic regression over what is measured of both.
#
# Learned from questions that are put to their own pages, and to pages that do not answer them (`learning.silence`).
# Half of those have an answer, so half is what it says where nothing speaks for either.


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

_FURTHEST = 30.0


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
        odds = self.intercept + float(np.dot((measured - self.mean) / self.scale, self.weights))
        return 1 / (1 + math.exp(-max(-_FURTHEST, min(_FURTHEST, odds))))
