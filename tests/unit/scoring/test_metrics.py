from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from values import a_value

from quaestor.core.answer_value import AnswerValue, ListItem, Number, Text, ValueList, YesNo
from quaestor.core.provenance import CellRef
from quaestor.errors import PlanError
from quaestor.plan.expressions import benchmark_rows
from quaestor.scoring.metrics import (
    display_match,
    executed_equal,
    legacy_match,
    program_equal,
    rounded_for_display,
    run_program,
)
from quaestor.scoring.scorers import Prediction


def a_prediction(value: Decimal | bool | str | None) -> AnswerValue | None:
    """Return a prediction's value; a string is parsed as stored text."""
    if isinstance(value, Decimal):
        return Number(value)
    return Prediction("c", 0, value).value if value is None or isinstance(value, str) else YesNo(value)


@pytest.mark.parametrize(
    ("predicted", "gold"),
    [
        (Decimal("0.141364739"), 0.14136),
        ("0.141364739", 0.14136),
        (Decimal("-4"), -4.0),
        (Decimal("-0"), 0.0),
        (True, "yes"),
        (False, "no"),
        ("yes", "yes"),
    ],
)
def test_executed_equal(predicted: Decimal | bool | str, gold: float | str) -> None:
    assert executed_equal(a_prediction(predicted), a_value(gold))


@pytest.mark.parametrize(
    ("predicted", "gold"),
    [
        (Decimal("14.136"), 0.14136),
        (Decimal("-0.14136"), 0.14136),
        (Decimal("0.14138"), 0.14136),
        (Decimal(1), "yes"),
        (True, 1.0),
        (False, 0.0),
        ("no", "yes"),
        (None, 0.0),
        ("", 0.0),
        ("five", 5.0),
        (Decimal("NaN"), 0.0),
        (Decimal("sNaN"), 0.0),
        ("1e999999", 1.0),
    ],
)
def test_executed_not_equal(predicted: Decimal | bool | str | None, gold: float | str) -> None:
    assert not executed_equal(a_prediction(predicted), a_value(gold))


EUROPE, ASIA = ListItem("Europe", Decimal("3.1000001")), ListItem("Asia")


def test_words_and_lists_are_right_if_equal() -> None:
    assert executed_equal(Text("Europe"), Text("Europe"))
    assert not executed_equal(Text("yes"), YesNo(True))
    assert not executed_equal(Text("5"), Number(Decimal(5)))
    assert executed_equal(ValueList((EUROPE, ASIA)), ValueList((ListItem("Europe", Decimal("3.1")), ASIA)))
    assert not executed_equal(ValueList((EUROPE, ASIA)), ValueList((ASIA, EUROPE)))
    assert not executed_equal(ValueList((EUROPE,)), ValueList((ListItem("Europe", Decimal("3.2")),)))
    assert not executed_equal(ValueList((ListItem("Europe", Decimal(0)),)), ValueList((ListItem("Europe"),)))


GOLD = "subtract(5, 3), divide(#0, 3)"


@pytest.mark.parametrize(
    ("predicted", "gold"),
    [
        (GOLD, GOLD),
        ("subtract(5,3),divide(#0,3)", GOLD),
        ("divide(5, 3), divide(3, 3), subtract(#0, #1)", GOLD),
        ("add(5, 3), subtract(5, 3), divide(#1, 3)", GOLD),
        ("add(3, 5)", "add(5, 3)"),
        ("multiply(5, 2), multiply(3, 2), add(#0, #1)", "add(5, 3), multiply(#0, 2)"),
        ("subtract(3, 5)", "add(1, 1), subtract(5, 3), subtract(3, 5)"),
        ("27%", "27%"),
        ("table_max(sales, none), add(5, #0)", "table_max(sales, none), add(#0, 5)"),
        ("exp(5, 3), add(#0, 5)", "exp(5, 3), add(5, #0)"),
        ("greater(5, 3)", "add(3, 5), greater(5, 3)"),
    ],
)
def test_program_equal(predicted: str, gold: str) -> None:
    assert program_equal(predicted, gold)


