"""Every plan that a question could mean: one operation on numbers of the page and earlier results."""

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
"""What a candidate can do, in the order of their codes."""
LOOKUP, SUBTRACT, ADD, DIVIDE, MULTIPLY, GREATER, CHANGE, SUM, AVERAGE = range(len(OPERATIONS))

GROUPED = frozenset({"sum", "average"})
"""Those that take a group of numbers."""
_SINGLE = (LOOKUP, SUM, AVERAGE)


Plans = tuple[NDArray[np.int8], NDArray[np.intp], NDArray[np.intp]]
"""The operation, the first and the second operand of each plan."""

_Block = tuple[int, NDArray[np.intp], NDArray[np.intp]]
"""Plans of one operation: its code, the first operands and the second ones."""


def combine_operands(pool: Pool, signatures: Sequence[Signatures], question: Question) -> Plans:
    """Return every plan of two operands of one reading, of one and a constant, of one alone, and of a group.

    Args:
        pool: What can be an operand, after each reading of the turns before.
        signatures: The probability of each signature by its name, likewise.
    """
    numbers = np.flatnonzero((pool.kind != CONSTANT) & (pool.kind != NONE) & (pool.kind != GROUP))
    nothing, reading = np.flatnonzero(pool.kind == NONE), pool.reading
    i, j = _pair_places(np.bincount(reading.take(numbers), minlength=len(signatures)).tolist())
    i, j = numbers.take(i), numbers.take(j)
    # The same number twice is one number printed in two places: their difference and their ratio say nothing. But two
    # amounts that are alike can be added.
    same = find_same_printed_pairs(pool, i, j)
    again, too = i[same], j[same]
    alike = (again < too) & (pool.value.take(again) == pool.value.take(too))
    twice = again[alike], too[alike]
    i, j = i[~same], j[~same]
    once, fit = i < j, _find_addable_pairs(pool, i, j)
    one, other, added = i[fit], j[fit], once & fit
    # A sum over three years or more is not a sum of two numbers of the page.
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
    """The places of each two numbers of one reading, in either order, given how many numbers each reading has."""
    pairs = [_pair_within_reading(size) for size in sizes]
    starts = np.repeat([0, *accumulate(sizes[:-1])], [len(first) for first, _ in pairs])
    first, second = (np.concatenate(places) for places in zip(*pairs, strict=True))
    return first + starts, second + starts


