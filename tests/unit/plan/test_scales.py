from decimal import Decimal

import pytest
from many_cases import for_each_row
from values import plain

from quaestor.core import serial
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.errors import OperandError
from quaestor.plan.execute import execute
from quaestor.plan.program import to_program
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import Compute, Constant, Extract, Operand, Plan, Ref

ONE, PERCENT, THOUSAND, MILLION, BILLION = Scale.ONE, Scale.PERCENT, Scale.THOUSAND, Scale.MILLION, Scale.BILLION
SUFFIX = {"%": PERCENT, "k": THOUSAND, "m": MILLION, "b": BILLION}
LABELS = {"P": PERCENT, "O": ONE, "K": THOUSAND, "M": MILLION, "B": BILLION}


def plan(operation: str, *operands: str) -> Plan:
    """Return a plan; operands `13.4%`, `2.2b`, `500m`, `7` have these scales, `c100` is a constant, `7 USD` has a unit.

    `7M`, `7B`, `7K` and `7O` have the scales million, billion, thousand and one from their labels.
    """
    steps: list[Extract | Compute] = []
    taken: list[Operand] = []
    for text in operands:
        if text.startswith("c"):
            taken.append(Constant(Decimal(text[1:]), f"const_{text[1:]}"))
            continue
        number, _, unit = text.partition(" ")
        label = LABELS.get(number[-1])
        scale = SUFFIX.get(number[-1], ONE)
        value = Decimal(number if scale is ONE and label is None else number[:-1])
        at = CellRef("doc", 0, 1, len(steps) + 1)
        steps.append(Extract(len(steps) + 1, at, text, Quantity(value, scale, unit or None, text), label_scale=label))
        taken.append(Ref(len(steps)))
    return Plan((*steps, Compute(len(steps) + 1, operation, tuple(taken))))


@for_each_row(
    [
        # look-ups, percentage points, ratios
        ("identity", ["13.4%"], "13.4", PERCENT, "13.4"),
        ("subtract", ["13.4%", "11.1%"], "2.3", PERCENT, "subtract(13.4, 11.1)"),
        ("average", ["1%", "2%", "6%"], "3", PERCENT, "add(1, 2), add(#0, 6), divide(#1, const_3)"),
        ("divide", ["13.4%", "6.7%"], "2", ONE, "divide(13.4, 6.7)"),
        ("percentage_change", ["3%", "2%"], "0.5", ONE, "subtract(3, 2), divide(#0, 2)"),
        # with numbers without a percent sign
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
        # printed scales
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
        # scales from labels
        ("add", ["2.2b", "325M"], "2525", MILLION, "multiply(2.2, const_1000), add(#0, 325)"),
        ("sum", ["1B", "2M", "3k"], "1002003", THOUSAND, None),
        ("subtract", ["5735K", "1.2m"], "4535", THOUSAND, "multiply(1.2, const_1000), subtract(5735, #0)"),
        ("greater", ["2.2b", "325M"], True, ONE, "multiply(2.2, const_1000), greater(#0, 325)"),
        ("percentage", ["325M", "2.2b"], "0.1477272727272727272727272727272727272727272727272727", ONE, None),
        ("add", ["206588M", "181001M"], "387589", MILLION, "add(206588, 181001)"),
        ("average", ["1500000O shares", "2.5m shares"], "2000000", ONE, None),
        ("subtract", ["1.4O", "1M"], "0.4", MILLION, "subtract(1.4, 1)"),
        # a number without a scale takes the other operand's scale
        ("add", ["325", "2M"], "327", MILLION, "add(325, 2)"),
        ("add", ["1500000", "2"], "1500002", ONE, None),
        # other units are not scaled
        ("subtract", ["5M shares", "200K options"], "-195", ONE, "subtract(5, 200)"),
        # a constant converts the scale and keeps the amount
        ("multiply", ["3.4M", "c1000"], "3400", THOUSAND, "multiply(3.4, const_1000)"),
        ("multiply", ["3.4m", "c1000000"], "3400000", ONE, "multiply(3.4, const_1000000)"),
        ("multiply", ["3.4", "c1000"], "3400", ONE, None),
        ("multiply", ["3.4M", "c2000"], "6800", MILLION, None),
        ("divide", ["20743K", "c1000"], "20.743", MILLION, "divide(20743, const_1000)"),
        ("divide", ["20743588.7O", "c1000000"], "20.7435887", MILLION, None),
        ("divide", ["20743588.7", "c1000000"], "20.7435887", MILLION, None),
        ("divide", ["20743", "c1000"], "20.743", ONE, None),
        # prices and counts
        ("multiply", ["39.19O USD", "2M shares"], "78.38", MILLION, "multiply(39.19, 2)"),
        ("divide", ["30M USD", "1.5O USD"], "20", MILLION, "divide(30, 1.5)"),
        # percent from a label
        ("subtract", ["13.4P", "11.1%"], "2.3", PERCENT, "subtract(13.4, 11.1)"),
        ("multiply", ["2.4P", "526.5M"], "12.636", MILLION, "multiply(2.4%, 526.5)"),
    ]
)
def test_rule(operation: str, operands: list[str], value: str | bool, scale: Scale, program: str | None) -> None:
    computed = plan(operation, *operands)
    result = execute(computed).result
    shown = plain(result.value)
    assert shown == (value if isinstance(value, bool) else pytest.approx(Decimal(value), abs=Decimal("1e-40")))
    assert result.scale is scale
    if program is not None:
        assert to_program(computed) == program


