from dataclasses import replace

import pytest

from quaestor.core.answer_value import AnswerValue, Number, Text, ValueList, YesNo
from quaestor.documents.assembly import ParagraphPart, TablePart, assemble
from quaestor.facts.lines import Moment
from quaestor.facts.table import FactTable, Series, build_facts
from quaestor.plan.execute import execute
from quaestor.plan.steps import Plan
from quaestor.questions.answer_units import KINDS
from quaestor.questions.understanding import INTENTS, read_filing_question
from quaestor.solvers.answering import with_label_scales
from quaestor.solvers.embedded.filings.binding import resolve_moments
from quaestor.solvers.embedded.filings.composing import BoundOperand, BoundQuestion, compose
from quaestor.solvers.embedded.filings.composing.changes import asks_for_fall
from quaestor.solvers.embedded.filings.composing.formulas import FormulaTerms, spell_at
from quaestor.solvers.embedded.filings.past import PastAnswer, read_past_answer, read_past_parts, read_quoted_number
from quaestor.solvers.parts import join_plans

INCOME = [
    ["( in millions )", "2023", "2022", "2021"],
    ["total net sales", "$ 800", "$ 720", "$ 660"],
    ["operating income", "136", "106", "92"],
    ["net income", "$ 60", "$ 75", "$ 65"],
]
SEGMENTS = [
    ["( in millions )", "2023", "2022", "2021"],
    ["net sales by segment :", "", "", ""],
    ["europe", "$ 310", "$ 280", "$ 255"],
    ["americas", "460", "430", "395"],
    ["asia", "30", "10", "10"],
    ["total", "$ 800", "$ 720", "$ 660"],
]
QUARTERS = [
    ["( in millions )", "six months ended june 30 , 2023", "three months ended june 30 , 2023"],
    ["revenue", "$ 410", "$ 230"],
]


@pytest.fixture(scope="module")
def table() -> FactTable:
    """Return the facts of a made-up annual report."""
    parts = [TablePart(tuple(map(tuple, rows))) for rows in (INCOME, SEGMENTS)]
    return build_facts(assemble("a", parts))


def find(table: FactTable, label: str) -> Series:
    """Return the first series of a label."""
    return next(series for series in table.series if series.line.label.lower() == label)


def ask(
    table: FactTable,
    text: str,
    intent: str,
    labels: tuple[str, ...] = (),
    before: tuple[Plan, ...] = (),
    falls: str = "",
    bound: tuple[BoundOperand, ...] = (),
) -> Plan:
    """Return the likeliest plan for a question whose operands mean the series of some labels."""
    past = tuple(answer for plan in before if (answer := read_past_answer(plan, table)) is not None)
    base = past[0].anchor if past else None
    reading = read_filing_question(text)
    named = iter(labels)
    operands = tuple(
        (BoundOperand(find(table, label), 1.0),) if operand.terms and (label := next(named, "")) else bound
        for operand in reading.operands
    )
    question = BoundQuestion(
        reading, table, {name: float(name == intent) for name in INTENTS}, operands,
        resolve_moments(reading, table, base), base or table.latest, past, asks_for_fall(falls), lambda _: (),
    )  # fmt: skip
    return compose(question)[0].plan


def run(table: FactTable, plan: Plan) -> AnswerValue | None:
    """Return the result of a plan."""
    return execute(with_label_scales(plan, table.document), ()).result.value


def number(table: FactTable, plan: Plan) -> float:
    """Return the number that a plan evaluates to."""
    value = run(table, plan)
    assert isinstance(value, Number)
    return float(value.value)


def test_a_value_is_of_the_latest_time_or_of_the_one_named(table: FactTable) -> None:
    assert number(table, ask(table, "operating income?", "lookup", ("operating income",))) == 136
    assert number(table, ask(table, "operating income in 2021?", "lookup", ("operating income",))) == 92


def test_size_of_a_loss_is_positive() -> None:
    rows = (("( in millions )", "2023", "2022"), ("net loss", "( 40 )", "( 30 )"))
    table = build_facts(assemble("a", [TablePart(rows)]))
    assert number(table, ask(table, "how big was the loss in 2023?", "lookup", ("net loss",))) == 40
    assert number(table, ask(table, "what was net income in 2023?", "lookup", ("net loss",))) == -40


