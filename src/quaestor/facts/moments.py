"""Moments: the periods of columns, tags and questions in one comparable form, in a company's fiscal calendar."""

import re
from calendar import monthrange
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from quaestor.core.fiscal import CALENDAR_YEARS, FiscalCalendar
from quaestor.core.periods import Period
from quaestor.documents.document import Document
from quaestor.documents.facts import Fact

_MONTHS = {"year": 12, "quarter": 3, "month": 1, "date": 0}
_AS_OF = re.compile(r"\b(?:as (?:of|at)|at)(?: both)?(?: the)?(?: end of)?\s*$", re.IGNORECASE)
_AND = re.compile(r"\s*(?:,|,? ?and)\s*", re.IGNORECASE)


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
    ended = [(period.ends, period.year) for period in _years_named(document) if period.ends is not None]
    if ended:
        (day, _), *_ = Counter((ends.month, ends.day) for ends, _ in ended).most_common(1)
        end, year = max((ends, year) for ends, year in ended if (ends.month, ends.day) == day)
        return FiscalCalendar(year, end)
    return CALENDAR_YEARS


def _years_named(document: Document) -> Iterator[Period]:
    """Yield the years of sentences and of headings of tables."""
    for sentence in document.sentences:
        yield from (period for period, _, _ in sentence.periods if period.kind == "year")
    for table in document.tables:
        for header in (*table.columns, *table.rows):
            if header.period is not None and header.period.kind == "year":
                yield header.period


def find_instants(text: str, periods: Sequence[tuple[Period, int, int]]) -> frozenset[Period]:
    """Return the months at whose end something is in a text: "as of December 2024 and December 2023".

    Args:
        periods: Its periods, with where each begins and ends.
    """
    found: list[Period] = []
    end = -1
    for period, start, stop in periods:
        if period.kind == "month" and (
            _AS_OF.search(text, 0, start) or (end >= 0 and _AND.fullmatch(text, end, start))
        ):
            found.append(period)
            end = stop
    return frozenset(found)


def moment_of_period(period: Period, calendar: FiscalCalendar, *, at_end: bool = False) -> Moment | None:
    """Return when a period is, or its end; None of a range, and of one that begins or ends at an unusual time."""
    months = period.months if period.kind == "span" else _MONTHS.get(period.kind)
    if at_end and months is not None:
        months = 0
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
