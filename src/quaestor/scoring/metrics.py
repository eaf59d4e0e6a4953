"""Metrics for single answers: the benchmark's two official metrics, and two looser rules for comparison.

A missing answer is wrong, never an error; a reference program that does not parse is an error.

Source: the public evaluation of ConvFinQA (Chen et al., "ConvFinQA: Exploring the Chain of Numerical Reasoning in
Conversational Finance Question Answering", 2022), which takes execution and program accuracy from FinQA (Chen et al.,
"FinQA: A Dataset of Numerical Reasoning over Financial Data", 2021). The looser rules are ours.
"""

import hashlib
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from quaestor.core.answer_value import AnswerValue, ListItem, Number, ValueList, number_of, print_value, value_from_text
from quaestor.errors import InputError, PlanError
from quaestor.plan.execute import execute
from quaestor.plan.expressions import TableRows, bind_labels
from quaestor.plan.operations import rounds_to
from quaestor.plan.program import parse_program
from quaestor.plan.steps import Compute, Constant, Operand, Plan, Ref, RowRef
from quaestor.plan.validate import require_valid

_LARGEST_EXPONENT = 300
_PRIME = 2**61 - 1
_POINTS = ("first", "second")
_FieldValue = int | tuple[int, int] | None
"""Element of the prime field, the two sides of a comparison, or None for a division by zero."""
_SHOWN = re.compile(r"([+-]?)\$?\s*+((?:\d[\d,]*)?(?:\.\d*)?)\s*+(%?)", re.ASCII)


def executed_equal(predicted: AnswerValue | None, gold: AnswerValue) -> bool:
    """Return whether an answer is right by the benchmark's execution accuracy.

    Numbers, including those in lists, are rounded to five decimals as floats and compared exactly, without tolerance
    for scale or sign. Everything else must be equal; lists must have the same order.

    Source: execution accuracy of the public evaluation of ConvFinQA; lists and text are our extension.
    """
    match predicted, gold:
        case Number(value=answer), Number(value=reference):
            return _round(answer) is not None and _round(answer) == _round(reference)
        case ValueList(items=items), ValueList(items=references):
            return [_rounded_item(item) for item in items] == [_rounded_item(item) for item in references]
        case _:
            return predicted == gold


def are_same_answer(first: str | None, second: str | None) -> bool:
    """Return whether two answers are the same: equal to five decimals, or one number is the other rounded.

    Two missing answers are the same; a missing answer differs from any given one.

    >>> are_same_answer("0.37743", "0.3774"), are_same_answer("0.37743", "37.743"), are_same_answer("yes", "yes")
    (True, False, True)
    """
    if first == second:
        return True
    if first is None or second is None or _are_far(first, second):
        return False
    one, other = parse_answer(first), parse_answer(second)
    if one is None or other is None:
        return False
    if executed_equal(one, other):
        return True
    if not isinstance(one, Number) or not isinstance(other, Number):
        return False
    return rounds_to(one.value, other.value) or rounds_to(other.value, one.value)


def same_answers(first: Sequence[str | None], second: Sequence[str | None]) -> list[bool]:
    """Return for each pair of answers whether they are the same; equal pairs are compared only once.

    >>> same_answers(["0.37743", "12", None], ["0.3774", "13", None])
    [True, False, True]
    """
    pairs = list(zip(first, second, strict=True))
    known = {pair: are_same_answer(*pair) for pair in dict.fromkeys(pairs)}
    return [known[pair] for pair in pairs]


def _are_far(first: str, second: str) -> bool:
    """Return whether two numbers differ by more than half a unit, so that neither can be the other rounded."""
    try:
        one, other = float(first), float(second)
    except ValueError:
        return False
    return abs(one - other) > 0.51 + (abs(one) + abs(other)) * 1e-11


def parse_answer(text: str | None) -> AnswerValue | None:
    """Return the value of a stored answer; None if there is no answer or it cannot be parsed."""
    try:
        return None if text is None else value_from_text(text)
    except InputError:
        return None


def program_equal(predicted: str, gold: str) -> bool:
    """Return whether a program is right by the benchmark's program accuracy.

    Each distinct literal of the gold program, constants included, and each row step is a symbol; a prediction with any
    other literal is wrong. The last steps are compared as expressions: sums and products commute and distribute, and
    steps may be reordered. If the gold program is a single literal, the string must be identical.

    Source: program accuracy of the public evaluation of ConvFinQA.
    """
    reference = parse_program(gold)
    require_valid(reference, 0)
    try:
        plan = parse_program(predicted)
        require_valid(plan, 0)
    except PlanError:
        return False
    if plan == reference:
        return True
    if is_literal(plan) or is_literal(reference):
        return False
    return literals(plan) <= literals(reference) and same_value(plan, reference)


def run_program(program: str, tables: Sequence[TableRows]) -> AnswerValue:
    """Execute a program text by the benchmark's convention."""
    return execute(bind_labels(parse_program(program), tables)).result.value


def display_match(predicted: AnswerValue | None, display: str) -> bool:
    """Return whether an answer matches the displayed answer, to the decimals shown or within one percent.

    The sign counts; a ratio may be shown as a fraction or as a percentage (x or 100x).
    """
    answer, shown = number_of(predicted), rounded_for_display(display)
    if shown is None or answer is None:
        return answer is None and predicted is not None and _words(predicted) == display.strip().lower()
    if not is_countable(answer):
        return False
    number, half_unit = shown
    tolerance = max(half_unit, abs(number) / 100)
    return any(
        abs(candidate - number) <= tolerance and candidate * number >= 0
        for candidate in (answer, answer * 100, answer / 100)
    )


