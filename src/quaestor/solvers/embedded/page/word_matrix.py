"""Which words describe which numbers of a page, as a matrix: whole on a page, by word on a filing.

A page of a report has some sixty numbers and a hundred words, and a plain product is fastest; both grow with a filing,
and their product with its square, though a question has ten words.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

WHOLE_CELLS = 250_000
"""Up to so many cells (1 MB) a matrix is kept whole. No page of ConvFinQA has more than a tenth of that, so that all
of them are measured digit for digit as the weights were trained; above it time and memory grow with the words that are
there."""


@dataclass(frozen=True, slots=True)
class WordMatrix:
    """How strongly each word describes each number.

    Shape: `size` numbers x `width` words. Whole matrices have `whole`; the others have, word after word, the numbers
        that it describes (`numbers`, ascending) and how strongly (`strengths`); word n has those from `starts[n]` on.
    """

    size: int
    width: int
    whole: Floats | None
    numbers: NDArray[np.int32]
    strengths: Floats
    starts: NDArray[np.int64]

    def dot(self, weights: Floats) -> Floats:
        """Return the sum of its words' weights for each number.

        Shape: `size`.
        """
        if self.whole is not None:
            return _product(self.whole, weights)
        return self._of_words(np.flatnonzero(weights), weights)

    def dot_of(self, words: Sequence[int], weights: Floats) -> Floats:
        """Return the same over a few words alone.

        Shape: `size`.
        """
        if self.whole is not None:
            return _product(self.whole[:, list(words)], weights)
        spread = np.zeros(self.width, np.float32)
        spread[list(words)] = weights
        return self._of_words(np.array(words, np.int64), spread)

    def by_number(self) -> Floats:
        """Return how strongly each number is described by all words together.

        Shape: `size`.
        """
        if self.whole is not None:
            total: Floats = self.whole.sum(axis=1)
            return total
        return np.bincount(self.numbers, self.strengths, self.size).astype(np.float32)

    def by_word(self) -> Floats:
        """Return how strongly each word describes all numbers together.

        Shape: `width`.
        """
        if self.whole is not None:
            total: Floats = self.whole.sum(axis=0)
            return total
        words = np.repeat(np.arange(self.width), np.diff(self.starts))
        return np.bincount(words, self.strengths, self.width).astype(np.float32)

    def __or__(self, other: "WordMatrix") -> "WordMatrix":
        """Return the matrix of the same numbers and words in which each is described as strongly as in either."""
        if self.whole is not None and other.whole is not None:
            return replace(self, whole=np.maximum(self.whole, other.whole))
        columns = [np.repeat(np.arange(self.width), np.diff(one.starts)) for one in (self, other)]
        cells = np.concatenate([of * self.size + one.numbers for of, one in zip(columns, (self, other), strict=True)])
        cell, place = np.unique(cells, return_inverse=True)
        strengths = np.zeros(len(cell), np.float32)
        np.maximum.at(strengths, place, np.concatenate([self.strengths, other.strengths]))
        word, number = np.divmod(cell, self.size)
        starts = np.searchsorted(word, np.arange(self.width + 1))
        return WordMatrix(self.size, self.width, None, number.astype(np.int32), strengths, starts)

    def _of_words(self, words: NDArray[np.int64], weights: Floats) -> Floats:
        often = self.starts[words + 1] - self.starts[words]
        before = np.cumsum(often) - often
        at = np.repeat(self.starts[words] - before, often) + np.arange(int(often.sum()))
        strengths = self.strengths[at] * np.repeat(weights[words], often)
        return np.bincount(self.numbers[at], strengths, self.size).astype(np.float32)


def _product(matrix: Floats, weights: Floats) -> Floats:
    # Kernels of OpenBLAS fill their registers with what is not a number, and now and then that is reported as ours.
    with np.errstate(invalid="ignore"):
        found: Floats = matrix @ weights
        return found


def word_matrix(described: Sequence[Mapping[int, float]], size: int, width: int) -> WordMatrix:
    """Return the matrix of numbers and the words that describe them.

    Args:
        described: For each number, how strongly which word describes it.
        width: How many words there are; a matrix without any has one that describes nothing.
    """
    return _matrix(described, [strength for words in described for strength in words.values()], size, width)


def flag_matrix(described: Sequence[Collection[int]], size: int, width: int) -> WordMatrix:
    """Return the matrix of numbers and the words that describe them, each as strongly as any other.

    Args:
        described: For each number, which words describe it, each once.
        width: How many words there are; a matrix without any has one that describes nothing.
    """
    return _matrix(described, 1.0, size, width)


def _matrix(
    described: Sequence[Collection[int]], strengths: Sequence[float] | float, size: int, width: int
) -> WordMatrix:
    width = max(1, width)
    numbers = np.repeat(np.arange(size), [len(words) for words in described])
    columns = np.array(list(chain.from_iterable(described)), np.intp)
    if size * width <= WHOLE_CELLS:
        whole = np.zeros(size * width, np.float32)
        whole[numbers * width + columns] = strengths
        nothing = np.zeros(0, np.int32)
        starts = np.zeros(width + 1, np.int64)
        return WordMatrix(size, width, whole.reshape(size, width), nothing, nothing.astype(np.float32), starts)
    order = np.argsort(columns, kind="stable")
    starts = np.zeros(width + 1, np.int64)
    np.cumsum(np.bincount(columns, minlength=width), out=starts[1:])
    strong = np.broadcast_to(np.asarray(strengths, np.float32), columns.shape)
    return WordMatrix(size, width, None, numbers[order].astype(np.int32), strong[order], starts)
