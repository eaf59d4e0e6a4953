"""A filing's fiscal calendar, from the tags that say what the filing is about (`dei`)."""

import re
from collections.abc import Mapping
from datetime import date, timedelta

from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import CALENDAR_YEARS, FiscalCalendar, find_periods

_DRIFT = timedelta(days=15)
_DAY = lazy_regex(
    r"^--(?P<month>[01][0-9])-?(?P<day>[0-3][0-9])$|^(?P<name>[A-Za-z]{3,9})\.?\s+(?P<named>[0-3]?[0-9])$"
)


def read_calendar(words: Mapping[str, str]) -> FiscalCalendar:
    """Return a filing's fiscal calendar; that of calendar years where its tags do not say another.

    An annual report ends with its fiscal year. A quarterly one names the fiscal year that it is in and the day on
    which years end.

    Args:
        words: What tags enclose, by their concepts.
    """
    last = _date(words.get("dei:DocumentPeriodEndDate", ""))
    if last is None:
        return CALENDAR_YEARS
    end = last
    if words.get("dei:DocumentFiscalPeriodFocus", "FY").strip().upper() != "FY":
        day = _day_of_year(words.get("dei:CurrentFiscalYearEndDate", ""), last.year)
        if day is None:
            return CALENDAR_YEARS
        end = day if day >= last - _DRIFT else _in_year(day, last.year + 1)
    named = re.fullmatch(r"\s*((?:19|20)[0-9]{2})\s*", words.get("dei:DocumentFiscalYearFocus", ""))
    return FiscalCalendar(int(named[1]) if named else end.year, end)


def _date(text: str) -> date | None:
    text = " ".join(text.split())
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        try:
            return date.fromisoformat(text)
        except ValueError:
            return None
    found = next((m.period for m in find_periods(text) if m.period.kind == "date"), None)
    return date(found.year, found.month or 1, found.day or 1) if found else None


def _day_of_year(text: str, year: int) -> date | None:
    """Return a day of a year: `--12-31`, "December 31"."""
    match = _DAY.match(" ".join(text.split()))
    if match is None:
        return None
    month, day = match["month"] or match["name"], match["day"] or match["named"]
    name = f"{month}/{int(day)}/{year}" if month.isdigit() else f"{month} {int(day)}, {year}"
    if int(day) == 29:  # of February
        name = name.replace("29", "28")
    return _date(name)


def _in_year(day: date, year: int) -> date:
    return day.replace(year=year)