def test_balances_are_averaged_if_the_question_asks_for_it() -> None:
    rows = (
        ("( in millions )", "2023", "2022"), ("total revenues", "730", "720"),
        ("accounts receivable , net", "20", "10"),
    )  # fmt: skip
    table = build_facts(assemble("a", [TablePart(rows)]))
    assert number(table, ask(table, "days sales outstanding?", "ratio")) == 10
    assert number(table, ask(table, "days sales outstanding on average receivables?", "ratio")) == 7.5


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


def test_gross_profit_is_computed_if_it_is_printed_in_percent_only() -> None:
    rows = (("( in millions )", "2023", "2022"), ("total revenues", "900", "700"), ("cost of revenue", "500", "400"))
    percents = (("( in millions )", "2023", "2022"), ("gross margin", "44.4%", "42.9%"))
    table = build_facts(assemble("a", [TablePart(rows), TablePart(percents)]))
    printed = (BoundOperand(find(table, "gross margin"), 1.0),)
    assert number(table, ask(table, "gross profit in 2022", "lookup", bound=printed)) == 300
    assert number(table, ask(table, "dollar change in gross profit", "change", bound=printed)) == 100


def test_a_change_is_neither_a_balance_nor_the_change_of_a_change() -> None:
    rows = (("( in millions )", "2023", "2022"), ("inventories", "74", "69"), ("changes in inventories", "6", "9"))
    table = build_facts(assemble("a", [TablePart(rows)]))
    several = (BoundOperand(find(table, "inventories"), 0.5), BoundOperand(find(table, "changes in inventories"), 0.5))
    assert number(table, ask(table, "what was the change in inventories?", "change", bound=several)) == 5
    assert number(table, ask(table, "what was the change in inventories?", "lookup", bound=several)) == 6


def test_a_measure_of_a_member_is_its_line_below_the_heading_of_the_measure() -> None:
    rows = (
        ("", "2023", "2022"), ("gross margin percentage :", "", ""), ("services", "70.0%", "65.0%"),
        ("total gross margin percentage", "45.0%", "40.0%"),
    )  # fmt: skip
    table = build_facts(assemble("a", [TablePart(rows)]))
    several = (
        BoundOperand(find(table, "total gross margin percentage"), 0.8),
        BoundOperand(find(table, "services"), 0.2),
    )
    for question in ("services gross margin percentage", "gross margin percentage of services"):
        assert number(table, ask(table, question, "lookup", bound=several)) == 70


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


def test_how_many_does_not_return_the_previous_amount_of_money() -> None:
    rows = (("( in millions )", "2023"), ("stock bought back", "$ 40"))
    parts = [TablePart(rows), TablePart((("", "2023"), ("shares bought", "25")))]
    table = build_facts(assemble("a", parts))
    spent = ask(table, "stock bought back?", "lookup", ("stock bought back",))
    shares = BoundOperand(find(table, "shares bought"), 0.4)
    assert number(table, ask(table, "how many shares was that?", "lookup", before=(spent,), bound=(shares,))) == 25


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


def test_ratio_continues_from_the_last_answer_at_another_time(table: FactTable) -> None:
    value = ask(table, "operating income?", "lookup", ("operating income",))
    ratio = ask(table, "as % of total net sales", "ratio", ("total net sales",), (value,))
    assert number(table, ratio) == pytest.approx(136 / 800)
    assert number(table, ask(table, "and in 2022?", "ratio", (), (ratio,))) == pytest.approx(106 / 720)


def test_sums_and_averages_go_over_the_times_that_are_named(table: FactTable) -> None:
    assert number(table, ask(table, "total net income 2022 to 2023", "sum", ("net income",))) == 135
    average = ask(table, "average net income over three years", "average", ("net income",))
    assert number(table, average) == pytest.approx(200 / 3)


def test_two_lines_are_summed_over_several_years(table: FactTable) -> None:
    labels = ("operating income", "net income")
    assert number(table, ask(table, "operating income plus net income over 2022-2023", "sum", labels)) == 377


def test_losses_add_up_to_their_size() -> None:
    rows = (("( in millions )", "2023", "2022"), ("net losses on derivatives", "( 40 )", "( 30 )"))
    filing = build_facts(assemble("a", [TablePart(rows)]))
    plan = ask(filing, "losses on derivatives, sum of both years", "sum", ("net losses on derivatives",))
    assert number(filing, plan) == 70


