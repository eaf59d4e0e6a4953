"""What is measured of a plan against the conversation: what the turns before did and left open."""

import numpy as np

from quaestor.solvers.embedded.candidates import ADD, CONSTANT, MULTIPLY, NONE, OPERATIONS, Candidates
from quaestor.solvers.embedded.operands import Column
from quaestor.solvers.embedded.question import HINTS
from quaestor.solvers.embedded.scoring import Asked
from quaestor.solvers.embedded.state import State


def dialogue_columns(candidates: Candidates, asked: Asked, state: State) -> dict[str, Column]:
    """Returns the columns of all candidates that look at the turns before and at the question as a whole."""
    pool, i, j = candidates.pool, candidates.first, candidates.second
    size, turns = len(candidates), len(state.outcomes)
    last = state.outcomes[-1].operation if turns else ""
    last_result = (pool.turn == 1) & (pool.kind != NONE)
    second_last = (pool.turn == 2) & (pool.kind != NONE)
    constant = np.where(pool.kind[j] == CONSTANT, pool.value[j], -1)
    said = [outcome.value for outcome in state.outcomes if outcome.value is not None]
    last_code = OPERATIONS.index(last) if last in OPERATIONS else -1
    return {
        "value_said": np.isin(candidates.value, said),
        "constant_turns": constant == _terms(state),
        "same_operation": candidates.operation == last_code,
        "last_operation": np.full(size, last_code),
        "analogy": _analogy(candidates, state),
        "uses_last": last_result[i] | last_result[j],
        "uses_all": (last_result[i] & second_last[j]) | (last_result[j] & second_last[i]),
        "unused_results": np.full(size, _unused(state)),
        "turn": np.full(size, turns),
        "question_length": np.full(size, len(asked.now.shapes)),
        "years_named": np.full(size, len(asked.now.years)),
        **{f"hint:{name}": np.full(size, name in asked.now.hints) for name in HINTS},
    }


def _terms(state: State) -> int:
    """How many numbers the lookups and sums just before brought together."""
    terms = 0
    for outcome in reversed(state.outcomes):
        if outcome.operation not in ("lookup", "add"):
            break
        terms += 2 if outcome.operation == "add" and terms == 0 else 1
    return terms


def _unused(state: State) -> int:
    """How many lookups no later turn has used."""
    used = {o.index for outcome in state.outcomes for o in outcome.operands if o.kind == "result"}
    return sum(1 for turn in state.lookups() if turn not in used)


def _analogy(candidates: Candidates, state: State) -> Column:
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
