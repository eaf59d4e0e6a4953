"""Parser of fiscal periods in text: years, quarters, months, dates, spans, ranges and relative periods."""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal

from quaestor.core.encoding_artifacts import mask_artifacts
from quaestor.core.number_forms import read_number_words
from quaestor.core.patterns import lazy_regex
from quaestor.core.words import NUMBER_WORDS

PeriodKind = Literal["year", "quarter", "month", "date", "span", "range"]


@dataclass(frozen=True, slots=True)
class Period:
    """Year, quarter, month, day, span of months, or range of years.

    Attributes:
        year: The year, or the first year of a range.
        quarter: 1 to 4 for a quarter, else None.
        month: 1 to 12 for a month, a date, or the last month of a span, else None.
        day: 1 to 31 for a date, else None.
        last: The last year of a range, else None; a range without it is open ("2020 and thereafter").
        months: The length of a span in months ("six months ended june 30"), else None.
        ends: The last day of a year, a quarter or a span, if the text names it; ignored by comparisons.
    """

    kind: PeriodKind
    year: int
    quarter: int | None = None
    month: int | None = None
    day: int | None = None
    last: int | None = None
    months: int | None = None
    ends: date | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PeriodMention:
    """Period with the span of the text that names it."""

    period: Period
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class RelativePeriod:
    """Period relative to another, in years: "the prior year" is -1, "the following year" is 1."""

    offset: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PeriodEdge:
    """First or last years of a period.

    Attributes:
        count: 1 is the first year, -2 are the last two years.
    """

    count: int
    start: int
    end: int


_MONTH_NAMES = (
    "january januar janvier enero", "february februar février fevrier febrero", "march märz maerz mars marzo",
    "april avril abril", "may mai mayo", "june juni juin junio", "july juli juillet julio", "august août aout agosto",
    "september septembre septiembre", "october oktober octobre octubre", "november novembre noviembre",
    "december dezember décembre decembre diciembre",
)  # fmt: skip
"""Names of the months in English, German, French and Spanish, starting with January."""
_SHORT_MONTH_NAMES = (
    "jan ene", "feb", "mar mär mrz", "apr avr abr", "", "jun", "jul", "aug ago", "sept sep", "oct okt", "nov",
    "dec dez déc dic",
)  # fmt: skip
_MONTH_NUMBERS = {
    name: number
    for names in (_MONTH_NAMES, _SHORT_MONTH_NAMES)
    for number, several in enumerate(names, 1)
    for name in several.split()
}
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}