def test_a_growth_rate_is_over_the_years_between(table: FactTable) -> None:
    rate = ask(table, "total net sales cagr 2021 to 2023", "cagr", ("total net sales",))
    assert number(table, rate) == pytest.approx((800 / 660) ** 0.5 - 1)


def test_members_are_listed_and_ranked_without_their_total(table: FactTable) -> None:
    listed = run(table, ask(table, "split sales by segment", "list", ("europe",)))
    assert isinstance(listed, ValueList)
    assert [item.label for item in listed.items] == ["europe", "americas", "asia"]
    assert [item.number for item in listed.items] == [310, 460, 30]
    best = ask(table, "which segment had the highest sales?", "ranking", ("europe",))
    assert run(table, best) == Text("americas")
    assert run(table, ask(table, "which segment grew fastest?", "ranking", ("europe",))) == Text("asia")
    assert run(table, ask(table, "and which is the second largest of them?", "ranking", (), (best,))) == Text("europe")


def test_question_continues_from_the_ranked_member(table: FactTable) -> None:
    largest = ask(table, "which segment is the largest?", "ranking", ("europe",))
    assert number(table, ask(table, "what share of the total?", "share", before=(largest,))) == 0.575


def test_total_is_broken_down_by_members_that_add_up_to_it(table: FactTable) -> None:
    sales = ask(table, "total net sales?", "lookup", ("total net sales",))
    value = run(table, ask(table, "split by segment please", "list", before=(sales,)))
    assert isinstance(value, ValueList)
    assert {item.number for item in value.items} == {310, 460, 30}


def test_comparisons_answer_yes_or_no_or_which(table: FactTable) -> None:
    assert run(table, ask(table, "did net income rise?", "yesno", ("net income",))) == YesNo(False)


def test_question_without_comparison_is_not_compared_with_the_year_before(table: FactTable) -> None:
    with pytest.raises(IndexError):  # no plan
        ask(table, "does it have net income?", "yesno", ("net income",))


def test_both_numbers_answer_whether_it_is_higher_or_lower(table: FactTable) -> None:
    both = run(table, ask(table, "was net income higher or lower than in 2022?", "comparison", ("net income",)))
    assert isinstance(both, ValueList)
    assert [item.number for item in both.items] == [60, 75]


def test_a_quarter_is_the_longer_period_less_the_other_one() -> None:
    quarters = build_facts(assemble("q", [TablePart(tuple(map(tuple, QUARTERS)))]))
    terms = FormulaTerms(quarters)
    assert spell_at(find(quarters, "revenue"), Moment(2023, 1, 3), terms) == "(x0 - x1)"
    assert [float(extract.quantity.value) for extract in terms.variables.values() if extract.quantity] == [410, 230]
    assert spell_at(find(quarters, "revenue"), Moment(2022, 4, 12), terms) is None


def test_a_sentence_about_a_year_is_not_about_its_quarters() -> None:
    years = build_facts(assemble("y", [ParagraphPart(("Advertising was $5 million in 2023 and $4 million in 2022.",))]))
    (series,) = years.series
    assert spell_at(series, Moment(2023, 4, 3), FormulaTerms(years)) is None
    assert spell_at(series, Moment(2023, 4, 12), FormulaTerms(years)) == "x0"


def test_a_quarter_is_compared_with_that_of_the_year_before() -> None:
    rows = (
        ("", "three months ended june 30 , 2023", "three months ended june 30 , 2022"),
        ("revenue", "$ 230", "$ 200"),
    )
    quarters = build_facts(assemble("q", [TablePart(rows)]))
    plan = ask(quarters, "how much higher was revenue in Q2 than a year ago?", "change", ("revenue",))
    assert number(quarters, plan) == 30


def test_plan_is_classified_by_its_computation(table: FactTable) -> None:
    def past(text: str, intent: str, *labels: str) -> PastAnswer:
        read = read_past_answer(ask(table, text, intent, labels), table)
        assert read is not None
        return read

    growth = past("growth of net income", "growth", "net income")
    assert (growth.form, growth.anchor) == ("growth", Moment(2023, 4, 12))
    assert [series.line.label for series in growth.series] == ["net income"]
    assert past("split sales by segment", "list", "europe").form == "members"
    assert past("total net sales cagr 2021 to 2023", "cagr", "total net sales").form == "cagr"