@lru_cache(maxsize=64)
def _pair_within_reading(size: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    first, second = np.nonzero(~np.eye(size, dtype=bool))
    return first, second


def _find_addable_pairs(pool: Pool, first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which pairs of operands have a sum and a difference.

    A percentage and an amount that is known to count thousands have none. Nor have the ratio of two amounts and an
    amount: of 1,563 labelled sums and differences none is one.
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
    """Scale factors, counts to average over, one and a hundred as bases, and the numbers in the question."""
    asked = {*question.numbers, *question.counts}
    blocks: list[_Block] = []
    # The constants are the question's: every reading has the same ones.
    constants = np.flatnonzero(pool.kind == CONSTANT).reshape(int(pool.reading[-1]) + 1, -1)
    all_numbers, of_reading = numbers, constants.take(pool.reading.take(numbers), axis=0)
    for constant_places, number in zip(of_reading.T, pool.value.take(constants[0]).tolist(), strict=True):
        numbers, paired_constants = all_numbers, constant_places
        # A number that a question with several has once is used once: "45 times 4" is not 45 times 45.
        if len(question.numbers) > 1 and number in question.numbers:
            others = np.abs(pool.value.take(all_numbers)) != number
            numbers, paired_constants = all_numbers[others], constant_places[others]
        if number in asked or number in FACTORS or number == -1.0:
            blocks.append((MULTIPLY, numbers, paired_constants))
        if number in asked or number in FACTORS or number in COUNTS:
            blocks.append((DIVIDE, numbers, paired_constants))
        if number in asked or number in (1.0, 100.0):
            blocks += [(SUBTRACT, numbers, paired_constants), (SUBTRACT, paired_constants, numbers)]
        if number in asked or number == 100.0:
            blocks.append((DIVIDE, paired_constants, numbers))
        if number in asked:
            blocks.append((ADD, numbers, paired_constants))
    return blocks


def find_same_printed_pairs(pool: Pool, first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which pairs of operands are leaves that print one number, whatever its sign, and of no two years.

    Args:
        first: The first operand of each pair, as its place in the pool.
        second: The second one, likewise.

    Shape: `first`, `second` and the result have one entry a pair.
    """
    size, leaf = np.abs(pool.value), pool.leaf >= 0
    same: NDArray[np.bool_] = size.take(first) == size.take(second)
    same &= leaf.take(first)
    same &= leaf.take(second)
    # What was 21 % in both years has not changed: two numbers that are alike, and no number twice.
    one, other = pool.year.take(first), pool.year.take(second)
    same &= (one <= 0) | (other <= 0) | (one == other)
    return same


@lru_cache(maxsize=1024)
def find_scaling(name: str, counts: tuple[Dimension, ...]) -> OperandScaling:
    """Return how an operation takes operands that count so, by the one rule of `quaestor.plan.scales`."""
    return ARITHMETIC["identity" if name == "lookup" else name].rule(counts)


@lru_cache(maxsize=1024)
def find_result_dimension(name: str, counts: tuple[Dimension, ...]) -> Dimension:
    """Return what the result of an operation counts whose operands count so."""
    return find_scaling(name, counts).counts


def find_factors(
    counts: Sequence[Dimension], operation: NDArray[np.int8], first: NDArray[np.intp], second: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what the first and the second operand of each plan are multiplied by: powers of ten.

    Args:
        counts: What each operand of a pool counts.
        operation: The code of the operation of each plan.
        first: Its first operand, as its place in the pool.
        second: Its second one, likewise.

    Shape: All arrays have one entry a plan.
    """
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


def score_signatures(
    pool: Pool, plans: Plans, signatures: Sequence[Signatures], question: Question
) -> NDArray[np.float64]:
    """Return the log probability of each plan's signature; an unlisted one shares its operation's remainder.

    Args:
        pool: What can be an operand, after each reading of the turns before.
        signatures: The probability of each signature by its name, after each reading.

    Shape: One entry a plan.
    """
    operation, first, second = plans
    of_first = (pool.kind == CONSTANT) & (pool.reading == 0)
    constants, of_constants = _encode_constants(tuple(pool.value[of_first].tolist()), question.numbers)
    # Many readings have the same signatures.
    distinct = {id(one): one for one in signatures}
    tables = [_score_kinds(constants, one) for one in distinct.values()]
    start = {key: n * len(tables[0]) for n, key in enumerate(distinct)}
    of_reading = np.array([start[id(one)] for one in signatures], np.intp)
    # The kind of each operand, each constant of one of its own: a table has operations x kinds x kinds.
    kinds, kind = len(KINDS) + len(constants), pool.kind.astype(np.intp)
    kind[pool.kind == CONSTANT] = of_constants * len(signatures)
    key = (kind * kinds + of_reading.take(pool.reading)).take(first)
    key += operation.astype(np.intp) * (kinds * kinds)
    key += kind.take(second)
    found: NDArray[np.float64] = np.concatenate(tables).take(key)
    return found


@lru_cache(maxsize=256)
def _encode_constants(values: tuple[float, ...], numbers: tuple[float, ...]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The kinds of constants by their names, each once, and the code of each constant: those kinds come last."""
    names = [name_constant(value, numbers) for value in values]
    extra = tuple(sorted(set(names)))
    code_of = {name: code for code, name in enumerate(extra, start=len(KINDS))}
    return extra, tuple(code_of[name] for name in names)


def _score_kinds(constants: tuple[str, ...], signatures: Signatures) -> NDArray[np.float64]:
    """The log probability of every operation on every pair of kinds, those of constants last."""
    listed, unlisted, turned, share, place = _locate_signatures(constants, tuple(signatures))
    p = np.array([*signatures.values(), 0.0])
    logs = np.log(np.where(listed < 0, share * p[unlisted], p[listed]) + p[turned] + 1e-5)
    found: NDArray[np.float64] = logs.take(place)
    return found


@lru_cache(maxsize=256)
def _locate_signatures(
    constants: tuple[str, ...], signatures: tuple[str, ...]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp], NDArray[np.float64], NDArray[np.intp]]:
    """The place of the signature of an operation on a pair of kinds; -1 if it is not listed.

    Then where the one for all that are not listed stands, and the one with its operands turned round, -1 being none;
    and what of the former one that is not listed has. Each such four is there once; then, for every operation on
    every pair of kinds, which of them it has.
    """
    kinds, place = (*KINDS, *constants), {name: n for n, name in enumerate(signatures)}
    found = [
        (
            place.get(f"{name}(group)" if a == "group" else f"{name}({a})" if b == "none" else f"{name}({a},{b})", -1),
            place.get(f"{name}(other)", -1),
            place.get(f"{name}({b},{a})", -1) if name in ("add", "multiply") and b != "none" and a != "group" else -1,
            1.0 if a == "group" else 0.1,
        )
        for name in OPERATIONS
        for a in kinds
        for b in kinds
    ]
    once = {one: n for n, one in enumerate(dict.fromkeys(found))}
    *indices, share = zip(*once, strict=True)
    listed, unlisted, turned = (np.array(index, np.intp) for index in indices)
    return listed, unlisted, turned, np.array(share), np.array([once[one] for one in found], np.intp)


# Every plan that fits a turn: one operation on leaves, earlier results and constants.
#
# A turn of a conversation adds one operation to what is there (94 % of labelled turns), or percentage change, which
# is two, or adds up or averages a group of numbers.


MOST_CANDIDATES, MOST_OTHER_CANDIDATES = 350, 250
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
    """Plans in columns, after one reading of the turns before or several: those of one reading are adjacent.

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
        """The slice of each reading's plans."""
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
        return TurnAction(name, operands, value, find_result_dimension(name, tuple([pool.counts[n] for n in chosen])))


def enumerate_candidates(pools: Sequence[Pool], signatures: Sequence[Signatures], question: Question) -> Candidates:
    """Return the plans over pools, of each the most plausible by signature and leaves, best first.

    Args:
        pools: What can be an operand, after each reading of the turns before, the likeliest reading first.
        signatures: The probability of each signature by its name, likewise.
    """
    pool, limits = join_pools(pools), [MOST_CANDIDATES, *(MOST_OTHER_CANDIDATES for _ in pools[1:])]
    operation, first, second = plans = combine_operands(pool, signatures, question)
    signature = score_signatures(pool, plans, signatures, question)
    # What means no second operand has a score of zero.
    prior = signature + pool.score.take(first)
    prior += pool.score.take(second)
    # Of ten thousand plans only the best are computed and put in order.
    of = pool.reading.take(first)
    places = (np.flatnonzero(of == n) for n in range(len(limits)))
    best = np.concatenate([_select_best(prior, at, int(_COMPUTED * m)) for at, m in zip(places, limits, strict=True)])
    operation, first, second = operation.take(best), first.take(best), second.take(best)
    value, defined = _estimate_values(pool, operation, first, second)
    every = Candidates(pool, operation, first, second, value, signature.take(best), prior.take(best))
    keep = [np.flatnonzero(defined[part])[:most] + part.start for part, most in zip(every.parts, limits, strict=True)]
    return every.take(np.concatenate(keep))


def _select_best(prior: NDArray[np.float64], places: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """The places of the most plausible plans among some, the best first."""
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
    """The results in floating point, for ranking alone: the plan that is chosen is executed exactly."""
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
    """Return the result of an operation; None if it divides by zero, or takes another number of operands."""
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
