"""A page made ready for questions: the weights of its words, and what no question changes."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from quaestor.solvers.embedded.page.matrix import NumberMatrix
from quaestor.solvers.embedded.page.stem_weights import StemWeights
from quaestor.solvers.embedded.page.text import FIRST_SENTENCE
from quaestor.solvers.embedded.page.word_matrix import Floats


@dataclass(frozen=True, slots=True)
class PageFeatures:
    """A page's leaves with the weights of their words, made once a page.

    Attributes:
        idf: Of each stem of their vocabulary, over pages.
        mean_idf: The mean of those; 1 if there are none.
        rarity: The same over the leaves of this page; 0 of what describes most of them.
        label_rarity: Of all stems of a leaf's labels.
        row_weight: Of all stems of a leaf's row label.
        column_weight: The same of its column label.
        pair_count: The stem pairs of its row label.
        places: How many numbers its sentence or row holds.
        static: The columns of the leaf scorer that no question changes.
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


def page_features(leaves: NumberMatrix, idf: StemWeights) -> PageFeatures:
    """Return the arrays of a page that no question changes."""
    weights = np.zeros(leaves.row.width, np.float32)
    weights[: len(leaves.vocabulary)] = idf.of_all(leaves.vocabulary)
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
