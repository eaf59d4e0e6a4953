"""Plans on what was answered before: the same again ("and in 2012?"), or on the numbers of a list ("the change?")."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from quaestor.core.patterns import lazy_regex
from quaestor.questions.comparison import boundary
from quaestor.questions.question import Question
from quaestor.questions.times import times_asked
from quaestor.solvers.embedded.candidates import CHANGE, LOOKUP, OPERATIONS, Candidates
from quaestor.solvers.embedded.operand_pool import CONSTANT
from quaestor.solvers.embedded.page import Floats, NumberMatrix, is_among
from quaestor.solvers.embedded.turn_state import DialogueState, Operand, TurnView

# Such a question leaves out all but what is new in it, so it can mean little else; the ranker has seen too few of
# them to know. Of 75 labelled turns that ask for another year of what was looked up 72 are answered by such a plan.

_MEANT = 5.0
"""What is added to the log odds of such a plan."""
_CALCULATED = frozenset({"subtract", "divide", "multiply", "percentage_change"})
"""What can be asked for again. A sum cannot: "and in 2008?" after one asks for its next term."""

_GOES_ON = lazy_regex(
    r"(?:and|so|then|now|but|or)?,?\s*(?:(?:what|how) about)?\s*(?:what (?:was|is|were|are) (?:it|they),?\s+)?"
    r"(?:only|also|then|just)?,?\s*"
    r"(?:in|for|during|as of|at|between|from|related to|under|over|on)\b(?!.*\b(?:what|how|which)\b)[^?]*\?*"
)
_CONVERTS = lazy_regex(r"\b(?:thousands?|mill?i?ons?|billions?|hundreds?|tens|percent\w*|dollars|terms|decimal)\b")

_Calculation = tuple[int, tuple[int | float, ...]]
"""The code of an operation and its operands, one or two: the number of the page that each is, or the constant."""


def score_meant(plans: Candidates, turns: Sequence[TurnView]) -> Floats:
    """Return what is added to the score of each plan.

    Args:
        plans: Those after each reading of the turns before.
        turns: Page, conversation and question, likewise.

    Shape: One entry a plan.
    """
    scores = np.zeros(len(plans), np.float32)
    for turn, part in zip(turns, plans.parts, strict=True):
        for meant in (_find_restatements(plans, part, turn), _find_plans_on_list(plans, part, turn)):
            scores[part] += np.where(meant, np.float32(_MEANT), np.float32(0))
    return scores


def _find_restatements(plans: Candidates, part: slice, turn: TurnView) -> NDArray[np.bool_]:
    """Which plans do once more what the turn did whose calculation a question asks for again."""
    meant = find_restated_turn(turn)
    calculation = None if meant is None else _read_calculation(turn.state, meant)
    if calculation is None:
        return np.zeros(part.stop - part.start, bool)
    return _find_repeats(plans, part, turn, calculation)


def _find_plans_on_list(plans: Candidates, part: slice, turn: TurnView) -> NDArray[np.bool_]:
    """Which plans are on the numbers of the list that was answered last and no other: "and the change?".

    Benchmark conversations have no lists, so the ranker has not seen one before such a question.
    """
    question = turn.question
    listed = frozenset() if question.names or question.years else _read_leaves(turn.state.last_list)
    if not listed:
        return np.zeros(part.stop - part.start, bool)
    return np.array([_read_leaves(outcome.operands) == listed for outcome in plans.take(part).outcomes()], bool)


def _read_leaves(operands: Sequence[Operand]) -> frozenset[int]:
    """The numbers of the page that operands are; empty if any operand is something else."""
    if any(operand.kind != "leaf" for operand in operands):
        return frozenset()
    return frozenset(operand.index for operand in operands)


def find_restated_turn(turn: TurnView) -> int | None:
    """Return the earlier turn whose calculation a question asks for again, from 0; None if it asks for none."""
    question, outcomes = turn.question, turn.state.outcomes
    if not outcomes or not len(turn.leaves) or not _goes_on(question):
        return None
    last = outcomes[-1].operation
    return len(outcomes) - 1 if last in _CALCULATED or (last == "lookup" and _names_years(question)) else None


@lru_cache(maxsize=64)
def _goes_on(question: Question) -> bool:
    """Whether a question names a time, a place or a thing alone."""
    return _GOES_ON.fullmatch(question.lowered.strip()) is not None and not _CONVERTS.search(question.lowered)


def _names_years(question: Question) -> bool:
    """Whether a question names years, and no end of one: the beginning of a year is the end of the one before."""
    return bool(question.years) and not boundary(question.lowered)


def _find_repeats(plans: Candidates, part: slice, turn: TurnView, calculation: _Calculation) -> NDArray[np.bool_]:
    """Which plans do the same, each operand as it was or moved along its line or across it, and one of them moved."""
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
    """Which operands of the pool are what an operand was, and which are the same thing as the question names it."""
    pool, leaves = plans.pool, turn.leaves
    if isinstance(was, float):
        return (pool.kind == CONSTANT) & (pool.value == was), np.zeros(len(pool.kind), bool)
    leaf, at = pool.leaf, np.maximum(pool.leaf, 0)
    near = (leaf >= 0) & (leaf != was) & (leaves.table[at] == leaves.table[was])
    line, place = leaves.line[at] == leaves.line[was], leaves.place[at] == leaves.place[was]
    # The numbers of two sentences have nothing in common by their order.
    near &= line ^ place if leaves.table[was] >= 0 else line
    of_year = near & is_among(leaves.year[at], turn.question.year_set or turn.target_years)
    if not any(time.is_fine for time in times_asked(turn.question)):
        # Of several numbers of a year that one is meant that is called as the last one was: no quarter after a year.
        alike = of_year & _is_called_alike(was, leaves)[at]
        of_year = alike if alike.any() else of_year
    return leaf == was, of_year | (near & _has_asked_words(was, turn.question, leaves)[at])


def _is_called_alike(was: int, leaves: NumberMatrix) -> NDArray[np.bool_]:
    """Which numbers have the labels of this one, but for times."""
    number = leaves.leaves[was]
    return np.array([(leaf.row, leaf.column) == (number.row, number.column) for leaf in leaves.leaves], bool)


def _has_asked_words(was: int, question: Question, leaves: NumberMatrix) -> NDArray[np.bool_]:
    """Which numbers have a word of the question in their labels that this one has not."""
    asked, own = frozenset(question.stems), leaves.named[was]
    return np.array([not asked.isdisjoint(named - own) for named in leaves.named], bool)


def _read_calculation(state: DialogueState, turn: int) -> _Calculation | None:
    """What a turn calculated from numbers of the page and constants; None if it has other parts."""
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
        # A change over its base is a percentage change of what it is the change of.
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
