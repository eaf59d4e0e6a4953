"""Arrays of the numbers of a page (its leaves) and the words that describe them."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import chain, pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from quaestor.core.provenance import Source
from quaestor.core.quantity import Scale
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.scales import Dimension
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.page_numbers import (
    FIRST_SENTENCE,
    CandidateNumber,
    read_table_numbers,
    read_text_numbers,
)


@dataclass(frozen=True, slots=True)
class StemWeights:
    """Weights of stems.

    For pages, the inverse document frequency over the training pages. For questions, the negative logarithm of how
    often the stem describes no number of a page with the answer: high for the words of lines, near 0 for filler words.
    """

    weight: Mapping[str, float]
    unseen: float

    def of(self, stem: str) -> float:
        """Return the weight of one stem."""
        return self.weight.get(stem, self.unseen)

    def weigh(self, stems: Iterable[str]) -> list[float]:
        """Return the weights of stems, in the same order."""
        known, unseen = self.weight.get, self.unseen
        return [known(stem, unseen) for stem in stems]


# ---- The matrix of numbers and the words that describe them: dense for a page, sparse for a filing.
#
# A page has about sixty numbers and a hundred words, for which a dense product is fastest. For a filing a dense matrix
# would grow with the square of its length, although a question has only ten words.


Floats = NDArray[np.float32]

WHOLE_CELLS = 250_000
"""Maximum number of cells (1 MB) of a dense matrix. No page of ConvFinQA has more than a tenth of that, so that their
features are exactly those with which the weights were trained."""


@dataclass(frozen=True, slots=True)
class WordMatrix:
    """Matrix of how strongly each word describes each number, `size` numbers x `width` words.

    Attributes:
        whole: The dense matrix; None for a sparse one.
        numbers: The numbers described by each word, ascending, word after word; those of word n start at `starts[n]`.
        strengths: How strongly the word describes each of these.
    """

    size: int
    width: int
    whole: Floats | None
    numbers: NDArray[np.int32]
    strengths: Floats
    starts: NDArray[np.int64]

    def dot(self, weights: Floats) -> Floats:
        """Return the product with the weights of all words, one entry per number."""
        if self.whole is not None:
            return _multiply(self.whole, weights)
        return self._of_words(np.flatnonzero(weights), weights)

    def dot_of(self, words: Sequence[int], weights: Floats) -> Floats:
        """Return the product with the weights of a few words, one entry per number."""
        if self.whole is not None:
            return _multiply(self.whole[:, list(words)], weights)
        spread = np.zeros(self.width, np.float32)
        spread[list(words)] = weights
        return self._of_words(np.array(words, np.int64), spread)

    def by_number(self) -> Floats:
        """Return the sum over all words, one entry per number."""
        if self.whole is not None:
            total: Floats = self.whole.sum(axis=1)
            return total
        return np.bincount(self.numbers, self.strengths, self.size).astype(np.float32)

    def by_word(self) -> Floats:
        """Return the sum over all numbers, one entry per word."""
        if self.whole is not None:
            total: Floats = self.whole.sum(axis=0)
            return total
        words = np.repeat(np.arange(self.width), np.diff(self.starts))
        return np.bincount(words, self.strengths, self.width).astype(np.float32)

    def __or__(self, other: "WordMatrix") -> "WordMatrix":
        """Return the element-wise maximum of two matrices."""
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


def _multiply(matrix: Floats, weights: Floats) -> Floats:
    # OpenBLAS kernels may have NaN in unused registers, which is sometimes reported as an invalid operation.
    with np.errstate(invalid="ignore"):
        found: Floats = matrix @ weights
        return found


def build_word_matrix(described: Sequence[Mapping[int, float]], size: int, width: int) -> WordMatrix:
    """Build the matrix of numbers and the words that describe them.

    Args:
        described: For each number the words that describe it and how strongly.
        size: The number of numbers.
        width: The number of words; a matrix without words gets one that describes nothing.
    """
    return _build_matrix(described, [strength for words in described for strength in words.values()], size, width)


def build_flag_matrix(described: Sequence[Collection[int]], size: int, width: int) -> WordMatrix:
    """Build a matrix of ones for numbers and the words that describe them.

    Args:
        described: For each number the distinct words that describe it.
        size: The number of numbers.
        width: The number of words; a matrix without words gets one that describes nothing.
    """
    return _build_matrix(described, 1.0, size, width)


def _build_matrix(
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


Ints = NDArray[np.int32]
_Word = TypeVar("_Word")

_PRICES = frozenset(stems("price fare"))
_COUNTS = frozenset(stems("number shares options units securities"))

_NEAR = 6.0
"""Distance in words at which a word counts half as much as an adjacent one."""


@dataclass(frozen=True)
class NumberMatrix:
    """All leaves of a page in reading order, as arrays with one entry per leaf.

    The matrices are leaves x `vocabulary`, with 1 if the stem describes the leaf; `row_pairs` is leaves x `pairs`.

    Attributes:
        counts: The scale and the unit of each leaf; equal ones are the same object.
        labels: The stems of the row and of the column.
    """

    leaves: tuple[CandidateNumber, ...]
    vocabulary: dict[str, int]
    counts: tuple[Dimension, ...]
    value: NDArray[np.float64]
    percent: NDArray[np.bool_]
    year: Ints
    other_year: Ints
    lead: Ints
    near: WordMatrix
    caption: WordMatrix
    moved: NDArray[np.bool_]
    boundary: Ints
    power: NDArray[np.float64]
    table: Ints
    line: Ints
    place: Ints
    total: NDArray[np.bool_]
    row: WordMatrix
    column: WordMatrix
    labels: WordMatrix
    around: WordMatrix
    pairs: dict[tuple[str, str], int]
    row_pairs: WordMatrix
    index: dict[tuple[Source, Decimal], int]

    def __len__(self) -> int:
        """Return the number of leaves."""
        return len(self.leaves)

    @cached_property
    def named(self) -> tuple[frozenset[str], ...]:
        """The stems of each leaf's row and column."""
        return tuple(frozenset((*leaf.row, *leaf.column)) for leaf in self.leaves)

    @cached_property
    def priced(self) -> NDArray[np.bool_]:
        """Whether each leaf is a price according to its labels."""
        return np.array([not labels.isdisjoint(_PRICES) for labels in self.named], bool)

    @cached_property
    def counted(self) -> NDArray[np.bool_]:
        """Whether each leaf is a count of things according to its labels."""
        return np.array([not labels.isdisjoint(_COUNTS) for labels in self.named], bool) & ~self.priced

    @cached_property
    def money(self) -> NDArray[np.bool_]:
        """Whether each leaf is an amount of money."""
        return np.array([counts.money for counts in self.counts], bool)

    @cached_property
    def described(self) -> WordMatrix:
        """The matrix of all words that describe each leaf: those around it and the caption."""
        return self.around | self.caption

    @cached_property
    def years(self) -> frozenset[int]:
        """The years of the leaves, from their labels or sentences."""
        in_sentences = {year for leaf in self.leaves for year, _ in leaf.years}
        return frozenset({*self.year.tolist(), *self.other_year.tolist(), *in_sentences} - {0})


