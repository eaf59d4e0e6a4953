"""The embedded solver as an expert: it has several plans ready, and the next one is its next draft.

Owns how many are offered.
"""

from collections.abc import Iterator
from itertools import islice

from quaestor.conversation.answer import Answer
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.solver import EmbeddedSolver

_MOST_OFFERED = 20


def offers(solver: EmbeddedSolver, question: str, context: TurnContext) -> Iterator[Answer]:
    """Yields the answers of the best-ranked plans, likeliest first, each result once."""
    return islice(solver.answers(question, context), _MOST_OFFERED)
