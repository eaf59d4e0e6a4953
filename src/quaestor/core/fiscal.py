"""Fiscal calendars, and the names of periods in them."""

from dataclasses import dataclass
from datetime import date
from math import ceil

from quaestor.core.periods import Period

_FISCAL_YEAR = 365.25
_FISCAL_MONTH = _FISCAL_YEAR / 12
_FISCAL_DRIFT = 15
"""Days by which the end of a year of 52 or 53 weeks may differ from the usual day."""


@dataclass(frozen=True, slots=True)
class FiscalCalendar:
    """Fiscal calendar of a company, given by one of its fiscal years.

    Attributes:
        year: The company's name of a fiscal year (fiscal 2024 may end in February 2025).
        end: The last day of that year.
    """

    year: int
    end: date

    def year_of(self, day: date) -> int:
        """Return the fiscal year of a day."""
        return self.year + ceil(((day - self.end).days - _FISCAL_DRIFT) / _FISCAL_YEAR)

    def quarter_of(self, day: date) -> int:
        """Return the fiscal quarter of a day, 1 to 4."""
        days = (day - self.end).days - (self.year_of(day) - self.year - 1) * _FISCAL_YEAR
        return min(4, max(1, ceil((days - _FISCAL_DRIFT) / (3 * _FISCAL_MONTH))))


CALENDAR_YEARS = FiscalCalendar(2000, date(2000, 12, 31))
"""The default calendar."""


def months_of(start: date, end: date) -> int:
    """Return the number of months from one day to another, both included, rounded."""
    return round(((end - start).days + 1) / _FISCAL_MONTH)


def fiscal_period(start: date | None, end: date, year: int, quarter: int) -> Period:
    """Return the company's name of the period from one day to another.

    Args:
        start: The first day of a duration; None for an instant.
        year: The fiscal year of the last day.
        quarter: The fiscal quarter of the last day.

    >>> fiscal_period(date(2024, 2, 1), date(2025, 1, 31), 2024, 4)
    Period(kind='year', year=2024, quarter=None, month=None, day=None, last=None, months=None)
    """
    if start is None or start == end:
        return Period("date", end.year, month=end.month, day=end.day)
    months = months_of(start, end)
    if months == 1:
        return Period("month", end.year, month=end.month)
    if months == 3:
        return Period("quarter", year, quarter=quarter)
    if months == 12:
        return Period("year", year)
    if months > 12 and months % 12 == 0:
        return Period("range", year - months // 12 + 1, last=year)
    return Period("span", end.year, month=end.month, months=months)
