"""Drafts, whoever makes them, and other solvers as experts.

A solver is asked again with what was wrong, or has its next answer ready; how it finds its plans is its own affair.
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
from quaestor.solvers.briefing import shown_answer
from quaestor.solvers.reflection.evidence import Finding, checked_words, examine_plan, plan_computes
from quaestor.solvers.reflection.numbers import NumberIndex, place_code

_MOST_CELLS = 40
"""The most cells of a list that are written out."""


@dataclass(frozen=True, slots=True)
class DraftProposal:
    """One draft.

    Attributes:
        remark: What its author says of it that a reader should know, or None.
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
        """What evidence looked at, whatever it found."""
        return checked_words(self.plan)

    @property
    def computes(self) -> bool:
        """Whether there is a calculation to judge."""
        return plan_computes(self.plan)


def proposal_of(answer: Answer, question: str, context: TurnContext) -> DraftProposal:
    """Return a solver's answer as a draft; of a long document its sources are shown from then on.

    Raises:
        SolverError: It has no plan, so nothing can be judged.
    """
    if answer.plan is None:
        raise SolverError(f"the expert answers without a plan: {answer.reason or 'no reason given'}")
    plan = answer.plan
    if answer.sources:
        context.widen(answer.sources)
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
    """Return what a plan comes to as the conversation would tell it, a percentage in percent, or why to nothing."""
    try:
        return shown_answer(answer_from_plan(plan, context, question=question))
    except PlanError as error:
        return f"none, {error}"


@dataclass
class SolverExpert:
    """Another solver, asked again with what was wrong."""

    question: str
    context: TurnContext
    solver: Solver
    revises = True

    async def draft(self, number: int, objections: Sequence[str]) -> DraftProposal | NoAnswerGiven | None:
        """Return the plan of the solver's next answer, or its model's reason for not answering."""
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
    """A solver that has several answers ready, the likeliest first: the next one is its next draft."""

    question: str
    context: TurnContext
    answers: Iterator[Answer]
    revises = False

    async def draft(self, number: int, objections: Sequence[str]) -> DraftProposal | None:
        """Return the plan of the next answer; None if all were offered."""
        del objections  # it has no ears, only other answers
        answer = await compute(next, self.answers, None)
        if answer is None and number == 1:
            raise SolverError(f"no plan fits the question {self.question[:80]!r}")
        return await compute(proposal_of, answer, self.question, self.context) if answer else None
