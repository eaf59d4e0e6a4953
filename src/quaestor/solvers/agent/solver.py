"""The agent solver: understand, then answer with tools.

Owns the order of the two phases and what becomes of their outcome. The model is the run's, and comes with each turn;
the solver keeps nothing from one turn to the next.
"""

import json
from collections.abc import Mapping
from dataclasses import replace

from quaestor.conversation.answer import Answer
from quaestor.errors import SettingsError
from quaestor.llm.models import Connection
from quaestor.prompts import render
from quaestor.solvers import briefing
from quaestor.solvers.agent.answering import Bounds, Rounds
from quaestor.solvers.agent.messages import ANSWER, FinalAnswer, Understanding
from quaestor.solvers.agent.protocol import tool_list
from quaestor.solvers.agent.understanding import understand, written
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.asking.replies import opening
from quaestor.solvers.base import TurnContext
from quaestor.solvers.options import read_bounds
from quaestor.solvers.schema import plain_schema


class AgentSolver:
    """Asks the model of the turn."""

    name = "agent"

    def __init__(self, bounds: Bounds | None = None) -> None:
        """Takes how long to try."""
        self.bounds = bounds or Bounds()

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Returns the answer that the plan of the model's tool calls gives.

        The trace begins with the understanding as JSON. `Answer.reason` says where the model's own number differs from
        the plan's, and which numbers no tool returned.

        Raises:
            ModelReplyError: No reply could be used within the bounds.
            SolverError: The model says that there is no answer.
            PlanError: The plan has no result.
            OutageError: The model cannot be asked.
            SettingsError: The turn comes without a model.
        """
        if context.model is None:
            raise SettingsError("the agent asks a model, and this turn has none: name one with --model")
        system = render("agent/system", rules=briefing.rules())
        understanding = await understand(context.model, question, context, system, self.bounds.repairs)
        if understanding is not None:
            context.trace.insert(0, written(understanding))
        prompt = self._prompt(question, context, understanding, context.model)
        settled = await Rounds(context.model, context, self.bounds, opening(system, prompt)).play()
        thought = understanding.description if understanding else ""
        plan = replace(settled.plan, thought=thought)
        return answer_from_plan(plan, context, question=question, reason="; ".join(settled.remarks) or None)

    def _prompt(
        self, question: str, context: TurnContext, understanding: Understanding | None, model: Connection
    ) -> str:
        return render(
            "agent/answer",
            **briefing.asked(question, context),
            understanding=written(understanding) if understanding else None,
            native=model.spec.profile.tools,
            tool=ANSWER,
            tools=tool_list(),
            schema=json.dumps(plain_schema(FinalAnswer)),
            iterations=self.bounds.iterations,
        )


def make_agent(options: Mapping[str, object]) -> AgentSolver:
    """Returns the agent.

    Args:
        options: `iterations` and `repairs`, whole numbers; see `Bounds`. `model` names the run's, for the record.

    Raises:
        SettingsError: An unknown option, or one that is no number above zero.
    """
    return AgentSolver(read_bounds(Bounds, options, "the agent"))
