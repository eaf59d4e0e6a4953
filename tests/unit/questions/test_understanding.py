"""Interpretation of questions about filings."""

import pytest

from quaestor.core.terms import terms
from quaestor.documents.table import TableRole
from quaestor.questions.understanding import read_filing_question


def _operands(text: str) -> tuple[str, list[str]]:
    reading = read_filing_question(text)
    return reading.relation, [" ".join(operand.terms) for operand in reading.operands]


@pytest.mark.parametrize(
    ("text", "relation", "operands"),
    [
        ("capex as a % of revenue in 2023?", "ratio", ["capex", "revenu"]),
        ("as a share of total revenue", "ratio", ["", "total revenu"]),
        ("% of sales?", "ratio", ["", "sale"]),
        ("what share of revenue came from Europe?", "ratio", ["europ revenu", "revenu"]),
        ("what percent of that free cash flow went out as dividends?", "ratio", ["dividend", "free cash flow"]),
        ("how much of the sales came from Acme?", "part", ["acm sale", "sale"]),
        ("how much of it is due in 2026?", "part", ["due", ""]),
        ("debt to total equity", "ratio", ["debt", "total equiti"]),
        ("operating income over interest expense", "ratio", ["oper incom", "interest expens"]),
        ("how many times does operating income cover interest expense?", "ratio", ["oper incom", "interest expens"]),
        ("cash plus short-term investments", "sum", ["cash", "short term invest"]),
        ("list net revenue, operating income and net income", "sum", ["net revenu", "oper incom", "net incom"]),
        ("add up Alpha and Beta sales", "sum", ["alpha sale", "beta sale"]),
        ("effective tax rate, Parent and Utility", "sum", ["parent effect tax rate", "util effect tax rate"]),
        ("cash paid for dividends and for treasury shares", "sum", ["cash dividend", "treasuri share"]),
        ("plus inventories?", "sum", ["", "inventori"]),
        ("total debt net of cash?", "difference", ["total debt", "cash"]),
        ("operating cash flow less that", "difference", ["oper cash flow", ""]),
        ("was operating cash flow above net income?", "versus", ["oper cash flow", "net incom"]),
        ("is that better than Europe's?", "versus", ["", "europ"]),
    ],
)
def test_operands_are_related_by_the_words_between_them(text: str, relation: str, operands: list[str]) -> None:
    assert _operands(text) == (relation, operands)


@pytest.mark.parametrize(
    "text",
    [
        "bottom line attributable to Acme",
        "total returned to shareholders",
        "what are they guiding to for next year?",
        "research and development in 2023",
        "cost of goods sold",
        "net income or loss for the year",
        "who is the auditor and how long have they been?",
        "dividends per share",
        "per diluted share for the half?",
        "average cost of purchased power per kWh",
        "average yield on the cash and investments",
        "capex, before incentives and disposals",
        "debt including the part due within a year",
        "diluted EPS for 2015, Acme Properties Inc",
    ],
)
def test_one_name_is_one_operand(text: str) -> None:
    relation, operands = _operands(text)
    assert relation == ""
    assert len(operands) == 1


def test_instructions_are_not_operands() -> None:
    reading = read_filing_question(
        "Please answer in USD millions, rounded to two decimals: what was capex in 2023 per the cash flow statement?"
    )
    assert reading.terms == ("capex",)
    assert (reading.role, reading.unit) == (TableRole.CASH_FLOWS, "amount")


def test_a_definition_of_a_measure_is_not_an_operand() -> None:
    reading = read_filing_question("inventory turnover for 2024, using cost of sales over average inventory")
    assert reading.relation == ""
    assert reading.operands[0].measures == ("inventory_turnover",)


@pytest.mark.parametrize(
    ("text", "basis"), [("non-GAAP net income", "adjusted"), ("on a GAAP basis", "gaap"), ("net income", "")]
)
def test_the_basis_is_read(text: str, basis: str) -> None:
    assert read_filing_question(text).basis == basis


@pytest.mark.parametrize(
    ("text", "each"),
    [("revenue by segment", "segment"), ("premiums quarter by quarter", "quarter"), ("revenue for each year", "year"),
     ("how much did it fall by?", "")],
)  # fmt: skip
def test_items_of_a_question_about_each_are_read(text: str, each: str) -> None:
    assert read_filing_question(text).each == each


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("and in 2023?", {"time"}),
        ("what about Europe?", {"member"}),
        ("and net income?", {"measure"}),
        ("growth?", {"operation"}),
        ("Europe's net sales growth in 2023", {"measure", "member", "time", "operation"}),
    ],
)
def test_a_question_names_slots(text: str, slots: set[str]) -> None:
    assert read_filing_question(text).slots == slots


