"""Moments: the periods of columns, tags and questions in one comparable form, in a company's fiscal calendar."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date

from quaestor.core.fiscal import CALENDAR_YEARS, FiscalCalendar
from quaestor.core.periods import Period
from quaestor.documents.document import Document
from quaestor.documents.facts import Fact

_MONTHS = {"year": 12, "quarter": 3, "month": 1, "date": 0}


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """A time of a fact.

    Attributes:
        year: The fiscal year that it ends in.
        quarter: The fiscal quarter that it ends in, 1 to 4.
        months: How long it lasts: 12 is a year, 3 a quarter, 0 an instant, the end of the quarter.
    """

    year: int
    quarter: int
    months: int

    @property
    def end(self) -> tuple[int, int]:
        """The fiscal year and quarter that it ends in."""
        return self.year, self.quarter

    def before(self, years: int = 0, quarters: int = 0) -> "Moment":
        """Return the moment of the same length some time earlier."""
        end = self.year * 4 + self.quarter - 1 - 4 * years - quarters
        return Moment(end // 4, end % 4 + 1, self.months)


def fiscal_calendar(document: Document) -> FiscalCalendar:
    """Return the fiscal calendar of the company that a document is of."""
    reported = document.reported
    years = [fact.fact for fact in document.facts if fact.fact.quarter == 4 and fact.fact.year]
    if years:
        last = max(years, key=lambda fact: fact.end)
        return FiscalCalendar(last.year, last.end)
    if reported is not None and reported.kind == "year" and reported.ends is not None:
        return FiscalCalendar(reported.year, reported.ends)
    return CALENDAR_YEARS


def moment_of_period(period: Period, calendar: FiscalCalendar) -> Moment | None:
    """Return when a period is; None of a range, and of one that begins or ends at an unusual time."""
    months = period.months if period.kind == "span" else _MONTHS.get(period.kind)
    if months is None:
        return None
    if period.ends is None and period.kind in ("year", "quarter"):
        return Moment(period.year, period.quarter or 4, months)
    # "Three months ended July 31" is the second quarter of a year that ends in January.
    last = period.ends or _last_day(period)
    return Moment(calendar.year_of(last), 4 if period.kind == "year" else calendar.quarter_of(last), months)


def moment_of_fact(fact: Fact) -> Moment | None:
    """Return when a tagged number is."""
    if not fact.year:
        return None
    if fact.start is None or fact.start == fact.end:
        return Moment(fact.year, fact.quarter or 4, 0)
    months = round((fact.end - fact.start).days / 30.4)
    return Moment(fact.year, fact.quarter or 4, months)


def _last_day(period: Period) -> date:
    month = period.month or 12
    return date(period.year, month, min(period.day or 31, monthrange(period.year, month)[1]))
