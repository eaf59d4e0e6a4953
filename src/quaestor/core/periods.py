"""Fiscal periods: years, quarters, months, dates, spans of months, ranges, and words such as "the prior year".

Owns what a period is and how it is read from text. Knows nothing of fiscal calendars: a fiscal year is the year
that it is named after, and a year ended on a date is the year of that date.
"""

import re
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Literal

from quaestor.core.encoding_artifacts import mask_artifacts
from quaestor.core.number_words import read_number_words
from quaestor.core.words import NUMBER_WORDS

PeriodKind = Literal["year", "quarter", "month", "date", "span", "range"]


@dataclass(frozen=True, slots=True)
class Period:
    """A year, a quarter, a month, a day, several months, or a range of years.

    Attributes:
        kind: How fine it is.
        year: The year; for a range its first.
        quarter: 1 to 4 for a quarter, else None.
        month: 1 to 12 for a month, a date, or the last month of a span, else None.
        day: 1 to 31 for a date, else None.
        last: The last year of a range, else None; a range without it is open ("2020 and thereafter").
        months: How many months a span has ("six months ended june 30"), else None.
    """

    kind: PeriodKind
    year: int
    quarter: int | None = None
    month: int | None = None
    day: int | None = None
    last: int | None = None
    months: int | None = None


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


@dataclass(frozen=True, slots=True)
class PeriodEdge:
    """The first years of a period, or its last ones.

    Attributes:
        count: How many: 1 is the first year, -2 are the last two.
        start: First character of the words.
        end: The character after the last one.
    """

    count: int
    start: int
    end: int


_MONTH_NUMBERS = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6,
    "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}

_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b)"
)
_YEAR = r"(?:19[5-9]|20[0-9])[0-9]"
_ORDINAL = r"(?:first|second|third|fourth|1st|2nd|3rd|4th)"
_GAP = r"\s{0,3}"
_FISCAL = rf"(?:(?:fiscal|fye?){_GAP}(?:years?{_GAP})?|f(?=(?:0[5-9]|[12][0-9])(?![0-9A-Za-z-])))"
"""Before a fiscal year, also as Australian reports print it: `F19`."""


def _quarter(prefix: str) -> str:
    """Returns the pattern of a quarter, its groups named by the prefix."""
    named = rf"(?P<{prefix}ordinal>{_ORDINAL})(?:\s{{1,3}}fiscal)?\s{{1,3}}(?:quarter|qtr)"
    return rf"(?:{named}|q(?P<{prefix}digit>[1-4]))"