SHEET = [
    ["( in millions )", "december 31 , 2023", "december 31 , 2022"],
    ["cash and cash equivalents", "$ 50", "$ 40"],
    ["short-term investments", "30", "20"],
    ["total assets", "$ 900", "$ 800"],
    ["current portion of long-term debt", "$ 20", "$ 10"],
    ["long-term debt, less current portion", "180", "190"],
    ["total shareholders' equity", "$ 400", "$ 380"],
]
TAXES = [
    ["( in millions )", "2023", "2022"],
    ["total net sales", "$ 800", "$ 720"],
    ["cost of products sold", "500", "450"],
    ["operating income", "136", "106"],
    ["income before provision for income taxes", "$ 120", "$ 100"],
    ["provision for income taxes", "30", "20"],
    ["net income", "$ 90", "$ 80"],
]
MEMBERS = [
    ["( in millions )", "2023", "2022"],
    ["net sales :", "", ""],
    ["europe", "$ 310", "$ 280"],
    ["americas", "490", "440"],
    ["total net sales", "$ 800", "$ 720"],
    ["operating income :", "", ""],
    ["europe", "$ 31", "$ 30"],
    ["americas", "105", "76"],
    ["total operating income", "$ 136", "$ 106"],
]


@pytest.fixture(scope="module")
def untagged() -> FactTable:
    """Return the facts of a made-up report without tags: a balance sheet, an income statement and its segments."""
    parts = [
        TablePart(tuple(map(tuple, SHEET)), title="CONSOLIDATED BALANCE SHEETS"),
        TablePart(tuple(map(tuple, TAXES)), title="CONSOLIDATED STATEMENTS OF INCOME"),
        TablePart(tuple(map(tuple, MEMBERS))),
    ]
    return build_facts(assemble("a", parts))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("effective tax rate?", 0.25),
        ("debt to equity?", 0.5),
        ("cash and short-term investments?", 80),
        ("net margin?", 0.1125),
    ],
)
def test_measures_are_computed_from_untagged_lines_by_any_name(untagged: FactTable, text: str, answer: float) -> None:
    assert number(untagged, ask(untagged, text, "lookup")) == pytest.approx(answer)


def test_question_after_a_ranking_is_about_its_result(table: FactTable) -> None:
    before = ask(table, "in which year was net income highest?", "ranking", ("net income",))
    past = read_past_answer(before, table)
    assert past is not None
    assert past.anchor == Moment(2022, 4, 12)
    assert number(table, ask(table, "and what was it?", "lookup", before=(before,))) == 75


def test_words_after_brackets_belong_to_the_name_of_a_line() -> None:
    cash = [["( in millions )", "2023", "2022"], ["sales/(repurchases) of put warrants", "( 8 )", "40"]]
    income = [["( in millions )", "2023", "2022"], ["revenue", "$ 800", "$ 720"], *TAXES[-1:]]
    parts = [
        TablePart(tuple(map(tuple, income)), title="INCOME STATEMENTS"),
        TablePart(tuple(map(tuple, cash)), title="CASH FLOWS STATEMENTS"),
    ]
    warrants = build_facts(assemble("a", parts))
    assert number(warrants, ask(warrants, "net profit margin?", "lookup")) == pytest.approx(0.1125)


def test_margin_is_that_of_the_named_or_previous_member(untagged: FactTable) -> None:
    named = ask(untagged, "operating margin of the europe segment in 2023?", "ratio")
    assert number(untagged, named) == pytest.approx(0.1)
    before = ask(untagged, "europe", "lookup", ("europe",))
    assert number(
        untagged, ask(untagged, "what was its operating margin?", "ratio", before=(before,))
    ) == pytest.approx(0.1)


def test_line_named_in_the_question_has_priority_over_a_formula() -> None:
    cash = [
        ["( in millions )", "2023", "2022"],
        ["net cash provided by operating activities", "$ 90", "$ 80"],
        ["purchases of property and equipment", "( 30 )", "( 20 )"],
        ["free cash flow", "$ 65", "$ 62"],
    ]
    filing = build_facts(assemble("a", [TablePart(tuple(map(tuple, cash)))]))
    bound = (BoundOperand(find(filing, "free cash flow"), 0.9),)
    assert number(filing, ask(filing, "fcf in 2023?", "lookup", bound=bound)) == 65


def test_employees_are_counted_by_sentences_about_the_company() -> None:
    sentence = (
        "At year end 2023, we employed approximately 4,200 people, of whom 900 were salaried.",
        "We have 12 stores.",
    )
    filing = build_facts(assemble("a", [ParagraphPart(sentence), TablePart((("", "2023"), ("net sales", "8,400")))]))
    per_head = ask(filing, "net sales per employee?", "ratio", ("net sales",))
    assert number(filing, per_head) == pytest.approx(2)


