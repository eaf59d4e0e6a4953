"""Every plan that fits a turn: one operation on leaves, earlier results and constants.

A turn of a conversation adds one operation to what is there (94 % of labelled turns), or percentage change, which
is two, or adds up or averages a group of numbers. Owns what can be combined. Knows nothing of which plan is right.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from quaestor.plan.scales import Dimension
from quaestor.questions.question import Question
from quaestor.solvers.embedded.candidates.pool import (
    CONSTANT,
    COUNTS,
    FACTORS,
    GROUP,
    KINDS,
    NONE,
    RARE,
    Pool,
    joined_pools,
)
from quaestor.solvers.embedded.candidates.shifts import ShiftTable, dimension_of_result, reading_of
from quaestor.solvers.embedded.model.signature import Signatures, constant_kind
from quaestor.solvers.embedded.state.dialogue import TurnAction

OPERATIONS = (
    "lookup", "subtract", "add", "divide", "multiply", "greater", "percentage_change", "sum", "average",
)  # fmt: skip
"""What a candidate can do, in the order of their codes."""
LOOKUP, SUBTRACT, ADD, DIVIDE, MULTIPLY, GREATER, CHANGE, SUM, AVERAGE = range(len(OPERATIONS))

GROUPED = frozenset({"sum", "average"})
"""Those that take a group of numbers."""

_SHIFTS = ShiftTable(OPERATIONS, GROUPED)

KEPT, KEPT_BESIDE = 350, 200
"""How many candidates the ranker sees of the likeliest reading of the turns before, and of each other one."""

_COMPUTED = 1.5
"""How many times as many are computed: some of them divide by zero."""


_Plans = tuple[NDArray[np.int8], NDArray[np.intp], NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]
"""Operation, operands, log probability of the signature, and the same with the operands', of each plan."""

_Block = tuple[int, NDArray[np.intp] | int, NDArray[np.intp] | int]
"""Plans of one operation: its code, the first operands and the second ones."""

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
        """Returns the plans at `index`, in that order."""
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
        """Returns what each plan does, as the next state remembers it."""
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
    """Returns the plans over pools, of each the most plausible by signature and leaves, best first.

    Args:
        pools: What can be an operand, after each reading of the turns before, the likeliest reading first.
        signatures: The probability of each signature by its name, likewise.
        question: What is asked.
    """
    pool, starts = joined_pools(pools), np.cumsum([0, *(len(one.kind) for one in pools)]).tolist()
    # Many readings have the same signatures; the constants are the question's, whatever the reading.
    distinct = {id(one): (pool, one) for pool, one in zip(pools, signatures, strict=True)}
    scores = {key: _kind_scores(pool, one, question.numbers) for key, (pool, one) in distinct.items()}
    kept = [KEPT, *(KEPT_BESIDE for _ in pools[1:])]
    found = [
        _best(pool, one, scores[id(one)], question, int(_COMPUTED * most))
        for pool, one, most in zip(pools, signatures, kept, strict=True)
    ]
    operation, first, second, signature, prior = (
        np.concatenate(columns)
        for columns in zip(
            *((o, i + start, j + start, s, p) for start, (o, i, j, s, p) in zip(starts, found, strict=False)),
            strict=True,
        )
    )
    value, defined = _values(pool, operation, first, second)
    every = Candidates(pool, operation, first, second, value, signature, prior)
    keep = [np.flatnonzero(defined[part])[:most] + part.start for part, most in zip(every.parts, kept, strict=True)]
    return every.take(np.concatenate(keep))


def _best(pool: Pool, signatures: Signatures, scores: "_KindScores", question: Question, most: int) -> _Plans:
    """The plans over one pool that are to be computed, the most plausible first."""
    operation, first, second = _combinations(pool, signatures, question)
    signature = _signature_scores(pool, operation, first, second, scores)
    # What stands for no second operand has a score of zero.
    prior = signature + pool.score.take(first)
    prior += pool.score.take(second)
    # Of ten thousand plans only the best are computed and put in order.
    falling = -prior
    if len(prior) > most:
        best = np.sort(np.argpartition(falling, most)[:most])
        best = best[np.argsort(falling[best], kind="stable")]
    else:
        best = np.argsort(falling, kind="stable")
    return operation[best], first[best], second[best], signature[best], prior[best]


