"""Bonus for plans that repeat an earlier calculation ("and in 2012?") or use the numbers of a list ("the change?")."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from quaestor.core.patterns import lazy_regex
from quaestor.questions.comparison import boundary
from quaestor.questions.question import Question
from quaestor.questions.question_times import times_asked
from quaestor.solvers.embedded.candidates import CHANGE, LOOKUP, OPERATIONS, Candidates
from quaestor.solvers.embedded.operand_pool import CONSTANT
from quaestor.solvers.embedded.page import Floats, NumberMatrix, is_among
from quaestor.solvers.embedded.turn_state import DialogueState, Operand, TurnView

# Such a question contains only what is new, so it is nearly unambiguous, but the ranker was trained on too few of them.
# Of 75 labelled turns that ask for another year of a lookup, 72 are answered by such a plan.

_BONUS = 5.0
"""Bonus added to the log-odds of such a plan."""
_CALCULATED = frozenset({"subtract", "divide", "multiply", "percentage_change"})
"""Operations that may be repeated. After a sum "and in 2008?" asks for its next term instead."""

_CONTINUES = lazy_regex(
    r"(?:and|so|then|now|but|or)?,?\s*(?:(?:what|how) about)?\s*(?:what (?:was|is|were|are) (?:it|they),?\s+)?"
    r"(?:only|also|then|just)?,?\s*"
    r"(?:in|for|during|as of|at|between|from|related to|under|over|on)\b(?!.*\b(?:what|how|which)\b)[^?]*\?*"
)
_CONVERTS = lazy_regex(r"\b(?:thousands?|mill?i?ons?|billions?|hundreds?|tens|percent\w*|dollars|terms|decimal)\b")

_Calculation = tuple[int, tuple[int | float, ...]]
"""Code of an operation with its one or two operands: leaves as int, constants as float."""


def score_meant(plans: Candidates, turns: Sequence[TurnView]) -> Floats:
    """Return the bonus of each plan."""
    scores = np.zeros(len(plans), np.float32)
    for turn, part in zip(turns, plans.parts, strict=True):
        for meant in (_find_restatements(plans, part, turn), _find_plans_on_list(plans, part, turn)):
            scores[part] += np.where(meant, np.float32(_BONUS), np.float32(0))
    return scores


def _find_restatements(plans: Candidates, part: slice, turn: TurnView) -> NDArray[np.bool_]:
    """Find the plans that repeat the calculation of the earlier turn that the question refers to."""
    meant = find_restated_turn(turn)
    calculation = None if meant is None else _read_calculation(turn.state, meant)
    if calculation is None:
        return np.zeros(part.stop - part.start, bool)
    return _find_repeats(plans, part, turn, calculation)


def _find_plans_on_list(plans: Candidates, part: slice, turn: TurnView) -> NDArray[np.bool_]:
    """Find the plans on exactly the numbers of the last answer, if that is a list: "and the change?".

    Benchmark conversations have no lists, so the ranker was not trained on such questions.
    """
    question = turn.question
    listed = frozenset() if question.names or question.years else _read_leaves(turn.state.last_list)
    if not listed:
        return np.zeros(part.stop - part.start, bool)
    return np.array([_read_leaves(outcome.operands) == listed for outcome in plans.take(part).outcomes()], bool)


def _read_leaves(operands: Sequence[Operand]) -> frozenset[int]:
    """Return the leaves of operands; empty if any operand is not a leaf."""
    if any(operand.kind != "leaf" for operand in operands):
        return frozenset()
    return frozenset(operand.index for operand in operands)


def find_restated_turn(turn: TurnView) -> int | None:
    """Return the earlier turn, from 0, whose calculation a question asks to repeat, or None."""
    question, outcomes = turn.question, turn.state.outcomes
    if not outcomes or not len(turn.leaves) or not _continues(question):
        return None
    last = outcomes[-1].operation
    return len(outcomes) - 1 if last in _CALCULATED or (last == "lookup" and _names_years(question)) else None


@lru_cache(maxsize=64)
def _continues(question: Question) -> bool:
    """Whether a question names only a time, a place or a thing."""
    return _CONTINUES.fullmatch(question.lowered.strip()) is not None and not _CONVERTS.search(question.lowered)


def _names_years(question: Question) -> bool:
    """Whether a question names years but not their beginning or end, since years begin at the end of the one before."""
    return bool(question.years) and not boundary(question.lowered)


def _find_repeats(plans: Candidates, part: slice, turn: TurnView, calculation: _Calculation) -> NDArray[np.bool_]:
    """Find the plans that repeat a calculation with at least one operand moved along its line or column."""
    code, operands = calculation
    again: NDArray[np.bool_] = plans.operation[part] == code
    moved = np.zeros(len(again), bool)
    if not again.any():
        return again
    for was, index in zip(operands, (plans.first[part], plans.second[part]), strict=False):
        stays, moves = _compare(was, plans, turn)
        again = again & (stays | moves)[index]
        moved |= moves[index]
    return again & moved


def _compare(was: int | float, plans: Candidates, turn: TurnView) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Find the operands of the pool that equal an earlier operand, and its counterparts for the question."""
    pool, leaves = plans.pool, turn.leaves
    if isinstance(was, float):
        return (pool.kind == CONSTANT) & (pool.value == was), np.zeros(len(pool.kind), bool)
    leaf, at = pool.leaf, np.maximum(pool.leaf, 0)
    near = (leaf >= 0) & (leaf != was) & (leaves.table[at] == leaves.table[was])
    line, place = leaves.line[at] == leaves.line[was], leaves.place[at] == leaves.place[was]
    # The position of numbers in different sentences means nothing.
    near &= line ^ place if leaves.table[was] >= 0 else line
    of_year = near & is_among(leaves.year[at], turn.question.year_set or turn.target_years)
    if not any(time.is_fine for time in times_asked(turn.question)):
        # Of several numbers of a year the one with the same labels is meant: not a quarter after a year.
        alike = of_year & _has_same_labels(was, leaves)[at]
        of_year = alike if alike.any() else of_year
    return leaf == was, of_year | (near & _has_asked_words(was, turn.question, leaves)[at])