def legacy_match(predicted: AnswerValue | None, display: str, *, as_percentage: bool = False) -> bool:
    """Return whether an answer is right by an older rule: digits and point only, with a difference below 0.1.

    The rule exists for comparison and ignores signs. It was written for displayed answers: a fraction that is displayed
    as a percentage counts as 14.14, which is right for `14.1%` and wrong for `0.14`; the same fraction displayed as a
    fraction is wrong for `14.1%` and right for `0.14`.
    """
    answer = number_of(predicted)
    if predicted is None or (answer is not None and not is_countable(answer)):
        return False
    printed = _words(predicted) if answer is None else format(answer * 100 if as_percentage else answer, ".5f")
    left, right = _bare(printed), _bare(display)
    if left is None or right is None:
        return left == right and printed == display.strip().lower()
    return abs(left - right) < Decimal("0.1")


def rounded_for_display(display: str) -> tuple[Decimal, Decimal] | None:
    """Return the number of a display answer without its percent sign, and half a unit of its last decimal.

    Returns None if the display has no number (yes or no).
    """
    match = _SHOWN.fullmatch(display.strip())
    if match is None or not any(character.isdigit() for character in match[2]):
        return None
    number = Decimal(match[1] + match[2].replace(",", ""))
    exponent = number.as_tuple().exponent
    return number, Decimal(5).scaleb((exponent if isinstance(exponent, int) else 0) - 1)


def is_countable(number: Decimal) -> bool:
    """Return whether a number is finite and fits a float."""
    return number.is_finite() and abs(number.adjusted()) < _LARGEST_EXPONENT


def _round(number: Decimal) -> float | None:
    return round(float(number), 5) if is_countable(number) else None


def _rounded_item(item: ListItem) -> tuple[str | None, float | None]:
    return item.label, None if item.number is None else _round(item.number)


def _words(value: AnswerValue) -> str:
    return print_value(value).strip().lower()


def _bare(text: str) -> Decimal | None:
    """Return the number formed by the digits and points of a text, or None."""
    try:
        return Decimal(re.sub(r"[^0-9.]", "", text))
    except InvalidOperation:
        return None


def literals(plan: Plan) -> frozenset[tuple[str, str]]:
    """Return the symbols of a program: its literals as printed, and its row steps."""
    return frozenset(
        _symbol(step, operand)
        for step in plan.steps
        if isinstance(step, Compute)
        for operand in step.operands
        if not isinstance(operand, Ref)
    )


def is_literal(plan: Plan) -> bool:
    """Return whether a program is a single literal."""
    return isinstance(step := plan.steps[0], Compute) and step.operation == "identity"


def same_value(one: Plan, other: Plan) -> bool:
    """Return whether the last values of two parsed programs are equal for all values of their literals.

    The benchmark simplifies both expressions with a computer algebra system and compares the results. We instead
    evaluate both at random points of a prime field, with every literal as a variable: two different quotients of
    polynomials agree at such a point with a probability below 1 in 10 ** 16. This needs no computer algebra system,
    takes microseconds, and cannot hang. A power is one unknown per base and exponent; laws of powers are not applied.
    Comparisons are equal if both of their sides are.
    """
    for point in _POINTS:
        values = _value(one, point), _value(other, point)
        if None in values or values[0] != values[1]:
            return False
    return True


def _value(plan: Plan, point: str) -> _FieldValue:
    """Evaluate the last step of a program at one point of the field."""
    values: list[_FieldValue] = []
    for step in plan.steps:
        if isinstance(step, Compute):
            values.append(_step(step, values, point))
    return values[-1]


def _step(step: Compute, values: Sequence[_FieldValue], point: str) -> _FieldValue:
    operands: list[int] = []
    for operand in step.operands:
        value = values[operand.step - 1] if isinstance(operand, Ref) else _draw_value(point, _symbol(step, operand))
        if not isinstance(value, int):
            return None
        operands.append(value)
    if len(operands) == 1:
        return operands[0]
    return _combine(step.operation, operands[0], operands[1], point)


def _combine(operation: str, left: int, right: int, point: str) -> _FieldValue:
    value: _FieldValue
    match operation:
        case "add":
            value = (left + right) % _PRIME
        case "subtract":
            value = (left - right) % _PRIME
        case "multiply":
            value = left * right % _PRIME
        case "divide":
            value = left * pow(right, -1, _PRIME) % _PRIME if right else None
        case "greater":
            value = left, right
        case _:
            value = _draw_value(point, (operation, f"{left} {right}"))
    return value


def _symbol(step: Compute, operand: Operand) -> tuple[str, str]:
    match operand:
        case Constant(text=text):
            return "literal", text
        case RowRef(text=text, table=table):
            return step.operation, text if table is None else f"{text}\0{table}"
    raise TypeError("a reference is not a symbol")


def _draw_value(point: str, symbol: tuple[str, str]) -> int:
    digest = hashlib.blake2b("\0".join((point, *symbol)).encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return int.from_bytes(digest) % _PRIME
