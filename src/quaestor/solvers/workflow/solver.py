"""The workflow solver: one plan, written by a model, then looked up, validated, executed and, where need be, repaired.

Owns the order. The model is the run's, and comes with each turn; the solver keeps nothing from one turn to the next.
"""

from collections.abc import Mapping

from quaestor.conversation.answer import Answer
from quaestor.errors import SettingsError
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext
from quaestor.solvers.options import read_bounds
from quaestor.solvers.workflow.planning import Bounds, Planning


class WorkflowSolver:
    """Asks the model of the turn for a plan."""

    name = "workflow"

    def __init__(self, bounds: Bounds | None = None) -> None:
        """Takes how long to try."""
        self.bounds = bounds or Bounds()

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Returns the answer that the model's plan gives.

        The trace has every plan as JSON, what was wrong with it, and where the words of its steps led.

        Raises:
            ModelReplyError: No plan could be run within the bounds.
            OutageError: The model cannot be asked.
            SettingsError: The turn comes without a model.
        """
        if context.model is None:
            raise SettingsError("the workflow asks a model, and this turn has none: name one with --model")
        examined = await Planning(context.model, context, question, self.bounds).run()
        return answer_from_plan(examined.plan, context, question=question, reason="; ".join(examined.remarks) or None)


def make_workflow(options: Mapping[str, object]) -> WorkflowSolver:
    """Returns the workflow solver.

    Args:
        options: `repairs`, a whole number; see `Bounds`. `model` names the run's, for the record.

    Raises:
        SettingsError: An unknown option, or one that is no number above zero.
    """
    return WorkflowSolver(read_bounds(Bounds, options, "the workflow"))
