"""Which numbers of a page a list holds: one for each part of the question, all of one kind.

What speaks for a number as the answer of one part alone is the leaf scorer's.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from quaestor.solvers.embedded.page.matrix import NumberMatrix
from quaestor.solvers.embedded.page.word_matrix import Floats

Alike = Literal["line", "place"]
"""What the numbers of a list share: their line, where they differ in time, or the time, where they differ in line."""

_LEAST = 1e-6
_OTHER_YEAR = 6.0
"""What a number has less, as a log, that belongs to another year than the one that its part asks for."""
_NO_YEAR = 1.0
"""The same of a number without a year."""
_ALIKE = 1.5
"""What it counts that all numbers are in one line, or at one place."""


@dataclass(frozen=True, slots=True)
class ChosenNumbers:
    """The numbers of a list.

    Attributes:
        leaves: One for each part, in order.
        share: How likely each is the number that its part asks for, by the leaf scorer.
        alike: Whether they all are in one line, or at one place.
    """

    leaves: tuple[int, ...]
    share: tuple[float, ...]
    alike: bool


def choose_numbers(
    shares: Sequence[NDArray[np.float64]], years: Sequence[int], leaves: NumberMatrix, alike: Alike
) -> ChosenNumbers | None:
    """Return the numbers that answer the parts of a question best together; None if there are too few.

    Args:
        shares: For each part how likely each leaf is its answer.
        years: The year that each part asks for; 0 if it asks for none.
        alike: What the numbers probably share.

    Shape: Each of `shares` has one entry a leaf.
    """
    scores = [_scored(share, year, leaves) for share, year in zip(shares, years, strict=True)]
    found: list[tuple[float, tuple[int, ...], bool]] = []
    everywhere = np.arange(len(leaves))
    if (chosen := _one_each(scores, everywhere)) is not None:
        found.append((_sum(scores, chosen), chosen, False))
    for group in _groups(leaves, alike):
        if (chosen := _one_each(scores, group)) is not None:
            found.append((_sum(scores, chosen) + _ALIKE, chosen, True))
    if not found:
        return None
    _, chosen, same = max(found, key=lambda each: (each[0], each[2]))
    return ChosenNumbers(chosen, tuple(float(s[i]) for s, i in zip(shares, chosen, strict=True)), same)


def _scored(share: NDArray[np.float64], year: int, leaves: NumberMatrix) -> Floats:
    scores = np.log(share + _LEAST)
    if year:
        scores = scores - np.where(leaves.year == year, 0.0, np.where(leaves.year == 0, _NO_YEAR, _OTHER_YEAR))
    return scores.astype(np.float32)


def _groups(leaves: NumberMatrix, alike: Alike) -> Iterable[NDArray[np.int64]]:
    """Yield the leaves of each line, or of each place of a table; sentences are lines only."""
    across = leaves.line if alike == "line" else leaves.place
    keys = leaves.table.astype(np.int64) * 100_000 + across
    usable = keys if alike == "line" else np.where(leaves.table >= 0, keys, np.int64(-1) << 40)
    for key in np.unique(usable):
        if key != np.int64(-1) << 40:
            yield np.flatnonzero(usable == key)


def _one_each(scores: Sequence[Floats], among: NDArray[np.int64]) -> tuple[int, ...] | None:
    """Return a leaf for each part, no leaf twice: the surest part chooses first."""
    if len(among) < len(scores):
        return None
    left = np.array([score[among] for score in scores])
    chosen = [0] * len(scores)
    for _ in scores:
        part, place = np.unravel_index(int(np.argmax(left)), left.shape)
        chosen[int(part)] = int(among[place])
        left[part, :] = -np.inf
        left[:, place] = -np.inf
    return tuple(chosen)


def _sum(scores: Sequence[Floats], chosen: Sequence[int]) -> float:
    return float(sum(score[leaf] for score, leaf in zip(scores, chosen, strict=True)))
