"""Checks of a plan without a model: where its numbers come from, and how its operations use them.

A rule of reading applies only if the page and the question leave little doubt; a critic may overrule it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Literal

from quaestor.conversation.turn import Memory
from quaestor.core.quantity import Quantity, Scale
from quaestor.errors import PlanError
from quaestor.graph.facts import Observation, PrintedNumber
from quaestor.plan.execute import Execution, execute
from quaestor.plan.operations import OPERATIONS
from quaestor.plan.scales import needs_no_source
from quaestor.plan.steps import CellGroup, Compute, Constant, Extract, Plan, RowRef
from quaestor.questions.question import Question, read_question
from quaestor.questions.selection import read_answer_kind
from quaestor.solvers.reflection.numbers import (
    NumberIndex,
    Operands,
    better_named,
    find_scale,
    place_code,
    place_words,
    quantity_words,
    same_axis,
    states_number,
    table_line_of,
    years_named_in,
)
from quaestor.solvers.signs import SIGN_DROPPED, drops_sign_unasked

Kind = Literal[
    "ungrounded", "arithmetic", "no result", "misplaced", "order", "base", "part", "operation", "period", "line",
    "scale", "sign",
]  # fmt: skip

HARD: frozenset[Kind] = frozenset({"ungrounded", "arithmetic", "no result"})
"""Facts: a number not printed on the page, or wrong arithmetic. The other kinds are rules of reading, which have
exceptions."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault, or a possible fault, of a plan."""

    kind: Kind
    step: int
    text: str

    @property
    def hard(self) -> bool:
        """Whether a draft with this finding cannot be approved."""
        return self.kind in HARD

    @property
    def words(self) -> str:
        """The finding for prompts and traces: `step 3 (arithmetic): ...`."""
        return f"step {self.step} ({self.kind}): {self.text}"


def select_binding_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings that no critic can overrule."""
    return tuple(finding for finding in findings if finding.hard)


_IN_SEVERAL_STEPS: Mapping[str, tuple[str, ...]] = {
    "percentage_change": ("divide", "percentage", "multiply", "subtract"),
    "percentage": ("divide", "percentage_change", "multiply"),
    "ratio": ("percentage", "percentage_change", "multiply"),
    "average": ("divide",),
}
"""Other last operations of a multi-step calculation, by the metric type of its result."""

_ALSO = (
    (re.compile(r"\b(?:total|net|full|combined)\b"), ("add", "sum")),
    (re.compile(r"\bless\b|\bminus\b"), ("subtract",)),
    (re.compile(r"\bover\b|\bdivided\b"), ("divide",)),
    (re.compile(r"\bin (?:thousand|million|billion|hundred)s?\b"), ("multiply", "divide")),
)
"""Words that allow additional operations."""

_SIZE = re.compile(r"\bvar(?:y|ied)\b")
"""Words that ask for a distance between two values, regardless of their order."""

_WORDS_OF_A_LINE = 2
"""Minimum words of a line to count as named: one word may occur by chance."""

_SURE = 0.8
"""Minimum confidence in the question's pattern."""

_IN_HUNDREDS = re.compile(r"percent|portion|hundred|rate|return")
_IN_THOUSANDS = re.compile(r"hundred|thousand|million|billion|dollar|units")
"""Words by which a question asks for another scale."""

_CHANGES = frozenset({"subtract", "percentage_change"})
_ADDED = frozenset({"add", "subtract", "sum", "average", "minimum", "maximum", "greater"})


