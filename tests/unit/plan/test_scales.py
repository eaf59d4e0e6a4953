from decimal import Decimal

import pytest
from values import plain

from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.plan.execute import execute
from quaestor.plan.program import to_program
from quaestor.plan.scales import shift_decimal
from quaestor.plan.steps import Compute, Constant, Extract, Operand, Plan, Ref

ONE, PERCENT, THOUSAND, MILLION, BILLION = Scale.ONE, Scale.PERCENT, Scale.THOUSAND, Scale.MILLION, Scale.BILLION
SUFFIX = {"%": PERCENT, "k": THOUSAND, "m": MILLION, "b": BILLION}


def plan(operation: str, *operands: str) -> Plan:
    """`13.4%`, `2.2b`, `500m` and `7` are extracted with that scale; `c100` is a constant; `7 USD` has a unit."""
    steps: list[Extract | Compute] = []
    taken: list[Operand] = []
    for text in operands:
        if text.startswith("c"):
            taken.append(Constant(Decimal(text[1:]), f"const_{text[1:]}"))
            continue
        number, _, unit = text.partition(" ")
        scale = SUFFIX.get(number[-1], ONE)
        value = Decimal(number if scale is ONE else number[:-1])
        at = CellRef("doc", 0, 1, len(steps) + 1)
        steps.append(Extract(len(steps) + 1, at, text, Quantity(value, scale, unit or None, text)))
        taken.append(Ref(len(steps)))
    return Plan((*steps, Compute(len(steps) + 1, operation, tuple(taken))))


@pytest.mark.parametrize(
    ("operation", "operands", "value", "scale", "program"),
    [
        # looked up, points, plain ratios
        ("identity", ["13.4%"], "13.4", PERCENT, "13.4"),
        ("subtract", ["13.4%", "11.1%"], "2.3", PERCENT, "subtract(13.4, 11.1)"),
        ("average", ["1%", "2%", "6%"], "3", PERCENT, "add(1, 2), add(#0, 6), divide(#1, const_3)"),
        ("divide", ["13.4%", "6.7%"], "2", ONE, "divide(13.4, 6.7)"),
        ("percentage_change", ["3%", "2%"], "0.5", ONE, "subtract(3, 2), divide(#0, 2)"),
        # beside numbers that have no sign
        ("add", ["4.3%", "3.9"], "8.2", PERCENT, "add(4.3, 3.9)"),
        ("subtract", ["c1", "11%"], "0.89", ONE, "subtract(const_1, 11%)"),
        ("subtract", ["c100", "11%"], "89", PERCENT, "subtract(const_100, 11)"),
        # with an amount
        ("multiply", ["526.5m", "2.4%"], "12.636", MILLION, "multiply(526.5, 2.4%)"),
        ("multiply", ["2.4%", "526.5"], "12.636", ONE, "multiply(2.4%, 526.5)"),
        ("divide", ["932", "20%"], "4660", ONE, "divide(932, 20%)"),
        ("percentage", ["932", "20%"], "4660", ONE, "divide(932, 20%)"),
        ("divide", ["20%", "40"], "0.005", ONE, "divide(20%, 40)"),
        ("multiply", ["50%", "20%"], "0.1", ONE, "multiply(50%, 20%)"),
        ("exp", ["50%", "c2"], "0.25", ONE, "exp(50%, const_2)"),
        # with a constant
        ("multiply", ["13.4%", "c100"], "13.4", ONE, "multiply(13.4%, const_100)"),
        ("multiply", ["13.4%", "c2"], "26.8", PERCENT, "multiply(13.4, const_2)"),
        ("divide", ["20%", "c100"], "0.2", ONE, "divide(20, const_100)"),
        ("divide", ["20%", "c4"], "5", PERCENT, "divide(20, const_4)"),
        ("divide", ["20%", "c50"], "0.004", ONE, "divide(20%, const_50)"),
        # scales that the numbers say
        ("subtract", ["2.2b", "500m"], "1700", MILLION, "multiply(2.2, const_1000), subtract(#0, 500)"),
        ("add", ["500m", "3"], "503", MILLION, "add(500, 3)"),
        ("sum", ["1b", "2m", "3k"], "1002003", THOUSAND, None),
        ("divide", ["2.2b", "500m"], "4.4", ONE, "multiply(2.2, const_1000), divide(#0, 500)"),
        ("divide", ["2.2b USD", "500m shares"], "0.0044", THOUSAND, "divide(2.2, 500)"),
        ("divide", ["2m USD", "4 shares"], "0.5", MILLION, "divide(2, 4)"),
        ("divide", ["2m", "4m"], "0.5", ONE, "divide(2, 4)"),
        ("divide", ["2m", "4"], "0.5", ONE, "divide(2, 4)"),
        ("divide", ["2m", "c4"], "0.5", MILLION, "divide(2, const_4)"),
        ("multiply", ["2m", "4"], "8", MILLION, "multiply(2, 4)"),
        ("multiply", ["2m", "4k"], "8", BILLION, "multiply(2, 4)"),
        ("multiply", ["2b", "4m"], "8000000", BILLION, "multiply(4, const_1000000), multiply(2, #0)"),
        ("multiply", ["2.2b", "c1000"], "2200", MILLION, "multiply(2.2, const_1000)"),
        ("multiply", ["c1000000", "2.2m"], "2200000", ONE, "multiply(const_1000000, 2.2)"),
        ("divide", ["2200m", "c1000"], "2.2", BILLION, "divide(2200, const_1000)"),
        ("greater", ["2.2b", "500m"], True, ONE, "multiply(2.2, const_1000), greater(#0, 500)"),
        ("maximum", ["2.2b", "500m", "7m"], "2200", MILLION, "multiply(2.2, const_1000)"),
        ("minimum", ["2.2b", "500m", "7m"], "7", MILLION, "7"),
        ("exp", ["2k", "c2"], "4000000", ONE, "multiply(2, const_1000), exp(#0, const_2)"),
    ],
)
def test_rule(operation: str, operands: list[str], value: str | bool, scale: Scale, program: str | None) -> None:
    made = plan(operation, *operands)
    result = execute(made).result
    assert plain(result.value) == (value if isinstance(value, bool) else Decimal(value))
    assert result.scale is scale
    if program is not None:
        assert to_program(made) == program


def test_a_sum_keeps_the_unit_that_its_operands_share() -> None:
    assert execute(plan("add", "3 USD", "4 USD")).result.unit == "USD"
    assert execute(plan("add", "3 USD", "4 shares")).result.unit is None
    assert execute(plan("divide", "3 USD", "4 USD")).result.unit is None


def test_a_computed_percentage_becomes_a_fraction_by_a_step_of_its_own() -> None:
    points = plan("subtract", "13.5%", "11%")
    then = Plan((*points.steps, Compute(4, "multiply", (Constant(Decimal(500), "500"), Ref(3)))))
    assert execute(then).result.number == Decimal("12.5")
    assert to_program(then) == "subtract(13.5, 11), divide(#0, const_100), multiply(500, #1)"


def test_shift_is_exact_beyond_the_context() -> None:
    assert shift_decimal(Decimal("1" * 40), -2) == Decimal("1" * 38 + ".11")
