"""Proposals to be judged, and solvers as experts.

A solver either revises its answer after objections, or offers its next most likely answer.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import ExpertEvent, NoAnswerGiven, Trace
from quaestor.core.computing import compute
from quaestor.errors import PlanError, SolverError
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Operand, Plan, Ref
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import Solver, TurnContext
from quaestor.solvers.briefing import format_answer
from quaestor.solvers.reflection.evidence import Finding, checked_words, examine_plan, plan_computes
from quaestor.solvers.reflection.numbers import NumberIndex, place_code

_MOST_CELLS = 40
"""Limit of cells written out for a list."""


@dataclass(frozen=True, slots=True)
class DraftProposal:
    """A draft with its steps, result and findings.

    Attributes:
        remark: The author's remark for the reader, or None.
    """

    plan: Plan
    words: str
    steps: tuple[str, ...]
    result: str
    findings: tuple[Finding, ...]
    remark: str | None = None
    stated_answer: str | None = None

    @property
    def checked(self) -> tuple[str, ...]:
        """The checks that were applied, whatever they found."""
        return checked_words(self.plan)

    @property
    def computes(self) -> bool:
        """Whether there is a calculation to judge."""
        return plan_computes(self.plan)


def proposal_of(answer: Answer, question: str, context: TurnContext) -> DraftProposal:
    """Convert a solver's answer to a proposal; in a long document, add its sources to the excerpt."""
    if answer.plan is None:
        raise SolverError(f"the expert answers without a plan: {answer.reason or 'no reason given'}")
    plan = answer.plan
    if answer.sources:
        context.widen(answer.sources)
    findings = examine_plan(plan, question, context.memory, NumberIndex(context.graph))
    steps = plan_steps(plan)
    return DraftProposal(plan, "\n".join(steps), steps, result_words(plan, question, context), findings, answer.reason)


def plan_steps(plan: Plan) -> tuple[str, ...]:
    """Format the steps of a plan: `1. net revenue, 2008 = 206588 (T0R1C1)`, `2. subtract #1, #-1`."""
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
    """Format the result of a plan as shown in the conversation, percentages in percent, or the error."""
    try:
        return format_answer(answer_from_plan(plan, context, question=question))
    except PlanError as error:
        return f"none, {error}"


@dataclass
class SolverExpert:
    """A solver that is asked again with the objections."""

    question: str
    context: TurnContext
    solver: Solver
    revises = True

    async def draft(self, number: int, objections: Sequence[str]) -> DraftProposal | NoAnswerGiven | None:
        """Return the plan of the solver's next answer, or the reason for no answer."""
        context, trace = self.context, Trace()
        inner = replace(
            context, model=context.models.get("expert", context.model), feedback=tuple(objections), trace=trace
        )
        try:
            answer = await self.solver.solve(self.question, inner)
        finally:
            context.trace.extend(ExpertEvent(number, self.solver.name, event) for event in trace)
        given = next((event for event in trace if isinstance(event, NoAnswerGiven)), None)
        if answer.plan is None and given is not None:
            return given
        return await compute(proposal_of, answer, self.question, context)


@dataclass
class RankedExpert:
    """A solver that ranks several answers: each draft is the next most likely answer."""

    question: str
    context: TurnContext
    answers: Iterator[Answer]
    revises = False

    async def draft(self, number: int, objections: Sequence[str]) -> DraftProposal | None:
        """Return the plan of the next answer; None if there are no more."""
        del objections  # a ranking solver cannot use objections
        answer = await compute(next, self.answers, None)
        if answer is None and number == 1:
            raise SolverError(f"no plan fits the question {self.question[:80]!r}")
        return await compute(proposal_of, answer, self.question, self.context) if answer else None
