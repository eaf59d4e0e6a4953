"""What is measured of a plan against the conversation: what the turns before did and left open."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from quaestor.solvers.embedded.candidates.enumerate import Candidates
from quaestor.solvers.embedded.candidates.operations import ADD, MULTIPLY, OPERATIONS
from quaestor.solvers.embedded.candidates.pool import CONSTANT, NONE, Pool
from quaestor.solvers.embedded.features.operands import Column
from quaestor.solvers.embedded.features.pairing import is_operand
from quaestor.solvers.embedded.features.references import reference_columns
from quaestor.solvers.embedded.page.matrix import NumberMatrix, among
from quaestor.solvers.embedded.state.dialogue import DialogueState, Operand, TurnAction
from quaestor.solvers.embedded.state.turn_view import TurnView

_ALIKE = 3
"""How many turns back a question can go on as one before: "and in 2012?"."""

_VERB = re.compile(r"\b(?:is|was|were|are|be|been|did|does|do|has|have|had|would|will|can|could|came|come|changed?)\b")
_AGAIN = re.compile(r"\b(?:was|is|were|are|about)(?:,? then,?)? (?:this|that|these|those|it|they|the same)\b")


def dialogue_columns(candidates: Candidates, turns: Sequence[TurnView]) -> dict[str, Column]:
    """Return the columns of all candidates that look at the turns before and at the question as a whole.

    Args:
        turns: Page, conversation and question, after each reading of the turns before.

    Shape: Each column has one entry a candidate.
    """
    pool, i, j, reading = candidates.pool, candidates.first, candidates.second, candidates.reading
    size, states, question = len(candidates), [turn.state for turn in turns], turns[0].question
    last_result = (pool.turn == 1) & (pool.kind != NONE)
    second_last = (pool.turn == 2) & (pool.kind != NONE)
    constant = np.where(pool.kind[j] == CONSTANT, pool.value[j], -1)
    last_code = np.array([_code(state.outcomes[-1]) if state.outcomes else -1 for state in states])[reading]
    terms, unused = (np.array([count(state) for state in states])[reading] for count in (_terms, _unused))
    return {
        "value_said": _said(candidates, states),
        "constant_turns": constant == terms,
        "same_operation": candidates.operation == last_code,
        "last_operation": last_code,
        "analogy": _analogy(candidates, states),
        **_parallel_columns(candidates, turns),
        **_role_columns(candidates, turns),
        "first_repeat": _repeated(candidates, turns),
        **reference_columns(candidates, turns),
        "uses_last": last_result[i] | last_result[j],
        "uses_all": (last_result[i] & second_last[j]) | (last_result[j] & second_last[i]),
        "unused_results": unused,
        "turn": np.full(size, len(states[0].outcomes)),
        "question_length": np.full(size, len(question.shapes)),
        "years_named": np.full(size, len(question.years)),
    }


def _code(outcome: TurnAction) -> int:
    return OPERATIONS.index(outcome.operation) if outcome.operation in OPERATIONS else -1


def _said(candidates: Candidates, states: Sequence[DialogueState]) -> Column:
    """Whether the result is an earlier answer already."""
    parts = zip(candidates.parts, states, strict=True)
    values = (
        (candidates.value[part], [o.value for o in state.outcomes if o.value is not None]) for part, state in parts
    )
    return np.concatenate([among(found, said) for found, said in values])


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
    return sum(1 for turn in state.lookups if turn not in used)


def _analogy(candidates: Candidates, states: Sequence[DialogueState]) -> Column:
    """True if an earlier turn did the same operation on results as many turns before it."""
    pool, turns = candidates.pool, len(states[0].outcomes)
    back_of = np.where(pool.result >= 0, turns - pool.result, 0)
    first, second = back_of[candidates.first], back_of[candidates.second]
    found = np.zeros(len(candidates), bool)
    for part, state in zip(candidates.parts, states, strict=True):
        for code, a, b in _patterns(state):
            hit = (first[part] == a) & (second[part] == b)
            if code in (ADD, MULTIPLY):
                hit |= (first[part] == b) & (second[part] == a)
            found[part] |= hit & (candidates.operation[part] == code)
    return found


def _patterns(state: DialogueState) -> set[tuple[int, int, int]]:
    """What the turns did, each with how many turns before it the results were that it took; 0 of what is none."""
    patterns = set()
    for turn, outcome in enumerate(state.outcomes):
        back = [turn - o.index if o.kind == "result" else 0 for o in outcome.operands]
        if len(back) == 2 and outcome.operation in OPERATIONS:
            patterns.add((OPERATIONS.index(outcome.operation), back[0], back[1]))
    return patterns


def _parallel_columns(candidates: Candidates, turns: Sequence[TurnView]) -> dict[str, Column]:
    question = turns[0].question.lowered
    parallel = _parallel(candidates, turns[0].leaves, [turn.state for turn in turns])
    goes_on = parallel.astype(bool)
    short = _VERB.search(question) is None
    again = not short and _AGAIN.search(question) is not None
    return {"parallel": parallel, "parallel_short": goes_on & short, "parallel_again": goes_on & again}


def _parallel(candidates: Candidates, leaves: NumberMatrix, states: Sequence[DialogueState]) -> Column:
    """1 where one of the last turns did the same on these lines in other places, 2 in these places on other lines."""
    found = np.zeros(len(candidates))
    if not len(leaves):
        return found
    pool, before = candidates.pool, len(states[0].outcomes)
    leaf, at = pool.leaf, np.maximum(pool.leaf, 0)
    for turn in range(max(0, before - _ALIKE), before):
        code, *taken = _taken(states, turn)[:, pool.reading]
        line = candidates.operation == code[candidates.first]
        if not line.any():
            continue
        place = line
        for was, operand in zip(taken, (candidates.first, candidates.second), strict=True):
            moved = (leaf >= 0) & (leaves.table[at] == leaves.table[was]) & (leaf != was)
            same_line, same_place = leaves.line[at] == leaves.line[was], leaves.place[at] == leaves.place[was]
            line = line & ((was < 0) | (moved & same_line))[operand]
            place = place & ((was < 0) | (moved & same_place & ~same_line))[operand]
        found = np.where(line, 1, np.where(place, 2, found))
    return found


def _taken(states: Sequence[DialogueState], turn: int) -> NDArray[np.int32]:
    """The operation of a turn, its first and its second leaf in each reading; -1 none, or not on leaves alone.

    Shape: 3 x readings.
    """
    taken = np.full((3, len(states)), -1, np.int32)
    for n, state in enumerate(states):
        outcome, lookups = state.outcomes[turn], state.lookups
        before = [_leaf_of(operand, lookups) for operand in outcome.operands]
        if outcome.operation in OPERATIONS and before and min(before) >= 0:
            taken[: 1 + len(before[:2]), n] = (OPERATIONS.index(outcome.operation), *before[:2])
    return taken


def _leaf_of(operand: Operand, lookups: Mapping[int, int]) -> int:
    """The leaf that an operand is, itself or as the turn that looked it up; -1 none."""
    if operand.kind == "leaf":
        return operand.index
    return lookups.get(operand.index, -1) if operand.kind == "result" else -1


def _role_columns(candidates: Candidates, turns: Sequence[TurnView]) -> dict[str, Column]:
    """What the operands were in the last turn, told apart by whether the question's words for them point back.

    "How much did it represent in relation to total assets?" after "what percentage did cash represent in relation to
    current assets?" takes the part of the last turn, and not its whole.
    """
    sides, role = turns[0].question.comparison, _roles(candidates.pool, turns)
    return {
        "first_role": _role_code(role[candidates.first], sides.first.back),
        "second_role": _role_code(role[candidates.second], sides.second.back),
    }


def _role_code(role: NDArray[np.int8], back: bool) -> Column:
    return np.where(role > 0, role + 2 * back, 0)


def _roles(pool: Pool, turns: Sequence[TurnView]) -> NDArray[np.int8]:
    """Whether each operand of a pool was the first or the second of two that the last turn took; 0 neither."""
    roles = np.zeros(len(pool.operands), np.int8)
    for reading, state in enumerate(turn.state for turn in turns):
        if not state.outcomes or len(state.outcomes[-1].operands) != 2:
            continue
        of_reading, lookups = pool.reading == reading, state.lookups
        for place, part in enumerate(state.outcomes[-1].operands, start=1):
            if part.kind != "constant":
                roles[is_operand(pool, part, lookups) & of_reading] = place
    return roles


def _repeated(candidates: Candidates, turns: Sequence[TurnView]) -> Column:
    result, text = candidates.pool.result, turns[0].question.lowered
    # The last entry is that of what is not a result.
    same = np.array([*(question.lowered == text for question in turns[0].state.questions), False])
    return same[result[candidates.first]]
