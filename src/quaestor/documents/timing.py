"""Periods of the rows and columns of a table that several headings give together.

Headings with a complete period are read in `headers`.
"""

import re
from calendar import month_name
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile
from math import gcd

from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import (
    Period,
    find_periods,
    first_day,
    leads_to_year,
    parse_period,
    period_of_months,
    shifted,
)
from quaestor.documents.captions import is_caption, without_caption
from quaestor.documents.table import Header, Table

_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|(?:jan|feb|mar|apr|jun|jul"
    r"|aug|sept?|oct|nov|dec)\.?)"
)
_DAY_FIRST = rf"[0-3]?[0-9](?:st|nd|rd|th)?\s+{_MONTH}"
_LENGTH = lazy_regex(
    r"\b(?:(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[0-9]{1,2})[\s-]+months?"
    r"|(?:[a-z]{1,20}-?\s?[a-z]{0,20}|[0-9]{1,2})[\s-]+weeks?|(?:fiscal\s+)?(?:half[\s-])?years?"
    rf"|(?:fiscal\s+)?quarters?)(?:\s+periods?)?(?:[\s-]+end(?:ed|ing)\b|\s+to(?=\s+(?:{_DAY_FIRST}|{_MONTH})|\s*$))",
    re.IGNORECASE,
)
_LENGTH_ALONE = lazy_regex(rf"(?:for\s)?(?:the\s)?({_LENGTH.pattern})", re.IGNORECASE)
_MONTHS_ALONE = lazy_regex(r"((?:three|six|nine|twelve|3|6|9|12)[\s-]months?)(?:\send(?:ed|ing))?:?", re.IGNORECASE)
_ENDS = lazy_regex(rf"\bend(?:ed|ing):?\s+({_MONTH}\s+[0-3]?[0-9]|{_DAY_FIRST})\b", re.IGNORECASE)
_MONTH_DAY = lazy_regex(rf"\b(?:{_MONTH}\s+[0-3]?[0-9]|{_DAY_FIRST})\b", re.IGNORECASE)
_SHORT_MONTH = lazy_regex(
    rf"({_MONTH})\s?([0-9]{{2}})(?:\svs?\.?\s{_MONTH}\s?[0-9]{{2}})?(?:\s?(?:%|[a-z]{{0,3}}[$€£¥]\S{{0,4}}))?",
    re.IGNORECASE,
)
_COUNTED_YEAR = lazy_regex(
    r"((?:19|20)[0-9]{2})\s(?:shares|options|units|years|months|days|employees|people|stores|customers)", re.IGNORECASE
)
_DAY_ALONE = lazy_regex(_MONTH_DAY.pattern + r"\.?(?!\s?,?\s?[12][0-9]{3})", re.IGNORECASE)
_INSTANT = lazy_regex(r"\b(?:as of|at)\b", re.IGNORECASE)
_ADJUSTS = lazy_regex(r"\b(?:adopt(?:ion|ing)|cumulative[\s-]effect)\b", re.IGNORECASE)
_DUE = lazy_regex(r"\b(?:due|matur\w+|expir\w+|notes|bonds|debentures)\b", re.IGNORECASE)
_YEAR_AFTER = lazy_regex(r"[\s,]{1,3}((?:19|20)[0-9]{2})\b")
_YEAR_ALONE = lazy_regex(r"(?:19|20)[0-9]{2}")
_RELATIVE_YEAR = lazy_regex(
    r"(?:the\s)?(?:(?P<before>vorjahr|(?:prior|previous|preceding|last)\s(?:fiscal\s|financial\s)?year|año anterior"
    r"|(?:exercice|année) précédente?)|(?:current|this|reporting)\s(?:fiscal\s|financial\s)?year|berichtsjahr)",
    re.IGNORECASE,
)
"""A heading with a year relative to the reported one."""
_ROLLS = lazy_regex(
    r"\b(?:beginning|start|opening|end|close)\b(?:\s+(?:balance|of))|\bbalances?,?\s+(?:at|as of|beginning|end)", re.I
)