@dataclass(frozen=True)
class CheckContext:
    """A plan to check, with its question and page."""

    plan: Plan
    question: Question
    memory: Memory
    numbers: NumberIndex
    assumption: str = ""

    @cached_property
    def operands(self) -> Operands:
        """The meaning of the plan's operands."""
        return Operands(self.plan, self.memory, self.numbers)

    @cached_property
    def execution(self) -> Execution | PlanError:
        """The execution of the plan, or the error."""
        try:
            return execute(self.plan, self.memory.registers)
        except PlanError as error:
            return error

    @cached_property
    def computes(self) -> tuple[Compute, ...]:
        """The operations of the plan, without those that only pass a value on."""
        return tuple(step for step in self.plan.computes if step.operation != "identity")

    @cached_property
    def requested_metric(self) -> tuple[str, float]:
        """The metric type that the question asks for, with its confidence."""
        turns = self.memory.turns
        metric = self.question.metric_types(turns[-1].answer.metric_type if turns else None)[0]
        return metric.metric_type, metric.score

    @property
    def years(self) -> frozenset[int]:
        """The years in the question."""
        return self.question.year_set


def check_plan(case: CheckContext) -> tuple[Finding, ...]:
    """Return the findings on a plan, in the order of the checks."""
    return tuple(finding for check in CHECKS for finding in check(case))


def check_result(case: CheckContext) -> Iterator[Finding]:
    """Check that the plan can be executed."""
    if isinstance(case.execution, PlanError):
        yield Finding("no result", len(case.plan.steps), str(case.execution))


def check_numbers_are_on_page(case: CheckContext) -> Iterator[Finding]:
    """Check that numbers are printed where they are taken from, and that constants need no source."""
    for step in case.plan.steps:
        if isinstance(step, Extract):
            if step.quantity is not None and case.numbers.number_of(step) is None:
                yield _ungrounded(case, step.id, step.quantity, place_code(step.source), step)
            continue
        for operand in step.operands:
            if isinstance(operand, Constant) and (finding := _constant(case, step, operand)):
                yield finding
            elif isinstance(operand, RowRef | CellGroup):
                for quantity, source in zip(operand.values, operand.sources, strict=False):
                    if not any(n.quantity.value == quantity.value for n in case.numbers.at(source)):
                        yield _ungrounded(case, step.id, quantity, place_code(source), None)


def _ungrounded(case: CheckContext, step: int, quantity: Quantity, place: str, extract: Extract | None) -> Finding:
    printed = [n.quantity.text for n in case.numbers.at(extract.source)] if extract else []
    contents = f"which prints {', '.join(printed)}" if printed else "where there is no number"
    return Finding("ungrounded", step, f"it takes {quantity_words(quantity)} from {place}, {contents}")


def _constant(case: CheckContext, step: Compute, constant: Constant) -> Finding | None:
    if needs_no_source(constant.value) or _is_stated(constant.value, case):
        return None
    found = case.numbers.printing(Quantity(constant.value))
    if found:
        return Finding(
            "misplaced", step.id, f"{constant.text} is not a constant; the page prints it as {place_words(found[0])}"
        )
    return Finding("ungrounded", step.id, f"{constant.text} appears neither on the page nor in the questions")


def _is_stated(value: Decimal, case: CheckContext) -> bool:
    """Return whether a question of the conversation contains the number, or the draft states it as an assumption."""
    return any(states_number(text, value) for text in (*case.memory.questions, case.question.text, case.assumption))


def check_operation(case: CheckContext) -> Iterator[Finding]:
    """Check that the last operation gives what the question asks for, if its wording is clear."""
    last = case.computes[-1] if case.computes and isinstance(case.plan.steps[-1], Compute) else None
    if last is None or last is not case.plan.steps[-1] or read_answer_kind(case.question.lowered).kind != "number":
        return  # a number looked up may be a printed change or average
    metric_type, score = case.requested_metric
    also = {op for words, ops in _ALSO if words.search(case.question.lowered) for op in ops}
    fitting = _possible_operations(metric_type)
    if fitting is None or score < _SURE or last.operation in fitting | also | {"absolute", "as_printed"}:
        return
    yield Finding(
        "operation", last.id, f"the question asks for a {metric_type.replace('_', ' ')}, not to {last.operation}"
    )


