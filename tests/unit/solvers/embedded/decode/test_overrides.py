"""Rules that overrule the ranking on filings: a percentage is what is asked for by that word."""

import pytest

from quaestor.plan.scales import Dimension
from quaestor.questions.question import read_question
from quaestor.solvers.embedded.prior import (
    asks_for_other_year,
    is_amount_for_percentage,
    order_by_years,
    replace_by_percentage,
    translate_question,
    uses_unasked_constant,
)
from quaestor.solvers.embedded.turn_state import Operand, TurnAction

DIFFERENCE = TurnAction("subtract", (Operand("result", 0, 12.0), Operand("leaf", 1, 10.0)), 2.0, Dimension(unit="USD"))
AMOUNT = TurnAction("lookup", (Operand("leaf", 1, 10.0),), 10.0)


@pytest.mark.parametrize("question", ["and how much more than in 2020, in percent?", "how much less was it, in %?"])
def test_how_much_more_in_percent_is_a_relative_change(question: str) -> None:
    found = replace_by_percentage(read_question(question), DIFFERENCE)
    assert (found.operation, found.value) == ("percentage_change", 0.2)
    assert is_amount_for_percentage(read_question(question), AMOUNT)


def test_how_much_more_is_an_amount() -> None:
    question = read_question("and how much more than in 2020?")
    assert replace_by_percentage(question, DIFFERENCE) is DIFFERENCE
    assert not is_amount_for_percentage(question, AMOUNT)


@pytest.mark.parametrize(
    ("question", "whether"),
    [
        ("and in the prior year?", True),
        ("and in 2020?", True),
        ("what about the previous year?", True),
        ("and in europe in 2020?", False),
        ("what was the percentage change in 2020?", False),
        ("and the year?", False),
    ],
)
def test_another_year_is_asked_for_where_nothing_else_is_named(question: str, whether: bool) -> None:
    assert asks_for_other_year(read_question(question)) is whether


def test_a_change_begins_with_the_first_year_that_is_named() -> None:
    question = read_question("what is the change from 2010 to 2014?")
    backwards = TurnAction("subtract", (Operand("leaf", 0, 10.0), Operand("leaf", 1, 12.0)), -2.0)
    turned = order_by_years(question, backwards, (2010, 2014))
    assert (turned.value, [operand.index for operand in turned.operands]) == (2.0, [1, 0])
    assert order_by_years(question, turned, (2014, 2010)) is turned
    assert order_by_years(read_question("what is the difference?"), backwards, (2010, 2014)) is backwards
    assert order_by_years(read_question("what was the change in 2014?"), backwards, (2010, 2014)) == turned
    assert order_by_years(read_question("what was the change?"), turned, (2014, 2010)) is turned
    assert order_by_years(read_question("what was the change?"), backwards, (0, 2014)) is backwards


def test_a_development_is_a_change() -> None:
    asked = read_question("how did capital expenditures develop from 2021 to 2024?")
    assert translate_question(asked).text == "what was the change in capital expenditures from 2021 to 2024?"
    assert translate_question(read_question("and in 2020?")).text == "and in 2020?"


def test_no_number_is_calculated_with_that_nobody_asked_for() -> None:
    scaled = TurnAction("multiply", (Operand("result", 0, 12.0), Operand("constant", 0, 1000.0)), 12000.0)
    assert uses_unasked_constant(read_question("and in europe?"), scaled)
    assert not uses_unasked_constant(read_question("in thousands?"), scaled)
