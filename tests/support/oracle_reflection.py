"""A model that is given the reference program of each turn, drafts as a perfect expert would, and approves everything.

The draft looks up every number where the page prints it and names the calculation; so what the evidence finds against
it is a false alarm.
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
    """The drafts for one turn after the other of a conversation."""

    def __init__(self, context: TurnContext, golds: Sequence[GoldTurn]) -> None:
        self._context, self._golds = context, golds

    def script(self) -> Script:
        """What the server answers in this turn: the expert's draft, as often as it is asked for, and approval."""

        def answer(request: ReceivedRequest) -> Reply:
            reply = self._draft(question_of(request)) if role_of(request) == "expert" else APPROVES
            return structured(request, reply)

        return answer

    def _draft(self, question: str) -> Written:
        plan = plan_of(question, self._context, self._golds)
        written = write_draft(spelled_out(plan, self._context.document), self._context)
        # As told, it leaves what is computed to those who compute.
        steps = [{name: value for name, value in step.items() if name != "result"} for step in written["steps"]]
        return {"reasoning": written["reasoning"], "steps": steps}
