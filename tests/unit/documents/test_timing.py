"""Tables of filings: periods from several headings, balances and texts together."""

from datetime import date

import pytest

from quaestor.core.periods import Period
from quaestor.documents.assembly import DocumentPart, ParagraphPart, TablePart, assemble
from quaestor.documents.table import Table
from quaestor.documents.timing import reported_period


def table(grid: list[list[str]], header_rows: int = 1, title: str = "", before: str = "") -> Table:
    lead = ParagraphPart((before,) if before else ())
    return assemble("quill", [lead, TablePart(grid, title=title, header_rows=header_rows)], filing=True).tables[0]


def test_a_length_over_a_day_over_a_year() -> None:
    found = table(
        [
            ["", "Three Months Ended", "Six Months Ended"],
            ["", "June 28,", "June 28,"],
            ["", "2025", "2025"],
            ["Net sales", "5", "9"],
        ],
        header_rows=3,
    )
    assert found.period_at(3, 1) == Period("quarter", 2025, quarter=2)
    assert found.period_at(3, 2) == Period("span", 2025, month=6, months=6)


def test_a_year_ended_on_a_day_is_a_year() -> None:
    found = table([["", "Years ended"], ["", "September 28, 2024"], ["Net sales", "5"]], header_rows=2)
    assert found.period_at(2, 1) == Period("year", 2024)


def test_years_under_a_length_that_the_title_names() -> None:
    found = table(
        [["", "2025", "2024"], ["Payments", "5", "4"]], before="Payments for the six months ended June 30 were:"
    )
    assert found.period_at(1, 2) == Period("span", 2024, month=6, months=6)


def test_line_between_two_balances_covers_the_period_between() -> None:
    grid = [
        ["", "Common stock", "Total"],
        ["Balance as of December 31, 2023", "5", "5"],
        ["Adoption of new standard", "1", "1"],
        ["Issued", "1", "1"],
        ["Balance as of March 31, 2024", "7", "7"],
    ]
    found = table(grid)
    assert found.period_at(2, 1) == Period("date", 2023, month=12, day=31)
    assert found.period_at(3, 1) == Period("quarter", 2024, quarter=1)
    assert found.period_at(4, 1) == Period("date", 2024, month=3, day=31)


def test_the_time_between_two_balances_ends_on_the_day_of_the_second() -> None:
    rows = ["February 1, 2025", "Dividends declared, $4.54 per share", "January 31, 2026"]
    found = table([["", "Total"], *([row, "5"] for row in rows)])
    period = found.period_at(2, 1)
    assert period is not None
    assert (period.kind, period.ends) == ("year", date(2026, 1, 31))


def test_a_table_without_periods_is_of_the_one_over_it() -> None:
    found = table([["", "Cost", "Value"], ["Bonds", "5", "6"]], title="Securities as of December 31, 2024")
    assert found.period_at(1, 1) == Period("date", 2024, month=12, day=31)


def test_a_day_of_a_year_that_no_column_names_is_not_the_end_of_their_years() -> None:
    before = "The data of the five-year period ended January 28, 2001 were audited."
    found = table([["", "2000", "1999"], ["Net sales", "5", "4"]], before=before)
    assert found.period_at(1, 1) == Period("year", 2000)


@pytest.mark.parametrize(
    ("before", "month", "months"),
    [
        ("for the six months ended 30 June 2025", 6, 6),
        ("for the half-year ended December 31, 2025", 12, 6),
        ("for the six months to 30 September 2025", 9, 6),
        ("for the 26 weeks ended 27 September 2025", 9, 6),
    ],
)
def test_years_under_a_length_that_ends_on_a_day_before_its_month(before: str, month: int, months: int) -> None:
    found = table([["", "2025 £m", "2024 £m"], ["Revenue", "5", "4"]], before=before)
    assert found.period_at(1, 1) == Period("span", 2025, month=month, months=months)
    assert found.period_at(1, 2) == Period("span", 2024, month=month, months=months)


def test_a_length_in_the_corner_applies_to_the_days_of_the_columns() -> None:
    found = table([["Half-year ended", "31 Dec 25", "30 Jun 25"], ["Revenue", "5", "4"]])
    assert found.period_at(1, 1) == Period("span", 2025, month=12, months=6)
    assert found.period_at(1, 2) == Period("span", 2025, month=6, months=6)


