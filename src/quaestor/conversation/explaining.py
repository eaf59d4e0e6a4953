"""The explanation of a plan, filled in: every number in it is what a step comes to, in words as answers have them."""

from collections.abc import Sequence
from dataclasses import replace

from quaestor.conversation.answer import Answer
from quaestor.conversation.describe import describe
from quaestor.conversation.display import show_number
from quaestor.conversation.memory import Memory
from quaestor.core.answer_value import Text
from quaestor.core.explanation import Explanation, fill_sentence
from quaestor.core.parsing import find_quantities
from quaestor.documents.document import Document
from quaestor.plan.execute import StepResult
from quaestor.plan.steps import Compute, Constant, Plan
from quaestor.questions.question import NO_QUESTION, Question


def explain_plan(
    plan: Plan, registers: Sequence[StepResult], memory: Memory, document: Document, question: Question = NO_QUESTION
) -> Explanation | None:
    """Return the sentences of a plan with what its steps came to; None if it has none.

    Args:
        memory: The turns before.
        document: What it takes its numbers from.
        question: What is asked; the answer's own number is printed as the answer is.
    """

    def printed(step: int) -> str:
        register, part = registers[step - 1], Plan(plan.steps[:step])
        asked = question if step == len(plan.steps) else NO_QUESTION
        metric = describe(part, memory, document, asked, register).metric_type
        if _is_percentage(part):
            metric = "percentage"
        return show_number(Answer(register.value, register.scale, register.unit, metric_type=metric, plan=part))

    asked = {n for q in find_quantities(question.text) for n in (q.quantity.value, q.quantity.number)}

    def assumed(step: int) -> bool:
        number = registers[step - 1].number
        return not registers[step - 1].sources and number is not None and number not in asked

    sentences = (
        fill_sentence(template, printed, lambda step: registers[step - 1].sources, assumed)
        for template in plan.explanation
    )
    return Explanation(tuple(sentences)) if plan.explanation else None


def _is_percentage(part: Plan) -> bool:
    """Whether the last step is a constant that is written with a percent sign."""
    last = part.steps[-1]
    operand = last.operands[0] if isinstance(last, Compute) and last.operation == "identity" else None
    return isinstance(operand, Constant) and operand.text.endswith("%")


def with_explanation(
    plan: Plan, registers: Sequence[StepResult], explanation: Explanation | None
) -> tuple[StepResult, ...]:
    """Return what steps came to; of a plan whose answer is its explanation, that of the last one filled in."""
    if explanation is None or not plan.explains_alone:
        return tuple(registers)
    return (*registers[:-1], replace(registers[-1], value=Text(explanation.text)))
