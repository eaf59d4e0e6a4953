"""Other solvers as experts: one that is asked again with what was wrong, one that has its next answer ready.

How they find their plans is their own affair.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from quaestor.conversation.answer import Answer
from quaestor.conversation.event_lines import Trace
from quaestor.conversation.events import ExpertEvent, NoAnswerGiven
from quaestor.core.computing import compute
from quaestor.errors import SolverError
from quaestor.solvers.base import RankingSolver, Solver, TurnContext
from quaestor.solvers.reflection.proposals import DraftProposal, proposal_of

_MOST_OFFERED = 20
"""How many answers a solver that ranks them offers."""


@dataclass
class SolverExpert:
    """Another solver, asked again with what was wrong."""

    question: str
    context: TurnContext
    solver: Solver
    revises = True

    async def draft(self, number: int, objections: Sequence[str]) -> DraftProposal | NoAnswerGiven | None:
        """Return the plan of the solver's next answer, or what its model says of why there is none.

        Raises:
            SolverError: It has none.
            PlanError: Its plan has no result.
            OutageError: Its model cannot be asked.
        """
        context, trace = self.context, Trace()
        inner = replace(
            context, model=context.models.get("expert", context.model), feedback=tuple(objections), trace=trace
        )
        try:
            answer = await self.solver.solve(self.question, inner)
        finally:
            context.trace.extend(ExpertEvent(number, self.solver.name, event) for event in trace)
        given = next((event for event in trace if isinstance(event, NoAnswerGiven)), None)
        if answer.plan is None and given is not None:
            return given
        return await compute(proposal_of, answer, self.question, context)


@dataclass
class RankedExpert:
    """A solver that has several answers ready, the likeliest first: the next one is its next draft.

    Attributes:
        answers: In the order in which they are offered.
    """

    question: str
    context: TurnContext
    answers: Iterator[Answer]
    revises = False

    async def draft(self, number: int, objections: Sequence[str]) -> DraftProposal | None:
        """Return the plan of the next answer; None if all were offered.

        Raises:
            SolverError: There is not a single one.
        """
        del objections  # it has no ears, only other answers
        answer = await compute(next, self.answers, None)
        if answer is None and number == 1:
            raise SolverError(f"no plan fits the question {self.question[:80]!r}")
        return await compute(proposal_of, answer, self.question, self.context) if answer else None


def offers(solver: RankingSolver, question: str, context: TurnContext) -> Iterator[Answer]:
    """Yield the answers that a solver ranks best, likeliest first, each result once."""
    return islice(solver.answers(question, context), _MOST_OFFERED)