_MONTH = (
    f"(?:{'|'.join(sorted(' '.join(_MONTH_NAMES).split(), key=len, reverse=True))}"
    rf"|(?:{'|'.join(' '.join(_SHORT_MONTH_NAMES).split())})\b)"
)
_YEAR = r"(?:19[5-9]|20[0-9])[0-9]"
_ORDINAL = r"(?:first|second|third|fourth|1st|2nd|3rd|4th)"
_GAP = r"\s{0,3}"
_COUNTED = (
    r"(?:shares|share|employees|people|stores|units|options|barrels|acres|gallons|tons|square|million|billion"
    r"|thousand|percent|basis|locations|customers|days|weeks|wks|months|mths?|years|hours|miles)\b"
)
_HEADS_PERCENTAGES = r"(?<=\A[0-9]{4})\s%(?:\sof\b|\Z)"
"""Text after a year that heads a column of percentages: `2024 %`, `2024 % of total`."""
_ESTIMATED = r"[aefpb](?![a-z0-9])"
"""Suffix of an actual, estimated, forecast, projected or budgeted year: `2024E`."""
_SHORT_YEAR = rf"'?[0-9]{{2}}(?!(?!{_ESTIMATED})[0-9a-z%]|[.,][0-9]|\s?(?:%|{_COUNTED}|{_MONTH}))"
_FISCAL = (
    rf"(?:(?:fiscal|fye?|cy|geschäftsjahr|exercice){_GAP}(?:years?{_GAP})?"
    r"|f(?=(?:0[5-9]|[12][0-9])(?![0-9A-Za-z-])))"
)
"""Prefix of a fiscal year, including that of Australian reports: `F19`."""
_OF = rf"(?:\s+of|\s+in)?(?:\s+the)?(?:\s+fiscal)?(?:\s+years?)?{_GAP}[,/-]?{_GAP}"
"""Text between a part of a year and the year."""
_SOME_YEAR = rf"(?:{_FISCAL})?(?P<year>(?:{_YEAR}|{_SHORT_YEAR})(?:[/-](?=[0-9]{{2}}(?![0-9/-]))[0-9]{{2}})?)(?![0-9])"
"""A year, or a fiscal year of two ("2023-24")."""
_YEAR_FIRST = rf"(?:(?P<year>{_YEAR})|{_FISCAL}(?P<short>{_YEAR}|{_SHORT_YEAR}))[\s-]{{0,3}}"
_QUARTER = (
    rf"(?:(?P<ordinal>{_ORDINAL})(?:[\s-]{{1,3}}fiscal)?[\s-]{{1,3}}(?:quarter|qtr\.?)"
    r"|(?:f?[qt]|(?:quarter|qtr\.?)\s)(?P<digit>[1-4])(?![0-9])"
    r"|(?P<first>[1-4])(?:[qt](?=fy|[^a-z])|\.\s?quartal|(?:er|e|º|°)\.?\s?trimestre))"
)
_HALF = (
    r"(?:hy?(?P<digit>[12])(?![0-9])|(?P<first>[12])(?:hy?(?=fy|[^a-z])|\.\s?halbjahr|(?:er|e|º|°)\.?\s?semestre)"
    r"|(?P<ordinal>first|second|1st|2nd)[\s-]half(?:[\s-]year)?"
    rf"|(?:hy(?=\s?(?:{_YEAR}|'?[0-9]{{2}}(?![0-9])))|half[\s-]years?(?={_OF}{_YEAR})))"
)
"""A half of a year; one without number is the first."""
_MONTHS = r"[\s-]?(?:months?|mths?|mos\b)"
_WEEKS = (
    r"(?:twelve|thirteen|sixteen|twenty-?\s?(?:four|six|eight)|thirty-?\s?(?:six|nine)|forty|fifty-?\s?(?:two|three)"
    r"|1[236]|2[468]|3[69]|40|5[23])[\s-]?(?:weeks?|wks?)"
)
_MONTHS_OR_WEEKS = (
    rf"(?:(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[2-9]|1[0-2]){_MONTHS}|{_WEEKS})"
    r"(?:\s+periods?)?"
)
_WEEKS_OF_A_MONTH = 365.25 / 12 / 7
_NO_TURN = rf"(?![0-9]|\s+{_ORDINAL}\s)"
"""Not followed by an ordinal ("december 31 2008 third ...")."""
_DATE = rf"""(?:
      (?P<m_month>{_MONTH}){_GAP}\.?{_GAP}
        (?:(?P<m_day>[0-3]?[0-9])(?:st|nd|rd|th)?(?![0-9]){_GAP},?{_GAP}|(?P<m_glued>[0-3][0-9]))(?P<m_year>{_YEAR}){_NO_TURN}
    | (?P<d_day>[0-3]?[0-9])(?:st|nd|rd|th|er|\.)?(?:\s(?:of\s|de\s)?|-)(?P<d_month>{_MONTH})\.?
        (?:[\s-]?,?{_GAP}(?:de\s)?(?P<d_year>{_YEAR})|(?:-|\s?')(?P<d_short>[0-9]{{2}})
          |\s(?P<d_bare>[0-2][0-9])(?!{_GAP},?{_GAP}[0-9]|\.[0-9]|\s?(?:%|{_COUNTED})))(?![0-9])
    | (?P<i_year>{_YEAR})(?P<i_sign>[-/.])(?P<i_month>1[0-2]|0?[1-9])(?P=i_sign)(?P<i_day>3[01]|[12][0-9]|0?[1-9])
        (?![0-9])(?:[t ]00:00(?::00(?:\.0{{1,9}})?)?)?
    | (?P<i_of>{_YEAR})年(?P<i_at>1[0-2]|0?[1-9])月(?P<i_on>3[01]|[12][0-9]|0?[1-9])日
    | (?P<n_first>3[01]|[12][0-9]|0?[1-9])(?:
          (?P<n_sign>[/.-])(?P<n_second>3[01]|[12][0-9]|0?[1-9])(?P=n_sign)(?P<n_year>{_YEAR})
        | /(?P<n_next>3[01]|[12][0-9]|0?[1-9])/(?P<n_short>[0-9]{{2}})
        | (?<=[0-9]{{2}})\.(?P<n_dotted>1[0-2]|0[1-9])\.(?P<n_last>[0-9]{{2}})(?!\.)
      )(?![0-9]))"""


