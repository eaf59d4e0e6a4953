import pytest
from composed_plans import ask, number, run

from quaestor.core.answer_value import Text, ValueList, YesNo
from quaestor.documents.assembly import TablePart, assemble
from quaestor.facts.table import FactTable, build_facts
from quaestor.solvers.embedded.filings.past import read_past_answer

BRIDGE = [
    ["", "amount ( in millions )"],
    ["2023 gross margin", "$ 231"],
    ["volume", "12"],
    ["prices", "8"],
    ["fuel", "3"],
    ["other", "( 1 )"],
    ["2024 gross margin", "$ 253"],
]


def test_comparisons_answer_yes_or_no_or_which(table: FactTable) -> None:
    assert run(table, ask(table, "did net income rise?", "yesno", ("net income",))) == YesNo(False)


def test_question_without_comparison_is_not_compared_with_the_year_before(table: FactTable) -> None:
    with pytest.raises(IndexError):  # no plan
        ask(table, "does it have net income?", "yesno", ("net income",))


def test_both_numbers_answer_whether_it_is_higher_or_lower(table: FactTable) -> None:
    both = run(table, ask(table, "was net income higher or lower than in 2022?", "comparison", ("net income",)))
    assert isinstance(both, ValueList)
    assert [item.number for item in both.items] == [60, 75]


def test_a_quarter_is_compared_with_that_of_the_year_before() -> None:
    rows = (
        ("", "three months ended june 30 , 2023", "three months ended june 30 , 2022"),
        ("revenue", "$ 230", "$ 200"),
    )
    quarters = build_facts(assemble("q", [TablePart(rows)]))
    plan = ask(quarters, "how much higher was revenue in Q2 than a year ago?", "change", ("revenue",))
    assert number(quarters, plan) == 30


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


def test_lines_of_two_years_are_compared() -> None:
    bridge = build_facts(assemble("a", [TablePart(tuple(map(tuple, BRIDGE)))]))
    question = "what was the change in gross margin from 2023 to 2024?"
    assert number(bridge, ask(bridge, question, "change", ("gross margin",))) == 22


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
