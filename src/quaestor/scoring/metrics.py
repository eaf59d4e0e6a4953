"""When an answer counts as right: the benchmark's two metrics, and two looser rules for comparison.

Owns the benchmark's rounding to five decimals and its float equality; they live nowhere else. An answer that is
missing or does not read is wrong, never an error; a reference program that does not read is one.

Source: the public evaluation of ConvFinQA (execution and program accuracy). The looser rules are ours.
"""

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from quaestor.errors import PlanError
from quaestor.plan.execute import benchmark_number, execute
from quaestor.plan.program import parse_program
from quaestor.plan.rows import TableRows, bind_labels
from quaestor.plan.validate import check
from quaestor.scoring.symbolic import is_literal, literals, same_value

Answered = Decimal | bool | str | None
"""A number, yes or no; as text a decimal, `yes` or `no`; None where there is no answer."""

_SHOWN = re.compile(r"([+-]?)\$?\s*((?:\d[\d,]*)?\.?\d*)\s*(%?)", re.ASCII)


def executed_equal(predicted: Answered, gold: float | str) -> bool:
    """Returns whether an answer is right by the benchmark's execution accuracy.

    Both are rounded to five decimals as floats and compared exactly: no tolerance, no leniency for scale or sign.
    """
    answer = _answer(predicted)
    if isinstance(answer, str) or isinstance(gold, str):
        return answer == gold
    return answer is not None and round(float(answer), 5) == round(float(gold), 5)


def program_equal(predicted: str, gold: str) -> bool:
    """Returns whether a program is right by the benchmark's program accuracy.

    Every distinct literal string of gold is a symbol, constants too, and a row step is one; a prediction with another
    literal is wrong. The values of the last steps are compared as expressions: sums and products commute and
    distribute, steps may be reordered. A gold of one literal needs the identical string.

    Raises:
        PlanError: Gold is no program that can be run.
    """
    reference = parse_program(gold)
    check(reference, 0)
    try:
        plan = parse_program(predicted)
        check(plan, 0)
    except PlanError:
        return False
    if plan == reference:
        return True
    if is_literal(plan) or is_literal(reference):
        return False
    return literals(plan) <= literals(reference) and same_value(plan, reference)


def run_program(program: str, tables: Sequence[TableRows]) -> Decimal | bool:
    """Returns what a program text computes, by the benchmark's convention.

    Args:
        program: The text.
        tables: The rows that its `table_*` steps can read (`quaestor.scoring.pages.benchmark_rows_of`).

    Raises:
        PlanError: It does not parse or has no result.
    """
    return benchmark_number(execute(bind_labels(parse_program(program), tables)).result)


def display_match(predicted: Answered, display: str) -> bool:
    """Returns whether an answer is what the annotators show, to the decimals shown or within one percent of it.

    The sign counts; whether a ratio is shown as a fraction or as a percentage does not (x or 100x).
    """
    answer = _answer(predicted)
    shown = shown_number(display)
    if shown is None or not isinstance(answer, Decimal):
        return isinstance(answer, str) and answer == display.strip().lower()
    number, half_unit = shown
    tolerance = max(half_unit, abs(number) / 100)
    return any(
        abs(candidate - number) <= tolerance and candidate * number >= 0
        for candidate in (answer, answer * 100, answer / 100)
    )


def legacy_match(predicted: Answered, display: str) -> bool:
    """Returns whether an answer is right by an older rule: digits and point only, apart by less than 0.1.

    Kept for comparison: it does not see signs, and takes 14.14 and 14.1 % for the same but not 0.1414.
    """
    answer = _answer(predicted)
    if answer is None:
        return False
    printed = answer if isinstance(answer, str) else format(answer, ".5f")
    left, right = _bare(printed), _bare(display)
    if left is None or right is None:
        return left == right and printed == display.strip().lower()
    return abs(left - right) < Decimal("0.1")


def shown_number(display: str) -> tuple[Decimal, Decimal] | None:
    """Returns the number of a display answer without its percent sign, and half a unit of its last shown decimal.

    Returns None for a display that shows no number (yes or no).
    """
    match = _SHOWN.fullmatch(display.strip())
    if match is None or not any(character.isdigit() for character in match[2]):
        return None
    number = Decimal(match[1] + match[2].replace(",", ""))
    exponent = number.as_tuple().exponent
    return number, Decimal(5).scaleb((exponent if isinstance(exponent, int) else 0) - 1)


def _answer(predicted: Answered) -> Decimal | str | None:
    """Returns the answer as a finite number, `yes`, `no`, or None for none of these."""
    if isinstance(predicted, bool):
        return "yes" if predicted else "no"
    if isinstance(predicted, str):
        if predicted in ("yes", "no"):
            return predicted
        try:
            predicted = Decimal(predicted)
        except InvalidOperation:
            return None
    return predicted if predicted is not None and predicted.is_finite() and abs(predicted.adjusted()) < 300 else None


def _bare(text: str) -> Decimal | None:
    """Returns the number that the digits and points of a text make, or None."""
    try:
        return Decimal(re.sub(r"[^0-9.]", "", text))
    except InvalidOperation:
        return None
