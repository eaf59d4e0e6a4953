from decimal import Decimal

import pytest
from pages import page

from quaestor.application.calculating import calculate_formula
from quaestor.application.named_values import CellValue, EarlierValue, GivenValue, NamedValue, TextValue
from quaestor.conversation.display import show_number
from quaestor.errors import InputError, PlanError

SHOP = page(
    [
        ["( in thousands )", "2012", "2011"],
        ["net sales", "$ 5,300", "$ 5,000"],
        ["rent", "40", "30"],
        ["margin", "13.4 %", "11.1 %"],
    ],
    after=["the shop owes $ 2.7 billion to banks .", "5 of 9 shops are new ."],
)
NAMED: dict[str, NamedValue] = {
    "sales": CellValue("net sales", "2012"),
    "margin": CellValue("margin", "2012"),
    "debt": TextValue("owes $ 2.7 billion to"),
}
SALES = {"new": CellValue("net sales", "2012"), "old": CellValue("net sales", "2011")}


def test_formula_over_cells_is_exact_and_has_sources() -> None:
    turn = calculate_formula(SHOP, "(new - old) / old", SALES)
    assert (turn.answer.number, turn.verified, len(turn.answer.sources)) == (Decimal("0.06"), True, 2)
    assert turn.answer.formula == "(5300 - 5000) / 5000"


def test_numbers_of_text_and_given_numbers_keep_their_scale() -> None:
    values: dict[str, NamedValue] = {"debt": TextValue("owes $ 2.7 billion to"), "share": GivenValue("15 %")}
    turn = calculate_formula(SHOP, "debt * share", values)
    assert show_number(turn.answer) == "$ 0.405 billion"
    assert [source.kind for source in turn.answer.sources] == ["sentence"]


def test_an_earlier_answer_can_be_named() -> None:
    first = calculate_formula(SHOP, "new - old", SALES)
    second = calculate_formula(SHOP, "change * 2", {"change": EarlierValue(1)}, [first])
    assert second.answer.number == 600
    assert len(second.answer.sources) == 2


@pytest.mark.parametrize(
    ("formula", "values"),
    [
        ("a", {"a": CellValue("profit", "2012")}),
        ("a", {"a": CellValue("net sales")}),
        ("a", {"a": CellValue("net sales", "2012", table=4)}),
        ("a", {"a": TextValue("5 of 9 shops")}),
        ("a", {"a": TextValue("the shop owes")}),
        ("a", {"a": TextValue("profit rose")}),
        ("a", {"a": EarlierValue(1)}),
        ("a", {"a": GivenValue("many")}),
        ("a", {"a": GivenValue("9" * 100)}),
        ("a", {"a b": GivenValue("1")}),
        ("a", {f"v{i}": GivenValue("1") for i in range(60)}),
    ],
)
def test_invalid_values_of_names_are_refused(formula: str, values: dict[str, NamedValue]) -> None:
    with pytest.raises(InputError):
        calculate_formula(SHOP, formula, values)


@pytest.mark.parametrize("formula", ["", "new +", "__import__('os')", "9**9**9**9", "1/0", "new" * 1000, "(" * 500])
def test_calculation_without_result_is_refused(formula: str) -> None:
    with pytest.raises(PlanError):
        calculate_formula(SHOP, formula, SALES)


@pytest.mark.parametrize(
    ("formula", "given", "shown"),
    [
        ("x", "$ 5.3 million", "$ 5.3 million"),
        ("-x", "5.3 million", "-5.3 million"),
        ("x", "15 %", "15 %"),
        ("margin + x", "0.5 %", "13.9 %"),
        ("margin + x", "50 basis points", "13.90 %"),
        ("margin > x", "13.5 %", "no"),
        ("max(margin, x)", "20 %", "20 %"),
        ("margin - 10%", "1", "3.4 %"),
        ("margin * x", "2 times", "26.8 %"),
        ("sales * (1 + x)", "10 %", "$ 5,830.00 thousand"),
        ("sales / x", "365 days", "$ 14.52 thousand"),
        ("sales - x", "$ 1 million", "$ 4,300 thousand"),
        ("debt / x", "2 million shares", "$ 1.35 thousand"),
    ],
)
def test_given_numbers_are_treated_as_printed_ones(formula: str, given: str, shown: str) -> None:
    values = {**NAMED, "x": GivenValue(given)}
    assert show_number(calculate_formula(SHOP, formula, values).answer) == shown


@pytest.mark.parametrize("given", ["EUR 5 million", "10 shares", "10 %"])
def test_given_numbers_with_different_units_have_no_sum(given: str) -> None:
    with pytest.raises(PlanError):
        calculate_formula(SHOP, "sales + x", {**NAMED, "x": GivenValue(given)})
