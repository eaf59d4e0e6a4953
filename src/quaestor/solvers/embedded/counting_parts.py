"""The parts of an earlier answer, by their places: "and the first one?", "the second minus the first"."""

from collections.abc import Iterator
from dataclasses import replace

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Memory, Turn
from quaestor.core.answer_value import Text
from quaestor.plan.operations import OPERATIONS
from quaestor.plan.steps import (
    CellGroup,
    Compute,
    Constant,
    Extract,
    Operand,
    Plan,
    Ref,
    Step,
    closed_plan,
    refer_further_back,
)
from quaestor.questions.asked_parts import AskedParts, read_asked_parts
from quaestor.questions.question_parts import split_questions
from quaestor.questions.splitting import split_question
from quaestor.solvers.answering import answer_by_plan
from quaestor.solvers.base import TurnContext
from quaestor.solvers.parts import join_plans

_FAR = 8
"""Turns further back are not pointed at by place."""


def answer_part_count(question: str, context: TurnContext) -> Answer | None:
    """Return the answer to what is asked of the parts of an earlier answer by their places: "the first one?"."""
    plan = _build_parts_plan(question, context.memory, of_turns=context.is_long)
    whole = context.document.whole or context.document
    whole_context = replace(context, document=whole)
    last = len(context.memory.answers) - 1
    if plan is None:
        return None
    return answer_by_plan(plan, question, whole_context, last, "asks for what was answered up to question {}")


def _build_parts_plan(question: str, memory: Memory, *, of_turns: bool) -> Plan | None:
    """Return the plan of what a question asks of the parts of an earlier answer; None if it asks for anything else.

    Args:
        of_turns: Whether answers of one number each count as parts, if no answer lists any.
    """
    asked = read_asked_parts(question.lower())
    parts = None if asked is None else _find_meant_parts(asked, memory, len(memory.turns), of_turns=of_turns)
    if asked is None or not parts:
        return None
    if len(parts) == 1:
        return parts[0] if asked.operation in ("", "sum", "average") else None
    listed = join_plans(parts, chained=False)
    if not asked.operation:
        return listed
    last = listed.steps[-1]
    operation = OPERATIONS[asked.operation]
    if operation.takes == "list":
        return replace(listed, steps=(*listed.steps, Compute(last.id + 1, asked.operation, (Ref(last.id),))))
    if not operation.arity[0] <= len(parts) <= operation.arity[1] or not isinstance(last, Compute):
        return None
    return replace(listed, steps=(*listed.steps[:-1], replace(last, operation=asked.operation)))


def _find_meant_parts(asked: AskedParts, memory: Memory, end: int, *, of_turns: bool) -> list[Plan]:
    """Return the parts that are meant after some turns, each as a plan of the turn that is asked now."""
    by_place = bool(asked.places) and not asked.count
    for place in range(end - 1, max(-1, end - 1 - _FAR), -1):
        turn = memory.turns[place]
        again = read_asked_parts(turn.question.lower())
        if again is not None:
            parts = _find_meant_parts(again, memory, place, of_turns=of_turns)
        else:
            back = len(memory.turns) - place
            parts = [Plan(tuple(refer_further_back(step, back) for step in part.steps)) for part in _list_parts(turn)]
        if _has_asked_parts(asked, parts):
            return [parts[at] for at in asked.places] or parts
        if again is None and ((parts and by_place) or (not parts and _lists_otherwise(turn))):
            return []  # the list that is meant has no such part, or none that is known
        if again is None and not parts and not by_place:
            break
    count = asked.count or 2
    values = list(_read_values_before(memory, end, count)) if of_turns else []
    if by_place and max(asked.places) >= 0 and [*_read_values_before(memory, end, count + 1)]:
        return []  # of three answers or more, nobody says which the first is
    return [values[at] for at in asked.places] or values if _has_asked_parts(asked, values) else []


