"""What is measured of a plan against the conversation: what the turns before did and left open."""

import numpy as np

from quaestor.solvers.embedded.candidates.enumerate import ADD, MULTIPLY, OPERATIONS, Candidates
from quaestor.solvers.embedded.candidates.pool import CONSTANT, NONE
from quaestor.solvers.embedded.features.operands import Column
from quaestor.solvers.embedded.features.references import reference_columns
from quaestor.solvers.embedded.page.matrix import NumberMatrix, among
from quaestor.solvers.embedded.state.dialogue import DialogueState, Operand
from quaestor.solvers.embedded.state.turn_view import TurnView

_ALIKE = 3
"""How many turns back a question can go on as one before: "and in 2012?"."""


def dialogue_columns(candidates: Candidates, turn: TurnView) -> dict[str, Column]:
    """Returns the columns of all candidates that look at the turns before and at the question as a whole.

    Shape: Each column has one entry a candidate.
    """
    pool, i, j, state = candidates.pool, candidates.first, candidates.second, turn.state
    size, turns = len(candidates), len(state.outcomes)
    last = state.outcomes[-1].operation if turns else ""
    last_result = (pool.turn == 1) & (pool.kind != NONE)
    second_last = (pool.turn == 2) & (pool.kind != NONE)
    constant = np.where(pool.kind[j] == CONSTANT, pool.value[j], -1)
    said = [outcome.value for outcome in state.outcomes if outcome.value is not None]
    last_code = OPERATIONS.index(last) if last in OPERATIONS else -1
    return {
        "value_said": among(candidates.value, said),
        "constant_turns": constant == _terms(state),
        "same_operation": candidates.operation == last_code,
        "last_operation": np.full(size, last_code),
        "analogy": _analogy(candidates, state),
        "parallel": _parallel(candidates, turn.leaves, state),
        "first_repeat": _repeated(candidates, turn),
        **reference_columns(candidates, turn),
        "uses_last": last_result[i] | last_result[j],
        "uses_all": (last_result[i] & second_last[j]) | (last_result[j] & second_last[i]),
        "unused_results": np.full(size, _unused(state)),
        "turn": np.full(size, turns),
        "question_length": np.full(size, len(turn.question.shapes)),
        "years_named": np.full(size, len(turn.question.years)),
    }


def _terms(state: DialogueState) -> int:
    """How many numbers the lookups and sums just before brought together."""
    terms = 0
    for outcome in reversed(state.outcomes):
        if outcome.operation not in ("lookup", "add"):
            break
        terms += 2 if outcome.operation == "add" and terms == 0 else 1
    return terms


def _unused(state: DialogueState) -> int:
    """How many lookups no later turn has used."""
    used = {o.index for outcome in state.outcomes for o in outcome.operands if o.kind == "result"}
    return sum(1 for turn in state.lookups() if turn not in used)


def _analogy(candidates: Candidates, state: DialogueState) -> Column:
    """True where an earlier turn did the same operation on results as many turns before it."""
    pool, turns = candidates.pool, len(state.outcomes)
    patterns = set()
    for turn, outcome in enumerate(state.outcomes):
        back = [turn - o.index if o.kind == "result" else 0 for o in outcome.operands]
        if len(back) == 2 and outcome.operation in OPERATIONS:
            patterns.add((OPERATIONS.index(outcome.operation), back[0], back[1]))
    back_of = np.array([turns - o.index if o.kind == "result" else 0 for o in pool.operands])
    first, second = back_of[candidates.first], back_of[candidates.second]
    found = np.zeros(len(candidates), bool)
    for code, a, b in patterns:
        hit = (first == a) & (second == b)
        if code in (ADD, MULTIPLY):
            hit |= (first == b) & (second == a)
        found |= hit & (candidates.operation == code)
    return found


def _parallel(candidates: Candidates, leaves: NumberMatrix, state: DialogueState) -> Column:
    """1 where one of the last turns did the same on these lines in other places, 2 in these places on other lines."""
    found = np.zeros(len(candidates))
    if not len(leaves):
        return found
    pool, lookups = candidates.pool, state.lookups()
    taken_now = (pool.leaf[candidates.first], pool.leaf[candidates.second])
    for outcome in state.outcomes[-_ALIKE:]:
        before = [_leaf_of(operand, lookups) for operand in outcome.operands]
        if outcome.operation not in OPERATIONS or not before or min(before) < 0:
            continue
        line = candidates.operation == OPERATIONS.index(outcome.operation)
        place = line
        for now, was in zip(taken_now, before, strict=False):
            at = np.maximum(now, 0)
            moved = (now >= 0) & (leaves.table[at] == leaves.table[was]) & (now != was)
            same_line, same_place = leaves.line[at] == leaves.line[was], leaves.place[at] == leaves.place[was]
            line, place = line & moved & same_line, place & moved & same_place & ~same_line
        found = np.where(line, 1, np.where(place, 2, found))
    return found


def _leaf_of(operand: Operand, lookups: dict[int, int]) -> int:
    """The leaf that an operand is, itself or as the turn that looked it up; -1 none."""
    if operand.kind == "leaf":
        return operand.index
    return lookups.get(operand.index, -1) if operand.kind == "result" else -1


def _repeated(candidates: Candidates, turn: TurnView) -> Column:
    operands, text = candidates.pool.operands, turn.question.lowered
    answered = np.array([o.kind == "result" and turn.state.questions[o.index].lowered == text for o in operands])
    return answered[candidates.first]
