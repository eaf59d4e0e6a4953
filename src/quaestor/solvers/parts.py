"""Questions of several parts, answered one by one and joined into one list."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import NoAnswerGiven, Trace
from quaestor.conversation.references.resolving import resolve
from quaestor.conversation.turn import Memory, Turn
from quaestor.core.patterns import lazy_regex
from quaestor.errors import PlanError, SolverError
from quaestor.plan.steps import Compute, Plan, Ref, Step, closed_plan, replace_references
from quaestor.questions.question import read_question
from quaestor.questions.splitting import split_question
from quaestor.solvers.answering import answer_from_plan, build_answer
from quaestor.solvers.base import TurnContext
from quaestor.store.records import now

_PLACE = lazy_regex(r"\banswers? \d")


def answer_in_parts(
    question: str, parts: Sequence[str], context: TurnContext, solve: Callable[[str, TurnContext], Answer]
) -> Answer:
    """Answer the parts of a question and join them into a list; each part may refer to earlier parts."""
    memory, answers, events = context.memory, list[Answer](), []
    for part in parts:
        parsed_question, trace = read_question(part), Trace()
        turn = replace(
            context, memory=memory, question=parsed_question, references=resolve(parsed_question, memory), trace=trace
        )
        try:
            answer = solve(part, turn)
        except SolverError as failure:
            answer = Answer(None, reason=str(failure))
        answers.append(answer)
        events += [event for event in trace if not isinstance(event, NoAnswerGiven)]
        memory = memory.add(_turn(part, answer))
    context.trace.extend(events)
    remarks = "; ".join(_remark(part, answer) for part, answer in zip(parts, answers, strict=True) if answer.reason)
    if all(answer.value is None for answer in answers):
        raise SolverError(remarks or f"no plan fits the question {question[:80]!r}")
    plan = join_plans([None if answer.value is None else answer.plan for answer in answers])
    sure = [answer.confidence for answer in answers if answer.confidence is not None]
    found = answer_from_plan(plan, context, question=question, confidence=min(sure, default=None), reason=remarks)
    return replace(found, grounds=_without_places(answers))


def _without_places(answers: Sequence[Answer]) -> str | None:
    """Join the grounds that refer to no answer by its number, which differs in the whole conversation."""
    grounds = [answer.grounds for answer in answers if answer.grounds and not _PLACE.search(answer.grounds)]
    return "; ".join(grounds) or None


def split_parts(context: TurnContext, question: str) -> "tuple[TurnContext, Callable[[Answer], Answer]]":
    """Split earlier answers of several parts into separate turns, so that the question can refer to a part.

    Returns:
        The changed context, and a function that converts its answer back to the original context.
    """
    turns, origins = list[Turn](), list[tuple[int, Plan | None]]()
    for place, turn in enumerate(context.memory.turns):
        parts = _parts_of(turn, place, context)
        turns += [one for one, _ in parts] or [turn]
        origins += [(place, plan) for _, plan in parts] or [(place, None)]
    if len(turns) == len(context.memory.turns):
        return context, lambda answer: answer
    memory = Memory(tuple(turns))
    parsed_question = context.read(question)
    split = replace(context, memory=memory, references=resolve(parsed_question, memory))

    def joined(answer: Answer) -> Answer:
        if answer.plan is None:
            return answer
        plan = _with_parts(answer.plan, origins, len(context.memory.turns))
        found = answer_from_plan(plan, context, question=question)
        grounds = _without_places([answer])
        return replace(found, confidence=answer.confidence, reason=answer.reason, grounds=grounds)

    return split, joined


def _parts_of(turn: Turn, place: int, context: TurnContext) -> list[tuple[Turn, Plan]]:
    """Return the parts of a turn with their plans; empty if it has no parts."""
    texts = split_question(turn.question)
    plans = plans_of_parts(turn.answer.plan) if turn.answer.plan is not None and len(texts) > 1 else []
    if len(plans) != len(texts):
        return []
    before = Memory(context.memory.turns[:place])
    document = context.document.whole or context.document
    return [
        (_turn(text, build_answer(plan, before, document, read_question(text))), plan)
        for text, plan in zip(texts, plans, strict=True)
    ]


def _with_parts(plan: Plan, origins: Sequence[tuple[int, Plan | None]], turns: int) -> Plan:
    """Return a plan that computes the parts of earlier answers again if it refers to them."""
    steps, ends = list[Step](), dict[int, Ref]()
    for ago in sorted({-operand.step for operand in plan.operands if isinstance(operand, Ref) and operand.step < 0}):
        place, part = origins[-ago]
        if part is None:
            ends[ago] = Ref(place - turns)
        else:
            steps += _shift_steps(part, len(steps), partial(_refer_to_turn, place - turns))
            ends[ago] = Ref(len(steps))
    return Plan((*steps, *_shift_steps(plan, len(steps), ends.__getitem__)), plan.thought)


def _refer_to_turn(place: int, before: int) -> Ref:
    return Ref(place - before)


def _remark(part: str, answer: Answer) -> str:
    return f'"{part}": {"no answer, " * (answer.value is None)}{answer.reason}'


def _turn(question: str, answer: Answer) -> Turn:
    return Turn(question, answer, verified=False, started=now(), finished=now())


def join_plans(plans: Sequence[Plan | None], *, chained: bool = True) -> Plan:
    """Join several plans into one that lists their results.

    Args:
        chained: Whether a plan's references to earlier turns mean the plans before it.
    """
    steps: list[Step] = []
    ends: list[Ref | None] = []
    for plan in plans:
        if plan is not None:
            steps += _shift_steps(plan, len(steps), lambda ago: _of_part(ago, ends if chained else ()))
        ends.append(None if plan is None else Ref(len(steps)))
    return Plan((*steps, Compute(len(steps) + 1, "items", tuple(end for end in ends if end is not None))))


def _of_part(ago: int, ends: Sequence[Ref | None]) -> Ref:
    """Resolve a part's reference to an earlier answer if the parts before it are steps of the same plan."""
    if ago > len(ends):
        return Ref(len(ends) - ago)
    end = ends[-ago]
    if end is None:
        raise PlanError("a part refers to one that has no answer")
    return end


def _shift_steps(plan: Plan, shift: int, answer: Callable[[int], Ref]) -> Iterator[Step]:
    """Yield the steps of a plan renumbered by `shift`; `answer` maps its references to earlier answers."""
    for step in plan.steps:
        moved = replace_references(step, lambda ref: Ref(ref.step + shift) if ref.step > 0 else answer(-ref.step))
        yield replace(moved, id=step.id + shift)


def plans_of_parts(plan: Plan) -> list[Plan]:
    """Split a plan that lists parts into one plan for each part; empty for any other plan."""
    last = plan.steps[-1] if plan.steps else None
    if not isinstance(last, Compute) or last.operation != "items":
        return []
    ends = [operand.step for operand in last.operands if isinstance(operand, Ref) and operand.step > 0]
    return [closed_plan(plan.steps[:end]) for end in ends] if len(ends) == len(last.operands) else []
