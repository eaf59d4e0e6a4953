"""Whether a cell is of the kind of period that a question to a filing speaks of.

A quarterly report prints three months beside six, both of one year, and changes beside amounts. Owns how far a cell is
from what is asked: of another length, another quarter, of a span where a day is asked for, of a change where none is.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from quaestor.core.periods import Period
from quaestor.core.provenance import CellRef
from quaestor.documents.table import Header, Table
from quaestor.questions.comparison import boundary
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.retrieval.movements import months_named

OTHER_LENGTH, OTHER_QUARTER, NO_DAY, A_CHANGE, NOT_AS_REPORTED = 6.0, 3.0, 2.0, 4.0, 4.0
"""What a cell has less, as log-odds: of another length, another quarter, a span for a day, a change for an amount, an
amount that is none of the statements'."""
_YEAR, _QUARTER = 12, 3
_CHANGES = frozenset(stems("change increase decrease decline growth variance difference"))
_VERSUS = re.compile(r"\bvs?\.?\s|\bversus\b|\bcompared (?:to|with)\b", re.IGNORECASE)
_COMPARES = re.compile(
    r"percent|%|differ|compar|\bmore\b|\bless\b|\bvs\b|versus|grow|grew|\bup\b|\bdown\b|\brose\b|\bfell\b|\bmove"
    r"|\bbasis points|\bimpact\b|\beffect\b"
)
_NOT_AS_REPORTED = re.compile(
    r"\bconstant[- ]currenc|\bcurrency[- ]neutral|\bhedging\b|\bpro[- ]forma\b|\bnon-gaap\b|\badjust(?:ment|ed)",
    re.IGNORECASE,
)
_ADJUSTED = re.compile(r"\bconstant[- ]currenc|\bpro[- ]?forma\b|\bnon-gaap\b|(?<!-)\badjusted\b", re.IGNORECASE)
_ON_A_DAY = re.compile(
    r"\b(?:at|as of|as at) (?:the )?(?:end|close|(?:fiscal )?(?:year|quarter)[- ]?end)\b"
    r"|\b(?:at|as of|as at|on) (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d"
)


@dataclass(frozen=True, slots=True)
class SpokenPeriod:
    """What kind of period a question speaks of.

    Attributes:
        months: The length that it names, below a year; 0 if it asks for the state of a day, None where for neither.
        quarter: The quarter that it names by its number; None if it names none.
        change: Whether it may ask for a change.
        restated: Whether it may ask for an amount that is not as reported: in constant currency, pro forma.
    """

    months: int | None
    quarter: int | None
    change: bool
    restated: bool = True

    def away(self, table: Table, source: CellRef) -> float:
        """Return what a cell has less for the period that its labels say; 0 if they say none."""
        away = 0.0 if self.change or not is_of_change(table, source) else A_CHANGE
        if not self.restated and (_is_not_as_reported(table, source) or is_adjusted(table.rows[source.row].label)):
            away += NOT_AS_REPORTED
        lengths, period = lengths_of(table, source), table.period_at(source.row, source.column)
        if self.months and lengths and self.months not in lengths:
            away += OTHER_LENGTH
        elif self.months == 0 and lengths and not boundary(table.rows[source.row].label):
            away += NO_DAY
        if self.quarter and period is not None and period.quarter not in (None, self.quarter):
            away += OTHER_QUARTER
        return away


def spoken_period(question: Question) -> SpokenPeriod:
    """Return what kind of period a question speaks of.

    >>> spoken_period(Question("what was revenue in the second quarter of 2025?")).months
    3
    """
    text = question.lowered
    named = months_named(text) | {length for mention in question.periods for length in _length(mention.period)} - {
        _YEAR
    }
    quarter = next((mention.period.quarter for mention in question.periods if mention.period.quarter), None)
    day = 0 if _ON_A_DAY.search(text) else None
    change = bool(_CHANGES & {*stems(text)}) or _COMPARES.search(text) is not None
    return SpokenPeriod(
        day if day is not None else max(named, default=None), quarter, change, _NOT_AS_REPORTED.search(text) is not None
    )


def lengths_of(table: Table, source: CellRef) -> frozenset[int]:
    """Return the lengths of the period of a cell in months, as its labels say; none of a day, or if they do not."""
    row, column = table.rows[source.row], table.columns[source.column]
    if named := months_named(" ".join((*row.levels, *column.levels, column.label))):
        return named
    period = table.period_at(source.row, source.column)
    return frozenset(_length(period)) if period is not None else frozenset()


def is_adjusted(label: str) -> bool:
    """Return whether a label says of its amounts that they are none of the statements': adjusted, pro forma.

    >>> is_adjusted("Adjusted EBITDA"), is_adjusted("Adjustments to net income")
    (True, False)
    """
    return _ADJUSTED.search(label) is not None


def _is_not_as_reported(table: Table, source: CellRef) -> bool:
    """Whether the column of a cell is one of adjustments or of amounts in constant currency, beside one that is not."""
    return _adjusts(table.columns[source.column]) and not all(map(_adjusts, table.columns[1:]))


@lru_cache(maxsize=8192)
def _adjusts(column: Header) -> bool:
    return any(_NOT_AS_REPORTED.search(head) for head in (*column.levels, column.label))


def is_of_change(table: Table, source: CellRef) -> bool:
    """Return whether the column of a cell is one of changes."""
    # A heading over all columns tells none from the others.
    return _names_change(table.columns[source.column]) and not all(map(_names_change, table.columns[1:]))


@lru_cache(maxsize=8192)
def _names_change(column: Header) -> bool:
    heads = (*column.levels, column.label)
    return any(_VERSUS.search(head) or _CHANGES & {*stems(head)} for head in heads)


def _length(period: Period) -> Iterable[int]:
    match period.kind:
        case "quarter":
            yield _QUARTER
        case "span" if period.months:
            yield period.months
        case "year":
            yield _YEAR
