from dataclasses import replace
from decimal import Decimal

import pytest

from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.plan.formula import render_formula
from quaestor.plan.program import parse_program
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import Compute, Constant, Extract, Plan, Ref

TWO = Constant(Decimal(2), "const_2")


@pytest.mark.parametrize(
    ("program", "formula"),
    [
        ("206588", "206588"),
        ("27%", "27%"),
        ("subtract(206588, 181001), divide(#0, 181001)", "(206588 - 181001) / 181001"),
        ("add(1, 2), add(#0, 3), subtract(4, #1)", "4 - (1 + 2 + 3)"),
        ("divide(1, 2), divide(#0, 3)", "1 / 2 / 3"),
        ("divide(1, 2), divide(3, #0)", "3 / (1 / 2)"),
        ("multiply(1, 2), add(#0, 3)", "1 * 2 + 3"),
        ("multiply(1, 2), divide(3, #0)", "3 / (1 * 2)"),
        ("divide(1, 2), multiply(3, #0)", "3 * 1 / 2"),
        ("exp(2, 3), exp(#0, 4)", "(2 ^ 3) ^ 4"),
        ("subtract(-5, -4), divide(#0, -4)", "(-5 - (-4)) / (-4)"),
        ("exp(-2, 2)", "(-2) ^ 2"),
        ("subtract(1, 2), greater(#0, 3)", "1 - 2 > 3"),
        ("table_average(net sales, none), add(#0, const_m1)", "average(net sales) + (-1)"),
    ],
)
def test_fewest_parentheses(program: str, formula: str) -> None:
    assert render_formula(parse_program(program)) == formula


def test_numbers_are_shown_as_printed() -> None:
    def at(id: int, value: str, scale: Scale) -> Extract:
        return Extract(id, CellRef("doc", 0, 1, id), "", Quantity(Decimal(value), scale))

    plan = Plan((at(1, "2.2", Scale.BILLION), at(2, "13.4", Scale.PERCENT), Compute(3, "multiply", (Ref(1), Ref(2)))))
    assert render_formula(plan) == "2.2 billion * 13.4%"
    change = Plan((*plan.steps[:2], Compute(3, "percentage_change", (Ref(1), Ref(2)))))
    assert render_formula(change) == "(2.2 billion - 13.4%) / 13.4%"
    assert render_formula(Plan((*plan.steps[:2], Compute(3, "maximum", (Ref(1), Ref(2)))))) == "max(2.2 billion, 13.4%)"


@pytest.mark.parametrize(
    ("earlier", "formula"),
    [
        ("5", "5 * 2"),
        ("2.2 billion", "2.2 billion * 2"),
        ("3 - 4", "(3 - 4) * 2"),
        ("max(3 - 4, 1)", "max(3 - 4, 1) * 2"),
        ("(3 - 4) / 4", "(3 - 4) / 4 * 2"),
        (None, "[last answer] * 2"),
        ("1 + " * 200 + "1", "[last answer] * 2"),
    ],
)
def test_earlier_turns_are_written_out(earlier: str | None, formula: str) -> None:
    assert render_formula(Plan((Compute(1, "multiply", (Ref(-1), TWO)),)), [earlier]) == formula


def test_a_conversion_is_shown_with_the_scales_on_both_sides() -> None:
    def extract(id: int, value: str, printed: Scale, label: Scale | None) -> Extract:
        return Extract(id, CellRef("doc", 0, 1, id), "", Quantity(Decimal(value), printed), label_scale=label)

    billion, million = extract(1, "2.2", Scale.BILLION, None), extract(2, "325", Scale.ONE, Scale.MILLION)
    assert render_formula(Plan((billion, million, Compute(3, "add", (Ref(1), Ref(2)))))) == (
        "2.2 billion * 1000 + 325 million"
    )
    change = Plan((billion, million, Compute(3, "percentage_change", (Ref(1), Ref(2)))))
    assert render_formula(change) == "(2.2 billion * 1000 - 325 million) / 325 million"
    alike = extract(1, "300", Scale.ONE, Scale.MILLION)
    assert render_formula(Plan((alike, million, Compute(3, "add", (Ref(1), Ref(2)))))) == "300 + 325"
    later = Plan((replace(million, id=1), Compute(2, "add", (Ref(-1), Ref(1)))))
    shown = render_formula(later, ["2.2 billion + 1 billion"], [Dimension(Scale.BILLION)])
    assert shown == "(2.2 billion + 1 billion) * 1000 + 325 million"
