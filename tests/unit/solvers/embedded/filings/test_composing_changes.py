from dataclasses import replace

import pytest
from composed_plans import INCOME, QUARTERS, ask, find, number

from quaestor.documents.assembly import ParagraphPart, TablePart, assemble
from quaestor.facts.table import FactTable, build_facts
from quaestor.questions.understanding import INTENTS, read_filing_question
from quaestor.solvers.embedded.filings.binding import resolve_moments
from quaestor.solvers.embedded.filings.composing import BoundOperand, BoundQuestion, compose
from quaestor.solvers.embedded.filings.past import read_past_answer


def test_growth_and_change_take_the_year_before(table: FactTable) -> None:
    growth = ask(table, "growth of total net sales in 2022", "growth", ("total net sales",))
    assert number(table, growth) == pytest.approx(60 / 660)
    assert number(table, ask(table, "change in net income", "change", ("net income",))) == -15


def test_changes_of_percentages_in_basis_points() -> None:
    table = build_facts(assemble("a", [TablePart((("", "2023", "2022"), ("gross margin", "42.7%", "44.6%")))]))
    plan = ask(table, "change in gross margin in basis points", "change", ("gross margin",))
    assert number(table, plan) == -190


def test_changes_in_dollars_are_of_amounts() -> None:
    rows = (("( in millions )", "2023", "2022"), ("gross profit", "50.0%", "40.0%"), ("gross margin", "90", "70"))
    table = build_facts(assemble("a", [TablePart(rows)]))
    several = (BoundOperand(find(table, "gross profit"), 0.9), BoundOperand(find(table, "gross margin"), 0.1))
    assert number(table, ask(table, "change in gross profit", "change", bound=several)) == pytest.approx(10)
    assert number(table, ask(table, "dollar change in gross profit", "change", bound=several)) == 20


def test_a_change_is_neither_a_balance_nor_the_change_of_a_change() -> None:
    rows = (("( in millions )", "2023", "2022"), ("inventories", "74", "69"), ("changes in inventories", "6", "9"))
    table = build_facts(assemble("a", [TablePart(rows)]))
    several = (BoundOperand(find(table, "inventories"), 0.5), BoundOperand(find(table, "changes in inventories"), 0.5))
    assert number(table, ask(table, "what was the change in inventories?", "change", bound=several)) == 5
    assert number(table, ask(table, "what was the change in inventories?", "lookup", bound=several)) == 6


def test_a_fall_that_is_asked_for_is_positive(table: FactTable) -> None:
    assert number(table, ask(table, "by how much did net income fall?", "change", ("net income",))) == 15


def test_a_difference_is_positive_unless_a_direction_is_asked_for(table: FactTable) -> None:
    late = ask(table, "net income?", "lookup", ("net income",))
    early = ask(table, "and in 2022?", "lookup", (), (late,))
    apart = ask(table, "difference between the two?", "change", (), (early, late))
    assert number(table, apart) == 15
    assert number(table, ask(table, "in percent", "growth", (), (apart, early, late))) == pytest.approx(-15 / 75)


def test_raised_amount_grows_from_the_other_number_of_its_sentence() -> None:
    text = "We approved an annual dividend of $0.60 per share, an increase over the dividend of $0.50 per share."
    table = build_facts(assemble("a", [ParagraphPart((text,)), TablePart(tuple(map(tuple, INCOME)))]))
    new = next(series for series in table.series if series.line.sentence and round(series.first.amount, 2) == 0.6)
    past = ask(table, "net income?", "lookup", ("net income",))
    reading = read_filing_question("what increase is that in percent?")
    known = read_past_answer(past, table)
    assert known is not None
    before = (replace(known, measured=(replace(known.measured[0], series=new, moment=None),)),)
    question = BoundQuestion(
        reading, table, {name: float(name == "growth") for name in INTENTS}, ((),), (), table.latest, before, False,
        lambda _: (),
    )  # fmt: skip
    assert number(table, compose(question)[0].plan) == pytest.approx(0.2)


def test_change_of_a_balance_starts_at_the_beginning_of_the_period() -> None:
    rows = (("( in millions )", "june 30 , 2023", "december 31 , 2022"), ("total debt", "$ 50", "$ 35"))
    table = build_facts(assemble("a", [TablePart(tuple(map(tuple, QUARTERS))), TablePart(rows)]))
    assert number(table, ask(table, "change in total debt in the first half of 2023", "change", ("total debt",))) == 15