@dataclass(frozen=True, slots=True)
class _Form:
    """Printed form of a period: its pattern, and a function that reads the named groups of a match."""

    pattern: str
    read: Callable[[dict[str, str]], Period | None]


def _read_quarter(found: dict[str, str]) -> Period | None:
    part = _read_part(found)
    return Period("quarter", part[0], quarter=part[1]) if part else None


def _read_half(found: dict[str, str]) -> Period | None:
    part = _read_part(found)
    return Period("span", part[0], month=6 * part[1], months=6) if part else None


def _read_part(found: dict[str, str]) -> tuple[int, int] | None:
    """Return the year and the number of a quarter or half, or None."""
    year = found.get("year") or found["short"]
    # The 10 of "second quarter 10" is not a year: two-digit years occur only in short forms ("Q2 10").
    if "ordinal" in found and len(year) == 2:
        return None
    number = _ORDINALS.get(found.get("ordinal", "").casefold()) or int(found.get("digit") or found.get("first") or 1)
    return _long_year(year), number


def _read_months(found: dict[str, str]) -> Period | None:
    """Return a span of months of a year, its first months by default."""
    if "weeks" in found:
        count = _months_of(found["weeks"])
    else:
        count = int(found.get("short") or 0) or read_number_words(found["count"]) or int(found["count"])
    year = _long_year(found["year"])
    last = 12 if found.get("which", "first").casefold() != "first" else count
    return period_of_months(count, year, last)


def _read_ended(found: dict[str, str]) -> Period | None:
    if "c_year" in found:
        return _ended(found["span"], int(found["c_year"]), _month(found["c_month"]))
    last = _read_date(found)
    if last is None:
        return None
    return _ended(found["span"], last.year, last.month or 1, last.day)


def _read_date(found: dict[str, str]) -> Period | None:
    """Return a day. Of two numbers the first is the month, unless it exceeds 12 or points separate them."""
    get = found.get
    if "n_first" in found:
        first, second = int(found["n_first"]), int(get("n_second") or get("n_next") or found["n_dotted"])
        year = _long_year(get("n_year") or get("n_short") or found["n_last"])
        day_first = first > 12 or (second <= 12 and (get("n_sign") == "." or "n_dotted" in found))
        return _make_date(year, second, first) if day_first else _make_date(year, first, second)
    years = ("m_year", "d_year", "d_short", "d_bare", "i_year", "i_of")
    year = _long_year(next(found[name] for name in years if name in found))
    month = get("m_month") or get("d_month") or get("i_month") or found["i_at"]
    day = get("m_day") or get("m_glued") or get("d_day") or get("i_day") or found["i_on"]
    return _make_date(year, _month(month), int(day))


