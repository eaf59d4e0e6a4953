"""Build the answer of a plan or an answer without a value, the last step of every solver, and verify answers."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Literal

from quaestor.conversation.answer import FRACTIONS, Answer
from quaestor.conversation.describe import describe, explain_plan, with_explanation
from quaestor.conversation.events import CandidateChosen, NoAnswerGiven, NoAnswerReason, WhyNoAnswer, no_answer_words
from quaestor.conversation.turn import Memory
from quaestor.core.answer_value import numbers_of_value
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.core.quantity import Scale
from quaestor.documents.captions import scale_in_text
from quaestor.documents.document import Document
from quaestor.errors import PlanError
from quaestor.plan.execute import Execution, StepResult, execute
from quaestor.plan.formula import render_formula
from quaestor.plan.operations import require_in_range
from quaestor.plan.steps import CellGroup, Compute, Extract, Plan, Ref, Step, counted
from quaestor.questions.instructions import RequestedForm, read_instructions
from quaestor.questions.question import Question
from quaestor.questions.question_parts import asks_several
from quaestor.questions.selection import read_answer_kind
from quaestor.solvers.base import TurnContext

_LONGEST_EXPLANATION = 1000

NumberSilence = Literal[NoAnswerReason, "other"]
"""Why a model gave no number. `other`: the answer is not a number, or needs an assumption."""

ListOperation = Literal[
    "argmax", "argmin", "rank", "largest", "smallest", "above", "below", "at_least", "at_most", "equal_to", "count",
    "labels", "items",
]  # fmt: skip
"""Plan operations on lists of cells."""

_LONGEST_ASSUMPTION = 500


def asks_beyond_numbers(question: Question) -> bool:
    """Return whether a question asks for something other than one number or yes or no.

    >>> asks_beyond_numbers(Question("in which year were sales highest?"))
    True
    >>> asks_beyond_numbers(Question("what were sales in 2008?"))
    False
    """
    return read_answer_kind(question.lowered).kind not in ("number", "yes_no") or asks_several(question.text)


def no_answer_reason(silence: NumberSilence | None) -> NoAnswerReason:
    """Return the reason to record for a missing answer; `not_on_page` if no other reason fits."""
    return "not_on_page" if silence is None or silence == "other" else silence


async def shows_more(
    context: TurnContext, question: str, silence: NumberSilence | WhyNoAnswer | None, missing: str
) -> bool:
    """Widen the excerpt once per turn if a model finds no answer in it; return whether anything was added."""
    return silence == "not_on_page" and await asyncio.to_thread(context.widen_once, question, missing)


def assumed_words(numbers: Iterable[str]) -> str:
    """Return a remark about numbers that the model assumed, such as a threshold."""
    return f"the model assumes {', '.join(dict.fromkeys(numbers))}, which no page prints"


def remarks_with(assumption: str | None, remarks: Iterable[str] = ()) -> str | None:
    """Join the assumption that an answer depends on and other remarks for the reader; None if there are none."""
    premise = " ".join((assumption or "").split()).removeprefix("assuming ")[:_LONGEST_ASSUMPTION]
    return "; ".join((*([f"assuming {premise}"] if premise else []), *remarks)) or None


def with_label_scales(plan: Plan, document: Document) -> Plan:
    """Add the scales and units of labels and captions to the numbers of a plan."""
    return replace(plan, steps=tuple(_label_step(step, document) for step in plan.steps))


def _label_step(step: Step, document: Document) -> Step:
    if isinstance(step, Compute):
        operands = (_label_group(o, document) if isinstance(o, CellGroup) else o for o in step.operands)
        return replace(step, operands=tuple(operands))
    if step.quantity is None or (step.label_scale or step.label_unit):
        return step
    source = step.source
    if isinstance(source, SentenceRef):
        return replace(step, label_scale=scale_in_text(step.quantity))
    table = document.table(source.table)
    if source.row < table.header_rows:
        return step
    scale, unit = table.scale_at(source.row, source.column), table.unit_at(source.row, source.column)
    return replace(step, label_scale=scale, label_unit=unit)


def _label_group(group: CellGroup, document: Document) -> CellGroup:
    if group.label_scale or group.label_unit or not all(isinstance(source, CellRef) for source in group.sources):
        return group
    cells = [(document.table(at.table), at) for at in group.sources if isinstance(at, CellRef)]
    named = [(table.scale_at(at.row, at.column), table.unit_at(at.row, at.column)) for table, at in cells]
    if len(set(named)) == 1:
        return replace(group, label_scale=named[0][0], label_unit=named[0][1])
    counts = [counted(quantity, *kinds) for quantity, kinds in zip(group.values, named, strict=False)]
    values = (replace(q, scale=kind.scale, unit=kind.unit) for q, kind in zip(group.values, counts, strict=False))
    return replace(group, values=tuple(values))


def answer_from_plan(
    plan: Plan, context: TurnContext, *, question: str = "", confidence: float | None = None, reason: str | None = None
) -> Answer:
    """Execute a plan in a turn and build its answer, with description, formula, variables and sources.

    Args:
        question: Decides between percentages and ratios, and names numbers found in the text.

    Raises:
        PlanError: The plan cannot be run.
    """
    parsed_question = context.read(question)
    return build_answer(plan, context.memory, context.document, parsed_question, confidence=confidence, reason=reason)


def build_answer(
    plan: Plan,
    memory: Memory,
    document: Document,
    question: Question,
    *,
    confidence: float | None = None,
    reason: str | None = None,
) -> Answer:
    """Build the answer of a plan from the memory of earlier turns (see `answer_from_plan`)."""
    plan = with_label_scales(plan, document)
    execution = execute(plan, memory.registers)
    explanation = explain_plan(plan, execution.registers, memory, document, question)
    result = with_explanation(plan, execution.registers, explanation)[-1]
    described = describe(plan, memory, document, question, result)
    return replace(
        described,
        value=result.value,
        scale=result.scale,
        unit=result.unit,
        formula=render_formula(plan, [answer.formula or None for answer in memory.answers], memory.counts),
        plan=plan,
        sources=result.sources,
        in_ones=result.in_ones,
        explanation=explanation,
        confidence=confidence,
        form=_form(question, result.fraction, described.metric_type),
        reason="; ".join(filter(None, (reason, *_scales_set_aside(plan, execution, memory)))) or None,
    )


def _form(question: Question, fraction: bool, metric_type: str) -> RequestedForm | None:
    """Return the form in which to show an answer: the question's; only fractions may be shown in percent."""
    form = read_instructions(question.lowered).form
    scale = form.scale if form is not None else None
    if fraction and scale is None and metric_type not in FRACTIONS:
        return replace(form or RequestedForm(), scale=Scale.PERCENT)
    if form is not None and scale is Scale.PERCENT and not fraction and metric_type not in (*FRACTIONS, "ratio"):
        return replace(form, scale=None)
    return form


