"""Ablation of the embedded solver: leaves out one part at a time.

A part of the ranker is left out by blanking its columns and refitting the ranker; its inputs (signature, leaf scorer,
candidates) stay as trained.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import NDArray

from quaestor.learning import train as training
from quaestor.learning.ranking import RankedTurn, fit_ranker
from quaestor.solvers.embedded import beam
from quaestor.solvers.embedded.models import Ranker
from quaestor.solvers.embedded.page import Floats
from quaestor.solvers.embedded.plan_features import CANDIDATE_FEATURES

PARTS: dict[str, tuple[str, ...]] = {
    "signature": ("signature", "signature_gap", "operation_p", "prior", "prior_gap"),
    "leaf scorer's word": ("first_score", "second_score", "first_rank", "second_rank", "prior", "prior_gap"),
    "measures of the leaves": ("first:*", "second:*"),
    "years": ("*year*",),
    "words of the question": ("*word*", "*_said", "*_distinct"),
    "sides and order": ("*side*", "*_back", "*_end", "text_order", "sentence_order"),
    "references": ("reference", "reference_gap", "group_reference"),
    "patterns of the core": ("metric", "metric_gap", "order", "group_asked"),
    "earlier turns": (
        *("same_operation", "last_operation", "parallel", "analogy", "first_repeat", "uses_*", "unused_results"),
        *("value_said", "constant_turns", "second_in_first", "first_in_second", "first_turn", "second_turn"),
    ),
    "scale and sign": ("scale_fit", "*percent", "*magnitude*", "*negative", "*:scale_asked"),
}
"""The ranker's column groups by name, as patterns."""


def columns_of(part: str) -> list[int]:
    """Return the column indexes of a part.

    Raises:
        ValueError: A pattern matches no column: the columns have been renamed.
    """
    names = list(CANDIDATE_FEATURES)
    for pattern in PARTS[part]:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise ValueError(f"no column of the ranker is like {pattern!r}, of the part {part!r}")
    return [n for n, name in enumerate(names) if any(fnmatchcase(name, pattern) for pattern in PARTS[part])]


@dataclass(frozen=True, slots=True)
class BlankedRanker(Ranker):
    """A ranker with some columns blanked."""

    blank: tuple[int, ...] = ()

    def predict(self, rows: Floats, *, alone: bool = False) -> NDArray[np.float64]:
        """Return the score of each candidate."""
        return Ranker.predict(self, _blanked(rows, self.blank), alone=alone)


@contextmanager
def keeping_rows() -> Iterator[list[RankedTurn]]:
    """Record the rows that the ranker is fitted to during a training; the last fit counts."""
    kept: list[RankedTurn] = []

    def keeping(turns: Sequence[RankedTurn]) -> Ranker:
        kept[:] = turns
        return fit_ranker(turns)

    setattr(training, "fit_ranker", keeping)  # noqa: B010 - replaces a name in the module that is not exported
    try:
        yield kept
    finally:
        setattr(training, "fit_ranker", fit_ranker)  # noqa: B010


@contextmanager
def paths_kept(count: int) -> Iterator[None]:
    """Set the number of interpretations of a conversation that the solver carries along."""
    usual = beam.PATHS
    setattr(beam, "PATHS", count)  # noqa: B010 - a constant outside of this benchmark
    try:
        yield
    finally:
        setattr(beam, "PATHS", usual)  # noqa: B010


def rankers_without(rows: Sequence[RankedTurn]) -> Iterator[tuple[str, Ranker]]:
    """Yield the ranker without each part, refitted.

    Args:
        rows: The rows that the full ranker was fitted to.
    """
    for part in PARTS:
        blank = tuple(columns_of(part))
        fitted = fit_ranker([replace(turn, features=_blanked(turn.features, blank)) for turn in rows])
        yield part, BlankedRanker(**{f.name: getattr(fitted, f.name) for f in fields(fitted)}, blank=blank)


def _blanked(rows: Floats, blank: Sequence[int]) -> Floats:
    found = rows.copy()
    found[:, list(blank)] = 0
    return found
