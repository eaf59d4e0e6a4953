"""Lines of facts: the concept that a label names, and periods in the company's fiscal calendar."""

import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from quaestor.core.fiscal import CALENDAR_YEARS, FiscalCalendar
from quaestor.core.periods import parse_period
from quaestor.documents.assembly import HeadingPart, ParagraphPart, TablePart, assemble
from quaestor.documents.table import TableRole
from quaestor.facts.lines import Moment, fiscal_calendar, moment_of_period, name_concept

TO_JANUARY = FiscalCalendar(2024, date(2024, 1, 31))


@pytest.mark.parametrize(
    ("text", "calendar", "expected"),
    [
        ("Three Months Ended July 31, 2023", TO_JANUARY, Moment(2024, 2, 3)),
        ("Six Months Ended July 31, 2023", TO_JANUARY, Moment(2024, 2, 6)),
        ("Year ended January 31, 2024", TO_JANUARY, Moment(2024, 4, 12)),
        ("July 31, 2023", TO_JANUARY, Moment(2024, 2, 0)),
        ("Six months ended July 2023", TO_JANUARY, Moment(2024, 2, 6)),
        ("May 2023 - July 2023", TO_JANUARY, Moment(2024, 2, 3)),
        ("Q2 2024", TO_JANUARY, Moment(2024, 2, 3)),
        ("H1 FY24", TO_JANUARY, Moment(2024, 2, 6)),
        ("39 wks FY24", TO_JANUARY, Moment(2024, 3, 9)),
        ("Three Months Ended September 30, 2023", CALENDAR_YEARS, Moment(2023, 3, 3)),
        ("2023", CALENDAR_YEARS, Moment(2023, 4, 12)),
    ],
)
def test_periods_are_times_of_the_fiscal_calendar(text: str, calendar: FiscalCalendar, expected: Moment) -> None:
    period = parse_period(text)
    assert period is not None
    assert moment_of_period(period, calendar) == expected


@pytest.mark.parametrize(
    ("text", "calendar"),
    [
        ("Half year ended 30 September 2023 (H1 FY24)", FiscalCalendar(2024, date(2024, 3, 31))),
        ("Q1 FY26 results: quarter ended 30 June 2025", FiscalCalendar(2026, date(2026, 3, 31))),
        (
            "FY2024 refers to the fiscal year from April 1, 2024 to March 31, 2025.",
            FiscalCalendar(2024, date(2025, 3, 31)),
        ),
        ("Sales were $5 in the nine months ended March 31, 2021.", FiscalCalendar(2021, date(2021, 6, 30))),
        ("Sales rose in the years ended June 30, 2022, 2021 and 2020.", FiscalCalendar(2022, date(2022, 6, 30))),
    ],
)
def test_fiscal_years_are_those_that_a_text_explains(text: str, calendar: FiscalCalendar) -> None:
    assert fiscal_calendar(assemble("note", [HeadingPart("Results"), ParagraphPart((text,))])) == calendar


def test_previous_times_are_found() -> None:
    assert Moment(2024, 1, 3).before(quarters=1) == Moment(2023, 4, 3)
    assert Moment(2024, 1, 3).before(years=1) == Moment(2023, 1, 3)


def test_an_excerpt_has_the_calendar_of_the_years_that_it_names() -> None:
    text = ParagraphPart(("Rent was $5 and $4 in the years ended May 31, 2024 and 2023.",))
    assert fiscal_calendar(assemble("note", [HeadingPart("Leases"), text])) == FiscalCalendar(2024, date(2024, 5, 31))


@pytest.mark.parametrize(
    ("dates", "end"),
    [
        (("March 31, 2024", "March 31, 2023"), date(2024, 3, 31)),
        (("June 30, 2024", "December 31, 2023"), CALENDAR_YEARS.end),
        (("June 30, 2024",), CALENDAR_YEARS.end),
    ],
)
def test_balances_of_the_same_day_are_of_fiscal_year_ends(dates: tuple[str, ...], end: date) -> None:
    rows = (("", *dates), ("Inventories", *("7" for _ in dates)), ("Receivables", *("9" for _ in dates)))
    assert fiscal_calendar(assemble("balances", [TablePart(rows)])).end == end


