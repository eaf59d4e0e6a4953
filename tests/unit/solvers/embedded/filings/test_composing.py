import pytest
from composed_plans import INCOME, QUARTERS, TAXES, ask, find, number

from quaestor.documents.assembly import ParagraphPart, TablePart, assemble
from quaestor.facts.lines import Moment
from quaestor.facts.table import FactTable, build_facts
from quaestor.questions.answer_units import KINDS
from quaestor.solvers.embedded.filings.composing import BoundOperand
from quaestor.solvers.embedded.filings.composing.formulas import FormulaTerms, extract_cell, spell_at
from quaestor.solvers.embedded.filings.past import PastAnswer, read_past_answer, read_past_parts, read_quoted_number
from quaestor.solvers.parts import join_plans

OTHERS = [TablePart((("", "2023"), (name, "1"))) for name in ("patents", "sites")]
"""Tables that make a file a report."""


def test_a_value_is_of_the_latest_time_or_of_the_one_named(table: FactTable) -> None:
    assert number(table, ask(table, "operating income?", "lookup", ("operating income",))) == 136
    assert number(table, ask(table, "operating income in 2021?", "lookup", ("operating income",))) == 92


def test_size_of_a_loss_is_positive() -> None:
    rows = (("( in millions )", "2023", "2022"), ("net loss", "( 40 )", "( 30 )"))
    table = build_facts(assemble("a", [TablePart(rows), *OTHERS]))
    assert number(table, ask(table, "how big was the loss in 2023?", "lookup", ("net loss",))) == 40
    assert number(table, ask(table, "what was net income in 2023?", "lookup", ("net loss",))) == -40


def test_a_file_with_one_table_keeps_the_printed_signs() -> None:
    rows = (("( in millions )", "2023", "2022"), ("net loss", "( 40 )", "( 30 )"), ("cost of sales", "( 9 )", "( 8 )"))
    table = build_facts(assemble("a", [TablePart(rows)]))
    assert number(table, ask(table, "what was the net loss in 2023?", "lookup", ("net loss",))) == -40
    assert number(table, ask(table, "cost of sales in 2022?", "lookup", ("cost of sales",))) == -8


def test_balances_are_averaged_if_the_question_asks_for_it() -> None:
    rows = (
        ("( in millions )", "2023", "2022"), ("total revenues", "730", "720"),
        ("accounts receivable , net", "20", "10"),
    )  # fmt: skip
    table = build_facts(assemble("a", [TablePart(rows)]))
    assert number(table, ask(table, "days sales outstanding?", "ratio")) == 10
    assert number(table, ask(table, "days sales outstanding on average receivables?", "ratio")) == 7.5


def test_gross_profit_is_computed_if_it_is_printed_in_percent_only() -> None:
    rows = (("( in millions )", "2023", "2022"), ("total revenues", "900", "700"), ("cost of revenue", "500", "400"))
    percents = (("( in millions )", "2023", "2022"), ("gross margin", "44.4%", "42.9%"))
    table = build_facts(assemble("a", [TablePart(rows), TablePart(percents)]))
    printed = (BoundOperand(find(table, "gross margin"), 1.0),)
    assert number(table, ask(table, "gross profit in 2022", "lookup", bound=printed)) == 300
    assert number(table, ask(table, "dollar change in gross profit", "change", bound=printed)) == 100


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


def test_how_many_does_not_return_the_previous_amount_of_money() -> None:
    rows = (("( in millions )", "2023"), ("stock bought back", "$ 40"))
    parts = [TablePart(rows), TablePart((("", "2023"), ("shares bought", "25")))]
    table = build_facts(assemble("a", parts))
    spent = ask(table, "stock bought back?", "lookup", ("stock bought back",))
    shares = BoundOperand(find(table, "shares bought"), 0.4)
    assert number(table, ask(table, "how many shares was that?", "lookup", before=(spent,), bound=(shares,))) == 25


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
    filing = build_facts(assemble("a", [TablePart(rows), *OTHERS]))
    plan = ask(filing, "losses on derivatives, sum of both years", "sum", ("net losses on derivatives",))
    assert number(filing, plan) == 70


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


def test_counts_and_outflows_are_positive() -> None:
    rows = (
        ("( in thousands )", "2023", "2022"), ("rsus vested", "( 145 )", "( 120 )"),
        ("cost of sales", "( 990 )", "( 880 )"),
        ("provision for income taxes", "( 225 )", "( 200 )"), ("net change in shares", "( 12 )", "( 8 )"),
        ("income before provision for income taxes", "( 40 )", "( 30 )"),
        ("depreciation", "( 55 )", "( 50 )"), ("operating profit", "( 7 )", "( 6 )"),
    )  # fmt: skip
    table = build_facts(assemble("a", [TablePart(rows), *OTHERS]))
    expected = {
        "rsus vested": 145,
        "provision for income taxes": 225,
        "net change in shares": -12,
        "income before provision for income taxes": -40,
        "depreciation": 55,
        "operating profit": -7,
    }
    for label, amount in expected.items():
        assert (
            number(table, ask(table, "how much in 2023?", "lookup", bound=(BoundOperand(find(table, label), 1.0),)))
            == amount
        )


