"""Which stems of a question each of many labels says, as bits: sets of thousands of pairs in a few operations.

numpy goes through flags row by row, and a row here is a dozen stems: bits take a tenth of the time.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_WORD = 64


@dataclass(frozen=True, slots=True)
class StemSets:
    """Sets of the stems of one question.

    Attributes:
        bits: Stem n of a question is bit n % 64 of word n // 64.
        width: How many stems the question has, at least one.

    Shape: `bits` is words x sets.
    """

    bits: NDArray[np.uint64]
    width: int

    @classmethod
    def of(cls, flags: NDArray[np.bool_]) -> "StemSets":
        """Return the sets of some flags.

        Shape: `flags` is sets x stems, at least one stem.
        """
        size, width = flags.shape
        padded = np.zeros((size, -(-width // _WORD) * _WORD), bool)
        padded[:, :width] = flags
        words = np.packbits(padded, axis=1, bitorder="little").view("<u8")
        return cls(np.ascontiguousarray(words.T, np.uint64), width)

    def take(self, index: NDArray[np.intp]) -> "StemSets":
        """Return the sets at `index`, in that order."""
        return StemSets(self.bits.take(index, axis=1), self.width)

    def __or__(self, other: "StemSets") -> "StemSets":
        """Return for each set what is in it or in that of the other."""
        return StemSets(self.bits | other.bits, self.width)

    def __sub__(self, other: "StemSets") -> "StemSets":
        """Return for each set what is in it and not in that of the other."""
        return StemSets(self.bits & ~other.bits, self.width)

    def shares(self) -> NDArray[np.float64]:
        """Return for each set how much of the question it is.

        Shape: One entry a set.
        """
        shares: NDArray[np.float64] = np.bitwise_count(self.bits).sum(axis=0) / self.width
        return shares

    def first_places(self) -> NDArray[np.float64]:
        """Return for each set where its first stem is in the question, as a share; 2 where it is empty.

        Shape: One entry a set.
        """
        places = np.full(self.bits.shape[1], 2.0)
        for number in reversed(range(len(self.bits))):
            word = self.bits[number]
            lowest = word & (~word + np.uint64(1))
            # A power of two, whose exponent is told exactly.
            place = np.frexp(lowest.astype(np.float64))[1] + (number * _WORD - 1)
            places = np.where(lowest > 0, place / self.width, places)
        return places