SCHEDULE = [
    ["( in millions )", "2023", "2022"],
    ["total revenues", "$ 800", "$ 720"],
    ["net income", "60", "50"],
    ["long-term debt", "300", "310"],
]
MATURITIES = [
    ["principal payments on debt ( in millions )", "2024", "2025", "2026", "thereafter"],
    ["debt principal", "$ 50", "$ 70", "$ 60", "$ 120"],
]


def test_future_maturities_are_in_a_schedule() -> None:
    parts = [
        TablePart(tuple(map(tuple, SCHEDULE)), title="CONSOLIDATED STATEMENTS OF INCOME"),
        TablePart(tuple(map(tuple, MATURITIES))),
    ]
    table = build_facts(assemble("a", parts))
    debt = ask(table, "long-term debt?", "lookup", ("long-term debt",))
    listed = run(table, ask(table, "how much principal is due each year?", "list", before=(debt,)))
    assert isinstance(listed, ValueList)
    assert [item.number for item in listed.items] == [50, 70, 60, 120]
    due = ask(table, "how much of it matures in 2025?", "lookup", before=(debt,))
    assert number(table, due) == 70
    assert number(table, ask(table, "and after 2026?", "lookup", before=(due, debt))) == 120


def test_a_choice_of_two_is_one_of_them(table: FactTable) -> None:
    plan = ask(table, "is operating income or net income larger?", "comparison", ("operating income", "net income"))
    assert str(run(table, plan)) == "operating income"


def test_comparison_with_before_uses_the_previous_moment(table: FactTable) -> None:
    last = ask(table, "net income in 2023?", "lookup", ("net income",))
    assert run(table, ask(table, "was it higher a year ago?", "comparison", before=(last,))) == YesNo(True)
    assert run(table, ask(table, "was it higher than a year ago?", "comparison", before=(last,))) == YesNo(False)


@pytest.mark.parametrize(
    ("question", "year"),
    [
        ("was net income higher in 2021 or 2022?", "2022"),
        ("net income 2023 vs 2022, which was lower?", "2023"),
        ("did net income grow faster in 2022 or in 2023?", "2022"),
    ],
)
def test_a_choice_of_two_times_is_one_of_them(question: str, year: str) -> None:
    rows = (("( in millions )", "2023", "2022", "2021", "2020"), ("net income", "$ 60", "$ 75", "$ 65", "$ 64"))
    table = build_facts(assemble("a", [TablePart(rows)]))
    assert run(table, ask(table, question, "comparison", ("net income",))) == Text(year)


def test_the_larger_of_two_losses_is_the_more_negative_one() -> None:
    rows = (("( in millions )", "2023", "2022"), ("accumulated deficit", "( 40 )", "( 30 )"))
    filing = build_facts(assemble("a", [TablePart(rows)]))
    plan = ask(filing, "was the accumulated deficit larger in 2022 or 2023?", "comparison", ("accumulated deficit",))
    assert run(filing, plan) == Text("2023")


def test_growth_is_compared_with_that_of_the_last_answer(table: FactTable) -> None:
    growth = ask(table, "growth of total net sales?", "growth", ("total net sales",))
    plan = ask(table, "did operating income grow faster than that?", "yesno", ("operating income",), before=(growth,))
    assert run(table, plan) == YesNo(True)
    answer = read_past_answer(plan, table)
    assert answer is not None
    assert [node.kind for node in answer.measured] == ["series", "series"]


def test_faster_or_slower_is_answered_by_the_word(table: FactTable) -> None:
    question = "did net income grow faster or slower than operating income in 2023?"
    value = run(table, ask(table, question, "comparison", ("net income", "operating income")))
    assert isinstance(value, ValueList)
    assert [item.label for item in value.items] == ["net income (slower)", "operating income"]
    assert [round(float(item.number or 0), 2) for item in value.items] == [-0.2, 0.28]


def test_how_much_faster_means_difference_of_growth(table: FactTable) -> None:
    question = "how much faster did operating income grow than total net sales in 2023, in percentage points?"
    plan = ask(table, question, "change", ("operating income", "total net sales"))
    assert number(table, plan) == pytest.approx(100 * (30 / 106 - 80 / 720))


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


