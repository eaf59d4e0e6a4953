"""Two-phase solver: values by query, then a formula over them.

Explanations refer to named values: `{sales_2008 - sales_2007}` for a number, `[sales_2008]` for its source. The model
comes with each turn; the solver keeps no state between turns.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import FormulaWritten, ValuesNamed, WhyNoAnswer, as_object
from quaestor.core.computing import compute_little
from quaestor.errors import PlanError
from quaestor.llm.models import Connection
from quaestor.llm.structured.request import TypedRequest
from quaestor.ontology.core import RuleKind
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.expressions import Variable, parse_expression
from quaestor.plan.steps import Compute, Constant, Plan, Ref, Step, renumber_step
from quaestor.prompts import render
from quaestor.solvers import briefing
from quaestor.solvers.answering import (
    answer_from_plan,
    answer_without_value,
    assumed_words,
    no_answer_reason,
    remarks_with,
    shows_more,
)
from quaestor.solvers.base import TurnContext
from quaestor.solvers.explaining import NOTHING_BOUND, AnswerKinds, Explainer
from quaestor.solvers.signs import SIGN_DROPPED, drops_sign_unasked
from quaestor.solvers.sparql.retrieval import (
    FORMULA,
    VALUES,
    Formula,
    FormulaAlone,
    NumberValues,
    Retrieval,
    WantedValues,
)
from quaestor.solvers.sparql.showing import phase_variables, value_schema
from quaestor.solvers.sparql.spec import SparqlLimits

NUMBER_OF_VALUES = "{net_sales_2008}, or {(net_sales_2008 - net_sales_2007) / net_sales_2007}, a formula over values"
"""How a number is to be written, for the model."""

_FORMULA = re.compile(r"\{([^{}]{1,1000})\}")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_NAMES = re.compile(r"\[\s?([A-Za-z_]\w*(?:\s?,\s?[A-Za-z_]\w*)*)\s?\]", re.ASCII)
_RATIOS = frozenset({"divide", "percentage", "percentage_change"})


@dataclass
class FormulaPhase:
    """The formulas of one turn."""

    retrieval: Retrieval
    plan: Plan | None = None
    explainer: Explainer = field(init=False)
    remarks: tuple[str, ...] = ()
    _raised_doubts: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.explainer = Explainer(self.retrieval.context, NUMBER_OF_VALUES)

    def explain(self, reply: Formula) -> Sequence[str]:
        """Bind the explanation of a checked formula; return faults for the model, at most once per turn."""
        registers = self.retrieval.context.memory.registers
        return self.explainer.bind(*number_formulas(reply.explanation or (), self._variables, registers))

    def check(self, reply: Formula) -> list[str]:
        """Check a formula and return its faults, one sentence each.

        A missing formula is not a fault if the reply gives a reason.
        """
        self.plan = None
        if reply.formula is None:
            why = reply.no_answer is not None or reply.explanation or reply.reasoning.strip()
            return [] if why else ["it has no formula; write it, or give the reason in no_answer"]
        if reply.no_answer is not None:
            return ["it has both a formula and no_answer; leave one of them out"]
        try:
            plan = parse_expression(reply.formula, self._variables)
            execute(plan, self.retrieval.context.memory.registers)
        except PlanError as error:
            return [str(error)]
        assumed = self._ungrounded(plan)
        self.remarks = (assumed_words(assumed),) if assumed else ()
        if self.retrieval.assumes:
            assumed = []
        doubts = [f"ungrounded: {number} is not on the page; name it as a value with a query" for number in assumed]
        if drops_sign_unasked(plan, self.retrieval.context.question):
            self.remarks += (SIGN_DROPPED,)
            doubts.append(f"{SIGN_DROPPED}: leave abs out")
        if _in_percent(plan):
            doubts.append("a ratio times 100; give the ratio itself, which is shown as a percentage")
        if new := [doubt for doubt in doubts if doubt not in self._raised_doubts]:
            self._raised_doubts.update(new)
            return [f"{doubt}. If the formula is correct, write it again unchanged" for doubt in new]
        self.plan = plan
        return []

    @property
    def _variables(self) -> Mapping[str, Variable]:
        return {name: found.variable for name, found in self.retrieval.values.items()}

    def _ungrounded(self, plan: Plan) -> list[str]:
        numbers = dict.fromkeys(operand.number for operand in plan.operands if isinstance(operand, Constant))
        return [f"{number:f}" for number in numbers if not self.retrieval.is_given(number)]


def _in_percent(plan: Plan) -> bool:
    last = plan.steps[-1]
    if not isinstance(last, Compute) or last.operation != "multiply":
        return False
    hundred = any(isinstance(operand, Constant) and operand.value == 100 for operand in last.operands)
    ratios = (plan.steps[o.step - 1] for o in last.operands if isinstance(o, Ref) and o.step > 0)
    return hundred and any(isinstance(step, Compute) and step.operation in _RATIOS for step in ratios)


def number_formulas(
    sentences: Sequence[str], values: Mapping[str, Variable], history: Sequence[StepResult | None]
) -> tuple[list[str], list[Step]]:
    """Replace formulas and names in sentences by references to steps; return the sentences and the steps."""
    steps: list[Step] = []

    def numbered(formula: str) -> int | None:
        if values.keys().isdisjoint(_NAME.findall(formula)):
            return None
        try:
            plan = parse_expression(formula, values)
            execute(plan, history)
        except PlanError:
            return None
        shift = len(steps)
        steps.extend(renumber_step(step, {n: n + shift for n in range(1, len(plan.steps) + 1)}) for step in plan.steps)
        return len(steps)

    def filled(found: re.Match[str]) -> str:
        step = numbered(found[1])
        return found[0] if step is None else f"{{#{step}}}"

    def cited(found: re.Match[str]) -> str:
        named = [numbered(name.strip()) for name in found[1].split(",") if name.strip() in values]
        return "".join(f"[#{step}]" for step in named) or found[0]

    written = [_NAMES.sub(cited, _FORMULA.sub(filled, sentence.replace("#", ""))) for sentence in sentences]
    return written, steps


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
