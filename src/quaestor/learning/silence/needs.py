"""What the answer to a labelled question rests on, and whether another page has the same.

A question that is put to another page may be answered there by accident: both print net income in 2012. Owns the test
for that. It reads labels and numbers, never names or ids.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from quaestor.learning.examples import Example
from quaestor.learning.labels import Chooser, label_turn
from quaestor.plan.steps import Tree
from quaestor.questions.question import Question, read_question
from quaestor.solvers.embedded.page import NumberMatrix
from quaestor.solvers.embedded.page_numbers import CandidateNumber
from quaestor.solvers.embedded.turn_state import DialogueState

_TELLING = 100
"""Two pages that print one number above it say the same; smaller ones and years are printed everywhere."""

_DESCRIBED = 2
"""A question that is answered by a choice is put elsewhere where so many of its words describe numbers of its page."""


@dataclass(frozen=True, slots=True)
class Need:
    """A number of the page that a question needs.

    Attributes:
        leaf: Its place among the numbers of the page; None if any number that is so described will do.
        stems: The stems of the question that describe it.
        line: The stems of its row, or of what is before it in a sentence.
        year: Its year; 0 if none is known.
        value: As printed, without its sign.
        again: The places of all numbers of the page that are equal.
    """

    leaf: int | None
    stems: frozenset[str]
    line: frozenset[str]
    year: int
    value: float
    again: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TurnRequirements:
    """A turn with what it needs of the page.

    Attributes:
        needs: The numbers that it takes itself; none if it goes on with earlier results alone.
        known: The numbers that turns before it took.
    """

    question: Question
    needs: tuple[Need, ...]
    known: frozenset[int]


def needy_turns(example: Example, page: NumberMatrix) -> Iterator[TurnRequirements]:
    """Yield the turns of a labelled conversation with what each needs."""
    state, trees, known = DialogueState(), list[Tree](), set[int]()
    for question, gold in zip(map(read_question, example.questions), example.gold, strict=True):
        stems = set(question.stems).union(*(asked.stems for asked in state.questions[-1:]))
        label, tree = label_turn(question, gold, trees, state, page, _nearest(page, stems, question.years))
        leaves = [o.index for o in label.outcome.operands if o.kind == "leaf"]
        again = [found for o, found in zip(label.outcome.operands, label.acceptable, strict=True) if o.kind == "leaf"]
        needs = (_need(leaf, question, page, places) for leaf, places in zip(leaves, again, strict=True))
        yield TurnRequirements(question, tuple(needs), frozenset(known))
        known.update(leaves)
        state = state.after(question, label.outcome)
        trees.append(tree)


def choosing_turns(example: Example, page: NumberMatrix) -> Iterator[TurnRequirements]:
    """Yield questions that a choice among lines, years or cells answers: each needs numbers that its words describe."""
    for question in map(read_question, example.questions):
        stems = frozenset(stem for stem in question.stems if stem in page.vocabulary)
        need = Need(None, stems, frozenset(), 0, 0.0, ())
        yield TurnRequirements(question, (need,) if len(stems) >= _DESCRIBED else (), frozenset())


def _nearest(page: NumberMatrix, stems: set[str], years: Sequence[int]) -> Chooser:
    def choose(options: Sequence[int]) -> int:
        def fit(place: int) -> tuple[float, bool]:
            leaf = page.leaves[place]
            return len(stems & {*leaf.row, *leaf.column}) + 0.5 * (leaf.year in years), leaf.table >= 0

        return max(options, key=fit)

    return choose


def _need(place: int, question: Question, page: NumberMatrix, again: Sequence[int]) -> Need:
    leaf = page.leaves[place]
    stems = frozenset(question.stems) & described_by(leaf)
    return Need(place, stems, frozenset(leaf.row), leaf.year, abs(float(page.value[place])), tuple(again))


def described_by(leaf: CandidateNumber) -> frozenset[str]:
    """Return the stems of all that describes a number."""
    return frozenset((*leaf.row, *leaf.column, *leaf.around, *leaf.caption))


def is_answered_by(page: NumberMatrix, needs: Sequence[Need]) -> bool:
    """Return whether a page has, by accident or again, what a question needs.

    It does if for each number it has one that is equal, or one of that year which all the words of the question
    describe that describe the needed one, in a line whose name has no more words.

    Args:
        page: The numbers of the page that the question is put to.
        needs: What the answer rests on, on the page that it was asked of.
    """
    return all(_is_met(page, need) for need in needs)


def _is_met(page: NumberMatrix, need: Need) -> bool:
    telling = need.value > _TELLING and not _is_year(need.value)
    if telling and np.isclose(np.abs(page.value), need.value, rtol=1e-9).any():
        return True
    return any(_fits(leaf, need) for leaf in page.leaves)


def _fits(leaf: CandidateNumber, need: Need) -> bool:
    if need.year and leaf.year and need.year not in (leaf.year, leaf.other_year):
        return False
    if not need.stems <= described_by(leaf):
        return False
    return leaf.table < 0 or frozenset(leaf.row) <= need.line | need.stems


def _is_year(value: float) -> bool:
    return value == int(value) and 1950 <= value <= 2050
