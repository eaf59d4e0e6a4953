"""What the operands of plans are multiplied by before they are calculated with, for thousands of plans at once.

What they say of two operands is asked once and kept.
"""

import threading
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from quaestor.plan.operations import OPERATIONS as ARITHMETIC
from quaestor.plan.scales import Dimension, OperandScaling

_MOST = 96
"""Of how many kinds of operands the shifts are kept; a conversation has some twenty."""


@lru_cache(maxsize=1024)
def reading_of(name: str, counts: tuple[Dimension, ...]) -> OperandScaling:
    """Return how an operation takes operands that count so, by the one rule of `quaestor.plan.scales`."""
    return ARITHMETIC["identity" if name == "lookup" else name].rule(counts)


@lru_cache(maxsize=1024)
def dimension_of_result(name: str, counts: tuple[Dimension, ...]) -> Dimension:
    """Return what the result of an operation counts whose operands count so."""
    return reading_of(name, counts).counts


class ShiftTable:
    """The factors of operations on two operands, looked up by what both count; bounded, and safe among threads."""

    def __init__(self, operations: Sequence[str], grouped: frozenset[str]) -> None:
        """Take the operations in the order of their codes, and those of them that take one operand."""
        self._operations, self._single = tuple(operations), grouped | {"lookup"}
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        size = len(self._operations) * _MOST**2
        self._codes: dict[Dimension, int] = {}
        self._factors, self._known = np.ones((2, size)), np.zeros(size, bool)

    def factors(
        self,
        counts: Sequence[Dimension],
        operation: NDArray[np.int8],
        first: NDArray[np.intp],
        second: NDArray[np.intp],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what the first and the second operand of each plan are multiplied by: powers of ten.

        Args:
            counts: What each operand of a pool counts.
            operation: The code of the operation of each plan.
            first: Its first operand, as its place in the pool.
            second: Its second one, likewise.

        Shape: All arrays have one entry a plan.
        """
        # Told apart by identity first, which is quick.
        distinct = {id(one): one for one in counts}
        with self._lock:
            codes = self._codes_of(distinct)
            of_operand = np.array([codes[id(one)] for one in counts], np.intp)
            key = (of_operand * _MOST).take(first)
            key += operation.astype(np.intp) * (_MOST * _MOST)
            key += of_operand.take(second)
            missing = key[~self._known.take(key)]
            if len(missing):
                named = {codes[one]: counted for one, counted in distinct.items()}
                for packed in np.unique(missing).tolist():
                    self._fill_in(packed, named)
            return self._factors[0].take(key), self._factors[1].take(key)

    def _codes_of(self, distinct: dict[int, Dimension]) -> dict[int, int]:
        found = {one: self._codes.get(counted, -1) for one, counted in distinct.items()}
        new = [one for one, code in found.items() if code < 0]
        if len(self._codes) + len(new) > _MOST:
            self._forget()
            new = list(distinct)
        return found | {one: self._codes.setdefault(distinct[one], len(self._codes)) for one in new}

    def _fill_in(self, packed: int, named: dict[int, Dimension]) -> None:
        rest, right = divmod(packed, _MOST)
        code, left = divmod(rest, _MOST)
        name = self._operations[code]
        taken = (named[left],) if name in self._single else (named[left], named[right])
        shifts = reading_of(name, taken).shifts
        self._factors[:, packed] = 10.0 ** shifts[0], 10.0 ** shifts[1] if len(shifts) > 1 else 1.0
        self._known[packed] = True