def _possible_operations(metric_type: str) -> frozenset[str] | None:
    """Return the last operations that can give a metric type; None for a value, which any operation can give."""
    if metric_type == "value":
        return None
    own = {operation.name for operation in OPERATIONS.values() if operation.metric == metric_type}
    return frozenset(own | set(_IN_SEVERAL_STEPS.get(metric_type, ())))


def check_order(case: CheckContext) -> Iterator[Finding]:
    """Check that a change within one line is the later value minus the earlier, unless the question says otherwise."""
    orders = {pattern.order for pattern in case.question.patterns if pattern.order}
    if orders != {"later first"} or _SIZE.search(case.question.lowered):
        return
    for step in case.computes:
        if step.operation in _CHANGES:
            first, second = (case.operands.number(operand) for operand in step.operands)
            if first and second and same_axis(first, second) and _earlier(first, second):
                yield Finding(
                    "order",
                    step.id,
                    f"a change is the later value minus the earlier: {place_words(second)} comes after"
                    f" {place_words(first)}, so the operands are swapped",
                )


def check_base_of_change(case: CheckContext) -> Iterator[Finding]:
    """Check that a relative change is divided by the earlier value, unless the question gives another base."""
    for step in case.computes:
        found = case.operands.step(step.operands[0])
        if step.operation != "divide" or found is None:
            continue
        before, change = found
        base = case.operands.number(step.operands[1])
        if not isinstance(change, Compute) or change.operation != "subtract" or base is None:
            continue
        new, old = (before.number(operand) for operand in change.operands)
        if new and old and base == new and same_axis(new, old) and _earlier(old, new) and case.years != {base.year}:
            yield Finding("base", step.id, f"the base of a relative change is the earlier value, {place_words(old)}")


def _earlier(one: PrintedNumber, other: PrintedNumber) -> bool:
    return one.year is not None and other.year is not None and one.year < other.year


def check_share(case: CheckContext) -> Iterator[Finding]:
    """Check that a share of two numbers in one table is divided by the total."""
    if case.requested_metric[0] != "percentage":
        return
    for step in case.computes:
        if step.operation not in ("divide", "percentage"):
            continue
        part, whole = (case.operands.number(operand) for operand in step.operands)
        if part is None or whole is None or table_line_of(part) is None or table_line_of(whole) is None:
            continue
        larger = abs(part.quantity.value) > abs(whole.quantity.value)
        if larger and "total" in part.label.lower() and "total" not in whole.label.lower():
            yield Finding("part", step.id, f"a share is the part over the whole, and {place_words(part)} is the whole")


def check_period(case: CheckContext) -> Iterator[Finding]:
    """Check that a number looked up is of a period in the question, if its line has a number of that period."""
    if len(case.plan.steps) != 1 or not case.years:
        return
    for step, number in case.operands.extracted():
        if not isinstance(number, Observation) or number.year is None or number.year in case.years:
            continue
        if years_named_in(number.row.label):
            continue  # a balance at a date may answer for the next year
        better = [
            other for other in case.numbers.graph.observations if same_axis(other, number) and other.year in case.years
        ]
        if better:
            yield Finding(
                "period",
                step.id,
                f"the question names {', '.join(map(str, sorted(case.years)))}, but {place_words(number)} is of"
                f" {number.year}: there is {place_words(better[0])}",
            )


def check_line(case: CheckContext) -> Iterator[Finding]:
    """Check that a number looked up is not from one line of a table while the question fully names another."""
    if len(case.plan.steps) != 1:
        return
    for step, number in case.operands.extracted():
        if isinstance(number, Observation):
            better = better_named(number, set(case.question.stems), case.numbers, least=_WORDS_OF_A_LINE)
            if better is not None:
                yield Finding("line", step.id, f"the question names {place_words(better)}, not {place_words(number)}")