def test_growth_after_two_values_is_between_them(table: FactTable) -> None:
    late = ask(table, "total net sales?", "lookup", ("total net sales",))
    early = ask(table, "and in 2021?", "lookup", (), (late,))
    assert number(table, early) == 660
    assert number(table, ask(table, "so what's the growth?", "growth", (), (early, late))) == pytest.approx(140 / 660)


def test_growth_is_repeated_a_year_earlier_and_for_another_line(table: FactTable) -> None:
    growth = ask(table, "growth of total net sales", "growth", ("total net sales",))
    assert number(table, ask(table, "and the year before?", "growth", (), (growth,))) == pytest.approx(60 / 660)
    other = ask(table, "and operating income?", "growth", ("operating income",), (growth,))
    assert number(table, other) == pytest.approx(30 / 106)


def test_a_growth_rate_is_over_the_years_between(table: FactTable) -> None:
    rate = ask(table, "total net sales cagr 2021 to 2023", "cagr", ("total net sales",))
    assert number(table, rate) == pytest.approx((800 / 660) ** 0.5 - 1)


@pytest.mark.parametrize(
    ("question", "amount"),
    [
        ("by how much did operating income exceed net income?", 76),
        ("how much lower was net income than operating income?", 76),
        ("operating income minus net income", 76),
        ("how much more did operating income bring in 2021 than net income?", 27),
    ],
)
def test_two_lines_are_subtracted(table: FactTable, question: str, amount: int) -> None:
    labels = ("net income", "operating income") if "lower" in question else ("operating income", "net income")
    assert number(table, ask(table, question, "change", labels)) == amount


def test_the_second_of_two_times_is_subtracted_from_the_first(table: FactTable) -> None:
    assert number(table, ask(table, "net income, 2022 less 2023", "change", ("net income",))) == 15
    assert number(table, ask(table, "net income, 2023 less 2022", "change", ("net income",))) == -15


def test_growth_rate_over_two_years_starts_at_the_first_of_three_year_ends(table: FactTable) -> None:
    sales = ask(table, "total net sales in 2023?", "lookup", ("total net sales",))
    plan = ask(table, "cagr over the two years?", "cagr", before=(sales,))
    assert number(table, plan) == pytest.approx((800 / 660) ** 0.5 - 1)


def test_a_change_in_percent_is_a_growth(table: FactTable) -> None:
    income = ask(table, "net income in 2023?", "lookup", ("net income",))
    plan = ask(table, "how many percent less than a year ago?", "change", before=(income,))
    assert number(table, plan) == pytest.approx(15 / 75)


def test_change_is_of_the_line_that_all_words_name() -> None:
    rows = [["( in millions )", "2023", "2022"], ["rents and fees paid", "60", "75"], ["fees", "1", "2"]]
    paid = build_facts(assemble("a", [TablePart(tuple(map(tuple, rows)))]))
    reading = read_filing_question("what was the change in rents and fees paid from 2022 to 2023?")
    assert reading.relation == "sum"
    question = BoundQuestion(
        reading, paid, {name: float(name == "change") for name in INTENTS}, ((), ()),
        resolve_moments(reading, paid, None), paid.latest, (), False,
        lambda operand: (BoundOperand(find(paid, "rents and fees paid"), 1.0),) if operand == reading.whole else (),
    )  # fmt: skip
    assert number(paid, compose(question)[0].plan) == -15


def test_up_from_what_gives_the_earlier_number(table: FactTable) -> None:
    sales = ask(table, "total net sales in 2023?", "lookup", ("total net sales",))
    change = ask(table, "by how much did it change?", "change", before=(sales,))
    assert number(table, ask(table, "up from?", "change", before=(sales,))) == 720
    assert number(table, ask(table, "up from what?", "lookup", before=(change, sales))) == 720


def test_a_growth_rate_between_those_years_spans_the_last_answers(table: FactTable) -> None:
    late = ask(table, "total net sales in 2023?", "lookup", ("total net sales",))
    early = ask(table, "and in 2022?", "lookup", before=(late,))
    plan = ask(table, "cagr between those two years?", "cagr", before=(early, late))
    assert number(table, plan) == pytest.approx(800 / 720 - 1)


def test_a_later_year_is_compared_with_that_of_the_last_answer(table: FactTable) -> None:
    last = ask(table, "net income in 2021?", "lookup", ("net income",))
    assert number(table, ask(table, "change to 2023?", "change", before=(last,))) == -5