def _read_months_between(found: dict[str, str]) -> Period | None:
    """Return the quarters or years from the first day of a month to the last day of another, or None."""
    begin, end, year = _month(found["begin"]), _month(found["end"]), int(found["year"])
    first, last = int(found.get("from") or found.get("first") or 1), int(found.get("day") or found.get("last") or 31)
    months = 12 * (year - int(found.get("since") or year - (begin > end))) + end - begin + 1
    if first != 1 or last < _LEAST_LAST_DAY or months not in (3, 6, 9, 12, 24, 36):
        return None
    if months > 12:
        return Period("range", year - months // 12 + 1, last=year)
    return replace(period_of_months(months, year, end), ends=_last_of_month(year, end))


def _read_month(found: dict[str, str]) -> Period | None:
    return Period("month", _long_year(found["year"]), month=_month(found["month"]))


def _read_era(found: dict[str, str]) -> Period | None:
    """Return the year, month or day of a date in a Japanese era."""
    count = 1 if found["count"] == "元" else int(found["count"])
    year = {"令和": 2018, "平成": 1988, "昭和": 1925}[found["era"]] + count
    if "day" in found:
        return _make_date(year, int(found["month"]), int(found["day"]))
    return Period("month", year, month=int(found["month"])) if "month" in found else Period("year", year)


def _read_fiscal_month(found: dict[str, str]) -> Period | None:
    """Return a Japanese fiscal year, or its part up to the end of a quarter ("2024年12月期第3四半期")."""
    year, month = int(found["year"]), int(found["month"])
    months = 6 if "half" in found else 3 * int(found.get("digit", 4))
    last = 12 * year + month - 1 - (12 - months)
    year, month = last // 12, last % 12 + 1
    return replace(period_of_months(months, year, month), ends=_last_of_month(year, month))


def _read_part_of(found: dict[str, str]) -> Period | None:
    """Return a part of a year in Chinese ("2024年前三季度")."""
    if digit := found.get("digit"):
        return Period("quarter", int(found["year"]), quarter="1234一二三四".index(digit) % 4 + 1)
    months, last = (9, 9) if "nine" in found else (6, 6 if "half" in found else 12)
    return period_of_months(months, int(found["year"]), last)


def _read_years(found: dict[str, str]) -> Period | None:
    """Return a range of years with a hyphen ("2019-20"), or a month if it cannot be a range ("2019-06")."""
    first, last = found["year"], found["last"]
    end = int(last) if len(last) == 4 else int(first[:2] + last)
    if int(first) < end:
        return Period("range", int(first), last=end)
    if len(last) == 2 and 1 <= int(last) <= 12:
        return Period("month", int(first), month=int(last))
    return Period("year", int(first))


def _read_split_year(found: dict[str, str]) -> Period | None:
    """Return the fiscal year that ends in the second of two consecutive years ("2017/18"), or None."""
    first, last = _long_year(found["year"]), found["last"]
    end = int(last) if len(last) == 4 else int(f"{first // 100}{last}") if last != "00" else first + 1
    return Period("year", end) if end == first + 1 else None


def _read_year(found: dict[str, str]) -> Period | None:
    return Period("year", _long_year(found["year"]))


_BETWEEN_MONTHS = rf"""(?:
      (?:(?P<from>[0-3]?[0-9])(?:\.|st|nd|rd|th)?\s)?(?P<begin>{_MONTH})\.?(?:\s(?P<first>[0-3]?[0-9])(?![0-9]))?
        (?:,?\s(?P<since>{_YEAR}))?(?:\s?-\s?|\s(?:to|through)\s)
        (?:(?P<day>[0-3]?[0-9])(?:\.|st|nd|rd|th)?\s)?(?P<end>{_MONTH})\.?
        (?:\s(?P<last>[0-3]?[0-9])(?![0-9]))?,?\s{{1,3}}(?P<year>{_YEAR})
    | 0?1\.(?P<n_begin>1[0-2]|0?[1-9])\.(?P<n_since>{_YEAR})?(?:\s?-\s?|\s(?:to|through|bis)\s)
        (?P<n_day>[0-3]?[0-9])\.(?P<n_end>1[0-2]|0?[1-9])\.(?P<n_year>{_YEAR})
    | (?P<y_year>{_YEAR})\s(?P<y_begin>{_MONTH})\.?\s?-\s?(?P<y_end>{_MONTH})
    | (?P<z_year>{_YEAR})年(?P<z_begin>1[0-2]|[1-9])月?\s?[-~〜至]\s?(?P<z_end>1[0-2]|[1-9])月
    | (?P<m_begin>1[0-2]|0?[1-9])\s?-\s?(?P<m_end>1[0-2]|0?[1-9])/(?P<m_year>{_YEAR}))(?![0-9])"""
_LEAST_LAST_DAY = 28
_FORMS = {
    "between": _Form(
        _BETWEEN_MONTHS,
        lambda found: _read_months_between({name.partition("_")[2] or name: text for name, text in found.items()}),
    ),
    "quarters": _Form(
        rf"q(?P<begin>[1-4])\s?-\s?q?(?P<end>[1-4]),?\s{{1,3}}(?P<year>{_YEAR})(?![0-9])",
        lambda found: period_of_months(
            max(3, 3 * (int(found["end"]) - int(found["begin"]) + 1)), int(found["year"]), 3 * int(found["end"])
        ),
    ),
    "quarter": _Form(_QUARTER + _OF + _SOME_YEAR, _read_quarter),
    "year_quarter": _Form(_YEAR_FIRST + _QUARTER + r"(?![a-z0-9])", _read_quarter),
    "half": _Form(_HALF + _OF + _SOME_YEAR, _read_half),
    "year_half": _Form(_YEAR_FIRST + _HALF + r"(?![a-z0-9])", _read_half),
    "months": _Form(
        rf"(?:(?P<short>[69])m(?=fy|[^a-z])|(?P<weeks>{_WEEKS})|(?P<which>first|last|final|remaining)[\s-]+(?P<count>three)[\s-]months?"
        rf"|(?:(?P<which_many>first|last|final|remaining)[\s-]+)?(?P<many>six|nine|[69]){_MONTHS}){_OF}{_SOME_YEAR}",
        lambda found: _read_months(
            {"count": found.get("many", ""), "which": found.get("which_many", "first"), **found}
        ),
    ),
    "ended": _Form(
        rf"""(?P<span>quarters?|half[\s-]years?|(?:fiscal\s+)?years?|{_MONTHS_OR_WEEKS})(?:[\s-]+end(?:ed|ing)|\s+to)
        (?:\s+(?:on|in))?\s+(?:{_DATE}|(?P<c_month>{_MONTH}){_GAP}\.?{_GAP},?{_GAP}(?P<c_year>{_YEAR}){_NO_TURN})""",
        _read_ended,
    ),
    "date": _Form(_DATE, _read_date),
    "month": _Form(
        rf"(?P<month>{_MONTH})(?:{_GAP}\.?{_GAP}(?:[,/-]|de\s)?{_GAP}(?P<year>{_YEAR})"
        rf"|(?:[-/]|\.?\s?')(?P<short>[0-9]{{2}}))(?![0-9/])",
        lambda found: _read_month({"year": found.get("short", ""), **found}),
    ),
    # A Japanese quarter of a "year to March" is the year to date; a Chinese part of a year is one of the calendar year.
    "fiscal_month": _Form(
        rf"(?P<year>{_YEAR})年(?P<month>1[0-2]|[1-9])月期(?:\s?(?P<half>中間期|上期)|\s?第\s?(?P<digit>[1-4\uff11-\uff14])\s?四半期)?",
        _read_fiscal_month,
    ),
    "part_of": _Form(
        rf"(?P<year>{_YEAR})年?(?:(?P<nine>前三季度)|(?P<half>上半年|半年度)|(?P<second>下半年)"
        r"|第?(?P<digit>[1-4一二三四])季度)",
        _read_part_of,
    ),
    "month_of": _Form(
        rf"(?:(?P<month>1[0-2]|0?[1-9])/(?P<year>{_YEAR})|(?P<of>{_YEAR})年(?P<at>1[0-2]|0?[1-9])月)(?![0-9/])",
        lambda found: _read_month({"year": found.get("of", ""), "month": found.get("at", ""), **found}),
    ),
    "era": _Form(
        r"(?P<era>令和|平成|昭和)(?P<count>[0-9]{1,2}|元)年(?:(?P<month>1[0-2]|0?[1-9])月(?:(?P<day>[0-3]?[0-9])日)?)?",
        _read_era,
    ),
    "split": _Form(
        rf"(?:(?:{_FISCAL})?(?P<year>{_YEAR})\s?/\s?(?P<last>{_YEAR}|[0-9]{{2}})"
        rf"|{_FISCAL}(?P<short>[0-9]{{2}})[/-](?P<short_last>[0-9]{{2}}))(?![0-9/])",
        lambda found: _read_split_year({"year": found.get("short", ""), "last": found.get("short_last", ""), **found}),
    ),
    "range": _Form(rf"(?:{_FISCAL})?(?P<year>{_YEAR})\s?-\s?(?P<last>{_YEAR}|[0-9]{{2}})(?![0-9-])", _read_years),
    "fiscal": _Form(rf"{_FISCAL}(?P<year>{_YEAR}|{_SHORT_YEAR})(?![0-9])(?:{_ESTIMATED})?", _read_year),
    "year": _Form(
        rf"(?P<year>{_YEAR})(?:{_ESTIMATED}|年度?)?"
        rf"(?![0-9%]|[./][0-9]|,(?!{_YEAR}(?![0-9,]))[0-9]|(?!{_HEADS_PERCENTAGES})\s?%|\s?{_COUNTED})",
        _read_year,
    ),
}


def _named(form: str, pattern: str) -> str:
    """Prefix the names of a pattern's groups with the form's name."""
    return rf"(?P<{form}>{pattern.replace('(?P<', f'(?P<{form}__').replace('(?P=', f'(?P={form}__')})"


def _beginnings() -> str:
    """Return a pattern of the first two letters of all forms that do not begin with a digit."""
    words = (
        "quarter qtr q1 q2 q3 q4 fq t1 t2 t3 t4 ft first second third fourth h1 h2 hy half last final remaining years"
        " fiscal fy f0 f1 f2 cy geschäftsjahr exercice two three four five six seven eight nine ten eleven twelve 令和"
        " 平成 昭和"
    )
    seconds: dict[str, set[str]] = {}
    for word in (*words.split(), *_MONTH_NUMBERS):
        seconds.setdefault(word[0], set()).update((word[1], word[1].upper()))
    pairs = (f"[{first}{first.upper()}][{''.join(sorted(after))}]" for first, after in seconds.items())
    return f"(?-i:{'|'.join(pairs)})"


_SOME_NUMBER = lazy_regex("[0-9元]")
_PLAIN_AMOUNT = lazy_regex(r"[-$€£(\s]{0,6}[0-9]{1,3}(?:,[0-9]{3}){0,6}(?:\.[0-9]{1,6})?[\s)%]{0,4}")
"""What most cells print, in which no period can be."""
_MENTION = lazy_regex(
    # Most words begin no period, and most that may have no number soon.
    rf"(?<![0-9A-Za-z.$€£])(?:(?=[0-9])|(?={_beginnings()})(?=[^0-9元]{{0,48}}[0-9元]))"
    rf"(?:{'|'.join(_named(name, form.pattern) for name, form in _FORMS.items())})",
    re.VERBOSE | re.IGNORECASE,
)
_PARTIAL = lazy_regex(
    rf"""(?:(?P<span>quarters?|half[\s-]years?|years?|{_MONTHS_OR_WEEKS})(?:[\s-]+end(?:ed|ing)|\s+to)\s+)?
      (?:(?P<month>{_MONTH}){_GAP}\.?{_GAP}(?:(?P<day>[0-3]?[0-9])(?:\s?-\s?[0-3]?[0-9])?(?![0-9]))?
      |(?P<on>[0-3]?[0-9])\.?\s(?P<of>{_MONTH})|{_QUARTER}|(?P<half>{_HALF.replace("(?P<", "(?P<half_")}))""",
    re.VERBOSE | re.IGNORECASE,
)
_NOT_AFTER = {
    "year": lazy_regex(r"[$€£]\s{0,3}$"),
    "range": lazy_regex(r"\b(?:asus?|nos?|update)\b\s?\.?\s?$", re.IGNORECASE),
}
"""Text before an amount, or before the number of a standard ("ASU 2016-02"), that looks like a period."""
_DRIFT = timedelta(days=7)
_FILLER = lazy_regex(
    r"\b(?:as|of|or|at|on|in|for|the|and|to|through|years?|year-end(?:ed)?|ended|ending|end|fiscal|calendar|periods?"
    r"|months?|three|twelve|quarters?|unaudited|audited|restated|revised|thereafter|after|base|baseperiod|beyond)\b"
    r"|\(\s*(?:[0-9]{1,2}|[a-z]{1,2})(?:\s?,\s?[0-9a-z]{1,2})?\s*\)|\[\s?[0-9a-z]{1,2}\s?\]|[\s,.:;*()†‡§#^⁰¹²³⁴-⁹-]",
    re.IGNORECASE,
)
_JOINED = lazy_regex(r"(?:-|to|through|and)?", re.IGNORECASE)
_OPEN = lazy_regex(r"\b(?:thereafter|beyond|after)\b", re.IGNORECASE)
_AFTER = lazy_regex(r"\s{0,3}after\b", re.IGNORECASE)


def find_periods(text: str) -> tuple[PeriodMention, ...]:
    """Return the periods that running text or a question names, left to right.

    "2007 to 2008" and "2007 and 2008" are two years; only a hyphen makes a range, and "2007/08" is the fiscal year that
    ends in 2008. Amounts ("2000 employees", "$ 2014") and dashes printed as 2013 or 2014 are ignored.
    """
    return _find_periods(text) if _SOME_NUMBER.search(text) and not _PLAIN_AMOUNT.fullmatch(text) else ()


@lru_cache(maxsize=16384)
def _find_periods(text: str) -> tuple[PeriodMention, ...]:
    masked = mask_artifacts(text)
    mentions = []
    for match in _match_mentions(masked):
        before = _NOT_AFTER.get(match.lastgroup or "")
        if before is not None and before.search(masked, max(0, match.start() - 12), match.start()):
            continue
        period = _read_mention(match)
        if period is not None:
            mentions.append(PeriodMention(period, match.start(), match.end()))
    return tuple(mentions)


def _match_mentions(masked: str) -> Iterator[re.Match[str]]:
    """Yield the matches of periods; both ends instead of a span of unusual length."""
    for match in _MENTION.finditer(masked):
        if match.lastgroup != "between" or _read_mention(match) is not None:
            yield match
            continue
        ends = (match.start(f"between__{name}") for name in ("day", "end", "n_day", "y_end", "z_end", "m_end"))
        middle = next(end for end in ends if end >= 0)
        yield from _MENTION.finditer(masked, match.start(), middle)
        yield from _MENTION.finditer(masked, middle, match.end())


def _read_mention(match: re.Match[str]) -> Period | None:
    """Return the period of a match, or None if its day is impossible."""
    form = match.lastgroup or ""
    prefix = f"{form}__"
    found = {name.removeprefix(prefix): text for name, text in match.groupdict().items() if text and prefix in name}
    return _FORMS[form].read(found)


def _month(name: str) -> int:
    return int(name) if name.isdigit() else _MONTH_NUMBERS[name.casefold()]


def _long_year(digits: str) -> int:
    """Return the year of four or two digits ("'23"), or the second one of two consecutive years ("23/24")."""
    first, _, last = digits.lstrip("'").replace("/", "-").partition("-")
    year = int(first)
    year += 0 if year > 99 else 2000 if year < 60 else 1900
    return year + (last == f"{(year + 1) % 100:02}")


def _make_date(year: int, month: int, day: int) -> Period | None:
    try:
        date(year, month, day)
    except ValueError:
        return None
    return Period("date", year, month=month, day=day)


@lru_cache(maxsize=8192)
def parse_period(text: str, year: int | None = None) -> Period | None:
    """Return the period of a label that consists of one period only, or None.

    "2006 to 2010", "2011 and 2012" and "2016 2014 2020" (a dash printed as 2014) are ranges; "2020 and thereafter"
    is an open range. Two dates that span a month, a quarter or a year are that month, quarter or year.

    Args:
        year: The year of the section, for labels without a year ("second quarter", "quarter ended march 31").
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
        return _join(first, last) if printed.strip() and _JOINED.fullmatch(between[1].strip()) else None
    if _AFTER.match(between[0]):
        return Period("range", first.year + 1)
    return Period("range", first.year) if _OPEN.search(between[1]) else first


def leads_to_year(text: str) -> bool:
    """Return whether a label is a period that lacks only its year ("six months ended June 30,", "fiscal year", "Q3").

    >>> leads_to_year("as of December 31,"), leads_to_year("maturity")
    (True, False)
    """
    plain = text.strip().rstrip(",:")
    return bool(plain) and not find_periods(plain) and parse_period(f"{plain} 2000") is not None


def _join(first: Period, last: Period) -> Period | None:
    """Return the period from the first period to the last, or None."""
    if first.kind == "date" and last.kind == "date":
        days = (first_day(last) - first_day(first)).days
        if days == 1:  # "31 December 2024 and 1 January 2025"
            return first
        for months, low, high in ((1, 20, 40), (3, 75, 105), (12, 340, 380)):
            if low <= days <= high:
                return period_of_months(months, last.year, last.month or 1)
    if first.year < last.year:
        return Period("range", first.year, last=last.last or last.year)
    return None


def _ended(length: str, year: int, month: int, day: int | None = None) -> Period | None:
    """Return the period of a length ("six months", "13 weeks") that ended in a month, or on a day."""
    length = length.casefold()
    months = _months_of(length)
    ends = _last_of_month(year, month)
    if day is not None:
        if _make_date(year, month, day) is None:
            return None
        ends = date(year, month, day)
        if months in (3, 12):
            # Years and quarters of whole weeks end some days before or after the calendar's.
            year, month = (ends - _DRIFT).year, (ends - _DRIFT).month
    return replace(period_of_months(months, year, month), ends=ends)


def _last_of_month(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])


def _months_of(length: str) -> int:
    """Return the months of a length ("quarter", "six-month period", "26 wks")."""
    if "half" in length:
        return 6
    words = re.split(r"[\s-]?(?:month|mth|mo|week|wk)", length)
    if len(words) == 1:
        return 3 if length.startswith("quarter") else 12
    count = re.match("[0-9]+", length)
    number = int(count[0]) if count else read_number_words(words[0]) or 0
    return number if re.search("month|mth|mo", length) else round(number / _WEEKS_OF_A_MONTH)


def period_of_months(months: int, year: int, month: int) -> Period:
    """Return the period of a number of months that ends with a month of a year."""
    quarter = Period("quarter", year, quarter=(month + 2) // 3)
    usual = {1: Period("month", year, month=month), 3: quarter, 12: Period("year", year)}
    return usual.get(months) or Period("span", year, month=month, months=months)


def _parse_partial(masked: str, year: int | None) -> Period | None:
    """Return the period of a label without a year, or with a year printed as in "12/11"."""
    if short := re.fullmatch(r"(1[0-2]|0?[1-9])/([0-9]{2})", masked.strip()):
        return Period("month", _long_year(short[2]), month=int(short[1]))
    match = _PARTIAL.search(masked) if year is not None else None
    if year is None or match is None or _FILLER.sub("", masked[: match.start()] + masked[match.end() :]):
        return None
    found = {name: text for name, text in match.groupdict().items() if text} | {"year": str(year)}
    name = found.get("month") or found.get("of")
    if name is None:
        half = {part.removeprefix("half_"): text for part, text in found.items()}
        return _read_half(half) if "half" in found else _read_quarter(found)
    month, day = _month(name), found.get("day") or found.get("on")
    if "span" in found:
        return _ended(found["span"], year, month, int(day) if day else None)
    is_month = day is None or "-" in match[0]
    return Period("month", year, month=month) if is_month else _make_date(year, month, int(day or 1))


def first_day(period: Period) -> date:
    """Return a date, or the first day of a month or year."""
    return date(period.year, period.month or 1, period.day or 1)


def shifted(period: Period, years: int) -> Period:
    """Return the same period some years later (earlier if negative)."""
    last = None if period.last is None else period.last + years
    day = 28 if (period.month, period.day) == (2, 29) else period.day
    ends = period.ends
    if ends is not None:
        ends = ends.replace(year=ends.year + years, day=28 if (ends.month, ends.day) == (2, 29) else ends.day)
    return replace(period, year=period.year + years, day=day, last=last, ends=ends)


_COUNTS = {"a": 1, "an": 1, **NUMBER_WORDS}
_COUNT = rf"(?P<{{0}}>{'|'.join(_COUNTS)}|[1-9])"
_RELATIVE = lazy_regex(
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
_LONGEST_DISTANCE = 40
_PREPOSITION = lazy_regex(r"\b(?:in|for|of|at|from|to|than|and in|with|on|by|since|was|is)\s+$", re.IGNORECASE)
_FROM_A_PERIOD = lazy_regex(
    rf"\b(?:{_COUNT.format('count')}\s+years?|the\s+(?:fiscal\s+)?year)\s+(?:(?P<back>earlier\s+than|before|prior\s+to)"
    r"|later\s+than|after|following)\s+$",
    re.IGNORECASE,
)
_EDGE = lazy_regex(
    r"\b(?P<edge>first|last|final|initial)\s+(?:(?P<count>two|three)\s+)?years?\s+of\s+(?:the|that|this|those|these)\s+"
    r"(?:\w+\s+){0,2}(?:period|time|years|range|interval)\b",
    re.IGNORECASE,
)
"""The first or last years of a period mentioned earlier."""


def find_period_edges(text: str) -> tuple[PeriodEdge, ...]:
    """Return the first or last years of periods that a text refers to, left to right.

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
    """Return the relative years in a text, left to right ("two years before" is -2)."""
    found = []
    edges = find_period_edges(text)
    for match in _RELATIVE.finditer(text):
        # "The last year" in "the last year of the period" is not the prior year.
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


def resolve_distances(text: str) -> str:
    """Replace periods that are relative to a named period by absolute ones.

    >>> resolve_distances("what was cash a year earlier than March 2024?")
    'what was cash in March 2023?'
    """
    for mention in reversed(find_periods(text)):
        found = _FROM_A_PERIOD.search(text, max(0, mention.start - _LONGEST_DISTANCE), mention.start)
        printed, year = text[mention.start : mention.end], str(mention.period.year)
        if found is None or printed.count(year) != 1:
            continue
        count = (found["count"] or "a").casefold()
        years = int(count) if count.isdigit() else _COUNTS[count]
        named = printed.replace(year, str(mention.period.year + (-years if found["back"] else years)))
        before = text[: found.start()]
        text = f"{before}{'' if _PREPOSITION.search(before) else 'in '}{named}{text[mention.end :]}"
    return text
