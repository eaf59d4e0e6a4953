"""The reflection solver: a draft is judged before it is the answer.

It keeps nothing from one turn to the next.
"""

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import NoAnswerGiven
from quaestor.core.computing import compute_little
from quaestor.solvers.answering import answer_from_plan, answer_without_value
from quaestor.solvers.base import RankingSolver, Solver, TurnContext
from quaestor.solvers.reflection.experts import RankedExpert, SolverExpert, offers
from quaestor.solvers.reflection.loop import Critics, Expert, ReflectionRounds, contested, no_critics
from quaestor.solvers.reflection.spec import ReflectionLimits


class ReflectionSolver:
    """Drafts, lets the draft be judged, and drafts again."""

    name = "reflection"

    def __init__(self, limits: ReflectionLimits | None = None, expert: Solver | None = None) -> None:
        """Take how long to try, and the solver that drafts; None for a model that writes its steps down."""
        self.limits = limits or ReflectionLimits()
        self.expert = expert

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the answer of the accepted draft, else of the best one, whose `reason` says that it is contested.

        Where the expert's model says that there is no answer, it is one without a value. The trace has
        every draft, finding and verdict. Without a model only the evidence judges.

        Raises:
            ModelReplyError: No reply could be used.
            SolverError: The expert has no answer.
            PlanError: The best draft has no result.
            OutageError: A model cannot be asked.
            MissingModelError: The expert asks a model, and the turn comes without one.
        """
        rounds = ReflectionRounds(
            self._expert(question, context), self._critics(question, context), self.limits, context.trace
        )
        best = await rounds.play()
        if isinstance(best, NoAnswerGiven):
            return answer_without_value(context, best.reason, best.explanation)
        remarks = [best.proposal.remark] if best.proposal.remark else []
        if not best.accepted:
            remarks.append(contested(best, len(rounds.played)))
        elif best.proposal.findings:
            remarks.append("approved all the same: " + "; ".join(f.words for f in best.proposal.findings))
        reason = "; ".join(remarks) or None
        return await compute_little(answer_from_plan, best.proposal.plan, context, question=question, reason=reason)

    def _expert(self, question: str, context: TurnContext) -> Expert:
        if self.expert is None:
            from quaestor.solvers.reflection.model_expert import ModelExpert

            return ModelExpert(question, context, self.limits.repairs + 1, self.limits.always_answer)
        if isinstance(self.expert, RankingSolver):
            return RankedExpert(question, context, offers(self.expert, question, context))
        return SolverExpert(question, context, self.expert)

    def _critics(self, question: str, context: TurnContext) -> Critics:
        if context.model is None and not context.models:
            return no_critics
        from quaestor.solvers.reflection.roles import CriticRoles  # without a model nothing of a model is loaded

        return CriticRoles(question, context, self.limits.repairs + 1).judge