def _combinations(
    pool: Pool, signatures: Signatures, question: Question
) -> tuple[NDArray[np.int8], NDArray[np.intp], NDArray[np.intp]]:
    numbers = np.flatnonzero((pool.kind != CONSTANT) & (pool.kind != NONE) & (pool.kind != GROUP))
    # The same number twice is one number printed in two places: their difference and their ratio say nothing. But two
    # amounts that are alike can be added.
    same = same_printed_number(pool, numbers[:, None], numbers[None, :])
    value = pool.value[numbers]
    alike, again = np.nonzero(same & (value[:, None] == value[None, :]))
    twice = numbers[alike[alike < again]], numbers[again[alike < again]]
    np.fill_diagonal(same, val=True)
    i, j = (numbers[places] for places in np.nonzero(~same))
    # A percentage and an amount that is known to count thousands have no sum and no difference.
    distinct = {id(one): one for one in pool.counts}
    in_scale = {key: counts.known and not counts.plain for key, counts in distinct.items()}
    counted = np.array([in_scale[id(one)] for one in pool.counts], bool)
    alike_in_kind = ~((pool.percent[i] & counted[j]) | (pool.percent[j] & counted[i]))
    # Nor have the ratio of two amounts and an amount: of 1,563 labelled sums and differences none is one.
    amount = (pool.leaf >= 0) & ~pool.percent
    alike_in_kind &= ~((pool.ratio[i] & amount[j]) | (pool.ratio[j] & amount[i]))
    once, one, other = i < j, i[alike_in_kind], j[alike_in_kind]
    # What three years or more come to is no sum of two numbers of the page.
    added = once & ~((pool.leaf[i] >= 0) & (pool.leaf[j] >= 0)) if len(question.years) > 2 else once
    nothing = len(pool.kind) - 1
    blocks: list[_Block] = [
        (LOOKUP, numbers, nothing),
        (SUBTRACT, one, other),
        (DIVIDE, i, j),
        (ADD, i[added & alike_in_kind], j[added & alike_in_kind]),
        (ADD, *twice),
        (MULTIPLY, i[once], j[once]),
    ]
    for code, name in ((GREATER, "greater"), (CHANGE, "percentage_change")):
        if signatures.operations[name] > RARE:
            blocks.append((code, one, other))
    blocks += _with_constants(pool, numbers, question)
    groups = np.flatnonzero(pool.kind == GROUP)
    many = np.array([n for n in groups.tolist() if len(pool.members(n)) > 2], np.intp)
    return _laid_out([*blocks, (SUM, many, nothing), (AVERAGE, groups, nothing)])


def _laid_out(blocks: Sequence[_Block]) -> tuple[NDArray[np.int8], NDArray[np.intp], NDArray[np.intp]]:
    """The plans of blocks one after the other; an operand that all of a block have in common stands once in it."""
    sizes = [len(a) if isinstance(a, np.ndarray) else len(cast("NDArray[np.intp]", b)) for _, a, b in blocks]
    first, second, end = np.empty(sum(sizes), np.intp), np.empty(sum(sizes), np.intp), 0
    for (_, a, b), size in zip(blocks, sizes, strict=True):
        start, end = end, end + size
        first[start:end], second[start:end] = a, b
    return np.repeat(np.array([code for code, _, _ in blocks], np.int8), sizes), first, second