@pytest.mark.parametrize("space", ["", " "])
def test_short_months_of_the_reported_year(space: str) -> None:
    months = [f"{month}{space}{year}" for month, year in (("Dec", 25), ("Jun", 25), ("Dec", 24))]
    grid = [["", *months, "Dec 25 v Jun 25 %"], ["Income", "5", "4", "3", "2"]]
    found = table(grid, title="Results for the half year ended 31 December 2025")
    assert [column.period for column in found.columns[1:4]] == [
        Period("span", 2025, month=12, months=6),
        Period("span", 2025, month=6, months=6),
        Period("span", 2024, month=12, months=6),
    ]
    assert table(grid, title="Results of 2010").columns[1].period is None


def test_years_with_the_things_that_a_column_counts() -> None:
    found = table([["", "2025 Shares", "2024 Shares"], ["Ordinary", "5", "4"]], before="Shares at 30 June 2025 were")
    assert found.period_at(1, 2) == Period("year", 2024)


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("Report for the half-year ended December 31, 2025", Period("span", 2025, month=12, months=6)),
        ("Results for the six months ended 30 June 2025", Period("span", 2025, month=6, months=6)),
        ("for the financial year ended 31 December 2024", Period("year", 2024)),
        ("for the 52 weeks ended 29 March 2025", Period("year", 2025)),
        ("for the six months ended June 30, 2025", None),
    ],
)
def test_the_period_of_a_report(text: str, period: Period | None) -> None:
    assert reported_period(text) == period


def test_fiscal_years_of_two_years_follow_each_other() -> None:
    found = table([["", "2023-24", "2022-23"], ["Revenue", "5", "4"]])
    assert [column.period for column in found.columns[1:]] == [Period("year", 2024), Period("year", 2023)]
    due = table([["", "2025-26", "2027-28"], ["Leases", "5", "4"]])
    assert due.columns[1].period == Period("range", 2025, last=2026)


def test_lengths_under_the_day_on_which_they_end() -> None:
    grid = [
        ["", "Periods ended September 30, 2023", "Periods ended September 30, 2023"],
        ["", "Three months", "Nine months"],
        ["Revenue", "5", "14"],
    ]
    found = table(grid, header_rows=2)
    assert found.period_at(2, 1) == Period("quarter", 2023, quarter=3)
    assert found.period_at(2, 2) == Period("span", 2023, month=9, months=9)


def test_years_of_a_balance_sheet_in_a_half_year_report() -> None:
    grid = [["", "2025 £m", "2024 £m"], ["Total assets", "5", "4"]]
    parts: list[DocumentPart] = [
        ParagraphPart(("Interim results for the six months ended 30 June 2025",)),
        ParagraphPart(("Revenue rose.",)),
        TablePart(grid, title="Balance sheet as at 30 June 2025", header_rows=1),
    ]
    found = assemble("quill", parts, filing=True).tables[0]
    assert found.period_at(1, 1) == Period("date", 2025, month=6, day=30)
    assert found.period_at(1, 2) == Period("date", 2024, month=6, day=30)


@pytest.mark.parametrize("ended", ["", " ended"])
def test_lengths_above_years_end_on_the_day_in_the_title(ended: str) -> None:
    lengths = ["", *(f"{length} months{ended}" for length in ("Three", "Three", "Nine", "Nine"))]
    grid = [lengths, ["", "2024", "2023", "2024", "2023"], ["Revenue", "5", "4", "14", "13"]]
    found = table(grid, header_rows=2, title="For the three and nine months ended September 30, 2024 and 2023")
    assert [column.period for column in found.columns[1:]] == [
        Period("quarter", 2024, quarter=3),
        Period("quarter", 2023, quarter=3),
        Period("span", 2024, month=9, months=9),
        Period("span", 2023, month=9, months=9),
    ]


@pytest.mark.parametrize(
    ("headings", "expected"),
    [
        ([["", "Half Year to", "Half Year to"], ["", "Mar 25", "Sep 24"]], Period("span", 2025, month=3, months=6)),
        ([["", "Jun-24", "Mar-24", "Dec-23"]], Period("quarter", 2024, quarter=2)),
        ([["", "Dec-24", "Jun-24", "Dec-23"]], Period("span", 2024, month=12, months=6)),
        ([["", "Jun-24", "May-24", "Apr-24"]], Period("month", 2024, month=6)),
    ],
)
def test_the_length_of_a_month_follows_from_its_heading_or_its_distance(
    headings: list[list[str]], expected: Period
) -> None:
    grid = [*headings, ["Net sales", *"987"[: len(headings[0]) - 1]]]
    found = table(grid, header_rows=len(headings), before="Results for 2025 and 2024 were:")
    assert found.period_at(len(headings), 1) == expected
