"""Fiscal years by the days that they end on, where a document calls them by another year than that of the day.

A fiscal year that ends on February 3, 2024 is fiscal 2023 to many companies: its flows stand under 2023, its balances
under the day. Owns how a question that says the one is put for where the other is printed.
"""

import re
from calendar import month_name

from quaestor.core.periods import Period, PeriodMention, find_periods
from quaestor.documents.document import Document
from quaestor.retrieval.measures.lines import statement_rows
from quaestor.retrieval.measures.moments import moments_of

_ENDED = re.compile(r"\b(?:the )?(?:fiscal |financial )?year (?:ended|ending|that ended)(?: on)? ", re.IGNORECASE)
_LONGEST_DAY = 20
_AT_THE_END = re.compile(
    r"\b(?:at|as of|by) (?:the )?(?:end|close) of (?:fiscal |financial )?(?:year )?(?P<year>20\d\d)\b", re.IGNORECASE
)


def in_fiscal_years(text: str, document: Document) -> str:
    """Returns a question about a document in the terms of its columns: "fiscal 2023" for the year that ended on a day.

    Args:
        text: As asked.
        document: What it is asked of; where it calls years by the year of their last day, nothing is changed.
    """
    ended = [(found, _day_behind(text, found.end())) for found in _ENDED.finditer(text)]
    at_the_end = _AT_THE_END.search(text)
    if not ended and at_the_end is None:
        return text
    days = _last_days(document)
    if at_the_end is not None and (day := days.get(int(at_the_end["year"]))) is not None:
        when = f"at {month_name[day.month or 1]} {day.day}, {day.year}"
        return text[: at_the_end.start()] + when + text[at_the_end.end() :]
    for found, mention in reversed(ended):
        year = next((year for year, day in days.items() if mention is not None and day == mention.period), None)
        if year is not None and mention is not None:
            text = f"{text[: found.start()]}fiscal {year}{text[found.end() + mention.end :]}"
    return text


def _day_behind(text: str, place: int) -> PeriodMention | None:
    """The day that a text names right at a place, or None."""
    named = find_periods(text[place : place + _LONGEST_DAY])
    return named[0] if named and named[0].period.kind == "date" and named[0].start == 0 else None


def _last_days(document: Document) -> dict[int, Period]:
    """The last day of each fiscal year that is called by the year before that day."""
    moments = moments_of(document, statement_rows(document))
    return {
        moment.flow.year: moment.balance
        for moment in moments
        if moment.flow is not None
        and moment.flow.kind == "year"
        and moment.balance is not None
        and moment.balance.kind == "date"
        and moment.balance.year == moment.flow.year + 1
    }
