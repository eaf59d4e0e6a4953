import pytest
from composed_plans import ask, number, run

from quaestor.core.answer_value import Text, ValueList
from quaestor.documents.assembly import ParagraphPart, TablePart, assemble
from quaestor.facts.lines import Moment
from quaestor.facts.table import FactTable, build_facts
from quaestor.solvers.embedded.filings.past import read_past_answer

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


def test_question_after_a_ranking_is_about_its_result(table: FactTable) -> None:
    before = ask(table, "in which year was net income highest?", "ranking", ("net income",))
    past = read_past_answer(before, table)
    assert past is not None
    assert past.anchor == Moment(2022, 4, 12)
    assert number(table, ask(table, "and what was it?", "lookup", before=(before,))) == 75


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


def test_the_other_end_of_a_ranking_is_chosen_from_its_entries(table: FactTable) -> None:
    best = ask(table, "which segment has the highest net sales?", "ranking", ("europe",))
    assert str(run(table, best)) == "americas"
    assert str(run(table, ask(table, "and the lowest?", "ranking", before=(best,)))) == "asia"
    total = ask(table, "add up the three", "sum", before=(best,))
    assert number(table, total) == 800


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


def test_a_list_by_year_has_all_years_of_its_line() -> None:
    years = ("2023", "2022", "2021", "2020", "2019")
    selected = (("selected data", *years), ("total assets", "90", "80", "70", "60", "50"))
    income = (("( in millions )", *years[:3]), ("net income", "9", "8", "7"))
    parts = [TablePart(income, title="CONSOLIDATED STATEMENTS OF INCOME"), TablePart(selected)]
    table = build_facts(assemble("a", parts))
    listed = run(table, ask(table, "total assets by year", "list", ("total assets",)))
    assert isinstance(listed, ValueList)
    assert [item.number for item in listed.items] == [90, 80, 70, 60, 50]
