"""Answers questions about earlier answers and their parts: "the first one?", "the second minus the first"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Memory, Turn
from quaestor.core.answer_value import Text, ValueList
from quaestor.core.quantity import Scale
from quaestor.errors import PlanError
from quaestor.plan.operations import OPERATIONS
from quaestor.plan.steps import (
    CellGroup,
    Compute,
    Constant,
    Extract,
    Operand,
    Plan,
    Ref,
    closed_plan,
    given_number,
    refer_further_back,
)
from quaestor.plan.validate import MOST_STEPS
from quaestor.questions.answer_arithmetic import AnswerArithmetic, read_answer_arithmetic
from quaestor.questions.question_parts import split_filing_question
from quaestor.questions.splitting import split_question
from quaestor.solvers.answering import answer_on_earlier, answer_without_value
from quaestor.solvers.base import TurnContext
from quaestor.solvers.parts import join_plans

_ASKS = "asks for what was answered up to question {}"
_NOT_COMPUTED = "that cannot be computed from the earlier answers"
_MIXED = "answer {} has parts of different kinds: name one of them, such as the first"
_NO_PERCENTAGE = 'answer {0} is not a percentage; to add a share of it, ask for "10% of answer {0}" first'
_MOST_DISTANT = 8
"""Maximum distance, in turns, of an answer whose parts a question may refer to by position."""


@dataclass(frozen=True, slots=True)
class PartsPlan:
    """Plan of a question about earlier answers or their parts.

    Attributes:
        plan: None if a named answer is missing or unusable.
        turns: The turns whose numbers it uses, from 0.
        lack: Describes what is missing.
    """

    plan: Plan | None
    turns: tuple[int, ...]
    lack: str = ""


_TurnPart = tuple[int, Plan]
"""A part of an answer: its turn, and its plan adapted to the current turn."""


def answer_part_count(question: str, context: TurnContext) -> Answer | None:
    """Answer a question about earlier answers or their parts ("the first one?", "half of answer 2"), or return None."""
    whole_context = replace(context, document=context.document.whole or context.document)
    last = len(context.memory.answers) - 1
    try:
        found = _build_parts_plan(question, context.memory, of_turns=context.is_long or not context.document.is_page)
        if found is None:
            return None
        if found.plan is None:
            return replace(answer_without_value(context, "no_question", found.lack), answerable=0.0)
        answer = answer_on_earlier(found.plan, question, whole_context, last, _ASKS)
    except PlanError as error:
        return replace(answer_without_value(context, "no_question", f"{_NOT_COMPUTED}: {error}"), answerable=0.0)
    sure = [confidence for turn in found.turns if (confidence := context.memory.answers[turn].confidence) is not None]
    return replace(answer, confidence=min(sure, default=None))


def _build_parts_plan(question: str, memory: Memory, *, of_turns: bool) -> PartsPlan | None:
    """Return the plan of a question about earlier answers or their parts; None for other questions.

    Args:
        of_turns: Whether answers that are single numbers count as parts if no answer is a list.
    """
    requested_parts = read_answer_arithmetic(question.lower())
    if requested_parts is None or not memory.turns:
        return None
    if requested_parts.of_list:
        return _compute_list(requested_parts, memory)
    if requested_parts.answers:
        places = [place if place >= 0 else len(memory.turns) + place for place in _list_places(requested_parts, memory)]
        if lack := next(filter(None, (_describe_lack(requested_parts, memory, place) for place in places)), ""):
            return PartsPlan(None, (), lack)
        parts = _repeat_answers(memory, places)
    else:
        parts = _find_meant_parts(requested_parts, memory, len(memory.turns), of_turns=of_turns)
    plan = _compute_parts(requested_parts, [part for _, part in parts]) if parts else None
    if plan is None and requested_parts.answers and len(parts) > 1:
        return PartsPlan(None, (), _NOT_COMPUTED)
    return None if plan is None else PartsPlan(plan, tuple(dict.fromkeys(turn for turn, _ in parts)))


def _compute_list(parts: AnswerArithmetic, memory: Memory) -> PartsPlan | None:
    """Return the plan on the last list of numbers, skipping answers that were computed from it."""
    for place in range(len(memory.turns) - 1, -1, -1):
        answer, again = memory.answers[place], read_answer_arithmetic(memory.turns[place].question.lower())
        if isinstance(answer.value, ValueList):
            if len(answer.value.items) < 2 or any(item.number is None for item in answer.value.items):
                return None
            if _is_mixed(answer):
                return PartsPlan(None, (), _MIXED.format(place + 1))
            step = Compute(1, parts.operation, (Ref(place - len(memory.turns)),))
            return PartsPlan(Plan((step,)), (place,))
        if again is None or again.answers:
            return None
    return None


def _describe_lack(parts: AnswerArithmetic, memory: Memory, place: int) -> str:
    """Describe why an answer cannot be used; "" if it can."""
    turns = len(memory.turns)
    if not 0 <= place < turns:
        return f"there is no such answer; this conversation has {'answer 1' if turns == 1 else f'answers 1 to {turns}'}"
    if not _has_value(memory, place):
        return f"answer {place + 1} has no value"
    answer, factor = memory.answers[place], parts.factor
    if parts.operation and _is_mixed(answer):
        return _MIXED.format(place + 1)
    added = factor is not None and factor.scale is Scale.PERCENT and parts.operation in ("sum", "subtract")
    return (
        _NO_PERCENTAGE.format(place + 1) if added and answer.scale is not Scale.PERCENT and not answer.fraction else ""
    )


def _is_mixed(answer: Answer) -> bool:
    """Whether an answer lists numbers of different kinds: amounts and percentages, or money and other things."""
    items = answer.value.items if isinstance(answer.value, ValueList) else ()
    scaled = [(item.scale, item.unit) if item.scale else (answer.scale, answer.unit) for item in items]
    return len({(scale is Scale.PERCENT, unit) for scale, unit in scaled}) > 1


def _list_places(parts: AnswerArithmetic, memory: Memory) -> Sequence[int]:
    return parts.places or [place for place in range(len(memory.turns)) if _has_value(memory, place)]


def _has_value(memory: Memory, place: int) -> bool:
    return 0 <= place < len(memory.turns) and memory.answers[place].value is not None


def _repeat_answers(memory: Memory, places: Sequence[int]) -> list[_TurnPart]:
    """Return the plans of earlier answers adapted to the current turn, or references to the answers if too long."""
    plans = [memory.answers[place].plan for place in places]
    are_short = sum(len(plan.steps) for plan in plans if plan is not None) < MOST_STEPS
    parts: list[_TurnPart] = []
    for place, plan in zip(places, plans, strict=True):
        back = len(memory.turns) - place
        if plan is not None and are_short:
            parts.append((place, refer_further_back(plan, back)))
        else:
            parts.append((place, Plan((Compute(1, "identity", (Ref(-back),)),))))
    return parts


def _compute_parts(requested_parts: AnswerArithmetic, parts: Sequence[Plan]) -> Plan | None:
    """Return the plan that computes with parts; None if the operation does not accept their number."""
    if requested_parts.factor is not None:
        steps = parts[0].steps
        operands = Ref(steps[-1].id), given_number(requested_parts.factor)
        # `add` adds the number to each entry of a list, while `sum` would also add up the entries.
        name = "add" if requested_parts.operation == "sum" else requested_parts.operation
        return Plan((*steps, Compute(steps[-1].id + 1, name, operands[:: -1 if requested_parts.inverse else 1])))
    if len(parts) == 1:
        return parts[0] if requested_parts.operation in ("", "sum", "average") else None
    listed = join_plans(parts, chained=False)
    if not requested_parts.operation:
        return listed
    last = listed.steps[-1]
    operation = OPERATIONS[requested_parts.operation]
    if operation.takes == "list":
        return replace(listed, steps=(*listed.steps, Compute(last.id + 1, requested_parts.operation, (Ref(last.id),))))
    if not operation.arity[0] <= len(parts) <= operation.arity[1] or not isinstance(last, Compute):
        return None
    return replace(listed, steps=(*listed.steps[:-1], replace(last, operation=requested_parts.operation)))


def _find_meant_parts(
    requested_parts: AnswerArithmetic, memory: Memory, end: int, *, of_turns: bool
) -> list[_TurnPart]:
    """Return the parts that a question refers to after the first `end` turns, adapted to the current turn."""
    by_place = bool(requested_parts.places) and not requested_parts.count
    for place in range(end - 1, max(-1, end - 1 - _MOST_DISTANT), -1):
        turn = memory.turns[place]
        again = read_answer_arithmetic(turn.question.lower())
        if again is not None and not again.answers:
            parts = _find_meant_parts(again, memory, place, of_turns=of_turns)
        else:
            back = len(memory.turns) - place
            parts = [(place, refer_further_back(part, back)) for part in _list_parts(turn)]
        if _has_parts(requested_parts, parts):
            return [parts[at] for at in requested_parts.places] or parts
        if again is None and ((parts and by_place) or (not parts and _lists_otherwise(turn))):
            return []  # the list has no such part, or its parts are unknown
        if again is None and not parts and not by_place:
            break
    few = max((place + 1 if place >= 0 else -place for place in requested_parts.places), default=0)
    count = requested_parts.count or max(2, few)
    values = _read_values_before(memory, end, count) if of_turns else []
    if by_place and max(requested_parts.places) >= 0:
        if len(requested_parts.places) > 1:  # "the first two" answers of all
            values = _read_values_before(memory, end, end) if of_turns else []
        elif _read_values_before(memory, end, count + 1):
            return []  # among three or more answers, "the first" is ambiguous
    return [values[at] for at in requested_parts.places] or values if _has_parts(requested_parts, values) else []


def _has_parts(requested_parts: AnswerArithmetic, parts: Sequence[_TurnPart]) -> bool:
    has_count = len(parts) == requested_parts.count if requested_parts.count else len(parts) > 1
    return has_count and all(-len(parts) <= at < len(parts) for at in requested_parts.places)


def _read_values_before(memory: Memory, end: int, count: int) -> list[_TurnPart]:
    """Return the last `count` answers before turn `end` if all are single numbers."""
    first = end - count
    if first < 0 or any(answer.number is None for answer in memory.answers[first:end]):
        return []
    return _repeat_answers(memory, range(first, end))


def _list_parts(turn: Turn) -> list[Plan]:
    """Return the plans of the parts of an answer; empty if it has no parts or lacks one."""
    plan = turn.answer.plan
    if plan is None or not plan.steps:
        return []
    asked = _count_asked(turn)
    try:
        parts = list(_list_entries(plan, whole=asked > 1))
    except PlanError:
        return []
    return parts if len(parts) > 1 and (asked == 1 or len(parts) == asked) else []


def _count_asked(turn: Turn) -> int:
    return max(len(split_question(turn.question)), len(split_filing_question(turn.question)))


def _lists_otherwise(turn: Turn) -> bool:
    """Whether a turn without known parts asked for several things, or was answered in words."""
    return _count_asked(turn) > 1 or isinstance(turn.answer.value, Text)


def _list_entries(plan: Plan, *, whole: bool = False) -> Iterator[Plan]:
    """Yield the plans of the entries of a plan's list.

    Args:
        whole: Whether nested lists count as one entry.
    """
    last = plan.steps[-1]
    if not isinstance(last, Compute) or len(plan.steps) not in _find_lists(plan):
        yield plan
    elif last.operation != "items":
        yield from _compute_entries(plan, last)
    else:
        for operand in last.operands:
            for entry in _read_operand_plans(plan, operand):
                yield from (entry,) if whole else _list_entries(entry)


def _find_lists(plan: Plan) -> frozenset[int]:
    """Return the numbers of the steps whose result is a list."""
    lists = set[int]()
    for number, step in enumerate(plan.steps, 1):
        if not isinstance(step, Compute):
            continue
        of_lists = any(isinstance(o, CellGroup) or (isinstance(o, Ref) and o.step in lists) for o in step.operands)
        if step.operation == "items" or (of_lists and OPERATIONS[step.operation].takes == "each"):
            lists.add(number)
    return frozenset(lists)


def _compute_entries(plan: Plan, last: Compute) -> Iterator[Plan]:
    """Yield the plans of the entries of a list that is computed entry by entry, such as ratios."""
    operand_plans = (list(_read_operand_plans(plan, operand)) for operand in last.operands)
    columns = [[entry for one in plans for entry in _list_entries(one)] for plans in operand_plans]
    count = max(map(len, columns))
    if all(len(column) in (1, count) for column in columns):
        for place in range(count):
            listed = join_plans([column[place if len(column) > 1 else 0] for column in columns], chained=False)
            if len(listed.steps) > MOST_STEPS:
                raise PlanError(f"an entry of a list has more than {MOST_STEPS} steps")
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
