"""From a plan to an answer: the last step of every solver."""

from quaestor.conversation.answer import Answer
from quaestor.conversation.describe import describe
from quaestor.plan.execute import execute
from quaestor.plan.formula import render_formula
from quaestor.plan.steps import Plan
from quaestor.solvers.base import TurnContext


def answer_from_plan(
    plan: Plan, context: TurnContext, *, question: str = "", confidence: float | None = None, reason: str | None = None
) -> Answer:
    """Returns the answer that a plan gives, with its description, formula, variables and sources.

    Args:
        plan: A valid plan.
        context: The turn's.
        question: As asked: it tells a percentage from another ratio, and names what the text of the page does not.
        confidence: The solver's probability that the answer is right, where it gives one.
        reason: What a reader should doubt.

    Raises:
        PlanError: The plan cannot be run.
    """
    history = context.memory.registers
    result = execute(plan, history).result
    described = describe(plan, context.memory, context.document, context.read(question))
    return Answer(
        value=result.value,
        scale=result.scale,
        unit=result.unit,
        description=described.text,
        entity=described.entity,
        metric_type=described.metric_type,
        period=described.period,
        base=described.base,
        formula=render_formula(
            plan,
            [answer.formula or None for answer in context.memory.answers],
            [register and register.counts for register in history],
        ),
        variables=described.variables,
        plan=plan,
        sources=result.sources,
        in_ones=result.in_ones,
        confidence=confidence,
        reason=reason,
    )
