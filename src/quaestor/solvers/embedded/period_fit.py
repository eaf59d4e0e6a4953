"""Checks whether a number has the period that a question asks for."""

import re
from calendar import monthrange
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

from quaestor.core.caching import BoundedCache
from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import Period, find_periods, parse_period
from quaestor.core.provenance import CellRef, Source
from quaestor.documents.document import Document
from quaestor.documents.table import Header, Table
from quaestor.questions.question_times import MONTH, QuestionTime, half_of
from quaestor.questions.stems import stems
from quaestor.retrieval.movements import months_named

_CHANGES = frozenset(stems("change increase decrease decline growth variance difference"))
_VERSUS = lazy_regex(r"\bvs?\.?\s|\bversus\b|\bcompared (?:to|with)\b", re.IGNORECASE)
_YEAR, _QUARTER = 12, 3


def _find_lengths(table: Table, source: CellRef) -> frozenset[int]:
    """Return the possible lengths of a cell's period in months by its labels; empty for a day or if unknown."""
    row, column = table.rows[source.row], table.columns[source.column]
    if named := months_named(" ".join((*row.levels, *column.levels, column.label))):
        return named
    period = table.period_at(source.row, source.column)
    return frozenset(_list_months(period)) if period is not None else frozenset()


def is_of_change(table: Table, source: CellRef) -> bool:
    """Return whether the column of a cell has changes."""
    # A heading over all columns does not distinguish them.
    return _names_change(table.columns[source.column]) and not all(map(_names_change, table.columns[1:]))


@lru_cache(maxsize=8192)
def _names_change(column: Header) -> bool:
    heads = (*column.levels, column.label)
    return any(_VERSUS.search(head) or _CHANGES & {*stems(head)} for head in heads)


def _list_months(period: Period) -> Iterable[int]:
    match period.kind:
        case "quarter":
            yield _QUARTER
        case "span" if period.months:
            yield period.months
        case "year":
            yield _YEAR


# The one comparison of requested and printed times: whether a number is certainly of another time.
#
# Headings give the length, the quarter and the last day of a period, or only some of them. Which quarter ends on a day
# depends on the fiscal year, so the two are only compared if the document states when it ends.


