"""Check the formula of the second phase, and bind its explanation.

Explanations refer to named values: `{sales_2008 - sales_2007}` for a number, `[sales_2008]` for its source.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from quaestor.errors import PlanError
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.expressions import Variable, parse_expression
from quaestor.plan.steps import Compute, Constant, Plan, Ref, Step, renumber_step
from quaestor.solvers.answering import assumed_words
from quaestor.solvers.explaining import Explainer
from quaestor.solvers.signs import SIGN_DROPPED, drops_sign_unasked
from quaestor.solvers.sparql.messages import Formula
from quaestor.solvers.sparql.retrieval import Retrieval

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
        """Create the explainer."""
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
        numbers = dict.fromkeys(
            operand.number
            for step in plan.steps
            if isinstance(step, Compute)
            for operand in step.operands
            if isinstance(operand, Constant)
        )
        return [f"{number:f}" for number in numbers if not self.retrieval.is_given(number)]


def _in_percent(plan: Plan) -> bool:
    """Return whether the result is a ratio multiplied by 100."""
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
