"""Fiscal periods: years, quarters, months, dates, ranges, and words such as "the prior year".

Owns what a period is and how it is read from text. Knows nothing of fiscal calendars: a fiscal year is the year
that it is named after.
"""

import re
from dataclasses import dataclass
from typing import Literal

PeriodKind = Literal["year", "quarter", "month", "date", "range"]


@dataclass(frozen=True, slots=True)
class Period:
    """A year, a quarter, a month, a day, or a range of years.

    Attributes:
        kind: How fine it is.
        year: The year; for a range its first.
        quarter: 1 to 4 for a quarter, else None.
        month: 1 to 12 for a month or a date, else None.
        day: 1 to 31 for a date, else None.
        last: The last year of a range, else None.
    """

    kind: PeriodKind
    year: int
    quarter: int | None = None
    month: int | None = None
    day: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class PeriodMention:
    """A period and the span of the text that names it."""

    period: Period
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class RelativePeriod:
    """A period named by its distance: "the prior year" is -1, "the following year" is 1.

    Attributes:
        offset: In years.
        start: First character of the words.
        end: The character after the last one.
    """

    offset: int
    start: int
    end: int


_ = re
