"""Answers to unambiguous follow-up questions, without ranking plans."""

from dataclasses import replace
from decimal import Decimal

import numpy as np

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Memory
from quaestor.core.answer_value import Number
from quaestor.core.currencies import sign_of
from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Scale
from quaestor.core.words import STOP_WORDS, search_words
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import Compute, Constant, Extract, Plan, Ref, refer_further_back
from quaestor.questions.answer_arithmetic import QuestionConversion, read_conversion
from quaestor.questions.question import Question
from quaestor.solvers.answering import answer_by_plan, answer_without_value
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.page import NumberMatrix

# ---- Conversion of the last answer to another scale, or to a percentage.


_RELATIVE = frozenset({"percentage", "percentage_change"})
_LARGE = 6
"""Power of ten from which a large number of unknown scale is taken to count ones, as in `quaestor.plan.scales`."""


def _find_converted_turn(memory: Memory, before: int | None = None) -> int | None:
    """Return the turn that "in thousands?" refers to: the last one with an answer that is not a conversion itself.

    Args:
        before: Only consider turns before this one, from 0; None for all turns.
    """
    turns = range((len(memory.answers) if before is None else before) - 1, -1, -1)
    return next((turn for turn in turns if memory.answers[turn].plan and not _is_conversion(memory, turn)), None)


def _is_conversion(memory: Memory, turn: int) -> bool:
    """Return whether a turn asked for an earlier answer in another scale, even if that was impossible."""
    plan = memory.answers[turn].plan
    if read_conversion(memory.parsed_questions[turn].lowered) is None:
        return False
    return plan is None or is_restatement(plan)


def is_restatement(plan: Plan) -> bool:
    """Return whether a plan only repeats an earlier answer, possibly in another scale."""
    step = plan.steps[0]
    if len(plan.steps) > 1 or not isinstance(step, Compute) or step.operation not in ("identity", "multiply", "divide"):
        return False
    first, *others = step.operands
    return isinstance(first, Ref) and first.step < 0 and all(isinstance(other, Constant) for other in others)


def find_restated_turns(memory: Memory) -> dict[int, int]:
    """Return the turns that only converted an earlier answer, or failed to, with the turn of that answer.

    Later questions treat such a turn like the original one.
    """
    turns = (turn for turn in range(len(memory.answers)) if _is_conversion(memory, turn))
    found = ((turn, _find_converted_turn(memory, turn)) for turn in turns)
    return {turn: base for turn, base in found if base is not None}


def plan_conversion(conversion: QuestionConversion, answer: Answer, back: int) -> Plan | str | None:
    """Return the plan that converts an earlier answer, or the reason why it cannot be converted.

    Return None if the scale of the answer is unknown. A large enough number is taken to count ones.

    Args:
        back: The number of turns from the answer to this turn.
    """
    if not isinstance(answer.value, Number):
        return "the last answer is not a number"
    if conversion.to is Scale.PERCENT:
        return _convert_to_percent(answer, back)
    counts = Dimension(answer.scale, answer.unit, in_ones=answer.in_ones)
    if counts.percent or counts.plain or answer.metric_type in _RELATIVE:
        return f"the last answer is a ratio, which cannot be given in {_spell_form(conversion)}"
    if not counts.known:
        size = Dimension(conversion.to).exponent
        return _build_shift(Ref(-back), -size) if size >= _LARGE and answer.value.value.adjusted() >= size else None
    if (
        conversion.currency
        and counts.unit is not None
        and _sign_or_unit(counts.unit) != _sign_or_unit(conversion.currency)
    ):
        return f"the last answer is in {counts.unit}, not in {conversion.currency}"
    return _build_shift(Ref(-back), counts.exponent - Dimension(conversion.to).exponent)


def _sign_or_unit(unit: str) -> str:
    """Return the sign of a currency, the same for all dollars, or the unit if it has no sign."""
    sign = sign_of(unit) or unit
    return sign[-1] if sign.endswith("$") else sign


def _build_shift(last: Ref, powers: int) -> Plan:
    if not powers:
        return Plan((Compute(1, "identity", (last,)),))
    factor = Decimal(10) ** abs(powers)
    operation = "multiply" if powers > 0 else "divide"
    return Plan((Compute(1, operation, (last, Constant(factor, f"const_{factor}"))),))


