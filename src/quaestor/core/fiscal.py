"""A company's fiscal calendar: which fiscal year and quarter a day is in, by the company's own names for its years."""

from dataclasses import dataclass
from datetime import date
from math import ceil

from quaestor.core.periods import Period

_YEAR = 365.25
_MONTH = _YEAR / 12
_DRIFT = 15
"""Days by which a year of 52 or 53 weeks ends before or after the usual day."""


@dataclass(frozen=True, slots=True)
class FiscalCalendar:
    """One fiscal year's name and last day; the others follow.

    Attributes:
        year: What the company calls it (fiscal 2024 may end in February 2025).
    """

    year: int
    end: date

    def year_of(self, day: date) -> int:
        """Return the fiscal year that a day is in."""
        return self.year + ceil(((day - self.end).days - _DRIFT) / _YEAR)

    def quarter_of(self, day: date) -> int:
        """Return the fiscal quarter that a day is in or ends, 1 to 4."""
        days = (day - self.end).days - (self.year_of(day) - self.year - 1) * _YEAR
        return min(4, max(1, ceil((days - _DRIFT) / (3 * _MONTH))))


CALENDAR_YEARS = FiscalCalendar(2000, date(2000, 12, 31))
"""Of a company that says nothing else."""


def months_of(start: date, end: date) -> int:
    """Return how many months there are from one day to another, both of them counted, rounded."""
    return round(((end - start).days + 1) / _MONTH)


def fiscal_period(start: date | None, end: date, year: int, quarter: int) -> Period:
    """Return the period from one day to another, as a company names it.

    Args:
        start: The first day of a duration; None for an instant.
        year: The fiscal year that the last day is in.

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
