"""What is measured of each operand of a pool before it is paired: how it is worded, dated and ranked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from quaestor.questions.question import Question
from quaestor.solvers.embedded.candidates.pool import CONSTANT, NONE, Pool
from quaestor.solvers.embedded.features.stem_sets import StemSets
from quaestor.solvers.embedded.features.wording import OPERATION_WORDS
from quaestor.solvers.embedded.page.matrix import within
from quaestor.solvers.embedded.state.turn_view import TurnView

Column = NDArray[np.generic]

_LAST_RANK = 30
_NO_LABEL = frozenset[str]()


@dataclass(frozen=True, slots=True)
class OperandView:
    """The operands of a pool in columns.

    Attributes:
        columns: What is measured of each, by name.
        said: Operands x stems of the question: the operand's label has that stem.
        labels: Labels x stems of all labels.
        label: The label of each, as its place in `labels`.
        year: The year of each; 0 if none is known.
    """

    columns: Mapping[str, Column]
    said: NDArray[np.bool_]
    stems: StemSets
    labels: NDArray[np.float32]
    label: NDArray[np.intp]
    year: NDArray[np.int32]


def view_operands(pool: Pool, probability: Sequence[NDArray[np.float64]], turns: Sequence[TurnView]) -> OperandView:
    """Return the operands of a pool as the ranker's features need them.

    Args:
        probability: The leaf scorer's probability of each leaf, after each reading of the turns before.
        turns: Page, conversation and question, likewise.

    Shape: Each array of `probability` has one entry a leaf; the columns of the view have one an operand.
    """
    has, leaves, asked = pool.leaf >= 0, turns[0].leaves, turns[0].question
    named, readings = leaves.named, pool.reading.tolist()
    of_operand = [
        named[leaf] if leaf >= 0 else _NO_LABEL if kind in (CONSTANT, NONE) else _label(pool, n, turns[readings[n]])
        for n, (leaf, kind) in enumerate(zip(pool.leaf.tolist(), pool.kind.tolist(), strict=True))
    ]
    place = {label: n for n, label in enumerate(dict.fromkeys(of_operand))}
    label = np.array([place[one] for one in of_operand], np.intp)
    question = list(dict.fromkeys(asked.stems))
    said = np.array([[stem in one for stem in question] or [False] for one in place], bool)[label]
    sets, year = StemSets.of(said), _years(pool, turns)
    newest = max(asked.years, default=0)
    columns: dict[str, Column] = {
        "kind": pool.kind,
        "score": pool.score,
        "rank": _ranks(pool, probability),
        "turn": pool.turn,
        "year": np.where((year > 0) & (newest > 0), within(year - newest, -9, 8), 9),
        "lead": _of_leaf(pool, leaves.lead, 0),
        "table": _of_leaf(pool, leaves.table >= 0, -1),
        "word": sets.first_places(),
        "said": sets.shares(),
        "percent": pool.percent,
        "magnitude": pool.magnitude,
        "negative": pool.value < 0,
        "total": _of_leaf(pool, leaves.total, 0),
        "size": np.log10(1 + np.abs(pool.value)),
        "computed": ~has & (pool.turn > 0),
        **_operation_words(asked, list(place), label),
    }
    return OperandView(columns, said, sets, _label_matrix(list(place)), label, year)


def distinct_positions(
    view: OperandView, first: NDArray[np.intp], second: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where in the question each operand is told apart from the other, as shares; 2 nowhere.

    Args:
        first: The first operand of each pair, as its place in the pool.
        second: The second one, likewise.

    Shape: All arrays have one entry a pair.
    """
    a, b = view.stems.take(first), view.stems.take(second)
    return (a - b).first_places(), (b - a).first_places()


def label_overlap(view: OperandView, first: NDArray[np.intp], second: NDArray[np.intp]) -> tuple[Column, Column]:
    """Return how alike the labels of pairs are (Jaccard), and the share of the question that either says.

    Args:
        first: The first operand of each pair, as its place in the pool.
        second: The second one, likewise.

    Shape: All arrays have one entry a pair.
    """
    inside = view.labels @ view.labels.T
    size = view.labels.sum(axis=1)
    one, other = view.label[first], view.label[second]
    shared = inside[one, other]
    alike = shared / np.maximum(size[one] + size[other] - shared, 1)
    return alike, (view.stems.take(first) | view.stems.take(second)).shares()


def _label(pool: Pool, n: int, turn: TurnView) -> frozenset[str]:
    """The stems that name an operand that is not a leaf: of a result its question's and its leaves' words."""
    operand, leaves, state = pool.operands[n], turn.leaves, turn.state
    if operand.kind == "group":
        members = [m.index for m in pool.members(n) if m.kind == "leaf"]
        return frozenset().union(*(leaves.named[leaf] for leaf in members))
    words = set(state.questions[operand.index].stems)
    for index in state.leaves_of(operand.index):
        words.update(leaves.leaves[index].row)
    return frozenset(words)


def _operation_words(
    question: Question, labels: Sequence[frozenset[str]], label: NDArray[np.intp]
) -> dict[str, Column]:
    """For each kind of operation 1 where the question's word for it is the label's own, -1 if it is not."""
    said, nothing = frozenset(question.stems), np.zeros(len(label))
    found: dict[str, Column] = {}
    for name, words in OPERATION_WORDS.items():
        own = said & words
        found[name] = np.array([1 if own & one else -1 for one in labels])[label] if own else nothing
    return found


def _label_matrix(labels: list[frozenset[str]]) -> NDArray[np.float32]:
    vocabulary = {stem: n for n, stem in enumerate(dict.fromkeys(chain.from_iterable(labels)))}
    matrix = np.zeros((len(labels), max(1, len(vocabulary))), np.float32)
    rows = np.repeat(np.arange(len(labels)), [len(label) for label in labels])
    matrix[rows, [vocabulary[stem] for label in labels for stem in label]] = 1
    return matrix


def _years(pool: Pool, turns: Sequence[TurnView]) -> NDArray[np.int32]:
    """A leaf's year; a computed result has one if all its leaves share it, or its question names one alone."""
    leaves = turns[0].leaves
    years = _of_leaf(pool, leaves.year, 0).astype(np.int32)
    for n in np.flatnonzero((pool.leaf < 0) & (pool.turn > 0)).tolist():
        operand, state = pool.operands[n], turns[pool.reading[n]].state
        if operand.kind == "result":
            found = {int(leaves.year[leaf]) for leaf in state.leaves_of(operand.index)} - {0}
            named = state.questions[operand.index].years
            years[n] = found.pop() if len(found) == 1 else named[0] if len(named) == 1 else 0
    return years


def _ranks(pool: Pool, probability: Sequence[NDArray[np.float64]]) -> Column:
    """The place of each operand's leaf among all by their probability, in its reading; -1 if it is not a leaf."""
    ranks = np.zeros((len(probability), max(1, len(probability[0]))), np.int32)
    for row, likely in zip(ranks, probability, strict=True):
        row[np.argsort(-likely, kind="stable")] = np.minimum(np.arange(len(likely)), _LAST_RANK)
    return np.where(pool.leaf >= 0, ranks[pool.reading, np.maximum(pool.leaf, 0)], -1)


def _of_leaf(pool: Pool, values: Column, otherwise: float) -> Column:
    """Each operand's leaf's value; `otherwise` if it is not a leaf."""
    if not len(values):
        return np.full(len(pool.leaf), otherwise)
    return np.where(pool.leaf >= 0, values[np.maximum(pool.leaf, 0)], otherwise)
