"""What is measured of a group of numbers that a plan adds up or averages."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from quaestor.questions.intent import SEVERAL
from quaestor.solvers.embedded.candidates.enumerate import Candidates
from quaestor.solvers.embedded.candidates.groups import GROUP_KINDS
from quaestor.solvers.embedded.candidates.pool import GROUP
from quaestor.solvers.embedded.features.operands import Column
from quaestor.solvers.embedded.state.dialogue import Operand
from quaestor.solvers.embedded.state.turn_view import TurnView

_LEAST = 1e-6
_UNLISTED = 1e-3
COLUMNS = ("group_kind", "group_size", "group_counted", "group_asked", "group_least", "group_reference")


def group_columns(
    candidates: Candidates, probability: Sequence[NDArray[np.float64]], turns: Sequence[TurnView]
) -> dict[str, Column]:
    """Return the columns of all candidates that describe the group which they take; 0 if they take none.

    Args:
        probability: The leaf scorer's probability of each leaf, after each reading of the turns before.
        turns: Page, conversation and question, likewise.

    Shape: Each column has one entry a candidate; each array of `probability` has one a leaf.
    """
    pool = candidates.pool
    values = np.zeros((len(pool.operands), len(COLUMNS)))
    heard = not SEVERAL.isdisjoint(turns[0].question.pattern_names)
    for n in np.flatnonzero(pool.kind == GROUP).tolist():
        group, turn = pool.groups[pool.operands[n].index], turns[pool.reading[n]]
        likely = probability[pool.reading[n]]
        found = [float(likely[member.index]) for member in group.members if member.kind == "leaf"]
        values[n] = (
            group.kind,
            len(group.members),
            _counted(group.members, turn),
            heard,
            np.log(max(min(found, default=1.0), _LEAST)),
            _reference(group.members, turn) if group.kind == GROUP_KINDS.index("results") else 0.0,
        )
    return {name: values[candidates.first, n] for n, name in enumerate(COLUMNS)}


def _counted(members: Sequence[Operand], turn: TurnView) -> int:
    """1 where the numbers are as many as the question says, or of the years that it names; -1 where of others."""
    now, leaves = turn.question, turn.leaves
    counts = {n for n in (*now.counts, *now.numbers) if 1 < n < len(leaves)}
    years = {int(leaves.year[member.index]) for member in members if member.kind == "leaf"} - {0}
    if len(now.years) > 1 and years:
        return 1 if (min(years), max(years)) == (min(now.years), max(now.years)) else -1
    if counts:
        return 1 if len(members) in counts else -1
    return int(bool(years) and (now.years, min(years), max(years)) == ((max(years),), max(years) - 1, max(years)))


def _reference(members: Sequence[Operand], turn: TurnView) -> float:
    turns = {member.index for member in members}
    return float(np.log(max((use.score for use in turn.uses if set(use.turns) == turns), default=_UNLISTED)))
