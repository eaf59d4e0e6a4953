"""What a model is told of the conversation so far."""

from dataclasses import replace
from decimal import Context, Decimal

from hypothesis import given
from hypothesis import strategies as st
from remembered import ungrounded
from solver_bench import context_of
from values import a_value

from quaestor.conversation.memory import Memory
from quaestor.core.quantity import Scale
from quaestor.plan.operations import LARGEST_EXPONENT, PRECISION
from quaestor.solvers.briefing import history

NUMBERS = st.builds(
    lambda digits, exponent: Decimal(digits).scaleb(exponent - len(str(abs(digits))), Context(prec=PRECISION)),
    st.integers(-(10**PRECISION) + 1, 10**PRECISION - 1),
    st.integers(-LARGEST_EXPONENT, LARGEST_EXPONENT),
)


@given(NUMBERS)
def test_any_number_that_can_be_held_is_told_to_twelve_digits(number: Decimal) -> None:
    turn = ungrounded("what was it?")
    context = context_of(memory=Memory((replace(turn, answer=replace(turn.answer, value=a_value(number))),)))
    told = Decimal(history(context)[0]["answer"].split(" ")[0])
    assert abs(told - number) <= abs(number) * Decimal("1e-11")


def test_a_computed_percentage_is_told_in_percent_and_an_amount_with_its_scale() -> None:
    turn = ungrounded("what was it?")
    answers = [
        replace(turn.answer, value=a_value("0.141363"), metric_type="percentage_change"),
        replace(turn.answer, value=a_value("13.4"), scale=Scale.PERCENT),
        replace(turn.answer, value=a_value(7385), scale=Scale.MILLION, unit="USD"),
    ]
    told = history(context_of(memory=Memory(tuple(replace(turn, answer=answer) for answer in answers))))
    assert [said["answer"] for said in told] == ["14.1363 percent", "13.4 percent", "7385 million USD"]


def test_a_percentage_counts_no_dollars() -> None:
    turn = ungrounded("what was the change?")
    answer = replace(turn.answer, value=a_value("-0.2405"), metric_type="percentage_change", unit="USD")
    assert history(context_of(memory=Memory((replace(turn, answer=answer),))))[0]["answer"] == "-24.05 percent"
