"""A derivation of TAT-QA as program text: `(44.1-56.7)/56.7` is `subtract(44.1, 56.7), divide(#0, 56.7)`.

The arithmetic itself is `plan.expressions`'.
"""

import re

from quaestor.errors import FormulaError, ProgramError
from quaestor.plan.expressions import parse_expression
from quaestor.plan.scales import read_literal
from quaestor.plan.steps import Compute, Constant, Operand, Ref

_BRACKETED = re.compile(r"(?<![\w)])\(\s*(\d[\d,]*(?:\.\d+)?(?:\s?%)?)\s*\)", re.ASCII)
"""A number alone in brackets: below zero, as statements print it."""
_NUMBER = re.compile(r"(?:\d{1,3}(?:,\s?\d{3})+|\d+)?(?:\.\d+)?(?<=\d)(?:\s?%)?", re.ASCII)
_SIGNS = str.maketrans({"[": "(", "]": ")", "{": "(", "}": ")", "–": "-", "−": "-", "—": "-", "×": "*", "÷": "/"})  # noqa: RUF001
_CURRENCIES = re.compile(r"(?:US|RMB|HK|NT|S)?[$€£¥]|RMB")


def derivation_program(text: str) -> str | None:
    """Return the program that a derivation writes down; None if it is not an arithmetic.

    >>> derivation_program("[($1,200 + 800)/2] - 5%")
    'add(1200, 800), divide(#0, 2), subtract(#1, 5%)'
    """
    numbers: dict[str, Constant] = {}

    def named(found: re.Match[str]) -> str:
        literal = found[0].replace(",", "").replace(" ", "")
        name = f"n{len(numbers)}"
        numbers[name] = Constant(read_literal(literal), literal)
        return f" {name} "

    plain = _BRACKETED.sub(r"(-\1)", _CURRENCIES.sub("", text.translate(_SIGNS)))
    try:
        plan = parse_expression(_NUMBER.sub(lambda found: named(found) if found[0] else "", plain), numbers)
    except (FormulaError, ProgramError):
        return None
    steps = [step for step in plan.steps if isinstance(step, Compute)]
    if len(steps) == 1 and steps[0].operation == "identity":
        return _argument(steps[0].operands[0])
    return ", ".join(f"{step.operation}({', '.join(map(_argument, step.operands))})" for step in steps)


def _argument(operand: Operand) -> str:
    if isinstance(operand, Ref):
        return f"#{operand.step - 1}"
    assert isinstance(operand, Constant)  # all that a derivation names
    return operand.text
