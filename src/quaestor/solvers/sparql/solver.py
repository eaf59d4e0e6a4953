"""Two-phase solver: values by query, then a formula over them.

The model comes with each turn; the solver keeps no state between turns.
"""

from collections.abc import Sequence
from dataclasses import replace

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import FormulaWritten, ValuesNamed, WhyNoAnswer, as_object
from quaestor.core.computing import compute_little
from quaestor.llm.models import Connection
from quaestor.llm.structured.request import TypedRequest
from quaestor.ontology.core import RuleKind
from quaestor.plan.steps import Plan
from quaestor.prompts import render
from quaestor.solvers import briefing
from quaestor.solvers.answering import (
    answer_from_plan,
    answer_without_value,
    no_answer_reason,
    remarks_with,
    shows_more,
)
from quaestor.solvers.base import TurnContext
from quaestor.solvers.explaining import NOTHING_BOUND, AnswerKinds
from quaestor.solvers.sparql.calculation import NUMBER_OF_VALUES, FormulaPhase
from quaestor.solvers.sparql.messages import FORMULA, VALUES, Formula, FormulaAlone, NumberValues, WantedValues
from quaestor.solvers.sparql.retrieval import Retrieval
from quaestor.solvers.sparql.showing import phase_variables, value_schema
from quaestor.solvers.sparql.spec import SparqlLimits

PLAN, CALCULATE = "PLAN", "CALCULATE"
"""Names of the two phases in records."""

_NAMING: Sequence[RuleKind] = ("reading",)
"""Kinds of rules that identify the values a wording means."""

_CALCULATING: Sequence[RuleKind] = ("calculation", "transformation", "scale")
"""Kinds of rules for calculations with values."""

_NAMINGS = 2
"""Limit of attempts to name values: a second one if no formula can be written over the first."""

_LONGEST = 1000


class SparqlSolver:
    """Solver that asks the model for values and, if something is to be computed, for a formula."""

    name = "sparql"

    def __init__(self, limits: SparqlLimits | None = None) -> None:
        """Create the solver with limits."""
        self.limits = limits or SparqlLimits()

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the result of the model's formula over the values that its queries selected.

        If one of the values is the answer, no formula is needed. If the model finds no answer, even in a wider excerpt
        of a long document, the answer has no value and states the reason. The trace records the values, the queries and
        the final formula.
        """
        model = context.model_for()
        calculation, wanted, formula = await self._play(model, question, context)
        silent = _find_no_answer_reason(wanted, formula)
        if silent and await shows_more(context, question, *silent):
            calculation, wanted, formula = await self._play(model, question, context, f"{PLAN}_wider")
            silent = _find_no_answer_reason(wanted, formula)
        if silent is not None:
            return answer_without_value(context, *silent)
        retrieval, explainer = calculation.retrieval, calculation.explainer
        if formula is not None:
            await compute_little(calculation.explain, formula)
        thought = (formula or wanted).reasoning[:_LONGEST]
        plan = replace(calculation.plan or Plan(()), thought=thought)
        plan = await compute_little(explainer.settle, plan, formula.verdict if formula else None)
        if not plan.steps:
            return answer_without_value(context, "not_on_page", NOTHING_BOUND)
        remarks = remarks_with(wanted.assumption, (*calculation.remarks, *explainer.remarks(plan, calculation.remarks)))
        answer = await compute_little(answer_from_plan, plan, context, question=question, reason=remarks)
        return replace(answer, variables=retrieval.named(answer.variables))

    async def _play(
        self, model: Connection, question: str, context: TurnContext, phase: str = PLAN
    ) -> tuple[FormulaPhase, WantedValues, Formula | None]:
        """Ask the model for values from what is shown and, if needed, for a formula over them."""
        retrieval = Retrieval(question, context, AnswerKinds.of(context.read(question), context))
        calculation = FormulaPhase(retrieval)
        wanted = await self._name(model, calculation, phase=phase)
        if retrieval.kinds.widen(wanted.no_answer):
            wanted = await self._name(model, calculation, phase=f"{phase}_all_kinds")
        formula: Formula | None = None
        for left in range(_NAMINGS - 1, -1, -1):
            formula = await self._calculate(model, calculation, wanted) if wanted.values and not wanted.answer else None
            if formula is None or formula.formula or formula.explanation or formula.no_answer is not None or not left:
                break
            wanted = await self._name(model, calculation, formula.reasoning, f"{phase}_again_1")
        return calculation, wanted, formula

    async def _name(
        self, model: Connection, calculation: FormulaPhase, missing: str | None = None, phase: str = PLAN
    ) -> WantedValues:
        """Ask the model for values and retrieve them; if one of them is the answer, its plan is prepared."""
        retrieval = calculation.retrieval
        context = retrieval.context

        def named(wanted: WantedValues) -> Sequence[str]:
            context.trace.append(ValuesNamed(as_object(wanted)))
            faults = retrieval.check(wanted)
            if wanted.answer is not None and not faults:
                faults = calculation.check(Formula(formula=wanted.answer))
            return faults

        # Rendering the schema of a document with many tables takes a while.
        prompt = await compute_little(
            lambda: render(
                "sparql/plan",
                graph=value_schema(retrieval.question, context, retrieval.kinds.all),
                all_kinds=retrieval.kinds.all,
                explains=retrieval.kinds.explained,
                always_answer=self.limits.always_answer,
                page=briefing.page_name(context.document),
                **phase_variables(retrieval.question, context, *_NAMING),
            )
        )
        if missing is not None:
            names = list(retrieval.values)
            prompt = f"{prompt}\n\n{render('sparql/again', names=names, reasoning=missing[:_LONGEST])}"
        request = TypedRequest(
            model,
            WantedValues,
            VALUES,
            "The values that the answer needs.",
            attempts=self.limits.attempts,
            on_rejected=context.note_rejected,
            check=named,
            shown=None if retrieval.kinds.all else NumberValues,
        )
        return await request.ask(prompt, phase, render("sparql/system"))

    async def _calculate(self, model: Connection, calculation: FormulaPhase, wanted: WantedValues) -> Formula:
        """Ask the model for a formula over the values."""
        retrieval = calculation.retrieval
        context = retrieval.context
        prompt = await compute_little(
            lambda: render(
                "sparql/calculate",
                reasoning=wanted.reasoning[:_LONGEST],
                values=retrieval.list_values(),
                all_kinds=retrieval.kinds.all,
                explains=retrieval.kinds.explained,
                number=NUMBER_OF_VALUES,
                **phase_variables(retrieval.question, context, *_CALCULATING),
            )
        )
        request = TypedRequest(
            model,
            Formula,
            FORMULA,
            "The formula of the answer.",
            attempts=self.limits.attempts,
            on_rejected=context.note_rejected,
            check=calculation.check,
            doubt=calculation.explain,
            shown=None if retrieval.kinds.explained else FormulaAlone,
        )
        formula = await request.ask(prompt, CALCULATE, render("sparql/system"))
        context.trace.append(FormulaWritten(formula.formula, formula.reasoning[:_LONGEST]))
        return formula


def _find_no_answer_reason(wanted: WantedValues, formula: Formula | None) -> tuple[WhyNoAnswer, str] | None:
    """Return the reason for no answer, with the model's explanation; None if there is an answer."""
    if not wanted.values:
        return no_answer_reason(wanted.no_answer), wanted.reasoning
    if formula is not None and formula.formula is None and (formula.no_answer or not formula.explanation):
        return formula.no_answer or "not_on_page", formula.reasoning
    return None