def is_among(values: NDArray[np.generic], options: Iterable[float]) -> NDArray[np.bool_]:
    """Return which values are among a few options; ten times as fast as `np.isin`."""
    found = np.zeros(len(values), bool)
    for option in options:
        found |= values == option
    return found


def clip(values: Ints, least: int, most: int) -> Ints:
    """Limit integers to a range; faster than `np.clip`, which first determines the result type."""
    return np.minimum(np.maximum(values, least), most)


def build_number_matrix(graph: KnowledgeGraph) -> NumberMatrix:
    """Return the leaves of a page, first those of its tables, then those of its text."""
    return _build_arrays((*read_table_numbers(graph), *read_text_numbers(graph)))


def _build_arrays(leaves: tuple[CandidateNumber, ...]) -> NumberMatrix:
    vocabulary = _number_words(text for leaf in leaves for text in (leaf.row, leaf.column, leaf.around, leaf.caption))
    row_pairs = [tuple(pairwise(leaf.row)) for leaf in leaves]
    pairs = _number_words(row_pairs)
    size, width = len(leaves), len(vocabulary)

    def of(texts: Sequence[tuple[str, ...]]) -> WordMatrix:
        # Convert each text once, since all numbers of a table or a sentence share most of their words.
        once = {text: frozenset(map(vocabulary.__getitem__, text)) for text in set(texts)}
        return build_flag_matrix([once[text] for text in texts], size, width)

    of_pairs = [frozenset(map(pairs.__getitem__, own)) for own in row_pairs]
    row, column = of([leaf.row for leaf in leaves]), of([leaf.column for leaf in leaves])
    return NumberMatrix(
        leaves=leaves,
        vocabulary=vocabulary,
        counts=_find_dimensions(leaves),
        value=np.array([float(leaf.quantity.value) for leaf in leaves], np.float64),
        percent=np.array([leaf.quantity.scale is Scale.PERCENT for leaf in leaves], bool),
        year=np.array([leaf.year for leaf in leaves], np.int32),
        other_year=np.array([leaf.other_year for leaf in leaves], np.int32),
        lead=np.array([leaf.lead for leaf in leaves], np.int32),
        near=build_word_matrix([_measure_nearness(leaf, vocabulary) for leaf in leaves], size, width),
        caption=of([leaf.caption for leaf in leaves]),
        moved=np.array([leaf.moved for leaf in leaves], bool),
        boundary=np.array([leaf.boundary for leaf in leaves], np.int32),
        power=np.array([leaf.power for leaf in leaves], np.float64),
        table=np.array([leaf.table for leaf in leaves], np.int32),
        line=np.array([leaf.line for leaf in leaves], np.int32),
        place=np.array([leaf.place for leaf in leaves], np.int32),
        total=np.array([leaf.total for leaf in leaves], bool),
        row=row,
        column=column,
        labels=row | column,
        around=of([leaf.around for leaf in leaves]),
        pairs=pairs,
        row_pairs=build_flag_matrix(of_pairs, size, len(pairs)),
        index={(leaf.source, leaf.quantity.value): i for i, leaf in enumerate(leaves)},
    )


