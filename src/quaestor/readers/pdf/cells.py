"""Classification of chunks of a line by their form: numbers as in tables, years and dates over columns, captions.

The values of numbers are parsed in `quaestor.documents`.
"""

import re
from functools import lru_cache

from quaestor.core.number_conventions import END_LOOK, NUMBER_LOOK, SIGN_LOOK
from quaestor.core.parsing import is_money
from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import parse_period
from quaestor.documents.unit_phrases import is_unit_line

_DASH = r"[-\u2013—\u2212]{1,3}"
_CURRENCY = r"(?:US|C|A|HK|NT)?[$€£¥]|R\$|Rs\.?|USD|EUR|GBP|CHF"
_UNIT = r"%|x|\u00d7|pts?\.?|bps?|pp|years?|months?|days|million|billion|thousand"
_MARKS = r"(?>(?:\s?(?:\(\s?[0-9a-zA-Z]{1,2}\s?\)|[*†‡§])(?:,\s?)?){0,9})"
_SIGN = rf"(?:{SIGN_LOOK}|[~<>])"
_AMOUNT = (
    rf"(?:{_CURRENCY})?\s{{0,3}}{_SIGN}?\s{{0,3}}(?:{_CURRENCY})?\s{{0,3}}\(?\s{{0,3}}(?:{_CURRENCY})?\s{{0,3}}[-\u2013\u2212]?\s{{0,3}}{NUMBER_LOOK}{END_LOOK}\s{{0,3}}"
    rf"(?:{_UNIT})?\s{{0,3}}[)>]?\s{{0,3}}(?:{_UNIT})?"
    r"(?:\s?[\u25b2\u25b3\u25bc\u25bd])?"
)
_NOTHING = (
    rf"(?:{_CURRENCY})?\s{{0,3}}\(?\s{{0,3}}{_DASH}\s{{0,3}}\)?\s{{0,3}}%?"
    r"|(?:N|n)\.?/?(?:A|a|M|m)\.?|nm|NM|\*{1,3}|nil|Nil|—"
)
_VALUE = lazy_regex(rf"(?:(?:{_AMOUNT})(?:\s?(?:[-\u2013—]|to)\s?(?:{_AMOUNT}))?|{_NOTHING}){_MARKS}")
_YEAR = lazy_regex(rf"(?:FY\s?|Fiscal\s|fiscal\s)?(?:19|20)[0-9]{{2}}(?:E|A)?{_MARKS}")
_SHORT_PERIOD = lazy_regex(r"(?:19|20)[0-9]{2}-[0-9]{2}")
"""A month or a fiscal year: `2024-03`, `2022-23`."""
_MARKED = lazy_regex(
    r"(?P<value>.*[0-9%)])\s?(?P<marks>(?:\s?\((?![CcDd][Rr]\))\s?[0-9a-zA-Z]{1,2}\s?\)|\s?[*†‡]){1,9})"
)
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_DATE = lazy_regex(
    rf"(?:.*\b)?{_MONTH}\s?[0-9]{{0,2}},?\s?(?:(?:19|20)[0-9]{{2}})?{_MARKS}|Q[1-4]\b.*"
    r"|.*\b(?:years?|months?|quarters?|weeks?|period|fiscal|ended|as (?:of|at)|at)\b.*",
    re.IGNORECASE,
)
_DAY = lazy_regex(rf"{_MONTH}\s?[0-9]{{1,2}},?\s?(?:(?:19|20)[0-9]{{2}})?{_MARKS}", re.IGNORECASE)
_CAPTION = lazy_regex(
    r"\(?\s*(?:(?:u\.?s\.?\s)?(?:dollars?|amounts?|shares|figures|tabular)[\w\s,]*?\s)?(?:are\s)?(?:stated\s|expressed\s|shown\s)?"
    r"(?:in|\$\s?in|\$)\s?(?:u\.?s\.?\s)?\$?\s?(?:thousands|millions|billions|000s?|percentages?|dollars)\b.*"
    r"|\(?\s*(?:thousands|millions|billions)\sof\s(?:u\.?s\.?\s)?dollars\b.{0,80}"
    r"|\(\s*(?:unaudited|audited)\s*\)|\(\s?[^()]*\bin (?:thousands|millions|billions)\b.*\)?",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def is_value(text: str) -> bool:
    """Whether a text is a number, range or dash as in tables, with or without footnote marks.

    >>> [text for text in ("$ (1,716)", "12.5 %", "—", "2021", "Note 7", "June 30, 2025") if is_value(text)]
    ['$ (1,716)', '12.5 %', '—', '2021']
    """
    if len(text) >= 60 or ("000" in text and is_unit_line(text)):
        return False
    if _SHORT_PERIOD.fullmatch(text):
        return False
    if max(map(text.count, "./-")) == 2 and (day := parse_period(text)) is not None and day.kind == "date":
        return False
    return _VALUE.fullmatch(text) is not None or is_money(text)


def is_year(text: str) -> bool:
    """Whether a text is only a year, as over a column."""
    return _YEAR.fullmatch(text) is not None


def is_day(text: str) -> bool:
    """Whether a text is a day, with or without the year ("September 25, 2021")."""
    return _DAY.fullmatch(text) is not None


def is_date(text: str) -> bool:
    """Whether a text mentions a period or day, as column headings do."""
    return len(text) < 80 and (is_year(text) or _DATE.fullmatch(text) is not None)


def is_plain_caption(text: str) -> bool:
    """Whether a text gives the unit of a table ("(In millions, except per share amounts)"), or is "(unaudited)"."""
    return len(text) < 200 and (_CAPTION.fullmatch(text.strip()) is not None or is_unit_line(text))


def without_marks(text: str) -> str:
    """Return a number without the footnote marks after it.

    >>> without_marks("2018 (6)"), without_marks("(6)"), without_marks("5,432*")
    ('2018', '(6)', '5,432')
    """
    found = _MARKED.fullmatch(text)
    return found["value"] if found and any(map(str.isdigit, found["value"])) else text
