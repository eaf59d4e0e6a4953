"""Conversations about a made-up report with the package's weights: sums, averages, ratios and rankings."""

from decimal import Decimal

import pytest
from filing_conversations import answer_last

from quaestor.core.answer_value import Number, Text, ValueList, YesNo
from quaestor.documents.assembly import DocumentPart, HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.facts.table import FactTable, build_facts
from quaestor.solvers.embedded.filings.deciding import decide_question
from quaestor.solvers.embedded.filings.loading import load_filing_weights


@pytest.fixture(scope="module")
def table() -> FactTable:
    parts: list[DocumentPart] = [
        ParagraphPart(("Annual report for the fiscal year ended June 30, 2024",)),
        HeadingPart("Key figures"),
        TablePart([["", "2024", "2023"], ["Diluted net EPS", "$ 3.73", "$ 5.58"]]),
        HeadingPart("CONSOLIDATED STATEMENTS OF INCOME"),
        TablePart(
            [
                ["(in millions)", "2024", "2023", "2022"],
                ["Net sales", "$ 7,107", "$ 7,341", "$ 6,721"],
                ["Operating income", "900", "1,010", "1,100"],
                ["Net income", "462", "710", "939"],
                ["Diluted net earnings per share", "$ 3.73", "$ 5.58", "$ 7.36"],
                ["Weighted average diluted shares outstanding", "125", "127", "128"],
            ]
        ),
        HeadingPart("CONSOLIDATED BALANCE SHEETS"),
        TablePart(
            [
                ["(in millions)", "2024", "2023"],
                ["Cash and cash equivalents", "$ 183", "$ 319"],
                ["Short-term investments", "200", "150"],
                ["Notes and loans payable", "237", "50"],
                ["Long-term debt", "2,474", "2,200"],
            ]
        ),
        HeadingPart("CONSOLIDATED STATEMENTS OF CASH FLOWS"),
        TablePart(
            [
                ["(in millions)", "2024", "2023"],
                ["Net cash provided by operations", "$ 786", "$ 1,276"],
                ["Capital expenditures", "(251)", "(331)"],
                ["Dividends paid", "(571)", "(558)"],
            ]
        ),
        HeadingPart("Note 7 - Debt"),
        ParagraphPart(
            ("Our credit agreement contains a covenant to keep a ratio of debt to EBITDA of not more than 3.5.",)
        ),
        HeadingPart("Note 12 - Segment information"),
        TablePart(
            [
                ["(in millions)", "2024", "2023"],
                ["Net sales by segment :", "", ""],
                ["Household", "$ 4,000", "$ 4,141"],
                ["Lifestyle", "1,107", "1,200"],
                ["International", "2,000", "2,000"],
                ["Total", "$ 7,107", "$ 7,341"],
            ]
        ),
        HeadingPart("Note 13 - Unaudited quarterly data"),
        TablePart(
            [
                ["(in millions)", "September 30, 2023", "December 31, 2023", "March 31, 2024", "June 30, 2024"],
                ["Net sales", "$ 1,806", "$ 1,691", "$ 1,809", "$ 1,801"],
            ]
        ),
    ]
    return build_facts(assemble("10-K", parts))


@pytest.mark.parametrize(
    ("texts", "number"),
    [
        (("Household + Lifestyle + International net sales, 2024 total?",), "7107"),
        (("fcf fy24 = operating cash flow minus capital expenditures",), "535"),
        (("Could you work out free cash flow for 2024, i.e. cash from operations less capital expenditures?",), "535"),
        (("cash flow from operations?", "less capex, whats FCF"), "535"),
        (("capex 2024?", "and FCF?"), "535"),
        (("capex per share in 2024?",), "2.008"),
        (("operating income per share, 2024",), "7.2"),
        (("long-term debt in 2024?", "net of cash?"), "2291"),
        (("net income 2024?", "how far below 2023 is that in dollars"), "248"),
        (("how much cash and short-term investments did it end the year with?",), "383"),
        (("operating income, 2022 through 2024 summed",), "3010"),
        (("dividends paid over 2023-2024",), "1129"),
        (("dividends paid, 2024 less 2023",), "13"),
        (("what were net sales in 2024 less those in 2022?",), "386"),
        (("what is left of net cash provided by operations after dividends in 2024?",), "215"),
    ],
)
def test_amounts_are_added_and_subtracted(table: FactTable, texts: tuple[str, ...], number: str) -> None:
    assert answer_last(table, *texts) == Number(Decimal(number))


def test_both_together_are_the_last_two_answers(table: FactTable) -> None:
    value = answer_last(
        table, "dividends paid in 2024?", "and capex?", "both together as a percent of operating cash flow"
    )
    assert isinstance(value, Number)
    assert round(value.value, 3) == Decimal("1.046")


@pytest.mark.parametrize(
    ("texts", "yes"),
    [
        (("did dividends paid exceed capital expenditures plus net income in 2024?",), False),
        (("was long-term debt higher than cash and short-term investments put together in 2024?",), True),
        (("net cash provided by operations 2024?", "was that enough to cover dividends and capex?"), False),
    ],
)
def test_a_line_is_compared_with_the_sum_of_others(table: FactTable, texts: tuple[str, ...], yes: bool) -> None:
    assert answer_last(table, *texts) == YesNo(yes)


def test_limit_in_a_sentence_does_not_negate_the_answer(table: FactTable) -> None:
    assert answer_last(table, "are they within the debt covenant?") == YesNo(True)


def test_an_amount_per_share_is_not_divided_by_money(table: FactTable) -> None:
    found = decide_question("diluted EPS as a percentage of net income, 2024", [], table, load_filing_weights()).results
    quotients = [one.value for one in found if one.proposal.form == "ratio"]
    assert all(isinstance(value, Number) and value.value > Decimal("0.0001") for value in quotients)


def test_members_that_a_question_names_are_listed(table: FactTable) -> None:
    value = answer_last(table, "list 2024 net sales of Household, Lifestyle and International")
    assert isinstance(value, ValueList)
    assert [item.number for item in value.items] == [Decimal(4000), Decimal(1107), Decimal(2000)]


def test_years_that_a_table_lacks_are_read_where_the_same_numbers_are_printed(table: FactTable) -> None:
    value = answer_last(table, "diluted EPS in 2024?", "down how much, in percent?", "avg of the three years shown?")
    assert isinstance(value, Number)
    assert round(value.value, 4) == Decimal("5.5567")


@pytest.mark.parametrize(
    ("texts", "label"),
    [
        (("which quarter of fiscal 2024 had the highest net sales?",), "Q3 2024"),
        (("best quarter for sales in fiscal 2024?",), "Q3 2024"),
        (("lowest net sales quarter of FY24?",), "Q2 2024"),
        (("net income of the last three years?", "in which of those three years was it highest?"), "2022"),
        (("Which segment is the biggest by net sales?",), "Household"),
    ],
)
def test_rankings_are_of_times_or_of_members_as_asked(table: FactTable, texts: tuple[str, ...], label: str) -> None:
    value = answer_last(table, *texts)
    assert isinstance(value, Text)
    assert value.value.startswith(label)


def test_question_in_two_parts_gives_a_list(table: FactTable) -> None:
    value = answer_last(table, "net income and diluted EPS FY2024")
    assert isinstance(value, ValueList)
    assert [item.number for item in value.items] == [Decimal(462), Decimal("3.73")]
