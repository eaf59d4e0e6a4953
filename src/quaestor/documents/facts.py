"""Facts of inline XBRL: what tags declare about printed numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from quaestor.core.fiscal import fiscal_period, months_of
from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import Period
from quaestor.core.provenance import Source

_BEGINS = lazy_regex(r"\b(?:beginning|opening|start) (?:of|balance)|\bbeginning\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fact:
    """A tagged number: `ix:nonFraction` with its context and unit (Inline XBRL 1.1).

    Attributes:
        concept: Name with the prefix of the taxonomy (`us-gaap:NetIncomeLoss`).
        value: Exact and signed, without scale; None if the tag is nil.
        unit: A currency (`USD`), `shares`, `USD/shares`, `pure` or a unit of the filer; None if there is none.
        start: First day of the duration; None for an instant.
        end: Last day of the duration, or the day of the instant.
        dimensions: Sorted pairs of axis and member; empty for the whole company.
        scale: Power of ten by which the printed number is multiplied (6 for millions).
        decimals: Precision in decimal places (-6: to the million); None if exact.
        label: The concept's label in the taxonomy, or "".
        negated: Whether the tag makes the number negative, so that it is printed without a sign.
        place: Index among the tagged numbers of the file, from 0.
        year: Fiscal year of the last day, as the company names it; 0 if unknown.
        quarter: Fiscal quarter of the last day, 1 to 4; 0 if unknown.
    """

    concept: str
    value: Decimal | None
    unit: str | None
    start: date | None
    end: date
    dimensions: tuple[tuple[str, str], ...] = ()
    scale: int = 0
    decimals: int | None = None
    label: str = ""
    negated: bool = False
    place: int = 0
    year: int = 0
    quarter: int = 0

    @property
    def period(self) -> Period:
        """The period as the company names it: fiscal 2024 may end in February 2025."""
        return fiscal_period(
            self.start, self.end, self.year or self.end.year, self.quarter or (self.end.month + 2) // 3
        )

    @property
    def printed(self) -> Decimal | None:
        """The number as printed, with the sign of the tag: 9447 for a value of 9447 million."""
        if self.value is None:
            return None
        sign, digits, exponent = self.value.as_tuple()
        return Decimal((sign, digits, int(exponent) - self.scale))


@dataclass(frozen=True, slots=True)
class PrintedFact:
    """A fact as displayed in the file, determined from the text around the tag, not by reading its table.

    Attributes:
        negative: Whether the number is in brackets or after a minus.
        in_table: Whether it is in a table of the file.
    """

    fact: Fact
    text: str
    negative: bool
    in_table: bool


@dataclass(frozen=True, slots=True)
class TaggedNumber:
    """A fact and the source of its number."""

    source: Source
    fact: Fact


def periods_of(fact: Fact, labels: Sequence[str] = ()) -> frozenset[Period]:
    """Return the periods that labels may use for the period of a fact.

    An instant may be called by its day, the next day, or the month, quarter or year that it ends; with a label such as
    "beginning", also by the period that begins then. A year may be the fiscal year as the company names it or the year
    of its last day; quarters likewise.
    """
    end = fact.end
    if fact.start is not None and fact.start != end:
        months = months_of(fact.start, end)
        lasting = {Period("month", end.year, month=end.month)} if months == 1 else {fact.period}
        return frozenset(lasting | (_quarters(fact) if months == 3 else _years(fact) if months == 12 else set()))
    found = {Period("month", end.year, month=end.month), *_quarters(fact), *_spans(end, 0)}
    found |= {Period("date", day.year, month=day.month, day=day.day) for day in (end, end + timedelta(days=1))}
    if fact.quarter == 4:
        found |= _years(fact)
    if any(map(_BEGINS.search, labels)):
        found |= _spans(end, 1) | {
            Period("quarter", q.year + q.quarter // 4, quarter=q.quarter % 4 + 1) for q in _quarters(fact) if q.quarter
        }
        if fact.quarter == 4:
            found |= {Period("year", year.year + 1) for year in _years(fact)}
    return frozenset(found)


def _years(fact: Fact) -> set[Period]:
    """Return the fiscal year and the year of its last day; if it ends in the first days of January, the year before."""
    return {Period("year", fact.year or fact.end.year), Period("year", (fact.end - timedelta(days=7)).year)}


def _quarters(fact: Fact) -> set[Period]:
    end = fact.end - timedelta(days=7)
    calendar = Period("quarter", end.year, quarter=(end.month + 2) // 3)
    return {calendar, Period("quarter", fact.year, quarter=fact.quarter)} if fact.quarter else {calendar}


def _spans(day: date, begins: int) -> set[Period]:
    """Return the spans of 2 to 11 months that end with the month of a day, or begin after it."""
    months = day.year * 12 + day.month - 1
    lasts = {count: months + count * begins for count in range(2, 12)}
    return {Period("span", last // 12, month=last % 12 + 1, months=count) for count, last in lasts.items()}