def _number_words(texts: Iterable[Iterable[_Word]]) -> dict[_Word, int]:
    """Number the words of texts in the order of their first occurrence."""
    return {word: place for place, word in enumerate(dict.fromkeys(chain.from_iterable(texts)))}


def _find_dimensions(leaves: tuple[CandidateNumber, ...]) -> tuple[Dimension, ...]:
    known: dict[Dimension, Dimension] = {}
    # By the values that a dimension depends on, so that few have to be created.
    by_print: dict[tuple[object, ...], Dimension] = {}
    found = []
    for leaf in leaves:
        print_and_labels = leaf.quantity.scale, leaf.quantity.unit, leaf.label_scale, leaf.label_unit
        if (counts := by_print.get(print_and_labels)) is None:
            counts = by_print[print_and_labels] = known.setdefault(leaf.counts, leaf.counts)
        found.append(counts)
    return tuple(found)


def _measure_nearness(leaf: CandidateNumber, vocabulary: Mapping[str, int]) -> dict[int, float]:
    """Return how near each word is to a number: 1 if adjacent or in its labels, less with every word between."""
    if leaf.table >= 0:
        return dict.fromkeys((vocabulary[s] for s in (*leaf.row, *leaf.column)), 1.0)
    return {vocabulary[stem]: 1 / (1 + distance / _NEAR) for stem, distance in leaf.distances}


@dataclass(frozen=True, slots=True)
class PageFeatures:
    """Leaves of a page with all features that no question changes.

    Attributes:
        idf: The inverse document frequency of each stem of the vocabulary over the training pages.
        mean_idf: The mean of `idf`; 1 for an empty page.
        rarity: The rarity of each stem among the leaves of this page; 0 for stems that describe most of them.
        label_rarity: The sum of `rarity` over the labels of each leaf.
        row_weight: The sum of `idf` over the row label of each leaf.
        column_weight: The sum of `idf` over the column label of each leaf.
        pair_count: The number of stem pairs of each leaf's row label.
        places: The number of numbers in each leaf's sentence or row.
        static: The feature columns of the leaf scorer that no question changes.
    """

    leaves: NumberMatrix
    idf: Floats
    mean_idf: float
    rarity: Floats
    label_rarity: Floats
    row_weight: Floats
    column_weight: Floats
    pair_count: Floats
    places: Floats
    static: dict[str, Floats]


def build_page_features(leaves: NumberMatrix, idf: StemWeights) -> PageFeatures:
    """Compute the features of a page that no question changes."""
    weights = np.zeros(leaves.row.width, np.float32)
    weights[: len(leaves.vocabulary)] = idf.weigh(leaves.vocabulary)
    lines = list(zip(leaves.table.tolist(), leaves.line.tolist(), strict=True))
    often = Counter(lines)
    newest = int(leaves.year.max(initial=0))
    static = {
        "year_newest": np.where(leaves.year > 0, np.maximum(leaves.year - newest, -19), -20),
        "percent": leaves.percent,
        "in_table": leaves.table >= 0,
        "total": leaves.total,
        "line": np.minimum(np.where(leaves.line >= FIRST_SENTENCE, leaves.line - FIRST_SENTENCE, leaves.line), 40),
        "place": np.minimum(leaves.place, 12),
        "lead": leaves.lead,
        "places": np.array([min(often[line], 20) for line in lines]),
        "magnitude": np.log10(1 + np.abs(leaves.value)),
        "whole": leaves.value == np.round(leaves.value),
        "moved": leaves.moved,
        "currency": np.array([leaf.quantity.unit is not None for leaf in leaves.leaves], bool),
    }
    rarity = np.maximum(np.log((len(leaves) + 1) / (leaves.around.by_word() + 0.5)), 0).astype(np.float32)
    return PageFeatures(
        leaves=leaves,
        idf=weights,
        mean_idf=float(weights.mean()) if len(weights) else 1.0,
        rarity=rarity,
        label_rarity=np.maximum(leaves.labels.dot(rarity), 1e-6),
        row_weight=np.maximum(leaves.row.dot(weights), 1e-6),
        column_weight=np.maximum(leaves.column.dot(weights), 1e-6),
        pair_count=np.maximum(leaves.row_pairs.by_number(), 1),
        places=static["places"].astype(np.float32),
        static={name: array.astype(np.float32) for name, array in static.items()},
    )
