"""The last answer in another scale, as a plan on it: a conversion by the one rule of scales, or what it is a share of.

Owns what can be converted into what. Knows no page: an answer says itself what it counts in.
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from quaestor.conversation.answer import Answer
from quaestor.conversation.memory import Memory
from quaestor.core.answer_value import Number
from quaestor.core.currencies import sign_of
from quaestor.core.quantity import Scale
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import Compute, Constant, Operand, Plan, Ref, Step
from quaestor.questions.conversions import AskedConversion, read_conversion
from quaestor.questions.question import Question

_RELATIVE = frozenset({"percentage", "percentage_change"})
_SURELY = 6
"""From millions on: a number of unknown scale that is so large counts ones, as `quaestor.plan.scales` has it too."""


def converted_turn(memory: Memory, before: int | None = None) -> int | None:
    """Return the turn whose answer "in thousands?" means: the last that has one, and is no conversion itself.

    Args:
        before: Only turns before this one, from 0; None all.
    """
    turns = range((len(memory.answers) if before is None else before) - 1, -1, -1)
    return next((turn for turn in turns if memory.answers[turn].plan and not is_conversion(memory, turn)), None)


def is_conversion(memory: Memory, turn: int) -> bool:
    """Return whether a turn gave an earlier answer again, in another scale, or could not.

    Args:
        turn: Its place, from 0.
    """
    plan = memory.answers[turn].plan
    if read_conversion(memory.asked[turn].lowered) is None:
        return False
    return plan is None or is_restatement(plan)


def is_restatement(plan: Plan) -> bool:
    """Return whether a plan only gives an earlier answer again, at most in another scale."""
    step = plan.steps[0]
    if len(plan.steps) > 1 or not isinstance(step, Compute) or step.operation not in ("identity", "multiply", "divide"):
        return False
    first, *others = step.operands
    return isinstance(first, Ref) and first.step < 0 and all(isinstance(other, Constant) for other in others)


def restated_turns(memory: Memory) -> dict[int, int]:
    """Return the turns that only converted an earlier answer, or could not, each with the turn that it was of.

    To the questions after it, such a turn asked what that one did.
    """
    turns = (turn for turn in range(len(memory.answers)) if is_conversion(memory, turn))
    found = ((turn, converted_turn(memory, turn)) for turn in turns)
    return {turn: base for turn, base in found if base is not None}


def conversion_plan(asked: AskedConversion, answer: Answer, back: int) -> Plan | str | None:
    """Return the plan that gives an earlier answer as it is asked for, in words why there is none, or None.

    None if nothing says what the answer counts in; a number of millions that is wanted in millions counts ones.

    Args:
        back: How many turns before this one it was given.
    """
    if not isinstance(answer.value, Number):
        return "the last answer is not a number"
    if asked.to is Scale.PERCENT:
        return _in_percent(answer, back)
    counts = Dimension(answer.scale, answer.unit, in_ones=answer.in_ones)
    if counts.percent or counts.plain or answer.metric_type in _RELATIVE:
        return f"the last answer is a ratio, which cannot be given in {_plural(asked)}"
    if not counts.known:
        size = Dimension(asked.to).exponent
        return _shifted(Ref(-back), -size) if size >= _SURELY and answer.value.value.adjusted() >= size else None
    if asked.currency and counts.unit is not None and _sign(counts.unit) != _sign(asked.currency):
        return f"the last answer is in {counts.unit}, not in {asked.currency}"
    return _shifted(Ref(-back), counts.exponent - Dimension(asked.to).exponent)


def _sign(unit: str) -> str:
    """The sign of a currency, one for all dollars, as people call them all dollars; else the unit."""
    sign = sign_of(unit) or unit
    return sign[-1] if sign.endswith("$") else sign


def _shifted(last: Ref, powers: int) -> Plan:
    if not powers:
        return Plan((Compute(1, "identity", (last,)),))
    factor = Decimal(10) ** abs(powers)
    operation = "multiply" if powers > 0 else "divide"
    return Plan((Compute(1, operation, (last, Constant(factor, f"const_{factor}"))),))


def _in_percent(answer: Answer, back: int) -> Plan | str:
    """A percentage as it is; of a difference what share of its base it is; of a ratio the ratio again."""
    if answer.scale is Scale.PERCENT or answer.metric_type in _RELATIVE:
        return Plan((Compute(1, "identity", (Ref(-back),)),))
    last = answer.plan.steps[-1] if answer.plan is not None else None
    if answer.plan is None or not isinstance(last, Compute) or last.operation not in ("subtract", "divide"):
        return 'an amount alone is not a percentage; ask for it "as a percentage of" another amount'
    steps = tuple(later_step(step, back) for step in answer.plan.steps)
    if last.operation == "subtract":
        last = replace(last, operation="percentage_change", operands=_operands(last.operands, back))
        return Plan((*steps[:-1], last))
    return Plan(steps)


def later_step(step: Step, back: int) -> Step:
    """Return a step of an earlier turn as a later one writes it: the answers that it refers to are further back.

    Args:
        back: How many turns before this one that was.
    """
    return replace(step, operands=_operands(step.operands, back)) if isinstance(step, Compute) else step


def _operands(operands: Sequence[Operand], back: int) -> tuple[Operand, ...]:
    return tuple(Ref(o.step - back) if isinstance(o, Ref) and o.step < 0 else o for o in operands)


def _plural(asked: AskedConversion) -> str:
    return f"{asked.to.value}s" if asked.to is not Scale.ONE else asked.currency or "ones"


def conversion_asked(question: Question, memory: Memory) -> AskedConversion | None:
    """Return in what the last answer is wanted; None if there is none, or something else is asked.

    Args:
        memory: The turns before.
    """
    return read_conversion(question.lowered) if converted_turn(memory) is not None else None
