"""The agent solver: understand and answer with tools, in one talk or in two.

The model is the run's, and comes with each turn; the solver keeps nothing from one turn to the next.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import NoAnswerGiven
from quaestor.core.computing import compute_little
from quaestor.llm.models import Connection
from quaestor.llm.structured.replies import initial_messages
from quaestor.prompts import render
from quaestor.solvers import briefing
from quaestor.solvers.agent.advice import read_advice
from quaestor.solvers.agent.answering import MOST_CALLS, AnswerRounds
from quaestor.solvers.agent.messages import ANSWER, Understanding
from quaestor.solvers.agent.protocol import answer_schema, tool_list
from quaestor.solvers.agent.spec import AgentLimits
from quaestor.solvers.agent.understanding import page_variables, understand, written
from quaestor.solvers.answer_kinds import remarks_with
from quaestor.solvers.answering import answer_from_plan, answer_without_value
from quaestor.solvers.base import TurnContext


class AgentSolver:
    """Asks the model of the turn."""

    name = "agent"

    def __init__(self, limits: AgentLimits | None = None) -> None:
        """Take how long to try, and reads the advice.

        Raises:
            SettingsError: The advice cannot be read.
        """
        self.limits = limits or AgentLimits()
        self._advice = read_advice(self.limits.advice)

    @cached_property
    def _system(self) -> str:
        """What every turn is told first."""
        return render("agent/system", rules=briefing.rules(), advice=self._advice)

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the answer that the plan of the model's tool calls gives; one without a value where it finds none.

        A model that finds none in a part of a document, and has not searched the rest, is shown more of it once.

        The trace has how the model understands the question. `Answer.reason` says where the model's own number
        differs from the plan's, and which numbers no tool returned.

        Raises:
            ModelReplyError: No reply could be used within the bounds.
            PlanError: The plan has no result.
            OutageError: The model cannot be asked.
            MissingModelError: The turn comes without a model.
        """
        model = context.model_for()
        system = self._system
        first = None
        if self.limits.two_phases:
            first = await understand(model, question, context, system, self.limits.repairs)
        while True:
            sentences = await compute_little(briefing.near_sentences, question, context)
            page = await compute_little(page_variables, question, context)
            whole = bool(page["whole"])
            prompt = self._prompt(page, first, model, searching=context.search is not None)
            messages = initial_messages(system, prompt)
            rounds = AnswerRounds(model, context, self.limits, messages, sentences, first, whole)
            settled = await rounds.play()
            if not isinstance(settled, NoAnswerGiven):
                break
            widened = settled.reason == "not_on_page" and await asyncio.to_thread(
                context.widen_once, question, settled.explanation
            )
            if not widened:
                return answer_without_value(context, settled.reason, settled.explanation)
        thought = rounds.understanding.description if rounds.understanding else ""
        plan = replace(settled.plan, thought=thought)
        remarks = remarks_with(rounds.assumption, settled.remarks)
        return await compute_little(answer_from_plan, plan, context, question=question, reason=remarks)

    def _prompt(
        self, page: Mapping[str, object], understanding: Understanding | None, model: Connection, *, searching: bool
    ) -> str:
        return render(
            "agent/answer",
            **page,
            two_phases=self.limits.two_phases,
            understanding=written(understanding) if understanding else None,
            native=model.spec.profile.tools,
            tool=ANSWER,
            tools=tool_list(not self.limits.two_phases, bool(page["whole"]), searching=searching),
            schema=json.dumps(answer_schema()),
            iterations=self.limits.iterations,
            calls=MOST_CALLS,
            always_answer=self.limits.always_answer,
        )