def test_follow_up_uses_a_computed_list_unrounded(table: FactTable) -> None:
    margin = ask(
        table, "operating income to total net sales in 2023?", "ratio", ("operating income", "total net sales")
    )
    both = ask(table, "and in 2022 and 2021?", "list", before=(margin,))
    answer = read_past_answer(both, table)
    assert answer is not None
    assert [node.kind for node in answer.measured] == ["divide", "divide"]


def test_parts_of_an_answer_are_separate_past_answers(table: FactTable) -> None:
    sales = ask(table, "total net sales?", "lookup", ("total net sales",))
    income = ask(table, "net income growth?", "growth", ("net income",))
    assert [part.form for part in read_past_parts(join_plans([sales, income]), table)] == ["growth", "value"]


def test_quoted_number_is_used_if_a_number_was_asked_for() -> None:
    table = build_facts(assemble("a", [ParagraphPart(("In 2023, we employed 400 people in our 20 stores.",))]))
    (sentence,) = table.lines_of_sentence
    kinds = dict.fromkeys(KINDS, 0.0)
    quantity = read_quoted_number([sentence], ("peopl", "employ"), {**kinds, "count": 1.0}, table)
    assert quantity is not None
    assert quantity.series[0].first.amount == 400
    assert read_quoted_number([sentence], ("peopl",), {**kinds, "words": 1.0}, table) is None


def test_excluded_member_is_not_ranked(table: FactTable) -> None:
    plan = ask(table, "which segment other than the americas sold the most?", "ranking", ("europe",))
    assert str(run(table, plan)) == "europe"


def test_second_of_a_ranking_is_named_by_the_first_or_by_its_rank(table: FactTable) -> None:
    for text in ("after the americas, which segment has the highest sales?", "which segment comes second by sales?"):
        assert str(run(table, ask(table, text, "ranking", ("europe",)))) == "europe"


def test_totals_are_not_ranked_and_names_are_written_out() -> None:
    rows = (
        ("( in millions )", "2023", "2022"), ("UCAN", "$ 300", "$ 280"), ("APAC", "40", "50"),
        ("gross amount", "340", "330"), ("less: allowance", "( 40 )", "( 10 )"), ("net amount", "$ 300", "$ 320"),
    )  # fmt: skip
    filing = build_facts(
        assemble("a", [TablePart(rows), ParagraphPart(("We sell in the United States and Canada (UCAN).",))])
    )
    plan = ask(filing, "which region is the largest?", "ranking", ("ucan",))
    assert run(filing, plan) == Text("United States and Canada (UCAN)")


def test_a_whole_and_its_part_are_not_added_up(table: FactTable) -> None:
    both = ask(table, "operating income plus net income?", "sum", ("operating income", "net income"))
    assert number(table, both) == 196
    plan = ask(table, "both plus net income?", "sum", ("net income",), before=(both,))
    assert number(table, plan) != 256


def test_counts_and_outflows_are_positive() -> None:
    rows = (
        ("( in thousands )", "2023", "2022"), ("rsus vested", "( 145 )", "( 120 )"),
        ("provision for income taxes", "( 225 )", "( 200 )"), ("net change in shares", "( 12 )", "( 8 )"),
        ("income before provision for income taxes", "( 40 )", "( 30 )"),
    )  # fmt: skip
    table = build_facts(assemble("a", [TablePart(rows)]))
    expected = {
        "rsus vested": 145,
        "provision for income taxes": 225,
        "net change in shares": -12,
        "income before provision for income taxes": -40,
    }
    for label, amount in expected.items():
        assert (
            number(table, ask(table, "how much in 2023?", "lookup", bound=(BoundOperand(find(table, label), 1.0),)))
            == amount
        )


def test_growth_rate_over_two_years_starts_at_the_first_of_three_year_ends(table: FactTable) -> None:
    sales = ask(table, "total net sales in 2023?", "lookup", ("total net sales",))
    plan = ask(table, "cagr over the two years?", "cagr", before=(sales,))
    assert number(table, plan) == pytest.approx((800 / 660) ** 0.5 - 1)


def test_the_other_end_of_a_ranking_is_chosen_from_its_entries(table: FactTable) -> None:
    best = ask(table, "which segment has the highest net sales?", "ranking", ("europe",))
    assert str(run(table, best)) == "americas"
    assert str(run(table, ask(table, "and the lowest?", "ranking", before=(best,)))) == "asia"
    total = ask(table, "add up the three", "sum", before=(best,))
    assert number(table, total) == 800


