"""The leaves of a page: every number that a plan can start from, as arrays that the scorer reads at once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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
from quaestor.solvers.embedded.page.number import CandidateNumber
from quaestor.solvers.embedded.page.tables import numbers_of_tables
from quaestor.solvers.embedded.page.text import numbers_of_text
from quaestor.solvers.embedded.page.word_matrix import WordMatrix, flag_matrix, word_matrix

Ints = NDArray[np.int32]
_Word = TypeVar("_Word")

_PRICES = frozenset(stems("price fare"))
_COUNTS = frozenset(stems("number shares options units securities"))

_NEAR = 6.0
"""How many words away a word counts a half as much as one beside the number."""


@dataclass(frozen=True)
class NumberMatrix:
    """All leaves of a page, in reading order, with their arrays.

    Attributes:
        counts: The scale and the unit of each; one object for all that are equal.
        labels: The stems of the row and of the column.

    Shape: every array has one entry a leaf; the matrices are leaves x `vocabulary`, 1 where the stem describes
        the leaf; `row_pairs` is leaves x `pairs`.
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
        """The number of leaves."""
        return len(self.leaves)

    @cached_property
    def named(self) -> tuple[frozenset[str], ...]:
        """For each leaf the stems of its row and of its column."""
        return tuple(frozenset((*leaf.row, *leaf.column)) for leaf in self.leaves)

    @cached_property
    def priced(self) -> NDArray[np.bool_]:
        """Whether each is the price of one thing, as its labels say.

        Shape: One entry a leaf.
        """
        return np.array([not labels.isdisjoint(_PRICES) for labels in self.named], bool)

    @cached_property
    def counted(self) -> NDArray[np.bool_]:
        """Whether each is a number of things, as its labels say.

        Shape: One entry a leaf.
        """
        return np.array([not labels.isdisjoint(_COUNTS) for labels in self.named], bool) & ~self.priced

    @cached_property
    def money(self) -> NDArray[np.bool_]:
        """Whether each is an amount of money, as its print or its labels say.

        Shape: One entry a leaf.
        """
        return np.array([counts.money for counts in self.counts], bool)

    @cached_property
    def described(self) -> WordMatrix:
        """All that describes each leaf: what is around it, and the caption.

        Shape: leaves x `vocabulary`.
        """
        return self.around | self.caption

    @cached_property
    def years(self) -> frozenset[int]:
        """The years that its leaves are of, by their labels or in their sentences."""
        said = {year for leaf in self.leaves for year, _ in leaf.years}
        return frozenset({*self.year.tolist(), *self.other_year.tolist(), *said} - {0})


def among(values: NDArray[np.generic], options: Iterable[float]) -> NDArray[np.bool_]:
    """Return which values are one of a few options: `np.isin`, which takes ten times as long for so few.

    Shape: One entry a value.
    """
    found = np.zeros(len(values), bool)
    for option in options:
        found |= values == option
    return found


def within(values: Ints, least: int, most: int) -> Ints:
    """Return whole numbers, none of them below or above a bound: `np.clip`, which looks up first what fits the type.

    Shape: One entry a value.
    """
    return np.minimum(np.maximum(values, least), most)


def number_matrix(graph: KnowledgeGraph) -> NumberMatrix:
    """Return the leaves of a page: those of its tables, then those of its text."""
    return _arrays((*numbers_of_tables(graph), *numbers_of_text(graph)))


def _arrays(leaves: tuple[CandidateNumber, ...]) -> NumberMatrix:
    vocabulary = _places(text for leaf in leaves for text in (leaf.row, leaf.column, leaf.around, leaf.caption))
    row_pairs = [tuple(pairwise(leaf.row)) for leaf in leaves]
    pairs = _places(row_pairs)
    size, width = len(leaves), len(vocabulary)

    def of(texts: Sequence[tuple[str, ...]]) -> WordMatrix:
        # The numbers of a table have one caption, those of a sentence the same words around them.
        once = {text: frozenset(map(vocabulary.__getitem__, text)) for text in set(texts)}
        return flag_matrix([once[text] for text in texts], size, width)

    of_pairs = [frozenset(map(pairs.__getitem__, own)) for own in row_pairs]
    row, column = of([leaf.row for leaf in leaves]), of([leaf.column for leaf in leaves])
    return NumberMatrix(
        leaves=leaves,
        vocabulary=vocabulary,
        counts=_counts(leaves),
        value=np.array([float(leaf.quantity.value) for leaf in leaves], np.float64),
        percent=np.array([leaf.quantity.scale is Scale.PERCENT for leaf in leaves], bool),
        year=np.array([leaf.year for leaf in leaves], np.int32),
        other_year=np.array([leaf.other_year for leaf in leaves], np.int32),
        lead=np.array([leaf.lead for leaf in leaves], np.int32),
        near=word_matrix([_nearness(leaf, vocabulary) for leaf in leaves], size, width),
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
        row_pairs=flag_matrix(of_pairs, size, len(pairs)),
        index={(leaf.source, leaf.quantity.value): i for i, leaf in enumerate(leaves)},
    )


def _places(texts: Iterable[Iterable[_Word]]) -> dict[_Word, int]:
    """The place of each word of some texts, in the order in which they are first said."""
    return {word: place for place, word in enumerate(dict.fromkeys(chain.from_iterable(texts)))}


def _counts(leaves: tuple[CandidateNumber, ...]) -> tuple[Dimension, ...]:
    known: dict[Dimension, Dimension] = {}
    # By what it depends on, so that few have to be made.
    by_print: dict[tuple[object, ...], Dimension] = {}
    found = []
    for leaf in leaves:
        print_and_labels = leaf.quantity.scale, leaf.quantity.unit, leaf.label_scale, leaf.label_unit
        if (counts := by_print.get(print_and_labels)) is None:
            counts = by_print[print_and_labels] = known.setdefault(leaf.counts, leaf.counts)
        found.append(counts)
    return tuple(found)


def _nearness(leaf: CandidateNumber, vocabulary: Mapping[str, int]) -> dict[int, float]:
    """How near each word stands to a number: 1 beside it or in its labels, less with every word between."""
    if leaf.table >= 0:
        return dict.fromkeys((vocabulary[s] for s in (*leaf.row, *leaf.column)), 1.0)
    return {vocabulary[stem]: 1 / (1 + distance / _NEAR) for stem, distance in leaf.distances}
