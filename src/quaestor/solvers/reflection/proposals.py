"""One draft, whoever made it: a plan, what speaks against it, and its words for critics and records."""

from dataclasses import dataclass
from itertools import islice

from quaestor.conversation.answer import Answer
from quaestor.errors import PlanError, SolverError
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext
from quaestor.solvers.briefing import shown_answer
from quaestor.solvers.reflection.evidence import checked_words, examine_plan, plan_computes
from quaestor.solvers.reflection.findings import Finding
from quaestor.solvers.reflection.numbers import NumberIndex, place_code

_MOST_CELLS = 40
"""The most cells of a list that are written out."""


@dataclass(frozen=True, slots=True)
class DraftProposal:
    """One draft.

    Attributes:
        words: As it was written, for critics.
        steps: Its steps, in words, for records.
        findings: What computed evidence says against it.
        remark: What its author says of it that a reader should know, or None.
        says: What its author says is the answer, if it says so.
    """

    plan: Plan
    words: str
    steps: tuple[str, ...]
    result: str
    findings: tuple[Finding, ...]
    remark: str | None = None
    says: str | None = None

    @property
    def checked(self) -> tuple[str, ...]:
        """What evidence looked at, whatever it found."""
        return checked_words(self.plan)

    @property
    def computes(self) -> bool:
        """Whether there is a calculation to judge."""
        return plan_computes(self.plan)


def proposal_of(answer: Answer, question: str, context: TurnContext) -> DraftProposal:
    """Return a solver's answer as a draft.

    Raises:
        SolverError: It has no plan, so nothing can be judged.
    """
    if answer.plan is None:
        raise SolverError(f"the expert answers without a plan: {answer.reason or 'no reason given'}")
    plan = answer.plan
    findings = examine_plan(plan, question, context.memory, NumberIndex(context.graph))
    steps = plan_steps(plan)
    return DraftProposal(plan, "\n".join(steps), steps, result_words(plan, question, context), findings, answer.reason)


def plan_steps(plan: Plan) -> tuple[str, ...]:
    """Return the steps of a plan for people: `1. net revenue, 2008 = 206588 (T0R1C1)`, `2. subtract #1, #-1`."""
    return tuple(f"{step.id}. {_step_words(step)}" for step in plan.steps)


def _step_words(step: Extract | Compute) -> str:
    if isinstance(step, Compute):
        return f"{step.operation} {', '.join(map(_operand_words, step.operands))}"
    sign = " without its sign" if step.reading == "magnitude" else ""
    printed = step.text if step.quantity is None else step.quantity.text or step.quantity.value
    return f"{step.label[:80]} = {printed}{sign} ({place_code(step.source)})"


def _operand_words(operand: Operand) -> str:
    if isinstance(operand, Ref):
        return f"#{operand.step}"
    if isinstance(operand, CellGroup):
        cells = zip(operand.labels, operand.values, operand.sources, strict=True)
        listed = (f"{label[:40]} = {value.text or value.value} ({place_code(place)})" for label, value, place in cells)
        return f"the list {operand.text[:80]!r} [{'; '.join(islice(listed, _MOST_CELLS))}]"
    return operand.text.removeprefix("const_") if isinstance(operand, Constant) else f"the row {operand.text!r}"


def result_words(plan: Plan, question: str, context: TurnContext) -> str:
    """Return what a plan comes to as the conversation would tell it, a percentage in percent, or why to nothing.

    Args:
        question: As asked: it tells a percentage from another ratio.
    """
    try:
        return shown_answer(answer_from_plan(plan, context, question=question))
    except PlanError as error:
        return f"none, {error}"
