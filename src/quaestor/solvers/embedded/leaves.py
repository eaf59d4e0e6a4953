"""The leaves of a page: every number that a plan can start from, as arrays that the scorer reads at once.

Knows nothing of questions.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from quaestor.core.provenance import Source
from quaestor.core.quantity import Scale
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.scales import Kind as Counts
from quaestor.solvers.embedded.leaf import Leaf
from quaestor.solvers.embedded.table_leaves import table_leaves
from quaestor.solvers.embedded.text_leaves import text_leaves

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

_NEAR = 6.0
"""How many words away a word counts a half as much as one beside the number."""


@dataclass(frozen=True)
class LeafTable:
    """All leaves of a page, in reading order, with their arrays.

    Attributes:
        counts: The scale and the unit of each; one object for all that are equal.

    Shape: every array has one entry a leaf; the matrices are leaves x `vocabulary`, 1 where the stem describes
        the leaf.
    """

    leaves: tuple[Leaf, ...]
    vocabulary: dict[str, int]
    counts: tuple[Counts, ...]
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
    around: Floats
    pairs: dict[tuple[str, str], int]
    row_pairs: Floats
    index: dict[tuple[Source, Decimal], int]

    def __len__(self) -> int:
        """The number of leaves."""
        return len(self.leaves)


def among(values: NDArray[np.generic], options: Iterable[float]) -> NDArray[np.bool_]:
    """Returns which values are one of a few options: `np.isin`, which takes ten times as long for so few."""
    found = np.zeros(len(values), bool)
    for option in options:
        found |= values == option
    return found


def leaf_table(graph: KnowledgeGraph) -> LeafTable:
    """Returns the leaves of a page: those of its tables, then those of its text."""
    return _arrays((*table_leaves(graph), *text_leaves(graph)))


def _arrays(leaves: tuple[Leaf, ...]) -> LeafTable:
    vocabulary: dict[str, int] = {}
    pairs: dict[tuple[str, str], int] = {}
    for leaf in leaves:
        for stem in (*leaf.row, *leaf.column, *leaf.around, *leaf.caption):
            vocabulary.setdefault(stem, len(vocabulary))
        for pair in zip(leaf.row, leaf.row[1:], strict=False):
            pairs.setdefault(pair, len(pairs))
    size, width = len(leaves), max(1, len(vocabulary))
    row, column, around, caption = (np.zeros((size, width), np.float32) for _ in range(4))
    row_pairs = np.zeros((size, max(1, len(pairs))), np.float32)
    for i, leaf in enumerate(leaves):
        row[i, [vocabulary[s] for s in leaf.row]] = 1
        column[i, [vocabulary[s] for s in leaf.column]] = 1
        around[i, [vocabulary[s] for s in leaf.around]] = 1
        caption[i, [vocabulary[s] for s in leaf.caption]] = 1
        row_pairs[i, [pairs[p] for p in zip(leaf.row, leaf.row[1:], strict=False)]] = 1
    return LeafTable(
        leaves=leaves,
        vocabulary=vocabulary,
        counts=_counts(leaves),
        value=np.array([float(leaf.quantity.value) for leaf in leaves], np.float64),
        percent=np.array([leaf.quantity.scale is Scale.PERCENT for leaf in leaves], bool),
        year=np.array([leaf.year for leaf in leaves], np.int32),
        other_year=np.array([leaf.other_year for leaf in leaves], np.int32),
        lead=np.array([leaf.lead for leaf in leaves], np.int32),
        near=_nearness(leaves, vocabulary),
        caption=caption,
        moved=np.array([leaf.moved for leaf in leaves], bool),
        boundary=np.array([leaf.boundary for leaf in leaves], np.int32),
        power=np.array([leaf.power for leaf in leaves], np.float64),
        table=np.array([leaf.table for leaf in leaves], np.int32),
        line=np.array([leaf.line for leaf in leaves], np.int32),
        place=np.array([leaf.place for leaf in leaves], np.int32),
        total=np.array([leaf.total for leaf in leaves], bool),
        row=row,
        column=column,
        around=around,
        pairs=pairs,
        row_pairs=row_pairs,
        index={(leaf.source, leaf.quantity.value): i for i, leaf in enumerate(leaves)},
    )


def _counts(leaves: tuple[Leaf, ...]) -> tuple[Counts, ...]:
    known: dict[Counts, Counts] = {}
    found = (Counts(leaf.quantity.scale, leaf.quantity.unit) for leaf in leaves)
    return tuple(known.setdefault(counts, counts) for counts in found)


def _nearness(leaves: tuple[Leaf, ...], vocabulary: dict[str, int]) -> Floats:
    """How near each word stands to each number: 1 beside it or in its labels, less with every word between."""
    near = np.zeros((len(leaves), max(1, len(vocabulary))), np.float32)
    for i, leaf in enumerate(leaves):
        if leaf.table >= 0:
            near[i, [vocabulary[s] for s in (*leaf.row, *leaf.column)]] = 1
            continue
        for stem, distance in leaf.distances:
            column = vocabulary[stem]
            near[i, column] = max(near[i, column], 1 / (1 + distance / _NEAR))
    return near