def test_a_change_in_percent_is_a_growth(table: FactTable) -> None:
    income = ask(table, "net income in 2023?", "lookup", ("net income",))
    plan = ask(table, "how many percent less than a year ago?", "change", before=(income,))
    assert number(table, plan) == pytest.approx(15 / 75)


def test_value_of_an_investment_is_in_the_line_that_begins_with_100() -> None:
    grid = [
        ["", "12/31/2021", "12/31/2022", "12/31/2023"],
        ["acme corporation", "$ 100.00", "$ 120.50", "$ 90.25"],
        ["s&p 500 index", "$ 100.00", "$ 81.25", "$ 104.50"],
    ]
    filing = build_facts(assemble("a", [ParagraphPart(("Acme Corporation",)), TablePart(tuple(map(tuple, grid)))]))
    assert number(filing, ask(filing, "what did $100 invested in acme in 2021 become by 2022?", "lookup")) == 120.5
    assert number(filing, ask(filing, "what is $100 put into the s&p index worth now?", "lookup")) == 104.5


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


BRIDGE = [
    ["", "amount ( in millions )"],
    ["2023 gross margin", "$ 231"],
    ["volume", "12"],
    ["prices", "8"],
    ["fuel", "3"],
    ["other", "( 1 )"],
    ["2024 gross margin", "$ 253"],
]


def test_lines_of_two_years_are_compared() -> None:
    bridge = build_facts(assemble("a", [TablePart(tuple(map(tuple, BRIDGE)))]))
    question = "what was the change in gross margin from 2023 to 2024?"
    assert number(bridge, ask(bridge, question, "change", ("gross margin",))) == 22


def test_a_month_over_a_balance_is_the_end_of_the_year() -> None:
    rows = [["( in millions )", "december 2023", "december 2022"], ["collateral posted", "$ 180", "$ 240"]]
    balances = build_facts(assemble("a", [TablePart(tuple(map(tuple, rows)))]))
    question = "what was the change in collateral posted from 2022 to 2023?"
    assert number(balances, ask(balances, question, "change", ("collateral posted",))) == -60


def test_the_first_few_of_a_ranking_are_listed(table: FactTable) -> None:
    few = run(table, ask(table, "top two segments by sales", "ranking", ("europe",)))
    assert isinstance(few, ValueList)
    assert [item.label for item in few.items] == ["americas", "europe"]


def test_the_first_few_are_added_up_or_listed_by_their_change(table: FactTable) -> None:
    together = "combined sales of the two biggest segments"
    for intent in ("sum", "ranking"):
        assert number(table, ask(table, together, intent, ("europe",))) == 770
    few = run(table, ask(table, "top two segments by dollar increase", "ranking", ("europe",)))
    assert isinstance(few, ValueList)
    assert {(item.label, str(item.number)) for item in few.items} == {("americas", "30"), ("europe", "30")}


def test_thinnest_margin_is_the_lowest(table: FactTable) -> None:
    thinnest = ask(table, "which year had the thinnest operating margin?", "ranking", ("operating income",))
    assert str(run(table, thinnest)) == "2021"


@pytest.mark.parametrize(
    ("question", "item"),
    [
        ("what is the largest item lowering the tax?", "foreign earnings"),
        ("what is the second biggest item lowering the tax?", "research credit"),
        ("which item of the tax is the largest?", "state taxes"),
    ],
)
def test_items_of_a_reconciliation_are_ranked_by_the_side_that_is_asked_for(question: str, item: str) -> None:
    rows = (
        ("( in millions )", "2023", "2022"), ("computed expected tax", "$ 210", "$ 200"), ("state taxes", "20", "15"),
        ("foreign earnings", "( 40 )", "( 30 )"), ("research credit", "( 12 )", "( 11 )"), ("other", "( 3 )", "2"),
        ("provision for taxes", "$ 175", "$ 176"),
    )  # fmt: skip
    filing = build_facts(assemble("a", [TablePart(rows)]))
    assert str(run(filing, ask(filing, question, "ranking", ("foreign earnings",)))) == item


