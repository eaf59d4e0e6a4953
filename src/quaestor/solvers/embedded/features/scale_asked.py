"""Whether the result of a plan counts in the scale that its question asks for: "in millions", "in dollars"."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quaestor.solvers.embedded.candidates.enumerate import Candidates
from quaestor.solvers.embedded.candidates.operations import ADD, AVERAGE, DIVIDE, LOOKUP, MULTIPLY, SUBTRACT, SUM
from quaestor.solvers.embedded.candidates.pool import CONSTANT, Pool
from quaestor.solvers.embedded.features.operands import Column
from quaestor.solvers.embedded.page.matrix import NumberMatrix, among
from quaestor.solvers.embedded.state.dialogue import DialogueState, TurnAction
from quaestor.solvers.embedded.state.turn_view import TurnView


def scale_column(candidates: Candidates, turns: Sequence[TurnView]) -> Column:
    """Return 1 where the result has the scale asked for, -1 where another, 0 if none is asked or known.

    Args:
        turns: Page, conversation and question, after each reading of the turns before.

    Shape: One entry a candidate.
    """
    asked = turns[0].question.power
    if asked is None:
        return np.zeros(len(candidates))
    pool, i, j, code = candidates.pool, candidates.first, candidates.second, candidates.operation
    power = _powers(pool, turns)
    shift = np.log10(np.where((pool.kind[j] == CONSTANT) & (pool.value[j] > 0), pool.value[j], np.nan))
    moved = np.select(
        [code == MULTIPLY, code == DIVIDE, among(code, (LOOKUP, ADD, SUBTRACT, SUM, AVERAGE))],
        [-shift, shift, 0.0],
        np.nan,
    )
    result = power[i] + moved
    return np.where(np.isnan(result), 0, np.where(np.abs(result - asked) < 0.01, 1, -1))


def _powers(pool: Pool, turns: Sequence[TurnView]) -> NDArray[np.float64]:
    powers, leaves = np.full(len(pool.operands), np.nan), turns[0].leaves
    for n, operand in enumerate(pool.operands):
        state = turns[pool.reading[n]].state
        if pool.leaf[n] >= 0:
            powers[n] = leaves.power[pool.leaf[n]]
        elif operand.kind == "group":
            first = pool.members(n)[0]
            powers[n] = _operand_power(first.kind, first.index, state, leaves)
        elif operand.kind == "result":
            powers[n] = power_of(state.outcomes[operand.index], state, leaves)
    return powers


def power_of(outcome: TurnAction, state: DialogueState, leaves: NumberMatrix) -> float:
    """Return the power of ten that a result counts in; nan where unknown, as of ratios.

    Args:
        state: The conversation, at least as far as the results that the outcome uses.

    Units: A power of ten: 6 for millions, 0 for numbers as they are.
    """
    if not outcome.operands:
        return math.nan
    powers = [_operand_power(operand.kind, operand.index, state, leaves) for operand in outcome.operands]
    if outcome.operation in ("lookup", "add", "subtract", "sum", "average"):
        return powers[0]
    factor = next((o.value for o in outcome.operands if o.kind == "constant" and o.value > 0), None)
    if factor is None:
        return math.nan
    if outcome.operation == "multiply":
        return next((power for power in powers if not math.isnan(power)), math.nan) - math.log10(factor)
    divided = outcome.operation == "divide" and outcome.operands[1].kind == "constant"
    return powers[0] + math.log10(factor) if divided else math.nan


def _operand_power(kind: str, index: int, state: DialogueState, leaves: NumberMatrix) -> float:
    if kind == "leaf":
        return float(leaves.power[index])
    return power_of(state.outcomes[index], state, leaves) if kind == "result" else math.nan
