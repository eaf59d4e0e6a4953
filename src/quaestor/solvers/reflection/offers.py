"""The embedded solver as an expert: it has several plans ready, and the next one is its next draft.

Owns how many are offered, and that no two of them come to the same.
"""

from collections.abc import Iterator

from quaestor.conversation.answer import Answer
from quaestor.errors import PlanError
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.rules import as_asked
from quaestor.solvers.embedded.solver import EmbeddedSolver
from quaestor.solvers.embedded.writing import write_plan

_MOST_OFFERED = 20


def offers(solver: EmbeddedSolver, question: str, context: TurnContext) -> Iterator[Answer]:
    """Yields the answers of the best-ranked plans, likeliest first, each result once."""
    ranked = solver.rank(question, context)
    leaves = solver.page(context.graph).leaves
    seen = set()
    for index in ranked.order[:_MOST_OFFERED].tolist():
        outcome = as_asked(question, ranked.candidates.outcome(index))
        plan = write_plan(outcome, ranked.candidates.magnitudes(index), leaves, len(context.memory.turns))
        try:
            answer = answer_from_plan(plan, context, question=question)
        except PlanError:
            continue  # ranking works in floating point: a divisor can be zero exactly where it was not there
        if (answer.value, answer.scale) not in seen:
            seen.add((answer.value, answer.scale))
            yield answer
