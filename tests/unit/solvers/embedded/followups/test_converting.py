"""Conversion of the last answer to another scale, or the reason why it is impossible."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from values import number_in

from quaestor.conversation.answer import Answer
from quaestor.core.answer_value import YesNo
from quaestor.core.provenance import CellRef
from quaestor.core.quantity import Quantity, Scale
from quaestor.plan.execute import StepResult, execute
from quaestor.plan.scales import Dimension
from quaestor.plan.steps import Compute, Constant, Extract, Plan, Ref
from quaestor.questions.answer_arithmetic import QuestionConversion
from quaestor.solvers.embedded.direct_answers import is_restatement, plan_conversion

SCALES = (Scale.ONE, Scale.THOUSAND, Scale.MILLION, Scale.BILLION)


def looked_up(value: Decimal, scale: Scale, unit: str | None = "USD") -> tuple[Answer, StepResult]:
    plan = Plan((Extract(1, CellRef("page", 0, 1, 1), "rent", Quantity(value, scale, unit, str(value))),))
    result = execute(plan).result
    return Answer(result.value, result.scale, result.unit, plan=plan, in_ones=result.in_ones), result


def exponent(scale: Scale) -> int:
    return Dimension(scale).exponent


@given(st.decimals(-100_000, 100_000, places=2), st.sampled_from(SCALES[1:]), st.sampled_from(SCALES))
def test_conversion_keeps_the_amount(value: Decimal, scale: Scale, to: Scale) -> None:
    answer, register = looked_up(value, scale)
    plan = plan_conversion(QuestionConversion(to), answer, 1)
    assert isinstance(plan, Plan)
    assert is_restatement(plan)
    result = execute(plan, (register,)).result
    assert (result.scale, result.unit) == (to, "USD")
    assert number_in(result.value).scaleb(exponent(to)) == value.scaleb(exponent(scale))


def test_number_without_unit_is_converted_only_if_large_enough() -> None:
    large, register = looked_up(Decimal(2_500_000), Scale.ONE, None)
    plan = plan_conversion(QuestionConversion(Scale.MILLION), large, 1)
    assert isinstance(plan, Plan)
    result = execute(plan, (register,)).result
    assert (number_in(result.value), result.scale) == (Decimal("2.5"), Scale.MILLION)
    small, _ = looked_up(Decimal(2_500), Scale.ONE, None)
    assert plan_conversion(QuestionConversion(Scale.MILLION), small, 1) is None
    assert plan_conversion(QuestionConversion(Scale.THOUSAND), large, 1) is None


def test_a_failed_conversion_is_reported() -> None:
    percent, _ = looked_up(Decimal(12), Scale.PERCENT, None)
    assert "millions" in str(plan_conversion(QuestionConversion(Scale.MILLION), percent, 1))
    shares, _ = looked_up(Decimal(12), Scale.MILLION, "shares")
    assert "shares" in str(plan_conversion(QuestionConversion(Scale.THOUSAND, "USD"), shares, 1))
    assert isinstance(plan_conversion(QuestionConversion(Scale.MILLION), Answer(YesNo(value=True)), 1), str)
    amount, _ = looked_up(Decimal(12), Scale.MILLION)
    assert isinstance(plan_conversion(QuestionConversion(Scale.PERCENT), amount, 1), str)


@pytest.mark.parametrize(
    ("operation", "explanation", "value"), [("subtract", "percentage_change", "0.25"), ("divide", "divide", "1.25")]
)
def test_in_percent_a_difference_is_its_share_of_the_base(operation: str, explanation: str, value: str) -> None:
    (_, five), (_, four) = looked_up(Decimal(5), Scale.MILLION), looked_up(Decimal(4), Scale.MILLION)
    difference = Plan((Compute(1, operation, (Ref(-2), Ref(-1))),))
    result = execute(difference, (five, four)).result
    answer = Answer(result.value, result.scale, result.unit, plan=difference, in_ones=result.in_ones)
    # Two more turns follow, so the references are shifted by two.
    plan = plan_conversion(QuestionConversion(Scale.PERCENT), answer, 3)
    assert plan == Plan((Compute(1, explanation, (Ref(-5), Ref(-4))),))
    assert number_in(execute(plan, (five, four, result, result, result)).result.value) == Decimal(value)


def test_restatement_scales_one_earlier_answer() -> None:
    thousand = Constant(Decimal(1000), "const_1000")
    assert is_restatement(Plan((Compute(1, "multiply", (Ref(-1), thousand)),)))
    assert not is_restatement(Plan((Compute(1, "multiply", (Ref(-1), Ref(-2))),)))
    assert not is_restatement(Plan((Compute(1, "subtract", (Ref(-1), thousand)),)))