def with_periods(table: Table, about: Sequence[str], reported: Period | None = None) -> Table:
    """Return a table with the periods of its rows and columns, and of the whole table.

    Args:
        about: Texts above the table, nearest last: heading, sentences, title, caption.
        reported: Period of the whole document, used if nothing else gives the period of the table.
    """
    columns = _date_bare_years([_join_periods(table, place, header) for place, header in enumerate(table.columns)])
    columns = _date_lengths(table, columns, about)
    columns = _date_short_forms(_date_split_years(columns), about, reported)
    columns = _date_months(_date_relative_years(columns, reported))
    years = {header.period.year for header in columns[1:] if header.period}
    if (day := _find_last_day(about, reported)) is not None and day.year in years:
        columns = tuple(_apply_day(header, day) for header in columns)
    length = _find_length(table, about, years) if not any(_has_length(header) for header in columns[1:]) else None
    if length is not None:
        columns = tuple(_apply_length(header, length) for header in columns)
        table = replace(table, rows=tuple(_apply_length(header, length, days=True) for header in table.rows))
    if _rolls_forward(replace(table, columns=columns)):
        columns = tuple(replace(header, period=_year_of_day(header.period)) for header in columns)
    rows = _date_split_years(_date_sections(table))
    table = replace(table, rows=rows)
    if 2 * sum(header.period is not None for header in columns[1:]) < len(columns) - 1:
        rows = _date_flows_between_balances(table)
    own = reported
    if not any(header.period for header in columns[1:]):
        own = next((mention.period for text in reversed(about) for mention in find_periods(text[:600])), reported)
    headed = 2 * sum(header.period is not None for header in columns[1:]) >= len(columns) - 1
    orientation = "columns" if headed and table.orientation == "neither" else table.orientation
    return replace(table, columns=dated_changes(columns), rows=rows, period=own, orientation=orientation)


def _header_texts(table: Table, place: int) -> list[str]:
    texts = [table.cells[row][place].text for row in range(table.header_rows)]
    return [text for text in texts if text and not is_caption(text)]


def _join_periods(table: Table, place: int, header: Header) -> Header:
    """Return a column header with the period of its stacked headings."""
    texts = _header_texts(table, place) if place else []
    whole = " ".join(texts)
    if (len(texts) < 2 and header.period is not None and not _LENGTH.search(whole)) or len(whole) > 300:
        return header
    if not any(pattern.search(whole) for pattern in (_LENGTH, _MONTH_DAY, _INSTANT)) and not any(
        map(leads_to_year, texts)
    ):
        return header
    named = [text for text in texts if _LENGTH.search(text) or _MONTH_DAY.search(text) or _is_dated(text)]
    joined = " ".join(dict.fromkeys(text.rstrip(" ,") + " " for text in named)).strip()
    period = parse_period(joined) or next((mention.period for mention in find_periods(joined)), None)
    lasting = _length_alone(texts)
    if lasting and period is not None and period.kind == "date":
        # "Periods ended June 30, 2025" above "Three months".
        period = parse_period(f"{lasting} ended {first_day(period)}") or period
    return replace(header, period=period) if period is not None else header


def _length_alone(texts: Sequence[str]) -> str | None:
    """Return the length of the first text that is only a length of months ("Three months ended"), or None."""
    return next((found[1] for text in texts if (found := _MONTHS_ALONE.fullmatch(text.strip()))), None)


def _date_lengths(table: Table, columns: Sequence[Header], about: Sequence[str]) -> tuple[Header, ...]:
    """Return the column headers; "Three months" above "2024" ends on the day in a text above the table."""
    day = next((found[1] for text in reversed(about) if (found := _ENDS.search(text))), None)
    lengths = [_length_alone(_header_texts(table, place)) if place and day else None for place in range(len(columns))]
    return tuple(
        replace(header, period=parse_period(f"{length} ended {day} {header.period.year}") or header.period)
        if length and header.period and header.period.kind == "year"
        else header
        for header, length in zip(columns, lengths, strict=True)
    )


def _is_dated(text: str) -> bool:
    return bool(find_periods(text)) or leads_to_year(text)


def _date_bare_years(columns: Sequence[Header]) -> tuple[Header, ...]:
    """Return the column headers; a bare year to the right of a day becomes a day ("December 31, 2024 | 2023").

    Spans that end on a day are completed in the same way.
    """
    found, first = list[Header](), None
    for header in columns:
        if header.period is None or not _YEAR_ALONE.fullmatch(header.label):
            first = header if _names_day(header) else first if header.period is None else None
        elif (
            first is not None
            and first.period
            and (first.levels[:-1], "year") == (header.levels[:-1], header.period.kind)
        ):
            found.append(replace(header, period=shifted(first.period, header.period.year - first.period.year)))
            continue
        found.append(header)
    return tuple(found)


