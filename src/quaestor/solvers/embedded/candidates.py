"""Candidate plans of a turn: one operation on numbers of the page, earlier results and constants.

Plans are arrays: the code of the operation, and the indexes of the first and the second operand in a pool. `signatures`
has the probability of each signature by its name, for each reading of the earlier turns.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quaestor.plan.operations import OPERATIONS as ARITHMETIC
from quaestor.plan.scales import Dimension, OperandScaling
from quaestor.questions.question import Question
from quaestor.solvers.embedded.operand_pool import (
    CONSTANT,
    COUNTS,
    FACTORS,
    GROUP,
    KINDS,
    NONE,
    RARE,
    Pool,
    Signatures,
    join_pools,
    name_constant,
)
from quaestor.solvers.embedded.turn_state import TurnAction

OPERATIONS = (
    "lookup", "subtract", "add", "divide", "multiply", "greater", "percentage_change", "sum", "average",
)  # fmt: skip
"""Operations of candidates, by code."""
LOOKUP, SUBTRACT, ADD, DIVIDE, MULTIPLY, GREATER, CHANGE, SUM, AVERAGE = range(len(OPERATIONS))

GROUPED = frozenset({"sum", "average"})
"""Operations on a group of numbers."""
_SINGLE = (LOOKUP, SUM, AVERAGE)


Plans = tuple[NDArray[np.int8], NDArray[np.intp], NDArray[np.intp]]
"""Operation, first operand and second operand of each plan."""

_Block = tuple[int, NDArray[np.intp], NDArray[np.intp]]
"""Plans with the same operation: its code, their first operands, their second operands."""


def _combine_operands(pool: Pool, signatures: Sequence[Signatures], question: Question) -> Plans:
    """Return all plans over two operands of one reading, an operand and a constant, one operand, or a group."""
    numbers = np.flatnonzero((pool.kind != CONSTANT) & (pool.kind != NONE) & (pool.kind != GROUP))
    nothing, reading = np.flatnonzero(pool.kind == NONE), pool.reading
    i, j = _pair_places(np.bincount(reading.take(numbers), minlength=len(signatures)).tolist())
    i, j = numbers.take(i), numbers.take(j)
    # One number printed in two places: its difference and ratio with itself are meaningless. Two equal amounts can
    # still be added.
    same = find_same_printed_pairs(pool, i, j)
    again, too = i[same], j[same]
    alike = (again < too) & (pool.value.take(again) == pool.value.take(too))
    twice = again[alike], too[alike]
    i, j = i[~same], j[~same]
    once, fit = i < j, _find_addable_pairs(pool, i, j)
    one, other, added = i[fit], j[fit], once & fit
    # A question with three years or more does not ask for the sum of two numbers of the page.
    if len(question.years) > 2:
        added &= (pool.leaf.take(i) < 0) | (pool.leaf.take(j) < 0)
    blocks: list[_Block] = [
        (LOOKUP, numbers, nothing.take(reading.take(numbers))),
        (SUBTRACT, one, other),
        (DIVIDE, i, j),
        (ADD, i[added], j[added]),
        (ADD, *twice),
        (MULTIPLY, i[once], j[once]),
    ]
    for code, name in ((GREATER, "greater"), (CHANGE, "percentage_change")):
        likely = np.array([of_reading.operations[name] > RARE for of_reading in signatures])
        if likely.any():
            blocks.append((code, one[likely[reading.take(one)]], other[likely[reading.take(other)]]))
    blocks += _combine_with_constants(pool, numbers, question)
    groups = np.flatnonzero(pool.kind == GROUP)
    many = np.array([n for n in groups.tolist() if len(pool.members(n)) > 2], np.intp)
    blocks += [(code, of, nothing.take(reading.take(of))) for code, of in ((SUM, many), (AVERAGE, groups))]
    codes, first, second = zip(*blocks, strict=True)
    operation = np.repeat(np.array(codes, np.int8), [len(block) for block in first])
    return operation, np.concatenate(first), np.concatenate(second)


def _pair_places(sizes: Sequence[int]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Indices of all ordered pairs of numbers within a reading, given how many numbers each reading has."""
    pairs = [_pair_within_reading(size) for size in sizes]
    starts = np.repeat([0, *accumulate(sizes[:-1])], [len(first) for first, _ in pairs])
    first, second = (np.concatenate(places) for places in zip(*pairs, strict=True))
    return first + starts, second + starts