def _scales_set_aside(plan: Plan, execution: Execution, memory: Memory) -> Iterator[str]:
    """Yield remarks about numbers that the plan takes as printed although the page gives a scale for them."""
    steps = [step for step in plan.computes if step.operation == "as_printed"]
    for operand in (operand for step in steps for operand in step.operands):
        if isinstance(operand, Ref):
            registers = execution.registers if operand.step > 0 else memory.registers
            register = registers[operand.step - (operand.step > 0)]
            if register is not None and register.number is not None and register.counts.known:
                of_page = operand.step > 0 and isinstance(plan.steps[operand.step - 1], Extract)
                source = "the page gives" if of_page else "it is in"
                yield f"{register.number:f} is taken as printed, though {source} {register.counts.scale_word}"


def answer_without_value(context: TurnContext, reason: WhyNoAnswer, explanation: str | None) -> Answer:
    """Return an answer without a value and record the reason; the turn counts as unanswered, not as failed."""
    why = (explanation or "")[:_LONGEST_EXPLANATION]
    context.trace.append(NoAnswerGiven(reason, why))
    return Answer(value=None, reason=no_answer_words(reason, why))


def answer_by_plan(plan: Plan, question: str, context: TurnContext, turn: int, why: str) -> Answer | None:
    """Build the answer of a plan on an earlier answer, with its confidence; None if the plan cannot be executed.

    Args:
        why: What the question asks for, as a format string with a placeholder for the number of the earlier answer.
    """
    with suppress(PlanError):
        return answer_on_earlier(plan, question, context, turn, why)
    return None


def answer_on_earlier(plan: Plan, question: str, context: TurnContext, turn: int, why: str) -> Answer:
    """Build the answer of a plan on an earlier answer, like `answer_by_plan`."""
    answer = answer_from_plan(plan, context, question=question)
    before, last = context.memory.answers[turn], plan.steps[-1]
    context.trace.append(CandidateChosen(1, last.operation if isinstance(last, Compute) else "lookup", 1.0))
    grounds = f'"{question.strip()}" {why.format(turn + 1)}'
    return replace(answer, confidence=before.confidence, answerable=before.answerable, grounds=grounds)


def verify_answer(answer: Answer, memory: Memory, document: Document) -> tuple[bool, tuple[StepResult, ...]]:
    """Execute an answer's plan again; return whether it yields the answer's value, and the results of all steps."""
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
