"""A model that is given the reference program of each turn, drafts without a mistake, and approves everything.

The draft looks up every number where the page prints it and names the calculation, so every finding of the evidence
against it is a false alarm.
"""

from collections.abc import Sequence

from drafting import Written, spelled_out, write_draft
from gold_plans import plan_of
from model_server import Script
from oracle import question_of
from reflection_bench import APPROVES, role_of

from quaestor.scoring.gold import GoldTurn
from quaestor.solvers.base import TurnContext
from quaestor.testing.models import ReceivedRequest, Reply, structured


class ReflectionOracle:
    """The drafts for one turn of a conversation."""

    def __init__(self, context: TurnContext, golds: Sequence[GoldTurn]) -> None:
        self._context, self._golds = context, golds

    def script(self) -> Script:
        """Return the script of the turn: the same draft whenever the expert is asked, and approval by the critics."""

        def answer(request: ReceivedRequest) -> Reply:
            reply = self._draft(question_of(request)) if role_of(request) == "expert" else APPROVES
            return structured(request, reply)

        return answer

    def _draft(self, question: str) -> Written:
        plan = plan_of(question, self._context, self._golds)
        written = write_draft(spelled_out(plan, self._context.document), self._context)
        # The prompt tells the expert not to state results of calculations.
        steps = [{name: value for name, value in step.items() if name != "result"} for step in written["steps"]]
        return {"reasoning": written["reasoning"], "steps": steps}
