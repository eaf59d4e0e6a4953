"""Whether two programs are the same expression, whatever their numbers.

The benchmark simplifies both expressions with a computer algebra system and compares the results. We evaluate both at
random points of a prime field instead, every literal a variable: two different quotients of polynomials agree at such a
point with a chance of less than 1 in 10 ** 16. That needs no algebra system, takes microseconds, and cannot hang. A
power is taken as one unknown, the same for the same base and exponent; laws of powers are not applied. A comparison is
the same if both of its sides are.
"""

import hashlib
from collections.abc import Sequence

from quaestor.plan.steps import Compute, Constant, Operand, Plan, Ref, RowRef

_PRIME = 2**61 - 1
_POINTS = ("first", "second")

_Value = int | tuple[int, int] | None
"""A member of the field, the two sides of a comparison, or None for a division by zero."""


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
    """Return whether a program is a lone literal."""
    return isinstance(step := plan.steps[0], Compute) and step.operation == "identity"


def same_value(one: Plan, other: Plan) -> bool:
    """Return whether two programs, parsed from text, have the same last value for all values of their literals."""
    for point in _POINTS:
        values = _value(one, point), _value(other, point)
        if None in values or values[0] != values[1]:
            return False
    return True


def _value(plan: Plan, point: str) -> _Value:
    """Return the last value of a program at one point of the field."""
    values: list[_Value] = []
    for step in plan.steps:
        if isinstance(step, Compute):
            values.append(_step(step, values, point))
    return values[-1]


def _step(step: Compute, values: Sequence[_Value], point: str) -> _Value:
    operands: list[int] = []
    for operand in step.operands:
        value = values[operand.step - 1] if isinstance(operand, Ref) else _draw_value(point, _symbol(step, operand))
        if not isinstance(value, int):
            return None
        operands.append(value)
    if len(operands) == 1:
        return operands[0]
    return _combine(step.operation, operands[0], operands[1], point)


def _combine(operation: str, left: int, right: int, point: str) -> _Value:
    value: _Value
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
