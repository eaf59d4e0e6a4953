"""The two-phase solver: values by query, then a formula over them.

Owns the order of the phases and what becomes of their outcome. The model is the run's, and comes with each turn; the
solver keeps nothing from one turn to the next.
"""

from collections.abc import Sequence
from dataclasses import replace

from quaestor.conversation.answer import Answer
from quaestor.conversation.events.kinds import FormulaWritten, ValuesNamed, as_object
from quaestor.core.computing import compute
from quaestor.errors import SolverError
from quaestor.llm.models import Connection
from quaestor.llm.structured.replies import initial_messages
from quaestor.llm.structured.request import request_structured
from quaestor.prompts import render
from quaestor.solvers import briefing
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext
from quaestor.solvers.sparql.calculation import FormulaPhase
from quaestor.solvers.sparql.messages import FORMULA, VALUES, Formula, WantedValues
from quaestor.solvers.sparql.retrieval import Retrieval
from quaestor.solvers.sparql.showing import phase_variables, value_schema
from quaestor.solvers.sparql.spec import SparqlLimits

PLAN, CALCULATE = "PLAN", "CALCULATE"
"""What the two phases are on record as."""


class SparqlSolver:
    """Asks the model of the turn twice: for values, for a formula."""

    name = "sparql"

    def __init__(self, limits: SparqlLimits | None = None) -> None:
        """Takes how long to try."""
        self.limits = limits or SparqlLimits()

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Returns the answer that the model's formula gives over the values that its queries found.

        The trace has the values that the model names, its queries, and at its end the formula.

        Raises:
            ModelReplyError: No reply could be used within the bound.
            SolverError: The model says that there is no answer.
            OutageError: The model cannot be asked.
            MissingModelError: The turn comes without a model.
        """
        model = context.model_for()
        system = render("sparql/system", rules=briefing.rules())
        retrieval = await self._retrieve(model, question, context, system)
        calculation, formula = await self._calculate(model, retrieval, system)
        if calculation.plan is None:
            raise SolverError(f"the model finds no answer: {formula.reasoning[:1000] or 'it does not say why'}")
        plan = replace(calculation.plan, thought=formula.reasoning[:1000])
        remarks = "; ".join(calculation.remarks) or None
        answer = await compute(answer_from_plan, plan, context, question=question, reason=remarks)
        return replace(answer, variables=retrieval.named(answer.variables))

    async def _retrieve(self, model: Connection, question: str, context: TurnContext, system: str) -> Retrieval:
        """Returns the values that the model names, found."""
        retrieval = Retrieval(question, context)

        def named(wanted: WantedValues) -> Sequence[str]:
            context.trace.append(ValuesNamed(as_object(wanted)))
            return retrieval.check(wanted)

        # The schema of a document with many tables takes a while to write.
        prompt = await compute(
            lambda: render(
                "sparql/plan",
                graph=value_schema(context),
                page=context.document.id,
                **phase_variables(question, context),
            )
        )
        reply = await request_structured(
            model,
            WantedValues,
            initial_messages(system, prompt),
            name=VALUES,
            description="Name the values that the answer is computed from.",
            phase=PLAN,
            attempts=self.limits.attempts,
            on_rejected=context.note_rejected,
            check=named,
        )
        wanted = reply.value
        if not wanted.values:
            raise SolverError(f"the model names no values: {wanted.reasoning[:1000] or 'it does not say why'}")
        return retrieval

    async def _calculate(self, model: Connection, retrieval: Retrieval, system: str) -> tuple[FormulaPhase, Formula]:
        """Returns the model's formula over the values."""
        context, calculation = retrieval.context, FormulaPhase(retrieval)
        prompt = await compute(
            lambda: render("sparql/calculate", values=retrieval.told(), **phase_variables(retrieval.question, context))
        )
        reply = await request_structured(
            model,
            Formula,
            initial_messages(system, prompt),
            name=FORMULA,
            description="Write the formula of the answer.",
            phase=CALCULATE,
            attempts=self.limits.attempts,
            on_rejected=context.note_rejected,
            check=calculation.check,
        )
        formula = reply.value
        context.trace.append(FormulaWritten(formula.formula, formula.reasoning[:1000]))
        return calculation, formula
