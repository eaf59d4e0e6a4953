"""Fiscal years and quarters as the company names them."""

from datetime import date

import pytest

from quaestor.core.fiscal import FiscalCalendar, fiscal_period
from quaestor.core.periods import Period

ENDS_IN_FEBRUARY = FiscalCalendar(2024, date(2025, 2, 2))


@pytest.mark.parametrize(
    ("day", "year", "quarter"),
    [
        (date(2025, 2, 2), 2024, 4),
        (date(2024, 1, 28), 2023, 4),
        (date(2023, 1, 29), 2022, 4),
        (date(2024, 4, 28), 2024, 1),
        (date(2024, 7, 28), 2024, 2),
        (date(2024, 10, 27), 2024, 3),
        (date(2025, 5, 4), 2025, 1),
    ],
)
def test_days_are_in_the_year_that_the_company_names(day: date, year: int, quarter: int) -> None:
    assert (ENDS_IN_FEBRUARY.year_of(day), ENDS_IN_FEBRUARY.quarter_of(day)) == (year, quarter)


@pytest.mark.parametrize(
    ("start", "end", "period"),
    [
        (None, date(2025, 2, 2), Period("date", 2025, month=2, day=2)),
        (date(2024, 1, 29), date(2025, 2, 2), Period("year", 2024)),
        (date(2024, 11, 4), date(2025, 2, 2), Period("quarter", 2024, quarter=4)),
        (date(2024, 8, 5), date(2025, 2, 2), Period("span", 2025, month=2, months=6)),
        (date(2025, 1, 1), date(2025, 1, 31), Period("month", 2025, month=1)),
        (date(2022, 1, 31), date(2025, 2, 2), Period("range", 2022, last=2024)),
    ],
)
def test_periods_from_day_to_day(start: date | None, end: date, period: Period) -> None:
    assert fiscal_period(start, end, 2024, 4) == period
