"""A look-up of a year that the question does not name, where the line has the year that it names.

Conversations of the benchmark mostly stay in a year or in a line, so the learned ranking holds a number of the column
before for likely even where another year is said. On the benchmark's own pages this mends and harms nothing (549 of 841
turns are right with it and without, by weights that had not seen the company); people name a year because they mean it.
"""

import numpy as np
from numpy.typing import NDArray

from quaestor.questions.question import Question
from quaestor.solvers.embedded.candidates.enumerate import Candidates
from quaestor.solvers.embedded.candidates.operations import LOOKUP
from quaestor.solvers.embedded.page.matrix import NumberMatrix, among
from quaestor.solvers.embedded.page.word_matrix import Floats

_ELSEWHERE = -3.0
"""What such a look-up has less: a fiscal year may end in another one, so it is not ruled out."""


def named_year_scores(question: Question, plans: Candidates, leaves: NumberMatrix) -> Floats:
    """Return what the years that a question names add to the score of each plan.

    Args:
        plans: Those after each reading of the turns before.

    Shape: One entry a plan.
    """
    if not question.years or (question.offsets and not question.told_years) or not len(leaves):
        return np.zeros(len(plans), np.float32)
    named = among(leaves.year, question.year_set) | among(leaves.other_year, question.year_set)
    in_table = leaves.table >= 0
    of_table = named & in_table
    in_line, in_place = (_beside(leaves, at, of_table) for at in (leaves.line, leaves.place))
    missed = in_table & (leaves.year > 0) & ~named & in_line
    # Nor is the total over the years meant where that year has a number beside it.
    missed |= in_table & (leaves.year == 0) & ~named & leaves.total & (in_line | in_place)
    leaf = plans.pool.leaf[plans.first]
    wrong = (plans.operation == LOOKUP) & (leaf >= 0) & missed[np.maximum(leaf, 0)]
    return np.where(wrong, np.float32(_ELSEWHERE), np.float32(0))


def _beside(leaves: NumberMatrix, at: NDArray[np.int32], some: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which numbers are in a line, or at a place of a line, of a table in which one of some stands."""
    across = (leaves.table + 1) * (1 + int(at.max())) + at
    taken = np.zeros(int(across.max()) + 1, bool)
    taken[across[some]] = True
    beside: NDArray[np.bool_] = taken[across]
    return beside