def test_number_of_a_sentence_keeps_its_sign() -> None:
    hedges = ("Hedges of fuel were worth $ -5 million in 2023.", "Hedges of power were worth $ -6 million in 2023.")
    table = build_facts(assemble("a", [ParagraphPart(hedges)]))
    cells = [(cell, series) for series in table.series for cell in series.cells.values()]
    assert [extract_cell(cell, series, table).reading for cell, series in cells] == ["signed", "signed"]


def test_value_of_an_investment_is_in_the_line_that_begins_with_100() -> None:
    grid = [
        ["", "12/31/2021", "12/31/2022", "12/31/2023"],
        ["acme corporation", "$ 100.00", "$ 120.50", "$ 90.25"],
        ["s&p 500 index", "$ 100.00", "$ 81.25", "$ 104.50"],
    ]
    filing = build_facts(assemble("a", [ParagraphPart(("Acme Corporation",)), TablePart(tuple(map(tuple, grid)))]))
    assert number(filing, ask(filing, "what did $100 invested in acme in 2021 become by 2022?", "lookup")) == 120.5
    assert number(filing, ask(filing, "what is $100 put into the s&p index worth now?", "lookup")) == 104.5


def test_a_month_over_a_balance_is_the_end_of_the_year() -> None:
    rows = [["( in millions )", "december 2023", "december 2022"], ["collateral posted", "$ 180", "$ 240"]]
    balances = build_facts(assemble("a", [TablePart(tuple(map(tuple, rows)))]))
    question = "what was the change in collateral posted from 2022 to 2023?"
    assert number(balances, ask(balances, question, "change", ("collateral posted",))) == -60


def test_losses_of_several_years_add_up_without_a_minus() -> None:
    rows = (("( in millions )", "2023", "2022", "2021"), ("net losses on derivatives", "( 6 )", "( 4 )", "( 2 )"))
    filing = build_facts(assemble("a", [TablePart(rows), *OTHERS]))
    plan = ask(filing, "losses on derivatives, sum of 2021 to 2023", "sum", ("net losses on derivatives",))
    assert number(filing, plan) == 12


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


def test_ratio_of_one_member_is_repeated_for_another(untagged: FactTable) -> None:
    sales, income = (series for series in untagged.series if series.line.label == "europe")
    terms = FormulaTerms(untagged)
    names = [spell_at(one, Moment(2023, 4, 12), terms) for one in (income, sales)]
    (margin,) = terms.propose(f"{names[0]} / {names[1]}", "ratio", 0.0)
    again = ask(untagged, "same for americas", "ratio", ("americas",), (margin.plan,))
    assert number(untagged, again) == pytest.approx(105 / 490)


def test_line_of_a_ratio_is_replaced_over_the_same_total(untagged: FactTable) -> None:
    terms = FormulaTerms(untagged)
    names = [spell_at(find(untagged, label), None, terms) for label in ("operating income", "total net sales")]
    (margin,) = terms.propose(f"{names[0]} / {names[1]}", "ratio", 0.0)
    again = ask(untagged, "now for net income", "ratio", ("net income",), (margin.plan,))
    assert number(untagged, again) == pytest.approx(90 / 800)


def test_rest_is_the_total_without_the_last_answer(untagged: FactTable, table: FactTable) -> None:
    europe = ask(untagged, "sales in europe?", "lookup", ("europe",))
    assert number(untagged, ask(untagged, "and the rest?", "lookup", before=(europe,))) == 490
    total = ask(table, "net sales?", "lookup", ("total net sales",))
    costs = ask(table, "operating income?", "lookup", ("operating income",))
    assert number(table, ask(table, "excluding that?", "lookup", before=(costs, total))) == 800 - 136


NOTES = [
    ["( in millions )", "rate", "principal"],
    ["notes due 2030", "4.0 %", "$ 500"],
    ["notes due 2040", "5.0 %", "700"],
]


def test_other_number_in_the_line_of_the_last_answer() -> None:
    table = build_facts(assemble("a", [TablePart(tuple(map(tuple, INCOME))), TablePart(tuple(map(tuple, NOTES)))]))
    rate, principal = (series for series in table.series if series.line.label == "notes due 2040")
    notes = ask(table, "the later notes?", "lookup", bound=(BoundOperand(principal, 1.0),))
    again = ask(table, "at what rate?", "lookup", before=(notes,), bound=(BoundOperand(rate, 0.8),))
    assert number(table, again) == 5
