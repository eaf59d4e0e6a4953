"""The leaves of a page: every number that a plan can start from, as arrays that the scorer reads at once.

Owns how a number is described by words, period and place. Knows nothing of questions.
"""

import re
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from quaestor.core.provenance import Source
from quaestor.core.quantity import Quantity, Scale
from quaestor.graph.facts import Mention, Observation
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.solvers.embedded.text import stems, words

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

LEADS = ("", "from", "to", "by", "of", "than", "with", "was", "were", "and", "approximately", "versus")
"""Words before a number in a sentence that tell its part: "increased from 128 to 201"."""

FIRST_SENTENCE = 1000
"""The line of the first sentence: sentences are counted after the rows of any table."""

_NEAR = 6.0
"""How many words away a word counts a half as much as one beside the number."""

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")

_BEFORE = 60
"""Characters of a sentence before a number that describe it."""
_AFTER = 40
"""Characters after it."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A number of the page with what describes it.

    Attributes:
        quantity: As printed.
        source: Its cell or span.
        label: For people: "net revenue, 2008", or the words around it.
        row: The stems of its row's label, or of the words just before it in a sentence.
        column: The stems of its column's label, or of the words just after it.
        around: The stems of all that surrounds it: headings, caption; or the whole sentence.
        year: The year that it belongs to; 0 where none is named.
        other_year: Another year that its labels name ("notes due 2015", a row and a column with one each); else 0.
        lead: Code in `LEADS` of the word that leads to it in a sentence; 0 none of them, or a cell.
        table: The table's index; -1 in a sentence.
        line: The row in the grid; or the sentence's place on the page.
        place: The column in the grid; or the number's place in the sentence.
        total: Its label says total.
        distances: For a number in a sentence, each word of meaning and how many words away it stands.
    """

    quantity: Quantity
    source: Source
    label: str
    row: tuple[str, ...]
    column: tuple[str, ...]
    around: tuple[str, ...]
    year: int
    other_year: int
    lead: int
    table: int
    line: int
    place: int
    total: bool
    distances: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class LeafTable:
    """All leaves of a page, in reading order, with their arrays.

    Shape: every array has one entry a leaf; the matrices are leaves x `vocabulary`, 1 where the stem describes
        the leaf.
    """

    leaves: tuple[Leaf, ...]
    vocabulary: dict[str, int]
    value: NDArray[np.float64]
    percent: NDArray[np.bool_]
    year: Ints
    other_year: Ints
    lead: Ints
    near: Floats
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


def leaf_table(graph: KnowledgeGraph) -> LeafTable:
    """Returns the leaves of a page: the graph's observations, then its mentions."""
    observed = (_observed(observation) for observation in graph.observations)
    mentioned = (_mentioned(mention) for mention in graph.mentions)
    return _arrays((*observed, *mentioned))


def _observed(seen: Observation) -> Leaf:
    row, column = stems(seen.row.label), stems(seen.column.label)
    year = seen.year or 0
    return Leaf(
        quantity=_scaled(seen.quantity, seen.label_scale),
        source=seen.source,
        label=seen.label,
        row=row,
        column=column,
        around=stems(" ".join((*seen.row.levels, *seen.column.levels, seen.caption))) + row + column,
        year=year,
        other_year=_other_year(f"{seen.row.label} {seen.column.label}", year),
        lead=0,
        table=seen.source.table,
        line=seen.source.row,
        place=seen.source.column,
        total="total" in seen.row.label.split() or "total" in seen.column.label.split(),
    )


def _scaled(quantity: Quantity, header: Scale | None) -> Quantity:
    """A percent sign in the header makes a bare number a percentage; other captions stay with the table."""
    if header is Scale.PERCENT and quantity.scale is Scale.ONE and quantity.unit is None:
        return Quantity(quantity.value, Scale.PERCENT, quantity.unit, quantity.text)
    return quantity


def _mentioned(mention: Mention) -> Leaf:
    text, start, end = mention.sentence, mention.source.start, mention.source.end
    before = text[max(0, start - _BEFORE) : start].partition(" ")[2] if start > _BEFORE else text[:start]
    after = text[end : end + _AFTER].rpartition(" ")[0] or text[end : end + _AFTER]
    return Leaf(
        quantity=mention.quantity,
        source=mention.source,
        label=f"{before.strip()[-40:]} {text[start:end]} {after.strip()[:25]}".strip(),
        row=stems(before),
        column=stems(after),
        around=stems(text),
        year=mention.year or 0,
        other_year=0,
        lead=_lead(text[:start]),
        table=-1,
        line=FIRST_SENTENCE + mention.place,
        place=mention.order,
        total="total" in before.split(),
        distances=_distances(text, start, end),
    )


def _other_year(labels: str, year: int) -> int:
    return next((int(found) for found in _YEAR.findall(labels) if int(found) != year), 0)


def _lead(before: str) -> int:
    skipped = ("a", "an", "the", "million", "billion")
    found = [word for word in re.findall(r"[a-z]+", before[-40:]) if word not in skipped]
    return LEADS.index(found[-1]) if found and found[-1] in LEADS else 0


def _distances(text: str, start: int, end: int) -> tuple[tuple[str, int], ...]:
    """The stems around a span with their distance in words; a number between counts as five words."""
    found: list[tuple[str, int]] = []
    for side, ordered in ((text[:start], True), (text[end:], False)):
        far = 0
        said = words(side)
        for word in reversed(said) if ordered else said:
            far += 5 if word[0].isdigit() else 1
            found.extend((stem, far) for stem in stems(word))
    return tuple(found)


def _arrays(leaves: tuple[Leaf, ...]) -> LeafTable:
    vocabulary: dict[str, int] = {}
    pairs: dict[tuple[str, str], int] = {}
    for leaf in leaves:
        for stem in (*leaf.row, *leaf.column, *leaf.around):
            vocabulary.setdefault(stem, len(vocabulary))
        for pair in zip(leaf.row, leaf.row[1:], strict=False):
            pairs.setdefault(pair, len(pairs))
    size, width = len(leaves), max(1, len(vocabulary))
    row, column, around = (np.zeros((size, width), np.float32) for _ in range(3))
    row_pairs = np.zeros((size, max(1, len(pairs))), np.float32)
    for i, leaf in enumerate(leaves):
        row[i, [vocabulary[s] for s in leaf.row]] = 1
        column[i, [vocabulary[s] for s in leaf.column]] = 1
        around[i, [vocabulary[s] for s in leaf.around]] = 1
        row_pairs[i, [pairs[p] for p in zip(leaf.row, leaf.row[1:], strict=False)]] = 1
    return LeafTable(
        leaves=leaves,
        vocabulary=vocabulary,
        value=np.array([float(leaf.quantity.value) for leaf in leaves], np.float64),
        percent=np.array([leaf.quantity.scale is Scale.PERCENT for leaf in leaves], bool),
        year=np.array([leaf.year for leaf in leaves], np.int32),
        other_year=np.array([leaf.other_year for leaf in leaves], np.int32),
        lead=np.array([leaf.lead for leaf in leaves], np.int32),
        near=_nearness(leaves, vocabulary),
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