def check_scales(case: CheckContext) -> Iterator[Finding]:
    """Check that operands of sums and comparisons do not mix percentages with amounts."""
    for step in case.computes:
        if step.operation not in _ADDED:
            continue
        numbers = [n for n in map(case.operands.number, step.operands) if n is not None]
        scales = {find_scale(n) for n in numbers}
        if len(numbers) == len(step.operands) and len(scales) > 1 and Scale.PERCENT in scales:
            yield Finding(
                "scale", step.id, "it mixes a percentage with an amount: " + " and ".join(map(place_words, numbers))
            )


def check_sign(case: CheckContext) -> Iterator[Finding]:
    """Check that no absolute value is taken if the question asks for no magnitude."""
    if drops_sign_unasked(case.plan, case.question):
        step = next(step.id for step in case.computes if step.operation == "absolute")
        yield Finding("sign", step, SIGN_DROPPED)


def check_conversion(case: CheckContext) -> Iterator[Finding]:
    """Check that the result is not scaled by a power of ten that the question does not ask for."""
    last = case.plan.steps[-1]
    if not isinstance(last, Compute) or last.operation not in ("multiply", "divide"):
        return
    factor = last.operands[1]
    if not isinstance(factor, Constant) or factor.value < 100 or _is_stated(factor.value, case):
        return
    if factor.value.normalize().as_tuple().digits != (1,):
        return  # not a power of ten
    pattern = _IN_HUNDREDS if factor.value == 100 else _IN_THOUSANDS
    if pattern.search(case.question.lowered) or _is_base(last, case, factor):
        return
    number = case.operands.number(last.operands[0])
    if number is not None and find_scale(number).factor == factor.value:
        return  # conversion to units: 1,060 in a table of thousands means 1,060,000
    yield Finding("scale", last.id, f"the question does not ask to {last.operation} the answer by {factor.value:f}")


def _is_base(step: Compute, case: CheckContext, factor: Constant) -> bool:
    """Return whether a division is by the base of an index that was first subtracted from the number."""
    found = case.operands.step(step.operands[0])
    if step.operation != "divide" or found is None or not isinstance(found[1], Compute):
        return False
    return found[1].operation == "subtract" and found[0].value(found[1].operands[1]) == factor.value


CHECKS: tuple[Callable[[CheckContext], Iterator[Finding]], ...] = (
    check_result,
    check_numbers_are_on_page,
    check_order,
    check_base_of_change,
    check_share,
    check_operation,
    check_line,
    check_period,
    check_scales,
    check_sign,
    check_conversion,
)
"""All checks, facts before rules of reading."""


def examine_plan(plan: Plan, question: str, memory: Memory, numbers: NumberIndex) -> tuple[Finding, ...]:
    """Return the findings on a plan by any author, facts before rules of reading."""
    return in_order(check_plan(CheckContext(plan, read_question(question), memory, numbers)))


def checked_words(plan: Plan) -> tuple[str, ...]:
    """Describe which checks apply to a plan, to show how much "nothing was found" means."""
    count, computes = len(plan.extracts), plan_computes(plan)
    checks = []
    if count:
        checks.append(f"place, sign and value of {count} number{'s' * (count != 1)}")
    if computes:
        checks += ["arithmetic", "mixed or converted scales"]
        checks.append("operation and order, where the question's words or the periods tell them")
    elif len(plan.steps) == 1 and count:
        checks.append("line and period, where the question names them in full")
    return tuple(checks)


def plan_computes(plan: Plan) -> bool:
    """Return whether a plan calculates anything with the numbers and answers that it uses."""
    return any(step.operation not in ("identity", "explain") for step in plan.computes)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the first finding of each kind for each step, facts before rules of reading."""
    first: dict[tuple[Kind, int], Finding] = {}
    for finding in findings:
        first.setdefault((finding.kind, finding.step), finding)
    return tuple(sorted(first.values(), key=lambda finding: not finding.hard))
