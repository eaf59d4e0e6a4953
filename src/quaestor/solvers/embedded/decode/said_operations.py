"""Operations that a question says in so many words: "what is that plus 9?" is no product."""

import re
from functools import lru_cache

import numpy as np

from quaestor.questions.question import Question
from quaestor.solvers.embedded.candidates.enumerate import Candidates
from quaestor.solvers.embedded.candidates.operations import OPERATIONS
from quaestor.solvers.embedded.page.word_matrix import Floats

_RULED_OUT = -12.0
"""What is added to the log odds of a plan that does something else."""

_SAID = (
    (re.compile(r"(?<!how many )\btimes\b"), frozenset({"multiply"})),
    (re.compile(r"\bplus\b"), frozenset({"add", "sum", "subtract"})),
    (re.compile(r"\bdivided by\b"), frozenset({"divide", "percentage_change", "add", "subtract"})),
    (re.compile(r"\bover 100\b"), frozenset({"divide"})),
)
"""Words that say an operation, and what they leave open: of 42, 8, 127 and 4 labelled turns none does anything else."""


def said_operation_scores(question: Question, plans: Candidates) -> Floats:
    """Return what the words of a question for an operation add to the score of each plan.

    Args:
        plans: Those after each reading of the turns before.

    Shape: One entry a plan.
    """
    said = _said(question)
    if not said:
        return np.zeros(len(plans), np.float32)
    return np.where(np.isin(plans.operation, said), np.float32(0), np.float32(_RULED_OUT))


@lru_cache(maxsize=64)
def _said(question: Question) -> tuple[int, ...]:
    """The codes of the operations that a question says; none if it says none."""
    names = frozenset[str]().union(*(names for words, names in _SAID if words.search(question.lowered)))
    return tuple(code for code, name in enumerate(OPERATIONS) if name in names)
