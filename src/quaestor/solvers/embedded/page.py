"""Arrays of the numbers of a page (its leaves) and the words that describe them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import chain, pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from quaestor.core.matrices import multiply
from quaestor.core.provenance import Source
from quaestor.core.quantity import Scale
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import Extract
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


Floats = NDArray[np.float32]
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
    near: Floats
    caption: Floats
    moved: NDArray[np.bool_]
    boundary: Ints
    power: NDArray[np.float64]
    table: Ints
    line: Ints
    place: Ints
    total: NDArray[np.bool_]
    row: Floats
    column: Floats
    labels: Floats
    around: Floats
    pairs: dict[tuple[str, str], int]
    row_pairs: Floats
    index: dict[tuple[Source, Decimal], int]

    def __len__(self) -> int:
        """Return the number of leaves."""
        return len(self.leaves)

    def find(self, step: Extract) -> int | None:
        """Return the index of the number that a step of a plan looks up, or None."""
        return None if step.quantity is None else self.index.get((step.source, step.quantity.value))

    def in_line_of(self, leaf: int) -> NDArray[np.bool_]:
        """Return which leaves are in the line of a table, or in the sentence, of a leaf."""
        same: NDArray[np.bool_] = (self.table == self.table[leaf]) & (self.line == self.line[leaf])
        return same

    def in_column_of(self, leaf: int) -> NDArray[np.bool_]:
        """Return which leaves are in the column of a leaf of a table; none for a leaf of a sentence."""
        same: NDArray[np.bool_] = (self.table == self.table[leaf]) & (self.place == self.place[leaf])
        return same & (self.table >= 0)

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
    def described(self) -> Floats:
        """The matrix of all words that describe each leaf: those around it and the caption."""
        return np.maximum(self.around, self.caption)

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
    width = len(vocabulary)

    def of(texts: Sequence[tuple[str, ...]]) -> Floats:
        return _build_matrix([{vocabulary[word]: 1.0 for word in text} for text in texts], width)

    of_pairs = [{pairs[pair]: 1.0 for pair in own} for own in row_pairs]
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
        near=_build_matrix([_measure_nearness(leaf, vocabulary) for leaf in leaves], width),
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
        labels=np.maximum(row, column),
        around=of([leaf.around for leaf in leaves]),
        pairs=pairs,
        row_pairs=_build_matrix(of_pairs, len(pairs)),
        index={(leaf.source, leaf.quantity.value): i for i, leaf in enumerate(leaves)},
    )


def _build_matrix(described: Sequence[Mapping[int, float]], width: int) -> Floats:
    """Build the matrix of how strongly each word describes each number; without words it has one empty column."""
    matrix = np.zeros((len(described), max(1, width)), np.float32)
    for row, strengths in zip(matrix, described, strict=True):
        row[list(strengths)] = list(strengths.values())
    return matrix


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
    weights = np.zeros(leaves.row.shape[1], np.float32)
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
    rarity = np.maximum(np.log((len(leaves) + 1) / (leaves.around.sum(axis=0) + 0.5)), 0).astype(np.float32)
    return PageFeatures(
        leaves=leaves,
        idf=weights,
        mean_idf=float(weights.mean()) if len(weights) else 1.0,
        rarity=rarity,
        label_rarity=np.maximum(multiply(leaves.labels, rarity), 1e-6),
        row_weight=np.maximum(multiply(leaves.row, weights), 1e-6),
        column_weight=np.maximum(multiply(leaves.column, weights), 1e-6),
        pair_count=np.maximum(leaves.row_pairs.sum(axis=1), 1),
        places=static["places"].astype(np.float32),
        static={name: array.astype(np.float32) for name, array in static.items()},
    )