@pytest.mark.parametrize(
    "text", ["which segment lost the most money?", "which segment made the largest operating loss?"]
)
def test_the_largest_loss_is_the_lowest_result(text: str) -> None:
    rows = (
        ("( in millions )", "2023", "2022"), ("operating result by segment :", "", ""), ("paper", "$ 40", "$ 90"),
        ("wood", "( 12 )", "( 2 )"), ("games", "( 25 )", "( 30 )"),
    )  # fmt: skip
    filing = build_facts(assemble("a", [TablePart(rows)]))
    assert str(run(filing, ask(filing, text, "ranking", ("paper",)))) == "games"


def test_the_whole_that_a_question_names_is_not_ranked() -> None:
    rows = (
        ("( in millions )", "2023", "2022"), ("wages", "$ 40", "$ 35"), ("bonuses", "30", "32"), ("rebates", "9", "8"),
        ("accrued expenses", "$ 95", "$ 80"),
    )  # fmt: skip
    filing = build_facts(assemble("a", [TablePart(rows)]))
    assert str(run(filing, ask(filing, "biggest line within accrued expenses?", "ranking", ("wages",)))) == "wages"


def test_the_quarters_of_a_year_are_ranked() -> None:
    rows = (
        ("( in millions )", "march 31 , 2023", "june 30 , 2023", "september 30 , 2023", "december 31 , 2023"),
        ("revenue", "$ 90", "$ 120", "$ 100", "$ 110"), ("gross profit", "30", "35", "34", "36"),
    )  # fmt: skip
    filing = build_facts(assemble("a", [TablePart(rows, title="three months ended")]))
    best = ask(filing, "which 2023 quarter had the highest revenue?", "ranking", ("revenue",))
    assert "Q2 2023" in str(run(filing, best))


def test_losses_of_several_years_add_up_without_a_minus() -> None:
    rows = (("( in millions )", "2023", "2022", "2021"), ("net losses on derivatives", "( 6 )", "( 4 )", "( 2 )"))
    filing = build_facts(assemble("a", [TablePart(rows)]))
    plan = ask(filing, "losses on derivatives, sum of 2021 to 2023", "sum", ("net losses on derivatives",))
    assert number(filing, plan) == 12


def test_which_grew_more_is_decided_by_growth(table: FactTable) -> None:
    # Asia has lower sales and higher growth.
    grew = ask(table, "did asia grow faster than europe?", "comparison", ("asia", "europe"))
    assert run(table, grew) == YesNo(True)


@pytest.mark.parametrize(
    ("question", "yes"),
    [
        ("was operating income more than $100 million?", True),
        ("was operating income below $100 million?", False),
        ("is operating income positive?", True),
        ("is operating income negative?", False),
    ],
)
def test_a_number_is_compared_with_the_limit_that_is_asked(table: FactTable, question: str, yes: bool) -> None:
    assert run(table, ask(table, question, "yesno", ("operating income",))) == YesNo(yes)


def test_a_printed_percentage_of_the_divisor_is_the_ratio() -> None:
    amounts = (("( in millions )", "2023", "2022"), ("net sales", "900", "700"))
    percents = (
        ("% of net sales", "2023", "2022"),
        ("net sales", "100.0%", "100.0%"),
        ("gross profit", "29.9%", "29.7%"),
    )
    table = build_facts(assemble("a", [TablePart(percents), TablePart(amounts)]))
    plan = ask(table, "gross profit as percent of net sales in 2022?", "ratio", ("gross profit", "net sales"))
    assert number(table, plan) == pytest.approx(29.7)


@pytest.mark.parametrize(
    ("question", "label", "yes"),
    [
        ("did total net sales increase every year?", "total net sales", True),
        ("did net income fall every year?", "net income", False),
        ("has net income increased each year from 2021 to 2023?", "net income", False),
    ],
)
def test_every_year_is_compared_with_the_one_before(table: FactTable, question: str, label: str, yes: bool) -> None:
    assert run(table, ask(table, question, "list", (label,))) == YesNo(yes)


def test_a_list_by_year_has_all_years_of_its_line() -> None:
    years = ("2023", "2022", "2021", "2020", "2019")
    selected = (("selected data", *years), ("total assets", "90", "80", "70", "60", "50"))
    income = (("( in millions )", *years[:3]), ("net income", "9", "8", "7"))
    parts = [TablePart(income, title="CONSOLIDATED STATEMENTS OF INCOME"), TablePart(selected)]
    table = build_facts(assemble("a", parts))
    listed = run(table, ask(table, "total assets by year", "list", ("total assets",)))
    assert isinstance(listed, ValueList)
    assert [item.number for item in listed.items] == [90, 80, 70, 60, 50]


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