def _date_split_years(headers: Sequence[Header]) -> tuple[Header, ...]:
    """Return the headers; "2023-24" beside "2022-23" is a fiscal year, but "2025-26" beside "2027-28" are two years."""
    ranges = {header.period for header in headers if header.period and header.period.kind == "range"}
    first = [period.year for period in ranges]
    follow = len(ranges) >= _PAIR and max(first) - min(first) == len(ranges) - 1
    if not follow or any(period.last != period.year + 1 for period in ranges):
        return tuple(headers)
    years = {period: Period("year", period.year + 1) for period in ranges}
    return tuple(replace(one, period=years.get(one.period, one.period)) if one.period else one for one in headers)


def _date_short_forms(columns: Sequence[Header], about: Sequence[str], reported: Period | None) -> tuple[Header, ...]:
    """Return the column headers with the periods of "2025 Shares" beside "2024 Shares" and "Dec 25" beside "Dec 24".

    Alone, "2000 shares" is a number; "Dec 25" is a day unless the report is about 2025.
    """
    periods = [None if header.period else _short_period(header.label) for header in columns]
    dated = {period for period in periods if period}
    years = {mention.period.year for text in about for mention in find_periods(text[:600])}
    years |= {reported.year} if reported else set()
    if len(dated) < _PAIR or not any(period.kind == "year" or period.year in years for period in dated):
        return tuple(columns)
    return tuple(
        replace(header, period=header.period or period) for header, period in zip(columns, periods, strict=True)
    )


def _date_months(columns: Sequence[Header]) -> tuple[Header, ...]:
    """Return the column headers; "Mar 25" is the half or quarter that the heading above or the distances tell."""
    months = {header.period for header in columns[1:] if header.period and header.period.kind == "month"}
    ends = sorted(12 * month.year + (month.month or 12) for month in months)
    apart = gcd(*(later - one for one, later in pairwise(ends))) if len(ends) > _PAIR else 0
    by_distance = {3: "quarter ended", 6: "half-year ended"}.get(apart)
    found = list[Header]()
    for header in columns:
        length = next(filter(_LENGTH.fullmatch, header.levels[:-1]), by_distance)
        if (month := header.period) in months and month is not None and length:
            period = parse_period(f"{length} {month_name[month.month or 12]} {month.year}")
            found.append(replace(header, period=period or month))
        else:
            found.append(header)
    return tuple(found)


def _short_period(label: str) -> Period | None:
    if counted := _COUNTED_YEAR.fullmatch(label):
        return parse_period(counted[1])
    month = _SHORT_MONTH.fullmatch(label)
    return parse_period(f"{month[1]} 20{month[2]}") if month else None


def _date_relative_years(columns: Sequence[Header], reported: Period | None) -> tuple[Header, ...]:
    """Return the column headers, with "prior year" as the year before that of the previous column or of the report."""
    found, known = list[Header](), reported
    for header in columns:
        relative = _RELATIVE_YEAR.fullmatch(header.label)
        if header.period is None and relative is not None and known is not None:
            before = -1 if relative["before"] else 0
            found.append(replace(header, period=shifted(known, before)))
            continue
        known = header.period or known
        found.append(header)
    return tuple(found)


def _names_day(header: Header) -> bool:
    period = header.period
    return period is not None and (period.kind == "date" or period.ends is not None) and period.kind != "range"


def _has_length(header: Header) -> bool:
    return any(_LENGTH.search(level) for level in header.levels) or (
        header.period is not None and header.period.kind in ("quarter", "span")
    )