def same_printed_number(pool: Pool, first: NDArray[np.integer], second: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Returns which pairs of operands are leaves that print one number, whatever its sign, and of no two years.

    Args:
        pool: What can be an operand.
        first: The first operand of each pair, as its place in the pool.
        second: The second one, likewise.

    Shape: `first`, `second` and the result have one entry a pair.
    """
    leaves = (pool.leaf[first] >= 0) & (pool.leaf[second] >= 0)
    same: NDArray[np.bool_] = leaves & (np.abs(pool.value[first]) == np.abs(pool.value[second]))
    # What stood at 21 % in both years has not changed: two numbers that are alike, and no number twice.
    one, other = pool.year[first], pool.year[second]
    same &= ~((one > 0) & (other > 0) & (one != other))
    return same


def _with_constants(pool: Pool, numbers: NDArray[np.intp], question: Question) -> list[_Block]:
    """Scale factors, counts to average over, one and a hundred as bases, and whatever number the question says."""
    asked = {*question.numbers, *question.counts}
    blocks: list[_Block] = []
    every = numbers
    for beside in np.flatnonzero(pool.kind == CONSTANT).tolist():
        number = float(pool.value[beside])
        # What a question with several numbers says once is taken once: "45 times 4" is no 45 times 45.
        once = len(question.numbers) > 1 and number in question.numbers
        numbers = every[np.abs(pool.value[every]) != number] if once else every
        if number in asked or number in FACTORS or number == -1.0:
            blocks.append((MULTIPLY, numbers, beside))
        if number in asked or number in FACTORS or number in COUNTS:
            blocks.append((DIVIDE, numbers, beside))
        if number in asked or number in (1.0, 100.0):
            blocks += [(SUBTRACT, numbers, beside), (SUBTRACT, beside, numbers)]
        if number in asked or number == 100.0:
            blocks.append((DIVIDE, beside, numbers))
        if number in asked:
            blocks.append((ADD, numbers, beside))
    return blocks


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
    """Returns what an operation comes to; None where it divides by zero, or takes another number of operands.

    Args:
        name: One of `OPERATIONS`.
        values: Of its operands, as printed.
        counts: What each of them counts.
    """
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


@dataclass(frozen=True, slots=True)
class _KindScores:
    """The log probability of the signature of every plan, by its operation and what its operands are.

    Attributes:
        kinds: How many kinds of operands there are, each constant of a kind of its own.
        of_constants: The kind of each constant of a pool.
        table: What each operation on each pair of kinds has.
    """

    kinds: int
    of_constants: tuple[int, ...]
    table: NDArray[np.float64]


def _kind_scores(pool: Pool, signatures: Signatures, numbers: tuple[float, ...]) -> _KindScores:
    constants, of_constants = _constant_codes(tuple(pool.value[pool.kind == CONSTANT].tolist()), numbers)
    return _KindScores(len(KINDS) + len(constants), of_constants, _scores_of_kinds(constants, signatures))


def _signature_scores(
    pool: Pool,
    operation: NDArray[np.int8],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    scores: _KindScores,
) -> NDArray[np.float64]:
    """The log probability of each plan's signature; an unlisted one shares its operation's remainder."""
    codes = pool.kind.astype(np.intp)
    codes[pool.kind == CONSTANT] = scores.of_constants
    key = (codes * scores.kinds).take(first)
    key += operation.astype(np.intp) * (scores.kinds * scores.kinds)
    key += codes.take(second)
    found: NDArray[np.float64] = scores.table.take(key)
    return found


@lru_cache(maxsize=256)
def _constant_codes(values: tuple[float, ...], numbers: tuple[float, ...]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The kinds of constants by their names, each once, and the code of each constant: those kinds come last."""
    names = [constant_kind(value, numbers) for value in values]
    extra = tuple(sorted(set(names)))
    code_of = {name: code for code, name in enumerate(extra, start=len(KINDS))}
    return extra, tuple(code_of[name] for name in names)


def _scores_of_kinds(constants: tuple[str, ...], signatures: Signatures) -> NDArray[np.float64]:
    """The log probability of every operation on every pair of kinds, those of constants last."""
    listed, unlisted, turned, share = _places(constants, tuple(signatures))
    p = np.array([*signatures.values(), 0.0])
    found: NDArray[np.float64] = np.log(np.where(listed < 0, share * p[unlisted], p[listed]) + p[turned] + 1e-5)
    return found


@lru_cache(maxsize=256)
def _places(
    constants: tuple[str, ...], signatures: tuple[str, ...]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """For every operation on every pair of kinds where its signature stands; -1 where it is not listed.

    Then where the one for all that are not listed stands, and the one with its operands turned round, -1 being none;
    and what of the former one that is not listed has.
    """
    kinds = (*KINDS, *constants)
    named = [
        (
            f"{name}(group)" if a == "group" else f"{name}({a})" if b == "none" else f"{name}({a},{b})",
            f"{name}(other)",
            f"{name}({b},{a})" if name in ("add", "multiply") and b != "none" and a != "group" else "",
        )
        for name in OPERATIONS
        for a in kinds
        for b in kinds
    ]
    place = {name: n for n, name in enumerate(signatures)}
    listed, unlisted, turned = (
        np.array([place.get(name, -1) for name in of], np.intp) for of in zip(*named, strict=True)
    )
    return listed, unlisted, turned, np.array([1.0 if own.endswith("(group)") else 0.1 for own, _, _ in named])