@pytest.mark.parametrize(
    ("label", "path", "role", "concept"),
    [
        ("Total assets", (), TableRole.BALANCE_SHEET, "us-gaap:Assets"),
        ("Accounts receivable", (), TableRole.CASH_FLOWS, "us-gaap:IncreaseDecreaseInAccountsReceivable"),
        ("Research and development expenses", (), TableRole.INCOME_STATEMENT, "us-gaap:ResearchAndDevelopmentExpense"),
        ("Diluted", ("Earnings per share",), TableRole.INCOME_STATEMENT, "us-gaap:EarningsPerShareDiluted"),
        ("Net income", ("Earnings per common share",), TableRole.INCOME_STATEMENT, "us-gaap:EarningsPerShareBasic"),
        ("Adjusted diluted earnings per share", (), TableRole.NON_GAAP, ""),
        ("Frequent flyer partners", (), TableRole.NOTE, ""),
    ],
)
def test_labels_name_concepts(label: str, path: tuple[str, ...], role: TableRole, concept: str) -> None:
    assert name_concept(label, path, role)[0] == concept


def test_usual_name_is_more_certain_than_a_similar_one() -> None:
    sure = name_concept("Income tax expense", (), TableRole.INCOME_STATEMENT)
    near = name_concept("Income tax expense on profits", (), TableRole.INCOME_STATEMENT)
    assert sure[0] == near[0] == "us-gaap:IncomeTaxExpenseBenefit"
    assert sure[1] > near[1] > 0
    assert name_concept("", (), TableRole.NOTE) == ("", 0.0)


@pytest.mark.slow
def test_concepts_are_the_same_in_every_process() -> None:
    """Another process sums the weights of terms in the same order, although its sets have another."""
    code = (
        "from quaestor.documents.table import TableRole as Role; from quaestor.facts.lines import name_concept;"
        "from quaestor.ontology.lexicon import read_lexicon;"
        "names = [' '.join(words) for one in read_lexicon().concepts.values() for words in one.phrases[:1]];"
        "print([name_concept(f'{name} and other', (), Role.NOTE) for name in names])"
    )
    printed = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    ]
    assert printed[0] == printed[1]


def test_usual_labels_outside_the_united_states_name_concepts() -> None:
    roles = {
        "income": TableRole.INCOME_STATEMENT,
        "comprehensive": TableRole.COMPREHENSIVE_INCOME,
        "balance": TableRole.BALANCE_SHEET,
        "cash": TableRole.CASH_FLOWS,
        "segments": TableRole.SEGMENTS,
    }
    right = []
    for line in Path(__file__).with_name("other_labels.tsv").read_text(encoding="utf-8").splitlines():
        role, concepts, labels, *above = line.split("\t")
        for label in labels.split("; "):
            path = above if label.startswith(("Basic (", "Diluted (")) or label in ("Basic", "Diluted") else ()
            right.append(name_concept(label, path, roles[role])[0].rpartition(":")[2] in concepts.split("|"))
    assert sum(right) / len(right) > 0.97


@pytest.mark.parametrize(
    ("above", "label", "role", "expected"),
    [
        ((), "Provisions", TableRole.BALANCE_SHEET, ""),
        (("Profit attributable to:",), "Owners of the Company", TableRole.INCOME_STATEMENT, "us-gaap:NetIncomeLoss"),
        (("Non-current liabilities",), "Borrowings", TableRole.BALANCE_SHEET, "us-gaap:LongTermDebtNoncurrent"),
        ((), "Operating result (EBIT)", TableRole.INCOME_STATEMENT, "us-gaap:OperatingIncomeLoss"),
    ],
)
def test_labels_are_read_in_their_table(above: tuple[str, ...], label: str, role: TableRole, expected: str) -> None:
    assert name_concept(label, above, role)[0] == expected
