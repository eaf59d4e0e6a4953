"""What is calculated right after a list of numbers: "and the change?" is that of the numbers listed.

Benchmark conversations have no lists, so the ranker has not seen one before such a question.
"""

from collections.abc import Sequence

import numpy as np

from quaestor.solvers.embedded.candidates.enumerate import Candidates
from quaestor.solvers.embedded.page.word_matrix import Floats
from quaestor.solvers.embedded.state.dialogue import Operand
from quaestor.solvers.embedded.state.turn_view import TurnView

_MEANT = 5.0
"""What is added to the log odds of a plan on the numbers of the list and no other."""


def listed_scores(plans: Candidates, turns: Sequence[TurnView]) -> Floats:
    """Return what is added to the score of each plan, where a list was answered and the question names nothing.

    Args:
        plans: Those after each reading of the turns before.
        turns: Page, conversation and question, likewise.

    Shape: One entry a plan.
    """
    scores = np.zeros(len(plans), np.float32)
    for turn, part in zip(turns, plans.parts, strict=True):
        listed = _listed(turn)
        if listed:
            of_list = [_leaves(outcome.operands) == listed for outcome in plans.take(part).outcomes()]
            scores[part] = np.where(of_list, np.float32(_MEANT), np.float32(0))
    return scores


def _listed(turn: TurnView) -> frozenset[int]:
    """The numbers of the list that the last turn answered; none if it did not, or where the question names more."""
    question = turn.question
    return frozenset() if question.names or question.years else _leaves(turn.state.last_list)


def _leaves(operands: Sequence[Operand]) -> frozenset[int]:
    """The numbers of the page that all of some operands are; none where any is no such."""
    if any(operand.kind != "leaf" for operand in operands):
        return frozenset()
    return frozenset(operand.index for operand in operands)