_DECEMBER, _CELL_TIMES_YEAR, _HALF, _CELL_TIMES_QUARTER = 12, 12, 6, 3
_NEAR = 7
"""Largest difference in days between two last days that may be the same: of a month, and of its last full week."""
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_NAMED_QUARTER = lazy_regex(
    rf"\b(?:(?P<word>{'|'.join(_ORDINALS)})[\s-](?:fiscal[\s-])?(?:quarter|qtr)|q(?P<digit>[1-4]))\b"
)
_NAMED_HALF = lazy_regex(rf"\b(?:(?P<word>{'|'.join(_ORDINALS)})[\s-]half|h(?P<digit>[12]))\b")
_LAST_DAY = lazy_regex(rf"\b{MONTH}\b\.?(?: [0-3]?[0-9]\b)?")
_YEAR_ENDED = lazy_regex(rf"\byears? end(?:ed|ing) (?P<day>{MONTH}\.? [0-3]?[0-9])\b")
_ANY_YEAR = lazy_regex(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_TO_DATE = lazy_regex(r"\byear[- ]to[- ]date\b|\bytd\b")
_ENDS = BoundedCache[str, "int | None"](64)
_LEAP_YEAR = 2000


@dataclass(frozen=True, slots=True)
class PrintedTime:
    """Time of a number by its headings or its sentence; unknown parts are None or empty.

    Attributes:
        year: The year of its name, or of its last day.
        lengths: Possible lengths in months; empty for a day.
        month: The month itself, or that of the last day.
        day: The day of the month, or that of the last day.
    """

    year: int | None = None
    named: frozenset[int] = frozenset()
    lengths: frozenset[int] = frozenset()
    quarter: int | None = None
    half: int | None = None
    month: int | None = None
    day: int | None = None


def is_of_other_time(requested_time: QuestionTime, source: Source, document: Document) -> bool:
    """Return whether a number cannot be of the requested time."""
    end = _find_fiscal_end(document)
    if isinstance(source, CellRef):
        return _is_other_time(requested_time, read_printed_time(document.table(source.table), source), end)
    periods = [mention.period for mention in find_periods(document.sentence(source).text)]
    times = [_convert_period(period) for period in periods if period.kind not in ("year", "range")]
    return bool(times) and all(_is_other_time(requested_time, time, end) for time in times)


def read_printed_time(table: Table, source: CellRef) -> PrintedTime:
    """Return the time of a cell by its headings."""
    row, column = table.rows[source.row], table.columns[source.column]
    heads = " | ".join(table.heads_at(source.row, source.column)).lower()
    period = table.period_at(source.row, source.column)
    lengths = frozenset[int]() if _TO_DATE.search(heads) else _find_lengths(table, source)
    years = frozenset(int(year) for year in _ANY_YEAR.findall(heads))
    time = replace(_convert_period(period) if period is not None else PrintedTime(), lengths=lengths, named=years)
    if len(named := {_read_number(match) for match in _NAMED_QUARTER.finditer(heads)}) == 1:
        time = replace(time, quarter=next(iter(named)))
    if len(halves := {_read_number(match) for match in _NAMED_HALF.finditer(heads)}) == 1:
        time = replace(time, half=next(iter(halves)))
    # A day in the label of a line is part of its name ("notes due March 15"), unless it is the line's period.
    dated = " | ".join((*column.levels, column.label, row.label if row.period is not None else "")).lower()
    days = {match[0] for match in _LAST_DAY.finditer(dated)}
    if time.month is None and len(days) == 1 and (last := parse_period(next(iter(days)), _LEAP_YEAR)) is not None:
        time = replace(time, month=last.month, day=last.day)
    if time.month is None:
        return time
    return replace(time, quarter=time.quarter if named else None, half=time.half if halves else None)


def _read_number(match: re.Match[str]) -> int:
    return _ORDINALS[match["word"]] if match["word"] else int(match["digit"])


def _convert_period(period: Period) -> PrintedTime:
    month, day = (period.ends.month, period.ends.day) if period.ends is not None else (None, None)
    match period.kind:
        case "quarter":
            return PrintedTime(
                period.year, lengths=frozenset({_CELL_TIMES_QUARTER}), quarter=period.quarter, month=month, day=day
            )
        case "year":
            return PrintedTime(period.year, lengths=frozenset({_CELL_TIMES_YEAR}), month=month, day=day)
        case "span" if period.months:
            half = half_of(period)
            return PrintedTime(period.year, lengths=frozenset({period.months}), half=half, month=month, day=day)
        case "range":
            return PrintedTime()
        case _:
            return PrintedTime(period.year, month=period.month, day=period.day)


def _is_other_time(time: QuestionTime, found: PrintedTime, end: int | None) -> bool:
    if time.months and found.lengths and time.months not in found.lengths:
        # A request for the last month of a year includes the amounts at the year's end.
        return not (time.months == 1 and time.month == (end or _DECEMBER) and found.lengths == {_CELL_TIMES_YEAR})
    if time.month and found.month:
        return _is_far(time, found)
    if _is_of_other_year(time, found, end):
        return True
    if time.quarter or (time.month and found.quarter):
        mine = time.quarter or _find_quarter(time.month, time.day, end or _DECEMBER)
        theirs = found.quarter or (_find_quarter(found.month, found.day, end) if found.month and end else None)
        return theirs is not None and mine != theirs
    if time.half:
        theirs = found.half or (_find_half(found, end) if found.month and end else None)
        return theirs is not None and theirs != time.half
    return False


def _is_far(time: QuestionTime, found: PrintedTime) -> bool:
    """Whether two last days are further apart than the end of a month and that of its last week."""
    days = [
        _number_day(time.year or found.year, time.month, time.day),
        _number_day(found.year or time.year, found.month, found.day),
    ]
    if time.month == found.month and not (time.day and found.day):
        return time.year is not None and found.year is not None and time.year != found.year
    return abs(days[0] - days[1]) > _NEAR


def _number_day(year: int | None, month: int | None, day: int | None) -> int:
    """Ordinal of a day; by default of the month's last day."""
    year, month = year or _LEAP_YEAR, month or _DECEMBER
    last = monthrange(year, month)[1]
    return date(year, month, min(day or last, last)).toordinal()


def _is_of_other_year(time: QuestionTime, found: PrintedTime, end: int | None) -> bool:
    """Whether years differ; a fiscal year may be named after its last calendar year or the one with most of it."""
    if time.year is None or found.year is None or time.year in {found.year, *found.named}:
        return False
    by_name = time.month is None
    dated = found.month if by_name else time.month
    fiscal = dated is not None and end != _DECEMBER
    return not (fiscal and abs(time.year - found.year) == 1)


def _find_quarter(month: int | None, day: int | None, end: int) -> int:
    """Number of the quarter that ends in `month`, for years that end in the month `end`."""
    assert month is not None
    month -= 1 if day is not None and day <= _NEAR else 0
    return -(-((month - end - 1) % _CELL_TIMES_YEAR + 1) // _CELL_TIMES_QUARTER)


def _find_half(found: PrintedTime, end: int | None) -> int | None:
    if found.month is None or end is None or found.lengths - {_HALF}:
        return None
    return 1 if _find_quarter(found.month, found.day, end) <= 2 else 2


def _find_fiscal_end(document: Document) -> int | None:
    """Return the month in which a document's fiscal years end, or None if unknown.

    Sources are years that end on a day, months since the beginning of the year ("six months ended June 30"), and a
    balance sheet beside that of a December.
    """
    return _ENDS.get(document.digest, lambda: _search_fiscal_end(document))


def _search_fiscal_end(document: Document) -> int | None:
    heads = [header for table in document.tables for header in (*table.columns, *table.rows[: table.header_rows])]
    texts = [*(" ".join((*head.levels, head.label)) for head in heads), *(table.title for table in document.tables)]
    printed_days = [match["day"] for text in texts for match in _YEAR_ENDED.finditer(text.lower())]
    for day in printed_days:
        if (last := parse_period(day, _LEAP_YEAR)) is not None and last.month:
            return _find_month(last)
    for head in heads:
        period = head.period
        if period is not None and period.kind == "span" and period.ends and period.months in (_HALF, 9):
            last = Period("date", period.year, month=period.ends.month, day=period.ends.day)
            return (_find_month(last) - period.months - 1) % _CELL_TIMES_YEAR + 1
    for table in document.tables:
        days = {head.period for head in table.columns if head.period is not None and head.period.kind == "date"}
        if len(days) > 1 and any(day.month == _DECEMBER for day in days):
            return _DECEMBER
    return None


def _find_month(period: Period) -> int:
    """Month in which a period ends; if that is in the first week of a month, the month before."""
    month = period.month or _DECEMBER
    return (month - 2) % _CELL_TIMES_YEAR + 1 if period.day is not None and period.day <= _NEAR else month