_COUNTED = (
    r"(?:shares|share|employees|people|stores|units|options|barrels|acres|gallons|tons|square|million|billion"
    r"|thousand|percent|basis|locations|customers|days|months|years|hours|miles)\b"
)
_MONTHS_OR_WEEKS = (
    r"(?:(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[2-9]|1[0-2])[\s-]months?"
    r"|(?:twelve|thirteen|sixteen|twenty-?\s?(?:four|six|eight)|thirty-?\s?(?:six|nine)|forty|fifty-?\s?(?:two|three)"
    r"|1[236]|2[468]|3[69]|40|5[23])[\s-]weeks?)(?:\s+periods?)?"
)
_WEEKS_OF_A_MONTH = 365.25 / 12 / 7
_MENTION = re.compile(
    rf"""(?<![0-9A-Za-z.$€£])(?:
      {_quarter("a")}(?:\s+of)?(?:\s+the)?(?:\s+fiscal)?(?:\s+years?)?{_GAP},?{_GAP}(?P<a_year>{_YEAR})(?![0-9])
    | (?P<b_year>{_YEAR})\s+{_quarter("b")}(?![a-z0-9])
    | (?P<c_span>quarters?|(?:fiscal\s+)?years?|{_MONTHS_OR_WEEKS})[\s-]+end(?:ed|ing)
        \s+(?P<c_month>{_MONTH}){_GAP}\.?{_GAP}(?:(?P<c_day>[0-3]?[0-9])(?![0-9]){_GAP},?{_GAP}|(?P<c_glued>[0-3][0-9]))?
        (?P<c_year>{_YEAR})(?![0-9]|\s+{_ORDINAL}\s)
    | (?P<d_month>{_MONTH}){_GAP}\.?{_GAP}
        (?:(?P<d_day>[0-3]?[0-9])(?![0-9]){_GAP},?{_GAP}|(?P<d_glued>[0-3][0-9]))(?P<d_year>{_YEAR})(?![0-9]|\s+{_ORDINAL}\s)
    | (?P<e_day>[0-3]?[0-9])[\s-](?P<e_month>{_MONTH})[\s-]?,?{_GAP}(?P<e_year>{_YEAR})(?![0-9])
    | (?P<f_month>1[0-2]|0?[1-9])/(?P<f_day>3[01]|[12][0-9]|0?[1-9])/(?P<f_year>{_YEAR}|[0-9]{{2}})(?![0-9])
    | (?P<g_month>{_MONTH})(?:{_GAP}\.?{_GAP},?{_GAP}(?P<g_year>{_YEAR})|-(?P<g_short>[0-9]{{2}}))(?![0-9])
    | (?:{_FISCAL})?(?P<t_year>{_YEAR})\s?/\s?(?P<t_last>{_YEAR}|[0-9]{{2}})(?![0-9/])
    | (?P<r_year>{_YEAR})\s?-\s?(?P<r_last>{_YEAR}|[0-9]{{2}})(?![0-9-])
    | {_FISCAL}(?P<s_year>{_YEAR})\s?-\s?(?P<s_last>{_YEAR}|[0-9]{{2}})(?![0-9-])
    | {_FISCAL}(?P<h_year>{_YEAR}|'?[0-9]{{2}}(?![0-9.,%]|\s?(?:%|{_COUNTED})))(?![0-9])
    | (?P<y_year>{_YEAR})(?![0-9%]|[./][0-9]|,(?!{_YEAR}(?![0-9,]))[0-9]|\s?%|\s?{_COUNTED})
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_PARTIAL = re.compile(
    rf"""(?:(?P<span>quarters?|years?|{_MONTHS_OR_WEEKS})[\s-]+end(?:ed|ing)\s+)?
      (?:(?P<month>{_MONTH}){_GAP}\.?{_GAP}(?:(?P<day>[0-3]?[0-9])(?:\s?-\s?[0-3]?[0-9])?(?![0-9]))?
      |{_quarter("p")})""",
    re.VERBOSE | re.IGNORECASE,
)
_FILLER = re.compile(
    r"\b(?:as|of|or|at|on|in|for|the|and|to|through|years?|year-end(?:ed)?|ended|ending|end|fiscal|calendar|periods?"
    r"|months?|three|twelve|quarters?|unaudited|audited|restated|revised|thereafter|after|base|baseperiod|beyond)\b"
    r"|\(\s*(?:[0-9]{1,2}|[a-z])\s*\)|\[[0-9]\]|[\s,.:;*()-]",
    re.IGNORECASE,
)
_JOINED = re.compile(r"(?:-|to|through|and)?", re.IGNORECASE)
_OPEN = re.compile(r"\b(?:thereafter|beyond|after)\b", re.IGNORECASE)
_AFTER = re.compile(r"\s{0,3}after\b", re.IGNORECASE)


def find_periods(text: str) -> tuple[PeriodMention, ...]:
    """Returns the periods that running text or a question names, left to right.

    "2007 to 2008" and "2007 and 2008" are two years; only a hyphen makes a range, and "2007/08" is the fiscal year that
    ends in 2008. A number that counts something
    ("2000 employees", "$ 2014") is none, nor is a dash that was printed as 2013 or 2014.
    """
    return _find_periods(text)


@lru_cache(maxsize=16384)
def _find_periods(text: str) -> tuple[PeriodMention, ...]:
    masked = mask_artifacts(text)
    mentions = []
    for match in _MENTION.finditer(masked):
        if match["y_year"] and re.search(r"[$€£]\s*$", masked[max(0, match.start() - 4) : match.start()]):
            continue
        period = _read_mention(match)
        if period is not None:
            mentions.append(PeriodMention(period, match.start(), match.end()))
    return tuple(mentions)


def _read_mention(match: re.Match[str]) -> Period | None:
    """Returns the period of a match, or None where its day is impossible."""
    group = match.groupdict()
    if quarter_year := group["a_year"] or group["b_year"]:
        ordinal, digit = group["aordinal"] or group["bordinal"], group["adigit"] or group["bdigit"]
        return Period("quarter", int(quarter_year), quarter=_ORDINALS[ordinal.casefold()] if ordinal else int(digit))
    if group["c_year"]:
        return _ended(group["c_span"], int(group["c_year"]), _month(group["c_month"]))
    if dated_year := group["d_year"] or group["e_year"] or group["f_year"]:
        month = group["d_month"] or group["e_month"] or group["f_month"]
        day = group["d_day"] or group["d_glued"] or group["e_day"] or group["f_day"]
        return _dated(_long_year(dated_year), _month(month), int(day))
    if group["g_month"]:
        return _at("month", _long_year(group["g_year"] or group["g_short"]), _month(group["g_month"]))
    if group["t_year"]:
        return _split_year(int(group["t_year"]), group["t_last"])
    return _read_years(group["r_year"] or group["s_year"], group["r_last"] or group["s_last"]) or Period(
        "year", _long_year((group["h_year"] or group["y_year"]).lstrip("'"))
    )


def _split_year(first: int, last: str) -> Period | None:
    """Returns the fiscal year that ends in the second of two years ("2017/18"); None where they do not follow."""
    end = int(last) if len(last) == 4 else int(f"{first // 100}{last}") if last != "00" else first + 1
    return Period("year", end) if end == first + 1 else None


def _read_years(first: str | None, last: str | None) -> Period | None:
    """Returns the range of years that a hyphen makes ("2019-20"); None where there is none."""
    if first is None or last is None:
        return None
    end = int(last) if len(last) == 4 else int(first[:2] + last)
    return Period("range", int(first), last=end) if int(first) < end else Period("year", int(first))


def _month(name: str) -> int:
    return int(name) if name.isdigit() else _MONTH_NUMBERS[name[:3].casefold()]


def _long_year(digits: str) -> int:
    if len(digits) == 4:
        return int(digits)
    return int(digits) + (2000 if int(digits) < 60 else 1900)


def _dated(year: int, month: int, day: int) -> Period | None:
    try:
        date(year, month, day)
    except ValueError:
        return None
    return Period("date", year, month=month, day=day)


@lru_cache(maxsize=8192)
def parse_period(text: str, year: int | None = None) -> Period | None:
    """Returns the period that a whole label names, or None where it names none or says anything else as well.

    "2006 to 2010", "2011 and 2012" and "2016 2014 2020" (a dash printed as 2014) are ranges; "2020 and thereafter"
    is an open one. Dates that span a month, a quarter or a year name that month, quarter or year.

    Args:
        text: The label of a row or a column.
        year: The year of the section, for labels without one ("second quarter", "quarter ended march 31").
    """
    mentions = find_periods(text)
    masked = mask_artifacts(text)
    if not mentions:
        return _parse_partial(masked, year)
    edges = [0, *(edge for mention in mentions for edge in (mention.start, mention.end)), len(masked)]
    between = [masked[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    if len(mentions) > 2 or any(_FILLER.sub("", part) for part in between):
        return None
    first, last = mentions[0].period, mentions[-1].period
    if len(mentions) == 2:
        printed = text[mentions[0].end : mentions[1].start]
        return _joined(first, last) if printed.strip() and _JOINED.fullmatch(between[1].strip()) else None
    if _AFTER.match(between[0]):
        return Period("range", first.year + 1)
    return Period("range", first.year) if _OPEN.search(between[1]) else first


def _joined(first: Period, last: Period) -> Period | None:
    """Returns the period from one mention to the next."""
    if first.kind == "date" and last.kind == "date":
        begin = date(first.year, first.month or 1, first.day or 1)
        days = (date(last.year, last.month or 1, last.day or 1) - begin).days
        for kind, low, high in (("month", 20, 40), ("quarter", 75, 105), ("year", 340, 380)):
            if low <= days <= high:
                return _at(kind, last.year, last.month or 1)
    if first.year < last.year:
        return Period("range", first.year, last=last.last or last.year)
    return None


def _ended(length: str, year: int, month: int) -> Period:
    """Returns the period of some length that ended in a month ("six months", "13 weeks", "fiscal year")."""
    if "month" not in length.casefold() and "week" not in length.casefold():
        return _at("quarter" if length.casefold().startswith("quarter") else "year", year, month)
    count = re.match("[0-9]+", length)
    number = int(count[0]) if count else read_number_words(re.split(r"[\s-]+(?:month|week)", length.casefold())[0]) or 0
    months = number if "month" in length.casefold() else round(number / _WEEKS_OF_A_MONTH)
    if months in (3, 12):
        return _at("quarter" if months == 3 else "year", year, month)
    return Period("span", year, month=month, months=months)


def _at(kind: str, year: int, month: int) -> Period:
    if kind == "month":
        return Period("month", year, month=month)
    return Period("quarter", year, quarter=(month + 2) // 3) if kind == "quarter" else Period("year", year)


def _parse_partial(masked: str, year: int | None) -> Period | None:
    """Returns the period of a label that leaves the year to its section, or that prints it as "12/11"."""
    if short := re.fullmatch(r"\s*(1[0-2]|0?[1-9])/([0-9]{2})\s*", masked):
        return _at("month", _long_year(short[2]), int(short[1]))
    match = _PARTIAL.search(masked)
    if year is None or match is None or _FILLER.sub("", masked[: match.start()] + masked[match.end() :]):
        return None
    if match["month"] is None:
        ordinal = match["pordinal"]
        return Period("quarter", year, quarter=_ORDINALS[ordinal.casefold()] if ordinal else int(match["pdigit"]))
    month = _month(match["month"])
    if match["span"]:
        return _ended(match["span"], year, month)
    if match["day"] is None or "-" in match[0]:
        return _at("month", year, month)
    return _dated(year, month, int(match["day"]))


def shifted(period: Period, years: int) -> Period:
    """Returns the same period so many years later (earlier where negative)."""
    return replace(period, year=period.year + years, last=None if period.last is None else period.last + years)


_COUNTS = {"a": 1, "an": 1, **NUMBER_WORDS}
_COUNT = rf"(?P<{{0}}>{'|'.join(_COUNTS)}|[1-9])"
_RELATIVE = re.compile(
    rf"""\b(?:
      (?:the\s+)?{_COUNT.format("back")}\s+(?:fiscal\s+)?years?\s+(?:before|earlier|prior|ago|previous(?:ly)?|preceding)
    | (?:the\s+)?{_COUNT.format("ahead")}\s+(?:fiscal\s+)?years?\s+(?:after|later|afterwards?|hence)
    | (?P<past>(?:the\s+)?(?:(?:immediately\s+)?(?:prior|previous|preceding|precedent|last)[\s-]+
        (?:fiscal\s+|calendar\s+)?year
        | (?:fiscal\s+)?year\s+(?:before|prior|earlier|preceding)))
    | (?P<next>(?:the\s+)?(?:(?:following|next|subsequent|succeeding)\s+(?:fiscal\s+|calendar\s+)?year
        | (?:fiscal\s+)?year\s+(?:after|later|following)))
    )\b(?!\s+end)""",
    re.VERBOSE | re.IGNORECASE,
)
_EDGE = re.compile(
    r"\b(?P<edge>first|last|final|initial)\s+(?:(?P<count>two|three)\s+)?years?\s+of\s+(?:the|that|this|those|these)\s+"
    r"(?:\w+\s+){0,2}(?:period|time|years|range|interval)\b",
    re.IGNORECASE,
)
"""The first or the last years of a period that was spoken of."""


def find_period_edges(text: str) -> tuple[PeriodEdge, ...]:
    """Returns the first and last years of periods that text speaks of, left to right.

    >>> find_period_edges("in the last year of that period")
    (PeriodEdge(count=-1, start=7, end=31),)
    """
    return tuple(
        PeriodEdge(
            (1 if match["edge"].casefold() in ("first", "initial") else -1)
            * (NUMBER_WORDS[match["count"].casefold()] if match["count"] else 1),
            match.start(),
            match.end(),
        )
        for match in _EDGE.finditer(text)
    )


def find_relative_periods(text: str) -> tuple[RelativePeriod, ...]:
    """Returns the years that text names by their distance, left to right ("two years before" is -2)."""
    found = []
    edges = find_period_edges(text)
    for match in _RELATIVE.finditer(text):
        # "The last year of the period" is not the year before it.
        if any(edge.start <= match.end() - 1 < edge.end for edge in edges):
            continue
        if match["back"] or match["ahead"]:
            word = (match["back"] or match["ahead"]).casefold()
            count = int(word) if word.isdigit() else _COUNTS[word]
            offset = -count if match["back"] else count
        else:
            offset = -1 if match["past"] else 1
        found.append(RelativePeriod(offset, match.start(), match.end()))
    return tuple(found)