@pytest.mark.parametrize(
    ("predicted", "gold"),
    [
        ("subtract(3, 5), divide(#0, 3)", GOLD),
        ("subtract(5, 3), divide(#0, 5)", GOLD),
        ("subtract(5.0, 3), divide(#0, 3)", GOLD),
        ("divide(5, 3), subtract(#0, const_1)", GOLD),
        ("subtract(3, 5)", "subtract(5, 3)"),
        ("multiply(10, 27%)", "multiply(10, 0.27)"),
        ("0.27", "27%"),
        ("add(5, 3)", "5"),
        ("5", "add(5, 3)"),
        ("table_min(sales, none)", "table_max(sales, none)"),
        ("table_max(cost, none)", "table_max(sales, none)"),
        ("greater(3, 5)", "greater(5, 3)"),
        ("exp(3, 5)", "exp(5, 3)"),
        ("nonsense", GOLD),
        ("greater(5, 3), add(#0, 3)", GOLD),
        ("subtract(3, 3), divide(5, #0)", GOLD),
    ],
)
def test_program_not_equal(predicted: str, gold: str) -> None:
    assert not program_equal(predicted, gold)


def test_raises_error_for_an_invalid_gold_program() -> None:
    with pytest.raises(PlanError):
        program_equal("5", "add(5)")


@given(st.text(max_size=40))
def test_any_prediction_has_a_verdict(text: str) -> None:
    assert program_equal(text, GOLD) in (True, False)
    assert executed_equal(a_prediction(text), a_value(5.0)) in (True, False)
    assert display_match(a_prediction(text), "14.1%") in (True, False)
    assert display_match(a_prediction(Decimal(5)), text) in (True, False)
    assert legacy_match(a_prediction(text), "14.1%") in (True, False)
    assert legacy_match(a_prediction(Decimal(5)), text) in (True, False)


def test_run_program_reads_rows() -> None:
    rows = [benchmark_rows([[(text, CellRef("doc", 0, 0, c)) for c, text in enumerate(["sales", "$ 3", "10%"])]])]
    assert run_program("table_sum(sales, none), multiply(#0, 2)", rows) == Number(Decimal("6.2"))
    assert run_program("greater(2, 1)", []) == YesNo(True)
    with pytest.raises(PlanError):
        run_program("table_sum(cost, none)", rows)


@pytest.mark.parametrize(
    ("predicted", "display"),
    [
        (Decimal("0.14136"), "14.1%"),
        (Decimal("14.1"), "0.141"),
        (Decimal("0.0814"), "8%"),
        (Decimal("206588"), "206,588"),
        (Decimal("100.9"), "100"),
        (Decimal("-0.21053"), "-21.1%"),
        (Decimal(".07513"), ".0751"),
        (Decimal("0.0001"), "0.00"),
        (Decimal("91"), "$ 91"),
        (True, "yes"),
        ("no", " No"),
    ],
)
def test_display_match(predicted: Decimal | bool | str, display: str) -> None:
    assert display_match(a_prediction(predicted), display)


@pytest.mark.parametrize(
    ("predicted", "display"),
    [
        (Decimal("0.14136"), "-14.1%"),
        (Decimal("0.145"), "14.1%"),
        (Decimal("102"), "100"),
        (Decimal("1"), "yes"),
        (True, "1"),
        (None, "5"),
        (None, "none"),
        (Decimal("5"), ""),
    ],
)
def test_display_mismatch(predicted: Decimal | bool | None, display: str) -> None:
    assert not display_match(a_prediction(predicted), display)


def test_older_rule_ignores_signs_and_percentages() -> None:
    assert legacy_match(a_prediction("14.14"), "14.1%")
    assert legacy_match(a_prediction(Decimal("-5")), "5")
    assert not legacy_match(a_prediction(Decimal("0.1414")), "14.1%")
    assert not legacy_match(a_prediction(Decimal("14.2")), "14.1%")
    assert legacy_match(a_prediction(True), "yes")
    assert not legacy_match(a_prediction(True), "no")
    assert not legacy_match(None, "no")


def test_older_rule_reads_a_percentage_as_displayed() -> None:
    fraction = a_prediction(Decimal("0.14142"))
    assert legacy_match(fraction, "14.1%", as_percentage=True)
    assert not legacy_match(fraction, "14.1%")
    assert legacy_match(fraction, "0.14")
    assert not legacy_match(fraction, "0.14", as_percentage=True)
    assert not legacy_match(a_prediction(Decimal("0.1425")), "14.1%", as_percentage=True)
    assert legacy_match(a_prediction(True), "yes", as_percentage=True)
    assert not legacy_match(None, "14.1%", as_percentage=True)


def test_displayed_number_determines_the_precision() -> None:
    assert rounded_for_display("14.1%") == (Decimal("14.1"), Decimal("0.05"))
    assert rounded_for_display("-$ 1,200") == (Decimal(-1200), Decimal("0.5"))
    assert rounded_for_display("yes") is None
