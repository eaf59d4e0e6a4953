"""Whether a number is of another time than a question asks for: the one comparison of asked and printed periods.

A heading says how long a period is, which quarter, and its last day, or only some of it. Owns when two such times
cannot be one. A quarter that is called by its last day is the third or the second as the fiscal year begins, so that
is told only where the document says when it ends.
"""

import re
from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import date

from quaestor.core.caching import BoundedCache
from quaestor.core.periods import Period, find_periods, parse_period
from quaestor.core.provenance import CellRef, Source
from quaestor.documents.document import Document
from quaestor.documents.table import Table
from quaestor.questions.times import MONTH, AskedTime, half_of
from quaestor.solvers.embedded.decode.spoken_periods import lengths_of

_DECEMBER, _YEAR, _HALF, _QUARTER = 12, 12, 6, 3
_NEAR = 7
"""So many days apart two last days may be one: that of a month, and of its last whole week."""
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_NAMED_QUARTER = re.compile(
    rf"\b(?:(?P<word>{'|'.join(_ORDINALS)})[\s-](?:fiscal[\s-])?(?:quarter|qtr)|q(?P<digit>[1-4]))\b"
)
_NAMED_HALF = re.compile(rf"\b(?:(?P<word>{'|'.join(_ORDINALS)})[\s-]half|h(?P<digit>[12]))\b")
_LAST_DAY = re.compile(rf"\b{MONTH}\b\.?(?: [0-3]?[0-9]\b)?")
_YEAR_ENDED = re.compile(rf"\byears? end(?:ed|ing) (?P<day>{MONTH}\.? [0-3]?[0-9])\b")
_ANY_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_TO_DATE = re.compile(r"\byear[- ]to[- ]date\b|\bytd\b")
_ENDS = BoundedCache[str, "int | None"](64)
_LEAP_YEAR = 2000


@dataclass(frozen=True, slots=True)
class PrintedTime:
    """What the headings of a number, or its sentence, say of its time; what they leave open is None, or empty.

    Attributes:
        year: The year that it is called by, or that its last day is in.
        lengths: How many months long it may be; none of a day.
        month: The month that it is, or that it ends in.
        day: The day that it is, or that it ends on.
    """

    year: int | None = None
    named: frozenset[int] = frozenset()
    lengths: frozenset[int] = frozenset()
    quarter: int | None = None
    half: int | None = None
    month: int | None = None
    day: int | None = None


def is_of_other_time(asked: AskedTime, source: Source, document: Document) -> bool:
    """Return whether a number cannot be of a time that is asked for."""
    end = fiscal_end(document)
    if isinstance(source, CellRef):
        return _differs(asked, printed_time(document.table(source.table), source), end)
    said = [mention.period for mention in find_periods(document.sentence(source).text)]
    times = [_time_of(period) for period in said if period.kind not in ("year", "range")]
    return bool(times) and all(_differs(asked, time, end) for time in times)


def printed_time(table: Table, source: CellRef) -> PrintedTime:
    """Return what the headings of a cell say of its time."""
    row, column = table.rows[source.row], table.columns[source.column]
    heads = " | ".join((*row.levels, row.label, *column.levels, column.label)).lower()
    period = table.period_at(source.row, source.column)
    lengths = frozenset[int]() if _TO_DATE.search(heads) else lengths_of(table, source)
    years = frozenset(int(year) for year in _ANY_YEAR.findall(heads))
    time = replace(_time_of(period) if period is not None else PrintedTime(), lengths=lengths, named=years)
    if len(named := {_number(match) for match in _NAMED_QUARTER.finditer(heads)}) == 1:
        time = replace(time, quarter=next(iter(named)))
    if len(halves := {_number(match) for match in _NAMED_HALF.finditer(heads)}) == 1:
        time = replace(time, half=next(iter(halves)))
    # A day in the label of a line is part of its name ("notes due March 15"), unless it is the line's period.
    dated = " | ".join((*column.levels, column.label, row.label if row.period is not None else "")).lower()
    days = {match[0] for match in _LAST_DAY.finditer(dated)}
    if time.month is None and len(days) == 1 and (last := parse_period(next(iter(days)), _LEAP_YEAR)) is not None:
        time = replace(time, month=last.month, day=last.day)
    if time.month is None:
        return time
    return replace(time, quarter=time.quarter if named else None, half=time.half if halves else None)


def _number(match: re.Match[str]) -> int:
    return _ORDINALS[match["word"]] if match["word"] else int(match["digit"])