def _convert_to_percent(answer: Answer, back: int) -> Plan | str:
    """Repeat a percentage or a ratio; divide a difference by its base."""
    if answer.scale is Scale.PERCENT or answer.metric_type in _RELATIVE:
        return Plan((Compute(1, "identity", (Ref(-back),)),))
    plan = None if answer.plan is None else refer_further_back(answer.plan, back)
    last = None if plan is None else plan.steps[-1]
    if plan is None or not isinstance(last, Compute) or last.operation not in ("subtract", "divide"):
        return 'an amount alone is not a percentage; ask for it "as a percentage of" another amount'
    if last.operation == "divide":
        return plan
    return Plan((*plan.steps[:-1], replace(last, operation="percentage_change")))


def _spell_form(conversion: QuestionConversion) -> str:
    return f"{conversion.to.value}s" if conversion.to is not Scale.ONE else conversion.currency or "ones"


# ---- The change of the number that was just looked up from another year: "what was the change from 2008?"


_CHANGE = r"(?:change|increase|decrease|difference|growth|decline|rise|drop|fall|reduction)"
_YEAR = (
    r"(?:(?:the )?(?:(?:fiscal )?year )?(?:19|20)\d\d|(?:the |its )?(?:prior|previous|preceding|last) year"
    r"|the year (?:before|earlier))"
)
_FORM = lazy_regex(
    r"(?:(?:and|so|then|now|ok|okay)\b[\s,]*)*(?:what(?: is| was|'s)|how much (?:is|was)|how large (?:is|was))?\s*"
    rf"(?:the\s+)?(?:(?P<relative>percent(?:age)?|%|relative|rate of)\s+)?{_CHANGE}(?: in (?:it|that|this))?\s+"
    r"(?:(?:from|since|over|on|versus|vs\.?|against|compared (?:to|with)|relative to)|(?P<on>to|until))\s+"
    rf"{_YEAR}"
    r"(?P<percent>,? (?:in percent|in %|as a percentage))?[\s?.!]*"
)


def plan_change(question: Question, memory: Memory, leaves: NumberMatrix) -> Plan | None:
    """Return the plan of the change between the last answer, a cell, and another year of its line.

    None if the question may mean anything else, the last answer is not a cell of a line of years, or the line does not
    have exactly one number for the other year.
    """
    found = _FORM.fullmatch(" ".join(question.lowered.split()))
    turn = _find_converted_turn(memory) if found is not None else None
    plan = None if turn is None else memory.answers[turn].plan
    last = plan.steps[-1] if plan is not None else None
    if found is None or turn is None or not isinstance(last, Extract):
        return None
    leaf = leaves.find(last)
    if leaf is None or leaves.table[leaf] < 0 or not leaves.year[leaf]:
        return None
    named = (*question.years, *(int(leaves.year[leaf]) + offset for offset in question.offsets))
    if len(named) != 1:
        return None
    others = np.flatnonzero(leaves.in_line_of(leaf) & (leaves.year == named[0])).tolist()
    if len(others) != 1 or others[0] == leaf or leaves.counts[others[0]] != leaves.counts[leaf]:
        return None
    other = leaves.leaves[others[0]]
    size = last.reading == "magnitude" and other.quantity.value < 0
    first = Extract(1, other.source, other.label, other.quantity, reading="magnitude" if size else "signed")
    looked_up = Ref(turn - len(memory.answers))
    operands = (Ref(1), looked_up) if found["on"] else (looked_up, Ref(1))
    operation = "percentage_change" if found["relative"] or found["percent"] else "subtract"
    return Plan((first, Compute(2, operation, operands)))


# ---- Comparison of the last answer with an earlier one: "the average?", "and in 2007?", "was it above the average?"


_MORE = r"(?:greater|higher|more|larger|bigger|above)"
_LESS = r"(?:less|lower|smaller|fewer|below)"
_COMPARING_FORM = lazy_regex(
    r"(?:(?:and|so|then|now|ok|okay)\b[\s,]*)*(?:is|are|was|were) (?:it|that|this|they|these|those) "
    rf"(?:(?P<more>{_MORE})|{_LESS})(?: than)? (?:the|that|this) (?P<other>[^?.!,]+?)[\s?.!]*"
)


def plan_comparison(question: Question, memory: Memory) -> Plan | None:
    """Return the plan that compares the last answer with a named earlier one; None if that is unclear."""
    found = _COMPARING_FORM.fullmatch(" ".join(question.lowered.split()))
    if found is None or question.periods or question.numbers or not memory.answers:
        return None
    wanted = _read_telling_words(found["other"])
    turns = len(memory.answers)
    named = [
        turn
        for turn in range(turns - 1)
        if wanted and wanted <= _read_telling_words(memory.parsed_questions[turn].lowered)
    ]
    if len(named) != 1 or any(memory.answers[turn].number is None for turn in (named[0], turns - 1)):
        return None
    last, other = Ref(-1), Ref(named[0] - turns)
    return Plan((Compute(1, "greater", (last, other) if found["more"] else (other, last)),))


