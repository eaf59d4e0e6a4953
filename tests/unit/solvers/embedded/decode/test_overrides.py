"""Rules that override the ranking on filings."""

import pytest

from quaestor.plan.scales import Dimension
from quaestor.questions.question import read_question
from quaestor.solvers.embedded.plan_rules import (
    order_by_years,
    replace_by_percentage,
    translate_question,
)
from quaestor.solvers.embedded.turn_state import Operand, TurnAction

DIFFERENCE = TurnAction("subtract", (Operand("result", 0, 12.0), Operand("leaf", 1, 10.0)), 2.0, Dimension(unit="USD"))


@pytest.mark.parametrize("question", ["and how much more than in 2020, in percent?", "how much less was it, in %?"])
def test_how_much_more_in_percent_is_a_relative_change(question: str) -> None:
    found = replace_by_percentage(read_question(question), DIFFERENCE)
    assert (found.operation, found.value) == ("percentage_change", 0.2)


def test_how_much_more_is_an_amount() -> None:
    question = read_question("and how much more than in 2020?")
    assert replace_by_percentage(question, DIFFERENCE) is DIFFERENCE


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


def test_question_about_a_development_asks_for_a_change() -> None:
    reading = read_question("how did capital expenditures develop from 2021 to 2024?")
    assert translate_question(reading).text == "what was the change in capital expenditures from 2021 to 2024?"
    assert translate_question(read_question("and in 2020?")).text == "and in 2020?"
