"""The workflow solver: one plan, written by a model, then looked up, validated, executed and, where need be, repaired.

The model is the run's, and comes with each turn; the solver keeps nothing from one turn to the next.
"""

from quaestor.conversation.answer import Answer
from quaestor.core.computing import compute_little
from quaestor.solvers.answer_kinds import remarks_with, why_none
from quaestor.solvers.answering import answer_from_plan, answer_without_value
from quaestor.solvers.base import TurnContext
from quaestor.solvers.explaining import NOTHING_BOUND
from quaestor.solvers.workflow.planning import Planning
from quaestor.solvers.workflow.spec import WorkflowLimits


class WorkflowSolver:
    """Asks the model of the turn for a plan."""

    name = "workflow"

    def __init__(self, limits: WorkflowLimits | None = None) -> None:
        """Take how long to try."""
        self.limits = limits or WorkflowLimits()

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the answer that the model's plan gives; one without a value where the model says that there is none.

        The trace has every plan as JSON, what was wrong with it, and where the words of its steps led.

        Raises:
            ModelReplyError: No plan could be run within the bounds.
            OutageError: The model cannot be asked.
            MissingModelError: The turn comes without a model.
        """
        model = context.model_for()
        planning = Planning(model, context, question, self.limits)
        examined = await planning.run()
        written = examined.written
        if written.no_answer is not None:
            return answer_without_value(context, why_none(written.no_answer), written.thought_process)
        plan, doubts = await compute_little(planning.explained, examined)
        if not plan.steps:
            return answer_without_value(context, "not_on_page", NOTHING_BOUND)
        remarks = remarks_with(written.assumption, doubts)
        return await compute_little(answer_from_plan, plan, context, question=question, reason=remarks)
