"""What a tag says of a printed number: the facts of inline XBRL, as values."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import Period, fiscal_period, months_of
from quaestor.core.provenance import Source

_BEGINS = lazy_regex(r"\b(?:beginning|opening|start) (?:of|balance)|\bbeginning\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fact:
    """A tagged number, as `ix:nonFraction` and its context and unit say it (Inline XBRL 1.1).

    Attributes:
        concept: Its name with the prefix of its taxonomy (`us-gaap:NetIncomeLoss`).
        value: Exact, signed, in ones of its unit; None if the tag says that there is none (nil).
        unit: A currency (`USD`), `shares`, `USD/shares`, `pure`, or the filer's own; None if none is named.
        start: The first day of the duration that it is of; None for an instant.
        end: The last day of the duration, or the day of the instant.
        dimensions: Axis and member of each dimension that it is narrowed to, sorted; empty for the whole company.
        scale: The power of ten that the print is short of (6 for a number in millions).
        decimals: To how many places it is exact (-6: to the million); None if it is exact.
        label: The concept's label as the taxonomy has it, or "".
        negated: Whether the tag itself makes the number negative: what it encloses is printed without a sign.
        place: Its place among the tagged numbers of the file, from 0.
        year: The fiscal year that its last day is in, as the company names its years; 0 if that is not known.
        quarter: The fiscal quarter that its last day is in, 1 to 4; 0 if that is not known.
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
        """When it is of, as the company names it: fiscal 2024 may end in February 2025."""
        return fiscal_period(
            self.start, self.end, self.year or self.end.year, self.quarter or (self.end.month + 2) // 3
        )

    @property
    def printed(self) -> Decimal | None:
        """The number as printed, signed as tagged: 9447 where the value is 9447 million."""
        if self.value is None:
            return None
        sign, digits, exponent = self.value.as_tuple()
        return Decimal((sign, digits, int(exponent) - self.scale))


@dataclass(frozen=True, slots=True)
class PrintedFact:
    """A fact as the file prints it, found around its tag and without reading the table that it is in.

    Attributes:
        negative: Whether brackets or a minus are printed right around it.
        in_table: Whether it is in a table of the file.
    """

    fact: Fact
    text: str
    negative: bool
    in_table: bool


@dataclass(frozen=True, slots=True)
class TaggedNumber:
    """A fact, and where it is printed."""

    source: Source
    fact: Fact


def periods_of(fact: Fact, labels: Sequence[str] = ()) -> frozenset[Period]:
    """Return the periods that labels may name where a fact is of that time.

    An instant is its day, the first moment of the day after, or the month, quarter or year that it ends; where a label
    says "beginning", what begins then. A year is the fiscal year by the company's name or the year of its last day; a
    quarter likewise.
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
    """The fiscal year and the year of its last day; of one that ends in the first days of January the year before."""
    return {Period("year", fact.year or fact.end.year), Period("year", (fact.end - timedelta(days=7)).year)}


def _quarters(fact: Fact) -> set[Period]:
    end = fact.end - timedelta(days=7)
    calendar = Period("quarter", end.year, quarter=(end.month + 2) // 3)
    return {calendar, Period("quarter", fact.year, quarter=fact.quarter)} if fact.quarter else {calendar}


def _spans(day: date, begins: int) -> set[Period]:
    """The spans of some months that end with a day, or begin after it."""
    months = day.year * 12 + day.month - 1
    lasts = {count: months + count * begins for count in range(2, 12)}
    return {Period("span", last // 12, month=last % 12 + 1, months=count) for count, last in lasts.items()}