@lru_cache(maxsize=64)
def _pair_within_reading(size: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    first, second = np.nonzero(~np.eye(size, dtype=bool))
    return first, second


def _find_addable_pairs(pool: Pool, first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which pairs of operands can be added and subtracted.

    Not a percentage with a scaled amount, nor a ratio of two amounts with an amount: none of 1,563 labelled sums and
    differences has the latter.
    """
    counted = np.array([counts.known and not counts.plain for counts in pool.counts], bool)
    fits: NDArray[np.bool_] = ~(
        (pool.percent.take(first) & counted.take(second)) | (pool.percent.take(second) & counted.take(first))
    )
    if pool.ratio.any():
        amount = (pool.leaf >= 0) & ~pool.percent
        fits &= ~((pool.ratio.take(first) & amount.take(second)) | (pool.ratio.take(second) & amount.take(first)))
    return fits


def _combine_with_constants(pool: Pool, numbers: NDArray[np.intp], question: Question) -> list[_Block]:
    """Plans with scale factors, divisors for averages, 1 and 100 as bases, and the numbers in the question."""
    question_numbers = {*question.numbers, *question.counts}
    blocks: list[_Block] = []
    # All readings have the same question, and so the same constants.
    constants = np.flatnonzero(pool.kind == CONSTANT).reshape(int(pool.reading[-1]) + 1, -1)
    all_numbers, of_reading = numbers, constants.take(pool.reading.take(numbers), axis=0)
    for constant_places, number in zip(of_reading.T, pool.value.take(constants[0]).tolist(), strict=True):
        numbers, paired_constants = all_numbers, constant_places
        # If a question has several numbers, none is combined with itself: "45 times 4" is not 45 times 45.
        if len(question.numbers) > 1 and number in question.numbers:
            others = np.abs(pool.value.take(all_numbers)) != number
            numbers, paired_constants = all_numbers[others], constant_places[others]
        if number in question_numbers or number in FACTORS or number == -1.0:
            blocks.append((MULTIPLY, numbers, paired_constants))
        if number in question_numbers or number in FACTORS or number in COUNTS:
            blocks.append((DIVIDE, numbers, paired_constants))
        if number in question_numbers or number in (1.0, 100.0):
            blocks += [(SUBTRACT, numbers, paired_constants), (SUBTRACT, paired_constants, numbers)]
        if number in question_numbers or number == 100.0:
            blocks.append((DIVIDE, paired_constants, numbers))
        if number in question_numbers:
            blocks.append((ADD, numbers, paired_constants))
    return blocks


def find_same_printed_pairs(pool: Pool, first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which pairs are leaves that print the same number, ignoring its sign, but not for different years."""
    size, leaf = np.abs(pool.value), pool.leaf >= 0
    same: NDArray[np.bool_] = size.take(first) == size.take(second)
    same &= leaf.take(first)
    same &= leaf.take(second)
    # 21 % in both years means no change: those are two numbers, not one printed twice.
    one, other = pool.year.take(first), pool.year.take(second)
    same &= (one <= 0) | (other <= 0) | (one == other)
    return same


@lru_cache(maxsize=1024)
def find_scaling(name: str, counts: tuple[Dimension, ...]) -> OperandScaling:
    """Return the scaling of an operation's operands with these dimensions, by the rule of `quaestor.plan.scales`."""
    return ARITHMETIC["identity" if name == "lookup" else name].rule(counts)


@lru_cache(maxsize=1024)
def find_result_dimension(name: str, counts: tuple[Dimension, ...]) -> Dimension:
    """Return the dimension of an operation's result, given those of its operands."""
    return find_scaling(name, counts).counts


def find_factors(
    counts: Sequence[Dimension], operation: NDArray[np.int8], first: NDArray[np.intp], second: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the powers of ten by which the first and the second operand of each plan are multiplied."""
    distinct = {id(one): one for one in counts}
    place = {one: n for n, one in enumerate(distinct)}
    kind, kinds = np.array([place[id(one)] for one in counts], np.intp), tuple(distinct.values())
    shape = len(OPERATIONS), len(kinds), len(kinds)
    keys, inverse = np.unique(
        np.ravel_multi_index((operation.astype(np.intp), kind[first], kind[second]), shape), return_inverse=True
    )
    factors = np.ones((2, len(keys)))
    for n, (code, left, right) in enumerate(
        zip(*(part.tolist() for part in np.unravel_index(keys, shape)), strict=True)
    ):
        single = code in _SINGLE
        shifts = find_scaling(OPERATIONS[code], (kinds[left],) if single else (kinds[left], kinds[right])).shifts
        factors[: len(shifts), n] = [10.0**shift for shift in shifts]
    return factors[0, inverse], factors[1, inverse]


def _score_signatures(
    pool: Pool, plans: Plans, signatures: Sequence[Signatures], question: Question
) -> NDArray[np.float64]:
    """Return the log probability of each plan's signature."""
    operation, first, second = plans
    # Many operands have the same kind, and many readings share the same signatures.
    kinds = [
        name_constant(value, question.numbers) if kind == CONSTANT else KINDS[kind]
        for kind, value in zip(pool.kind.tolist(), pool.value.tolist(), strict=True)
    ]
    code_of = {kind: code for code, kind in enumerate(dict.fromkeys(kinds))}
    distinct = {id(one): one for one in signatures}
    place_of = {key: place for place, key in enumerate(distinct)}
    kind = np.array([code_of[kind] for kind in kinds], np.intp)
    of_reading = np.array([place_of[id(one)] for one in signatures], np.intp)
    shape = len(distinct), len(OPERATIONS), len(code_of), len(code_of)
    keys, place = np.unique(
        np.ravel_multi_index(
            (of_reading[pool.reading[first]], operation.astype(np.intp), kind[first], kind[second]), shape
        ),
        return_inverse=True,
    )
    names, listed = tuple(code_of), tuple(distinct.values())
    found = [
        _find_probability(OPERATIONS[code], names[left], names[right], listed[reading])
        for reading, code, left, right in zip(*(part.tolist() for part in np.unravel_index(keys, shape)), strict=True)
    ]
    scores: NDArray[np.float64] = np.log(np.array(found) + 1e-5)[place]
    return scores


def _find_probability(operation: str, first: str, second: str, signatures: Signatures) -> float:
    """Return the probability of a signature; unlisted ones share their operation's remainder."""
    group = first == "group"
    operands = first if group or second == "none" else f"{first},{second}"
    found = signatures.get(f"{operation}({operands})")
    if found is None:
        found = (1.0 if group else 0.1) * signatures.get(f"{operation}(other)", 0.0)
    turned = operation in ("add", "multiply") and second != "none" and not group
    return found + (signatures.get(f"{operation}({second},{first})", 0.0) if turned else 0.0)


# Candidates: one operation on leaves, earlier results and constants.
#
# A turn adds one operation to the conversation (94 % of labelled turns), a percentage change, which is two, or a sum
# or average over a group of numbers.


MOST_CANDIDATES, MOST_OTHER_CANDIDATES = 350, 250
"""Limits of candidates for the ranker: for the likeliest reading of the earlier turns, and for each other reading."""

_COMPUTED = 1.5
"""Candidates computed for each one kept, because some divide by zero."""

_PAIRS: dict[int, Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]] = {
    SUBTRACT: lambda a, b: a - b,
    ADD: lambda a, b: a + b,
    DIVIDE: lambda a, b: a / b,
    MULTIPLY: lambda a, b: a * b,
    GREATER: lambda a, b: (a > b).astype(float),
    CHANGE: lambda a, b: (a - b) / b,
}
"""Results for two operands. A lookup and a sum return their first operand, an average divides it by its size."""


@dataclass(frozen=True)
class Candidates:
    """Plans as columns, after one or several readings of the earlier turns; those of one reading are adjacent.

    Shape: one entry per plan; `first` and `second` index into the pool.
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
        """Number of the reading of the earlier turns that each plan follows, from 0."""
        return self.pool.reading[self.first]

    @cached_property
    def parts(self) -> list[slice]:
        """Slice of each reading's plans."""
        readings = int(self.pool.reading[-1]) + 1
        ends = np.searchsorted(self.reading, np.arange(readings), side="right").tolist()
        return [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]

    def take(self, index: NDArray[np.intp] | slice) -> "Candidates":
        """Return the plans at `index`, in that order."""
        columns: tuple[NDArray[Any], ...] = (
            self.operation, self.first, self.second, self.value, self.signature, self.prior
        )  # fmt: skip
        return Candidates(self.pool, *(column[index] for column in columns))

    def outcomes(self) -> list[TurnAction]:
        """Return the turn's action under each plan, for the next state."""
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
        return TurnAction(name, operands, value, find_result_dimension(name, tuple([pool.counts[n] for n in chosen])))


def enumerate_candidates(pools: Sequence[Pool], signatures: Sequence[Signatures], question: Question) -> Candidates:
    """Return the most plausible plans of each reading by signature and leaves, best first."""
    pool, limits = join_pools(pools), [MOST_CANDIDATES, *(MOST_OTHER_CANDIDATES for _ in pools[1:])]
    operation, first, second = plans = _combine_operands(pool, signatures, question)
    signature = _score_signatures(pool, plans, signatures, question)
    # The operand for "no second operand" has a score of zero.
    prior = signature + pool.score.take(first)
    prior += pool.score.take(second)
    # Of up to ten thousand plans, compute and sort only the best.
    of = pool.reading.take(first)
    places = (np.flatnonzero(of == n) for n in range(len(limits)))
    best = np.concatenate([_select_best(prior, at, int(_COMPUTED * m)) for at, m in zip(places, limits, strict=True)])
    operation, first, second = operation.take(best), first.take(best), second.take(best)
    value, defined = _estimate_values(pool, operation, first, second)
    every = Candidates(pool, operation, first, second, value, signature.take(best), prior.take(best))
    keep = [np.flatnonzero(defined[part])[:most] + part.start for part, most in zip(every.parts, limits, strict=True)]
    return every.take(np.concatenate(keep))


def _select_best(prior: NDArray[np.float64], places: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Indices of the most plausible of the plans at `places`, best first."""
    falling = -prior.take(places)
    if len(places) > most:
        best = np.sort(np.argpartition(falling, most)[:most])
        best = best.take(np.argsort(falling.take(best), kind="stable"))
    else:
        best = np.argsort(falling, kind="stable")
    return places.take(best)


def _estimate_values(
    pool: Pool, operation: NDArray[np.int8], first: NDArray[np.intp], second: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Results in floating point, only for ranking: the chosen plan is executed exactly."""
    by_first, by_second = find_factors(pool.counts, operation, first, second)
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


def compute_result(name: str, values: Sequence[float], counts: tuple[Dimension, ...]) -> float | None:
    """Return the result of an operation; None if it divides by zero or the number of operands is wrong."""
    if len(values) != len(counts) or (name not in GROUPED and len(values) != (1 if name == "lookup" else 2)):
        return None
    scaled = [value * 10.0**shift for value, shift in zip(values, find_scaling(name, counts).shifts, strict=True)]
    if name == "lookup":
        return scaled[0]
    if name in GROUPED:
        return sum(scaled) / (len(scaled) if name == "average" else 1)
    code = OPERATIONS.index(name)
    if code in (DIVIDE, CHANGE) and scaled[1] == 0:
        return None
    return float(_PAIRS[code](np.array(scaled[0]), np.array(scaled[1])))