def _has_asked_parts(asked: AskedParts, parts: list[Plan]) -> bool:
    has_count = len(parts) == asked.count if asked.count else len(parts) > 1
    return has_count and all(-len(parts) <= at < len(parts) for at in asked.places)


def _read_values_before(memory: Memory, end: int, count: int) -> Iterator[Plan]:
    """Yield the last answers if each is one number."""
    first = end - count
    if first >= 0 and all(answer.number is not None for answer in memory.answers[first:end]):
        for place in range(first, end):
            back, plan = len(memory.turns) - place, memory.answers[place].plan
            steps = (Compute(1, "identity", (Ref(-back),)),) if plan is None else plan.steps
            yield Plan(steps if plan is None else tuple(refer_further_back(step, back) for step in steps))


def _list_parts(turn: Turn) -> list[Plan]:
    """Return the parts of an answer, each as a plan of its turn; none if it lists nothing, or lacks a part."""
    plan = turn.answer.plan
    if plan is None or not plan.steps:
        return []
    asked = _count_asked(turn)
    parts = list(_list_entries(plan, whole=asked > 1))
    return parts if len(parts) > 1 and (asked == 1 or len(parts) == asked) else []


def _count_asked(turn: Turn) -> int:
    return max(len(split_question(turn.question)), len(split_questions(turn.question)))


def _lists_otherwise(turn: Turn) -> bool:
    """Whether a turn without parts asked for several things, or is answered in words that may list some."""
    return _count_asked(turn) > 1 or isinstance(turn.answer.value, Text)


def _list_entries(plan: Plan, *, whole: bool = False) -> Iterator[Plan]:
    """Yield the entries that a plan lists.

    Args:
        whole: Whether a list among them is one entry.
    """
    last = plan.steps[-1]
    if not isinstance(last, Compute) or not _is_list(plan, last):
        yield plan
    elif last.operation != "items":
        yield from _compute_entries(plan, last)
    else:
        for operand in last.operands:
            for entry in _read_operand_plans(plan, operand):
                yield from (entry,) if whole else _list_entries(entry)


def _is_list(plan: Plan, step: Step) -> bool:
    if not isinstance(step, Compute):
        return False
    each = OPERATIONS[step.operation].takes == "each"
    return step.operation == "items" or (each and any(_refers_to_list(plan, operand) for operand in step.operands))


def _refers_to_list(plan: Plan, operand: Operand) -> bool:
    if isinstance(operand, Ref):
        return operand.step > 0 and _is_list(plan, plan.steps[operand.step - 1])
    return isinstance(operand, CellGroup)


def _compute_entries(plan: Plan, last: Compute) -> Iterator[Plan]:
    """Yield the entries of a list that is computed entry by entry: of ratios, of changes."""
    operand_plans = (list(_read_operand_plans(plan, operand)) for operand in last.operands)
    columns = [[entry for one in plans for entry in _list_entries(one)] for plans in operand_plans]
    count = max(map(len, columns))
    if all(len(column) in (1, count) for column in columns):
        for place in range(count):
            listed = join_plans([column[place if len(column) > 1 else 0] for column in columns], chained=False)
            end = listed.steps[-1]
            assert isinstance(end, Compute)
            yield replace(listed, steps=(*listed.steps[:-1], replace(end, operation=last.operation)))


def _read_operand_plans(plan: Plan, operand: Operand) -> Iterator[Plan]:
    match operand:
        case Ref(step=step) if step > 0:
            yield closed_plan(plan.steps[:step])
        case CellGroup():
            for label, value, source in zip(operand.labels, operand.values, operand.sources, strict=True):
                cell_label = ", ".join(filter(None, (operand.text, label)))
                scale, unit = operand.label_scale, operand.label_unit
                yield Plan((Extract(1, source, cell_label, value, label_scale=scale, label_unit=unit),))
        case Ref() | Constant():
            yield Plan((Compute(1, "identity", (operand,)),))