def _find_length(table: Table, about: Sequence[str], years: Collection[int]) -> str | None:
    """Return the period without a year ("six months ended May 31") in the corner or a text above a table, or None.

    A corner may also have only the length ("Half-year ended"), with the days in the columns.
    """
    corners = (row[0].text for row in table.cells[: table.header_rows] if not is_caption(row[0].text))
    corner = " ".join(filter(None, (without_caption(text).strip().rstrip(",:") for text in corners)))
    if leads_to_year(corner):
        return corner
    dated = any(header.period and header.period.kind == "date" for header in (*table.columns, *table.rows))
    if dated and (alone := _LENGTH_ALONE.fullmatch(corner)):
        return alone[1]
    for text in reversed(about):
        lengths = {" ".join(found[0].split()).casefold() for found in _LENGTH.finditer(text)}
        if len(lengths) > 1 or re.search(r"\b(?:three|six|nine)[\s,-]+(?:and|or)\b", text, re.IGNORECASE):
            return None
        if lengths:
            found = _LENGTH.search(text)
            day = _MONTH_DAY.search(text, found.end() if found else 0)
            year = _YEAR_AFTER.match(text, day.end()) if day else None
            # If no column has the year of the day, the day does not apply to its columns: "2000" ended on January 28,
            # 2001.
            return f"{lengths.pop()} {day[0]}" if day and not (year and int(year[1]) not in years) else None
    return None


def _find_last_day(about: Sequence[str], reported: Period | None) -> Period | None:
    """Return the last day of a half-year report if the text above a table has it ("as at 30 June 2025"), or None."""
    if reported is None or reported.kind != "span":
        return None
    for text in reversed(about):
        days = [mention.period for mention in find_periods(text[:600]) if mention.period.kind == "date"]
        if _LENGTH.search(text) or days:
            return next((day for day in days if _INSTANT.search(text) and first_day(day) == reported.ends), None)
    return None


def _apply_day(header: Header, day: Period) -> Header:
    """Return a header with a bare year as that of a day in the year."""
    year = header.period.year if header.period and header.period.kind == "year" else None
    return header if year is None else replace(header, period=shifted(day, year - day.year))


def _apply_length(header: Header, length: str, *, days: bool = False) -> Header:
    """Return a header with a bare year as that of a span that ended in the year, or on the day if no other is given.

    Args:
        days: Whether only days are changed.
    """
    if header.period is None or (days and header.period.kind != "date"):
        return header
    end, alone = str(header.period.year), _LENGTH.match(length)
    if header.period.kind == "date" and alone and alone.end() == len(length):
        end = first_day(header.period).isoformat()
    elif header.period.kind == "month" and alone and (short := _SHORT_MONTH.fullmatch(header.label)):
        length, end = alone[0], f"{short[1]} 20{short[2]}"
    elif header.period.kind != "year" or days:
        return header
    period = parse_period(f"{length} {end}")
    return header if period is None else replace(header, period=period)


def _rolls_forward(table: Table) -> bool:
    """Whether a table leads from opening to closing balances, with columns headed by the closing dates."""
    if not any(header.period and header.period.kind == "date" for header in table.columns[1:]):
        return False
    labels = [header.label for header in table.rows]
    return sum(bool(_ROLLS.search(label) or _DAY_ALONE.search(label)) for label in labels) >= 2


def _year_of_day(period: Period | None) -> Period | None:
    return Period("year", period.year) if period is not None and period.kind == "date" else period


def _date_sections(table: Table) -> tuple[Header, ...]:
    """Return the row headers; rows below a line that is only a period get that period."""
    rows: list[Header] = []
    period: Period | None = None
    for place, header in enumerate(table.rows):
        cells = table.cells[place]
        alone = place >= table.header_rows and cells[0].text and not any(cell.text for cell in cells[1:])
        if alone and (named := parse_period(cells[0].text)) is not None:
            period = named
        rows.append(replace(header, period=period) if period is not None and header.period is None else header)
    return tuple(rows)


def _date_flows_between_balances(table: Table) -> tuple[Header, ...]:
    """Return the row headers; rows between two dated balances get the span between them.

    An adjustment for a new accounting standard right below a balance has the day of the balance.
    """
    rows = list(table.rows)
    dated = [
        (place, header.period)
        for place, header in enumerate(rows)
        if place >= table.header_rows
        and header.period
        and header.period.kind == "date"
        and not _DUE.search(header.label)
    ]
    for (first, begin), (last, end) in pairwise(dated):
        span = _span_between(begin, end)
        adjusted = takewhile(lambda place: _ADJUSTS.search(rows[place].label), range(first + 1, last))
        begins = max(adjusted, default=first)
        for place in range(first + 1, begins + 1):
            rows[place] = replace(rows[place], period=begin)
        for place in range(begins + 1, last):
            if span is not None and (rows[place].period is None or rows[place].period == begin):
                rows[place] = replace(rows[place], period=span)
    return tuple(rows)


