"""Whether an answer is what its plan comes to: every plan is executed a second time, independently of its solver."""

from quaestor.conversation.answer import Answer
from quaestor.conversation.describe import explain_plan, with_explanation
from quaestor.conversation.turn import Memory
from quaestor.core.answer_value import numbers_of_value
from quaestor.documents.document import Document
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.operations import require_in_range


def verified_answer(answer: Answer, memory: Memory, document: Document) -> tuple[bool, tuple[StepResult, ...]]:
    """Return whether the answer's plan, executed again, gives its value, and what each step came to.

    Args:
        memory: The turns before.
        document: What it takes its numbers from.

    Raises:
        PlanError: The plan cannot be run, or the value is no number that can be held.
    """
    if answer.value is None:
        return False, ()
    for number in numbers_of_value(answer.value):
        require_in_range(number)
    if answer.plan is None:
        return False, ()
    plan, registers = answer.plan, execute(answer.plan, memory.registers).registers
    if plan.explains_alone:
        registers = with_explanation(plan, registers, explain_plan(plan, registers, memory, document))
    return (registers[-1].value, registers[-1].scale) == (answer.value, answer.scale), registers