def _time_of(period: Period) -> PrintedTime:
    month, day = (period.ends.month, period.ends.day) if period.ends is not None else (None, None)
    match period.kind:
        case "quarter":
            return PrintedTime(period.year, lengths=frozenset({_QUARTER}), quarter=period.quarter, month=month, day=day)
        case "year":
            return PrintedTime(period.year, lengths=frozenset({_YEAR}), month=month, day=day)
        case "span" if period.months:
            half = half_of(period)
            return PrintedTime(period.year, lengths=frozenset({period.months}), half=half, month=month, day=day)
        case "range":
            return PrintedTime()
        case _:
            return PrintedTime(period.year, month=period.month, day=period.day)


def _differs(asked: AskedTime, found: PrintedTime, end: int | None) -> bool:
    if asked.months and found.lengths and asked.months not in found.lengths:
        # What there was in the month in which the year ended, there was at its end.
        return not (asked.months == 1 and asked.month == (end or _DECEMBER) and found.lengths == {_YEAR})
    if asked.month and found.month:
        return _is_far(asked, found)
    if _is_of_other_year(asked, found, end):
        return True
    if asked.quarter or (asked.month and found.quarter):
        mine = asked.quarter or _quarter_of(asked.month, asked.day, end or _DECEMBER)
        theirs = found.quarter or (_quarter_of(found.month, found.day, end) if found.month and end else None)
        return theirs is not None and mine != theirs
    if asked.half:
        theirs = found.half or (_half_of(found, end) if found.month and end else None)
        return theirs is not None and theirs != asked.half
    return False


def _is_far(asked: AskedTime, found: PrintedTime) -> bool:
    """Whether two last days are further apart than the end of a month and that of its last week."""
    days = [
        _days(asked.year or found.year, asked.month, asked.day),
        _days(found.year or asked.year, found.month, found.day),
    ]
    if asked.month == found.month and not (asked.day and found.day):
        return asked.year is not None and found.year is not None and asked.year != found.year
    return abs(days[0] - days[1]) > _NEAR


def _days(year: int | None, month: int | None, day: int | None) -> int:
    """A day as a number; of a month its last one."""
    year, month = year or _LEAP_YEAR, month or _DECEMBER
    last = monthrange(year, month)[1]
    return date(year, month, min(day or last, last)).toordinal()


def _is_of_other_year(asked: AskedTime, found: PrintedTime, end: int | None) -> bool:
    """Whether years differ: a fiscal year may be named after that in which it ends or that in which most of it is."""
    if asked.year is None or found.year is None or asked.year in {found.year, *found.named}:
        return False
    by_name = asked.month is None
    dated = found.month if by_name else asked.month
    fiscal = dated is not None and end != _DECEMBER
    return not (fiscal and abs(asked.year - found.year) == 1)


def _quarter_of(month: int | None, day: int | None, end: int) -> int:
    """Which quarter of a year that ends in a month ends in another one."""
    assert month is not None
    month -= 1 if day is not None and day <= _NEAR else 0
    return -(-((month - end - 1) % _YEAR + 1) // _QUARTER)


def _half_of(found: PrintedTime, end: int | None) -> int | None:
    if found.month is None or end is None or found.lengths - {_HALF}:
        return None
    return 1 if _quarter_of(found.month, found.day, end) <= 2 else 2


def fiscal_end(document: Document) -> int | None:
    """Return the month in which a document's fiscal years end, where it says so; else None.

    Years that end on a day say it, months since the beginning of the year ("six months ended June 30") do, and so does
    the balance sheet of another day beside that of a December.

    Args:
        document: An excerpt of it will do.
    """
    whole = document.whole or document
    return _ENDS.get(whole.digest, lambda: _fiscal_end(whole))


def _fiscal_end(document: Document) -> int | None:
    heads = [header for table in document.tables for header in (*table.columns, *table.rows[: table.header_rows])]
    texts = [*(" ".join((*head.levels, head.label)) for head in heads), *(table.title for table in document.tables)]
    said = [match["day"] for text in texts for match in _YEAR_ENDED.finditer(text.lower())]
    for day in said:
        if (last := parse_period(day, _LEAP_YEAR)) is not None and last.month:
            return _month_of(last)
    for head in heads:
        period = head.period
        if period is not None and period.kind == "span" and period.ends and period.months in (_HALF, 9):
            last = Period("date", period.year, month=period.ends.month, day=period.ends.day)
            return (_month_of(last) - period.months - 1) % _YEAR + 1
    for table in document.tables:
        days = {head.period for head in table.columns if head.period is not None and head.period.kind == "date"}
        if len(days) > 1 and any(day.month == _DECEMBER for day in days):
            return _DECEMBER
    return None


def _month_of(period: Period) -> int:
    """The month in which a period ends: one that ends in the first week of a month ends with the month before."""
    month = period.month or _DECEMBER
    return (month - 2) % _YEAR + 1 if period.day is not None and period.day <= _NEAR else month
