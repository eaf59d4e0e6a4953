"""A model that drafts a plan without a mistake, and approves everything.

The draft looks up every number where the page prints it and names the calculation, so every finding of the evidence
against it is a false alarm.
"""

from collections.abc import Callable

from drafting import spelled_out, write_steps
from model_server import Script
from plan_steps import needs_more_than_numbers
from reflection_bench import APPROVES, role_of

from quaestor.plan.steps import Plan
from quaestor.solvers.base import TurnContext
from quaestor.testing.models import ReceivedRequest, Reply, structured


def reflection_script(context: TurnContext, plan: Callable[[], Plan]) -> Script:
    """Return the script of a turn: the same draft whenever the expert is asked, and approval by the critics."""

    def answer(request: ReceivedRequest) -> Reply:
        if role_of(request) != "expert":
            return structured(request, APPROVES)
        drafted = plan()
        if needs_more_than_numbers(drafted) and "- quote: " not in request.system:
            return structured(request, {"reasoning": "it is no number", "steps": [], "no_answer": "other"})
        # The prompt tells the expert not to state results of calculations.
        return structured(request, {"reasoning": "", "steps": write_steps(spelled_out(drafted, context.document))})

    return answer