@pytest.mark.parametrize(
    ("text", "asks_for_cash"),
    [
        ("how much cash did they spend on buybacks?", False),
        ("how much cash does the company have?", True),
        ("how much cash was there at year end?", True),
    ],
)
def test_spent_cash_is_not_an_operand(text: str, asks_for_cash: bool) -> None:
    assert ("cash" in read_filing_question(text).whole.terms) is asks_for_cash


def test_abbreviations_are_spelled_out() -> None:
    (operand,) = read_filing_question("intl ad revenue in 2024?").operands
    assert operand.terms == terms("international advertising revenue")


def test_how_much_was_lost_means_net_income() -> None:
    assert "us-gaap:NetIncomeLoss" in read_filing_question("how much did boeing lose in q2 2025?").operands[0].concepts
    assert not read_filing_question("how much did they make on iphones?").operands[0].concepts


def test_included_item_is_not_looked_up_alone() -> None:
    reading = read_filing_question("lease expense incl. variable costs")
    assert reading.relation == "sum"
    assert reading.whole.terms == ("leas", "expens")


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("take rate overall in 2019", True),
        ("interest still to be paid in total", True),
        ("lease expense incl. variable costs", True),
        ("total assets", False),
        ("take rate", False),
    ],
)
def test_a_total_is_asked_for_by_words_outside_of_names(text: str, total: bool) -> None:
    assert read_filing_question(text).total_asked is total


def test_outside_a_country_is_rewritten_as_in_labels() -> None:
    assert read_filing_question("pre-tax income outside the U.S.").terms[-2:] == terms("Non-U.S.")


def test_the_parts_of_a_balance_are_operands_by_when_they_are_due() -> None:
    reading = read_filing_question("borrowings, current and long term, at year end")
    assert reading.relation == "sum"
    assert [operand.text.split() for operand in reading.operands] == [
        ["current", "borrowings"],
        ["long", "term", "borrowings"],
    ]


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("was rent higher in 2022 or 2023?", "choice"),
        ("was cash larger at the end of 2022 or at the end of 2023?", "choice"),
        ("gross margin FY23 vs FY22, which was better?", "choice"),
        ("rent in 2022 or 2023", ""),
        ("rent 2023 less 2022", "difference"),
        ("rent due in 2026 + 2027", "sum"),
        ("rent, 2021 through 2023 summed", "sum"),
        ("rent over 2021-2023", "sum"),
        ("rent for the three years together", "sum"),
        ("rent over the three years, oldest first", ""),
        ("how did rent change over 2021-2023?", ""),
        ("combined ratio, both years", ""),
        ("profits kept over the years, 2023", ""),
    ],
)
def test_times_are_related_by_the_question(text: str, relation: str) -> None:
    assert read_filing_question(text).times_relation == relation


def test_words_between_times_relate_no_operands() -> None:
    assert _operands("was Acme bigger in 2021 or 2023 by revenue") == ("", ["acm revenu"])
    assert _operands("how much more than last year in sales") == ("", ["sale"])


def test_an_operand_of_a_comparison_may_be_the_last_answer() -> None:
    assert _operands("did sales grow faster than that?") == ("versus", ["sale", ""])
    assert _operands("did it or rent grow faster?") == ("versus", ["", "rent"])
    assert _operands("was that enough to cover rent?") == ("versus", ["", "rent"])
    assert _operands("were sales higher than they were?") == ("", ["sale"])


@pytest.mark.parametrize(
    ("text", "terms", "excluded"),
    [
        ("other assets (not other current) in 2024?", ("other", "asset"), {"other", "current"}),
        ("rental income in 2024, not subleases", ("rental", "incom"), {"subleas"}),
        ("cash excl. restricted at 30 june", ("cash",), {"restrict"}),
        ("net sales less cost of sales", ("net", "sale"), set()),
        ("leases signed but not started", ("leas", "sign", "start"), set()),
    ],
)
def test_negated_items_are_excluded(text: str, terms: tuple[str, ...], excluded: set[str]) -> None:
    reading = read_filing_question(text)
    assert (reading.operands[0].terms, set(reading.excluded)) == (terms, excluded)
