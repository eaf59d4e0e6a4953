"""Fiscal years by the days that they end on, where a document calls them by another year than that of the day.

A fiscal year that ends on February 3, 2024 is fiscal 2023 to many companies: its flows are under 2023, its balances
under the day. Owns how a question that says the one is put for where the other is printed.
"""

import re
from calendar import month_name
from datetime import date

from quaestor.core.periods import Period, find_periods
from quaestor.documents.document import Document
from quaestor.retrieval.measures.lines import statement_rows
from quaestor.retrieval.measures.moments import moments_of

_ARTICLE = re.compile(r"\b(?:the )?(?:financial )?$", re.IGNORECASE)
_AT_THE_END = re.compile(
    r"\b(?:at|as of|by) (?:the )?(?:end|close) of (?:fiscal |financial )?(?:year )?(?P<year>20\d\d)\b", re.IGNORECASE
)


def in_fiscal_years(text: str, document: Document) -> str:
    """Return a question about a document in the terms of its columns: "fiscal 2023" for the year that ended on a day.

    Args:
        document: What it is asked of; where it calls years by the year of their last day, nothing is changed.
    """
    ended = [mention for mention in find_periods(text) if mention.period.kind == "year" and mention.period.ends]
    at_the_end = _AT_THE_END.search(text)
    if not ended and at_the_end is None:
        return text
    days = _last_days(document)
    if at_the_end is not None and (day := days.get(int(at_the_end["year"]))) is not None:
        when = f"at {month_name[day.month or 1]} {day.day}, {day.year}"
        return text[: at_the_end.start()] + when + text[at_the_end.end() :]
    years = {date(day.year, day.month or 1, day.day or 1): year for year, day in days.items()}
    for mention in reversed(ended):
        if year := years.get(mention.period.ends or date.min):
            text = f"{_ARTICLE.sub('', text[: mention.start])}fiscal {year}{text[mention.end :]}"
    return text


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