def _span_between(begin: Period, end: Period) -> Period | None:
    last = first_day(end)
    months = round((last - first_day(begin)).days / 30.44)
    if not 1 <= months <= 12:
        return None
    return replace(period_of_months(months, end.year, end.month or 1), ends=last)


_REPORTED = lazy_regex(
    r"\bfor the\s+"
    r"(?P<length>(?:f(?:iscal|inancial)\s+|transition\s+)?(?:year|quarter(?:ly)?\s+period|quarter)|half[\s-]year"
    # "Six months ended June 30" may also be the year to date of a quarterly report.
    r"|5[23][\s-]weeks?(?:\s+period)?|(?:six\s+months?|2[67][\s-]weeks?)(?:\s+period)?(?=\s+(?:ended|to)\s+[0-9]))"
    r"\s+(?:ended:?|to)\s+(?P<day>[^.;]{6,40})",
    re.IGNORECASE,
)


def reported_period(text: str) -> Period | None:
    """Return the period on the first page of a report ("for the fiscal year ended June 30, 2025"), or None."""
    found = _REPORTED.search(text[:2000])
    days = find_periods(found["day"]) if found else ()
    if not found or not days or days[0].period.kind != "date":
        return None
    last, length = days[0].period, found["length"].casefold()
    plain = ("quarter", "half-year", "half year", "year")
    length = next((word for word in plain if word in length), length)
    return parse_period(f"{length} ended {last.year}-{last.month:02}-{last.day:02}")


# Periods of columns that contain changes: "Change" between 2024 and 2023 belongs to 2024.
#
# Such headings rarely have a year, or have the one compared with ("change vs. 2023").

_CHANGE = lazy_regex(r"\b(?:change|variance|increase|decrease|growth rate)\b(?! rates?\b)", re.IGNORECASE)
_LONGEST = 60
_PAIR = 2
_YEAR = lazy_regex(r"\b(?:19|20)\d\d\b")
_VERSUS = lazy_regex(r"\b(?:vs\.?|versus|from|over|compared (?:to|with))\s", re.IGNORECASE)


def dated_changes(columns: Sequence[Header]) -> tuple[Header, ...]:
    """Return the column headers; a column of changes gets the later of the two periods it compares.

    Either each period is followed by its change from the next one (2024, change, 2023, change, 2022), or two periods by
    the change between them (2024, 2023, change).
    """
    found, periods = list[Header](), list[Period]()
    follows_one: bool | None = None
    for place, header in enumerate(columns):
        if not place or not _is_change(header):
            found.append(header)
            if place and header.period is not None and (not periods or periods[-1] != header.period):
                periods.append(header.period)
            continue
        if follows_one is None:
            follows_one = len(periods) == 1
        if (period := _later_year(header, columns)) is not None:
            found.append(replace(header, period=period))
            continue
        ahead = next((later.period for later in columns[place + 1 :] if later.period and not _is_change(later)), None)
        pair = [*periods[-1:], *([ahead] if ahead else [])] if follows_one else periods[-2:]
        found.append(replace(header, period=_later_period(pair)) if _later_period(pair) is not None else header)
    return tuple(found)


def names_change(label: str) -> bool:
    """Return whether a column header is that of changes."""
    return len(label) <= _LONGEST and bool(_CHANGE.search(label))


def _is_change(header: Header) -> bool:
    """Whether a column contains changes without a single period in its header."""
    if not names_change(header.label):
        return False
    return header.period is None or bool(_VERSUS.search(header.label))


def _later_year(header: Header, columns: Sequence[Header]) -> Period | None:
    """Return the later of two years in a header of changes ("2024 vs. 2023 change"), as in the other columns."""
    years = sorted({int(year) for year in _YEAR.findall(" ".join(header.levels))})
    if len(years) < _PAIR:
        return None
    return next((other.period for other in columns if other.period and other.period.year == years[-1]), None)


def _later_period(pair: Sequence[Period]) -> Period | None:
    """Return the later of two periods of the same kind, or None."""
    if len(pair) < _PAIR or len({(period.kind, period.month, period.quarter, period.months) for period in pair}) > 1:
        return None
    return max(pair, key=lambda period: period.year)
