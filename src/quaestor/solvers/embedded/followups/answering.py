"""Follow-ups that can mean one thing only, answered: as sure as the answer that they go on from."""

from dataclasses import replace

from quaestor.conversation.answer import Answer
from quaestor.conversation.events.kinds import CandidateChosen
from quaestor.errors import PlanError
from quaestor.plan.steps import Compute, Plan
from quaestor.solvers.answering import answer_from_plan, answer_without_value
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.followups.changing import change_plan
from quaestor.solvers.embedded.followups.comparing import comparison_plan
from quaestor.solvers.embedded.followups.converting import (
    conversion_asked,
    conversion_plan,
    converted_turn,
    is_restatement,
)
from quaestor.solvers.embedded.followups.counting_parts import parts_plan
from quaestor.solvers.embedded.followups.differing import difference_plan
from quaestor.solvers.embedded.followups.renaming import renamed_plan
from quaestor.solvers.embedded.followups.repeating import repeated_plan, repeated_turn
from quaestor.solvers.embedded.page.matrix import NumberMatrix


def follow_up(question: str, context: TurnContext, leaves: NumberMatrix, *, decline: bool) -> Answer | None:
    """Return the answer to what can mean one thing only, or None: the last answer converted, its change, one repeated.

    Args:
        decline: Whether to say so where the last answer cannot be converted.
    """
    read, memory = context.read(question), context.memory
    asked, turn = conversion_asked(read, memory), converted_turn(memory)
    if asked is not None and turn is not None:
        plan = conversion_plan(asked, memory.answers[turn], len(memory.answers) - turn)
        if isinstance(plan, Plan):
            answer = _answered(plan, question, context, turn, "asks for answer {} in another form")
            before = memory.answers[turn]
            same = answer is not None and is_restatement(plan)
            # In another scale it is what it was: no product, and no ratio.
            return replace(answer, metric_type=before.metric_type) if answer is not None and same else answer
        told = plan is not None and decline
        return replace(answer_without_value(context, "no_question", plan), answerable=0.0) if told else None
    if (again := repeated_turn(read, memory)) is not None and (plan := repeated_plan(memory, again)) is not None:
        return _answered(plan, question, context, again, "repeats question {}")
    for last, why in (
        (difference_plan(read, memory), "asks for the difference between the values of answer {}"),
        (comparison_plan(read, memory), "compares answer {} with an earlier one"),
        (renamed_plan(read, memory, context.document, leaves), "asks for the line of answer {} under another name"),
    ):
        if last is not None:
            return _answered(last, question, context, len(memory.answers) - 1, why)
    change = change_plan(read, memory, leaves)
    if change is None or turn is None:
        return None
    return _answered(change, question, context, turn, "asks how answer {} changed from another year")


def count_parts(question: str, context: TurnContext) -> Answer | None:
    """Return the answer to what is asked of the parts of an earlier answer by their places: "the first one?"."""
    plan = parts_plan(question, context.memory, of_turns=context.is_long)
    whole = context.document.whole or context.document
    there = replace(context, document=whole)
    last = len(context.memory.answers) - 1
    return None if plan is None else _answered(plan, question, there, last, "asks for parts of answers up to {}")


def _answered(plan: Plan, question: str, context: TurnContext, turn: int, why: str) -> Answer | None:
    try:
        answer = answer_from_plan(plan, context, question=question)
    except PlanError:
        return None
    before, last = context.memory.answers[turn], plan.steps[-1]
    context.trace.append(CandidateChosen(1, last.operation if isinstance(last, Compute) else "lookup", 1.0))
    grounds = f'"{question.strip()}" {why.format(turn + 1)}'
    return replace(answer, confidence=before.confidence, answerable=before.answerable, grounds=grounds)