@pytest.mark.parametrize("operation", ["add", "subtract", "sum", "average", "minimum", "maximum"])
@pytest.mark.parametrize("other", ["200K shares", "3 EUR", "12.5%"])
def test_counts_of_different_units_have_no_sum(operation: str, other: str) -> None:
    with pytest.raises(OperandError, match=r"5 million USD and .* different things"):
        execute(plan(operation, "5M USD", other))
    for allowed in ("multiply", "divide"):
        assert execute(plan(allowed, "5M USD", other)).result.number is not None


def test_a_computed_percentage_becomes_a_fraction_by_a_step_of_its_own() -> None:
    points = plan("subtract", "13.5%", "11%")
    then = Plan((*points.steps, Compute(4, "multiply", (Constant(Decimal(500), "500"), Ref(3)))))
    assert execute(then).result.number == Decimal("12.5")
    assert to_program(then) == "subtract(13.5, 11), divide(#0, const_100), multiply(500, #1)"


def test_money_passes_through_products_and_quotients() -> None:
    assert execute(plan("multiply", "529300O shares", "39.19O USD")).result.unit == "USD"
    assert execute(plan("divide", "30M USD", "20M shares")).result.unit == "USD"
    assert execute(plan("divide", "30M shares", "20M USD")).result.unit is None


def test_scale_of_ones_differs_from_no_scale() -> None:
    words = [Dimension().scale_word, Dimension(in_ones=True).scale_word, Dimension(MILLION).scale_word]
    assert words == ["unknown", "one", "million"]
    value = execute(plan("multiply", "529300O shares", "39.19O USD")).result
    assert value.in_ones
    later = Plan((Compute(1, "divide", (Ref(-1), Constant(Decimal(1_000_000), "const_1000000"))),))
    shown = execute(later, [value]).result
    assert (shown.scale, shown.unit) == (MILLION, "USD")


def test_a_ratio_is_compared_with_a_printed_percentage_as_a_fraction() -> None:
    ratio = execute(plan("percentage", "25M", "100M")).result
    assert (ratio.number, ratio.in_ones) == (Decimal("0.25"), True)
    step = Extract(1, CellRef("doc", 0, 1, 1), "rate", Quantity(Decimal(20), PERCENT))
    apart = Plan((step, Compute(2, "subtract", (Ref(-1), Ref(1)))))
    assert execute(apart, [ratio]).result.number == Decimal("0.05")


def test_a_constant_with_a_stated_scale_is_aligned() -> None:
    page = Extract(1, CellRef("doc", 0, 1, 1), "debt", Quantity(Decimal(325)), label_scale=MILLION)
    scaled = Plan((page, Compute(2, "add", (Ref(1), Constant(Decimal("2.2"), "2.2", BILLION)))))
    assert execute(scaled).result.number == Decimal(2525)
    assert to_program(scaled) == "multiply(2.2, const_1000), add(325, #0)"


def test_old_plans_are_read_unchanged() -> None:
    old = {"kind": "extract", "id": 1, "source": {"kind": "cell", "document": "d", "table": 0, "row": 1, "column": 1}}
    old |= {"label": "x", "quantity": {"value": "7", "scale": "one", "unit": None, "text": "7"}, "reading": "signed"}
    read = serial.load(Plan, {"steps": [old | {"query": None}], "thought": ""})
    assert execute(read).result.counts == Dimension()
    assert not {"label_scale", "label_unit"} & set(serial.dump(read)["steps"][0])
