"""Every plan that fits a turn: one operation on leaves, earlier results and constants.

A turn of a conversation adds one operation to what is there (94 % of labelled turns), or percentage change, which is
two, or adds up or averages a group of numbers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quaestor.plan.scales import Dimension
from quaestor.questions.question import Question
from quaestor.solvers.embedded.candidates.combining import combinations
from quaestor.solvers.embedded.candidates.operations import (
    ADD,
    AVERAGE,
    CHANGE,
    DIVIDE,
    GREATER,
    GROUPED,
    MULTIPLY,
    OPERATIONS,
    SUBTRACT,
)
from quaestor.solvers.embedded.candidates.pool import NONE, Pool, joined_pools
from quaestor.solvers.embedded.candidates.shifts import ShiftTable, dimension_of_result, reading_of
from quaestor.solvers.embedded.candidates.signature_scores import signature_scores
from quaestor.solvers.embedded.model.signature import Signatures
from quaestor.solvers.embedded.state.dialogue import TurnAction

_SHIFTS = ShiftTable(OPERATIONS, GROUPED)

KEPT, KEPT_BESIDE = 350, 250
"""How many candidates the ranker sees of the likeliest reading of the turns before, and of each other one."""

_COMPUTED = 1.5
"""How many times as many are computed: some of them divide by zero."""


_PAIRS: dict[int, Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]] = {
    SUBTRACT: lambda a, b: a - b,
    ADD: lambda a, b: a + b,
    DIVIDE: lambda a, b: a / b,
    MULTIPLY: lambda a, b: a * b,
    GREATER: lambda a, b: (a > b).astype(float),
    CHANGE: lambda a, b: (a - b) / b,
}
"""What two operands come to. A look-up and a sum come to the first operand itself, an average to its share."""


@dataclass(frozen=True)
class Candidates:
    """Plans in columns, after one reading of the turns before or several: those of one stand together.

    Shape: one entry a plan; `first` and `second` index into the pool.
    """

    pool: Pool
    operation: NDArray[np.int8]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    value: NDArray[np.float64]
    signature: NDArray[np.float64]
    prior: NDArray[np.float64]

    def __len__(self) -> int:
        """The number of plans."""
        return len(self.operation)

    @cached_property
    def reading(self) -> NDArray[np.int32]:
        """Of each plan the reading of the turns before that it follows, from 0.

        Shape: One entry a plan.
        """
        return self.pool.reading[self.first]

    @cached_property
    def parts(self) -> list[slice]:
        """For each reading where its plans stand."""
        readings = int(self.pool.reading[-1]) + 1
        ends = np.searchsorted(self.reading, np.arange(readings), side="right").tolist()
        return [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]

    def take(self, index: NDArray[np.intp] | slice) -> "Candidates":
        """Return the plans at `index`, in that order."""
        return Candidates(
            self.pool,
            self.operation[index],
            self.first[index],
            self.second[index],
            self.value[index],
            self.signature[index],
            self.prior[index],
        )

    def outcomes(self) -> list[TurnAction]:
        """Return what each plan does, as the next state remembers it."""
        columns = (self.operation, self.pool.kind[self.second] == NONE, self.first, self.second, self.value)
        plans = zip(*(column.tolist() for column in columns), strict=True)
        return [
            self._outcome(OPERATIONS[operation], (i,) if single else (i, j), value)
            for operation, single, i, j, value in plans
        ]

    def _outcome(self, name: str, chosen: tuple[int, ...], value: float) -> TurnAction:
        pool = self.pool
        if name in GROUPED:
            operands = tuple(member for n in chosen for member in pool.members(n))
        else:
            operands = tuple([pool.operands[n] for n in chosen])
        return TurnAction(name, operands, value, dimension_of_result(name, tuple([pool.counts[n] for n in chosen])))


def enumerate_candidates(pools: Sequence[Pool], signatures: Sequence[Signatures], question: Question) -> Candidates:
    """Return the plans over pools, of each the most plausible by signature and leaves, best first.

    Args:
        pools: What can be an operand, after each reading of the turns before, the likeliest reading first.
        signatures: The probability of each signature by its name, likewise.
    """
    pool, kept = joined_pools(pools), [KEPT, *(KEPT_BESIDE for _ in pools[1:])]
    operation, first, second = plans = combinations(pool, signatures, question)
    signature = signature_scores(pool, plans, signatures, question)
    # What stands for no second operand has a score of zero.
    prior = signature + pool.score.take(first)
    prior += pool.score.take(second)
    # Of ten thousand plans only the best are computed and put in order.
    of = pool.reading.take(first)
    best = np.concatenate([_best(prior, np.flatnonzero(of == n), int(_COMPUTED * most)) for n, most in enumerate(kept)])
    operation, first, second = operation.take(best), first.take(best), second.take(best)
    value, defined = _values(pool, operation, first, second)
    every = Candidates(pool, operation, first, second, value, signature.take(best), prior.take(best))
    keep = [np.flatnonzero(defined[part])[:most] + part.start for part, most in zip(every.parts, kept, strict=True)]
    return every.take(np.concatenate(keep))


def _best(prior: NDArray[np.float64], places: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """The places of the most plausible plans among some, the best first."""
    falling = -prior.take(places)
    if len(places) > most:
        best = np.sort(np.argpartition(falling, most)[:most])
        best = best.take(np.argsort(falling.take(best), kind="stable"))
    else:
        best = np.argsort(falling, kind="stable")
    return places.take(best)


def _values(
    pool: Pool, operation: NDArray[np.int8], first: NDArray[np.intp], second: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The results in floating point, for ranking alone: the plan that is chosen is executed exactly."""
    by_first, by_second = _SHIFTS.factors(pool.counts, operation, first, second)
    a, b = pool.value.take(first) * by_first, pool.value.take(second) * by_second
    divisor_zero = ((operation == DIVIDE) | (operation == CHANGE)) & (b == 0)
    safe = np.where(b == 0, 1.0, b)
    value = a.copy()
    for code, compute in _PAIRS.items():
        at = np.flatnonzero(operation == code)
        value[at] = compute(a[at], safe[at] if code in (DIVIDE, CHANGE) else b[at])
    at = np.flatnonzero(operation == AVERAGE)
    value[at] /= [len(pool.members(n)) for n in first[at].tolist()]
    return value, ~divisor_zero & np.isfinite(value)


def result_of(name: str, values: Sequence[float], counts: tuple[Dimension, ...]) -> float | None:
    """Return what an operation comes to; None if it divides by zero, or takes another number of operands."""
    if len(values) != len(counts) or (name not in GROUPED and len(values) != (1 if name == "lookup" else 2)):
        return None
    taken = [value * 10.0**shift for value, shift in zip(values, reading_of(name, counts).shifts, strict=True)]
    if name == "lookup":
        return taken[0]
    if name in GROUPED:
        return sum(taken) / (len(taken) if name == "average" else 1)
    code = OPERATIONS.index(name)
    if code in (DIVIDE, CHANGE) and taken[1] == 0:
        return None
    return float(_PAIRS[code](np.array(taken[0]), np.array(taken[1])))