def _has_same_labels(was: int, leaves: NumberMatrix) -> NDArray[np.bool_]:
    """Find the numbers with the same labels, except for times."""
    number = leaves.leaves[was]
    return np.array([(leaf.row, leaf.column) == (number.row, number.column) for leaf in leaves.leaves], bool)


def _has_asked_words(was: int, question: Question, leaves: NumberMatrix) -> NDArray[np.bool_]:
    """Find the numbers with a word of the question in their labels that this number lacks."""
    words, own = frozenset(question.stems), leaves.named[was]
    return np.array([not words.isdisjoint(named - own) for named in leaves.named], bool)


def _read_calculation(state: DialogueState, turn: int) -> _Calculation | None:
    """Return the calculation of a turn with leaves and constants; None if it has other operands."""
    outcome = state.outcomes[turn]
    if outcome.operation == "lookup" and turn in state.lookups:
        return LOOKUP, (state.lookups[turn],)
    if len(outcome.operands) != 2 or outcome.operation not in OPERATIONS:
        return None
    first, second = (_number_or_constant(operand, state) for operand in outcome.operands)
    if first is not None and second is not None:
        return OPERATIONS.index(outcome.operation), (first, second)
    changed = outcome.operands[0]
    if outcome.operation == "divide" and changed.kind == "result" and second is not None:
        inner = _read_calculation(state, changed.index)
        # A change divided by its base is a percentage change.
        if inner is not None and OPERATIONS[inner[0]] == "subtract" and inner[1][1] == second:
            return CHANGE, inner[1]
    return None


def _number_or_constant(operand: Operand, state: DialogueState) -> int | float | None:
    match operand.kind:
        case "leaf":
            return operand.index
        case "constant":
            return float(operand.value)
        case "result":
            return state.lookups.get(operand.index)
    return None