def _read_telling_words(text: str) -> set[str]:
    return set(search_words(text)) - STOP_WORDS


# ---- The difference of two values that were just compared: "did sales rise?", "by how much?"


_MOVED = r"(?:change|increase|decrease|rise|fall|grow|drop|decline|differ)"
_DIFFERING_FORM = lazy_regex(
    r"(?:(?:and|so|then|now|ok|okay)\b[\s,]*)*"
    rf"(?:by how much(?: did (?:it|they|that|this) {_MOVED})?"
    r"|(?:what (?:is|was)|what's|how (?:large|big|much) (?:is|was)) the (?:difference|change|increase|decrease))"
    r"(?P<percent>,? (?:in percent(?:age terms)?|in %|as a percentage))?[\s?.!]*"
)


def plan_difference(question: Question, memory: Memory) -> Plan | None:
    """Return the plan of the difference of the values that the last question compared; None if it compared none."""
    found = _DIFFERING_FORM.fullmatch(" ".join(question.lowered.split()))
    plan = memory.answers[-1].plan if found is not None and memory.answers else None
    last = plan.steps[-1] if plan is not None else None
    if found is None or plan is None or not isinstance(last, Compute) or last.operation != "greater":
        return None
    operation = "percentage_change" if found["percent"] else "subtract"
    return refer_further_back(Plan((*plan.steps[:-1], replace(last, operation=operation))), 1)


# ---- A question that was asked before in the same words.
#
# A question that refers to earlier ones is excluded, since it may mean something else when asked again.


def find_repeated_turn(question: Question, memory: Memory) -> int | None:
    """Return the last turn with the same words as a self-contained question, or None."""
    if not question.is_self_contained:
        return None
    question_words = _read_words(question)
    turns = range(len(memory.answers) - 1, -1, -1)
    return next((turn for turn in turns if _read_words(memory.parsed_questions[turn]) == question_words), None)


def _read_words(question: Question) -> str:
    return " ".join(question.lowered.split()).strip(" ?.!")


def answer_conversion(question: str, context: TurnContext, *, decline: bool) -> Answer | None:
    """Convert the last answer, or return None if the question asks for something else or the scale is unknown.

    Args:
        decline: Whether to decline the question, with a reason, if the last answer cannot be converted.
    """
    read, memory = context.read(question), context.memory
    conversion, turn = read_conversion(read.lowered), _find_converted_turn(memory)
    if conversion is None or turn is None:
        return None
    plan = plan_conversion(conversion, memory.answers[turn], len(memory.answers) - turn)
    if isinstance(plan, Plan):
        answer = answer_by_plan(plan, question, context, turn, "asks for answer {} in another form")
        # A converted answer keeps its metric type: it is neither a product nor a ratio.
        same = answer is not None and is_restatement(plan)
        return replace(answer, metric_type=memory.answers[turn].metric_type) if answer is not None and same else answer
    declined = plan is not None and decline
    return replace(answer_without_value(context, "no_question", plan), answerable=0.0) if declined else None


def answer_follow_up(question: str, context: TurnContext, leaves: NumberMatrix, *, decline: bool) -> Answer | None:
    """Answer an unambiguous follow-up question (a conversion, change, comparison or repetition), or return None."""
    read, memory = context.read(question), context.memory
    if read_conversion(read.lowered) is not None and _find_converted_turn(memory) is not None:
        return answer_conversion(question, context, decline=decline)
    again = find_repeated_turn(read, memory)
    if again is not None and (plan := memory.answers[again].plan) is not None:
        plan = refer_further_back(plan, len(memory.answers) - again)
        return answer_by_plan(plan, question, context, again, "repeats question {}")
    for last, why in (
        (plan_difference(read, memory), "asks for the difference between the values of answer {}"),
        (plan_comparison(read, memory), "compares answer {} with an earlier one"),
    ):
        if last is not None:
            return answer_by_plan(last, question, context, len(memory.answers) - 1, why)
    change, turn = plan_change(read, memory, leaves), _find_converted_turn(memory)
    if change is None or turn is None:
        return None
    return answer_by_plan(change, question, context, turn, "asks how answer {} changed from another year")
