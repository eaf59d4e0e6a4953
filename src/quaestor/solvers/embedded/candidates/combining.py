"""What can be done with the operands of a turn: each two of one reading, one and a constant, one alone, a group."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from quaestor.questions.question import Question
from quaestor.solvers.embedded.candidates.operations import (
    ADD,
    AVERAGE,
    CHANGE,
    DIVIDE,
    GREATER,
    LOOKUP,
    MULTIPLY,
    SUBTRACT,
    SUM,
)
from quaestor.solvers.embedded.candidates.pool import CONSTANT, COUNTS, FACTORS, GROUP, NONE, RARE, Pool
from quaestor.solvers.embedded.model.signature import Signatures

Plans = tuple[NDArray[np.int8], NDArray[np.intp], NDArray[np.intp]]
"""The operation, the first and the second operand of each plan."""

_Block = tuple[int, NDArray[np.intp], NDArray[np.intp]]
"""Plans of one operation: its code, the first operands and the second ones."""


def combinations(pool: Pool, signatures: Sequence[Signatures], question: Question) -> Plans:
    """Return every plan of two operands of one reading, of one and a constant, of one alone, and of a group.

    Args:
        pool: What can be an operand, after each reading of the turns before.
        signatures: The probability of each signature by its name, likewise.
    """
    numbers = np.flatnonzero((pool.kind != CONSTANT) & (pool.kind != NONE) & (pool.kind != GROUP))
    nothing, reading = np.flatnonzero(pool.kind == NONE), pool.reading
    i, j = _pairs(np.bincount(reading.take(numbers), minlength=len(signatures)).tolist())
    i, j = numbers.take(i), numbers.take(j)
    # The same number twice is one number printed in two places: their difference and their ratio say nothing. But two
    # amounts that are alike can be added.
    same = same_printed_number(pool, i, j)
    again, too = i[same], j[same]
    alike = (again < too) & (pool.value.take(again) == pool.value.take(too))
    twice = again[alike], too[alike]
    i, j = i[~same], j[~same]
    once, fit = i < j, _in_one_scale(pool, i, j)
    one, other, added = i[fit], j[fit], once & fit
    # What three years or more come to is no sum of two numbers of the page.
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
    blocks += _with_constants(pool, numbers, question)
    groups = np.flatnonzero(pool.kind == GROUP)
    many = np.array([n for n in groups.tolist() if len(pool.members(n)) > 2], np.intp)
    blocks += [(code, of, nothing.take(reading.take(of))) for code, of in ((SUM, many), (AVERAGE, groups))]
    codes, first, second = zip(*blocks, strict=True)
    operation = np.repeat(np.array(codes, np.int8), [len(block) for block in first])
    return operation, np.concatenate(first), np.concatenate(second)


def _pairs(sizes: Sequence[int]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The places of each two numbers of one reading, in either order, given how many numbers each reading has."""
    pairs = [_pairs_of(size) for size in sizes]
    starts = np.repeat([0, *accumulate(sizes[:-1])], [len(first) for first, _ in pairs])
    first, second = (np.concatenate(places) for places in zip(*pairs, strict=True))
    return first + starts, second + starts


@lru_cache(maxsize=64)
def _pairs_of(size: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    first, second = np.nonzero(~np.eye(size, dtype=bool))
    return first, second


def _in_one_scale(pool: Pool, first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which pairs of operands have a sum and a difference.

    A percentage and an amount that is known to count thousands have none. Nor have the ratio of two amounts and an
    amount: of 1,563 labelled sums and differences none is one.
    """
    distinct = {id(one): one for one in pool.counts}
    known = {key: counts.known and not counts.plain for key, counts in distinct.items()}
    counted = np.array([known[id(one)] for one in pool.counts], bool)
    fits: NDArray[np.bool_] = ~(
        (pool.percent.take(first) & counted.take(second)) | (pool.percent.take(second) & counted.take(first))
    )
    if pool.ratio.any():
        amount = (pool.leaf >= 0) & ~pool.percent
        fits &= ~((pool.ratio.take(first) & amount.take(second)) | (pool.ratio.take(second) & amount.take(first)))
    return fits


def _with_constants(pool: Pool, numbers: NDArray[np.intp], question: Question) -> list[_Block]:
    """Scale factors, counts to average over, one and a hundred as bases, and whatever number the question says."""
    asked = {*question.numbers, *question.counts}
    blocks: list[_Block] = []
    # The constants are the question's: every reading has the same ones.
    constants = np.flatnonzero(pool.kind == CONSTANT).reshape(int(pool.reading[-1]) + 1, -1)
    every, of_reading = numbers, constants.take(pool.reading.take(numbers), axis=0)
    for of_every, number in zip(of_reading.T, pool.value.take(constants[0]).tolist(), strict=True):
        numbers, beside = every, of_every
        # What a question with several numbers says once is taken once: "45 times 4" is no 45 times 45.
        if len(question.numbers) > 1 and number in question.numbers:
            others = np.abs(pool.value.take(every)) != number
            numbers, beside = every[others], of_every[others]
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


def same_printed_number(pool: Pool, first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.bool_]:
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
    # What stood at 21 % in both years has not changed: two numbers that are alike, and no number twice.
    one, other = pool.year.take(first), pool.year.take(second)
    same &= (one <= 0) | (other <= 0) | (one == other)
    return same
