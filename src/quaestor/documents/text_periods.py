"""Periods of numbers in running text whose sentence does not have one.

A paragraph usually names its year once ("In 2024, we recorded ... We also ..."); without any year, the period of the
report is meant. A day far in the future is a due date and not the period of a number.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import takewhile

from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import Period, parse_period, shifted
from quaestor.core.provenance import SentenceRef
from quaestor.core.quantity import Quantity
from quaestor.documents.alignment import LOOKED_BACK, Dated, aligned_periods, all_aligned_periods, own_periods
from quaestor.documents.document import Block, Document, Mention, Sentence
from quaestor.documents.table import TableRole

_FLOWS = (TableRole.INCOME_STATEMENT, TableRole.CASH_FLOWS)
_CARRIED = 12
"""Number of earlier sentences of the section in which a period is sought; list items do not count."""
_FURTHEST = 60
_ITEM = lazy_regex(r"\W{0,3}[•●▪◦‣·]")
_YEARS_COMPARED = 2
_PUBLISHED = timedelta(days=100)
"""Maximal time from the end of a reporting period to the report; later dates are in the future."""
_AND = lazy_regex(r"\s?,?\s?(?:and\s|or\s)?", re.IGNORECASE)
_OF_TWO_LENGTHS = lazy_regex(r"\b(?P<first>three|six|nine|twelve)(?:-month)?\s(?:and|or)\s$", re.IGNORECASE)
"""Text before "six months ended June 30, 2025" in "the three and six months ended June 30, 2025"."""
_SAME = lazy_regex(
    r"\bsame\s(?:[a-z-]{3,12}\s){0,2}?(?:periods?|quarters?|months)\s(?:in|of)\s(?:fiscal\s)?$", re.IGNORECASE
)
"""Text before "2024" in "the six months ended June 30, 2025 and the same period in 2024"."""
_DUE = lazy_regex(
    r"\b(?:due|matur(?:e|es|ed|ing|ity)|expir\w{1,5}|scheduled|until|through|period ending|beginning|commenc\w{1,4}"
    r"|prior to|redeemable)\b[^.;0-9]{0,30}$",
    re.IGNORECASE,
)
_NAMED_AFTER = lazy_regex(r"\s(?:senior\s)?(?:notes|bonds|debentures|plan|act)\b", re.IGNORECASE)
_OF_NAME = lazy_regex(r"(?:\b(?:the|an?|our|its|under)|['\u2019]s)\s$", re.IGNORECASE)
_NAME = lazy_regex(r"\s[A-Z][A-Za-z]+\b")
"""Text after a year that is part of a name, as in "the 2012 Settlement Agreement"."""
_THING = lazy_regex(r"\s(?!and\b|or\b|to\b|quarter|period|half|year|through\b)[a-z-]{3,20}\s[a-z]{3,20}\b")
"""Text after a month that describes a thing, as in "the March 2024 stock repurchase authority"."""
_LENGTH = lazy_regex(r"(?:three|six|nine|twelve)(?=[\s-]months?)", re.IGNORECASE)
_EXPECTED = lazy_regex(r"\b(?:expect|anticipate|estimate|forecast|project|plan)(?:s|ed)?\b|\bwill\b", re.IGNORECASE)


def periods_in_text(document: Document, place: int) -> list[tuple[Period, ...]]:
    """Return all periods of each number of a sentence, the nearest first; empty if unknown.

    "$ 2 at December 31, 2024 and 2023" has two days. Without a period, a number in a quarterly report may be of the
    quarter or the year to date.

    Args:
        document: For a benchmark page only the sentence and `aligned_periods` are used.
    """
    return _periods_of_numbers(document, place, document.sentences[place])


def periods_of_words(document: Document, place: int, start: int, end: int) -> tuple[Period, ...]:
    """Return all periods of a single number of a sentence, in digits or in words ("no borrowings")."""
    sentence = document.sentences[place]
    for order, mention in enumerate(sentence.mentions):
        if mention.ref.start < end and start < mention.ref.end:
            return _periods_of_numbers(document, place, sentence)[order]
    words = Mention(
        Quantity(Decimal(0), text=sentence.text[start:end]),
        SentenceRef(document.id, sentence.section, sentence.index, start, end),
    )
    mentions = sorted((*sentence.mentions, words), key=lambda mention: mention.ref.start)
    found = _periods_of_numbers(document, place, replace(sentence, mentions=tuple(mentions)))
    return found[mentions.index(words)]


def _periods_of_numbers(document: Document, place: int, sentence: Sentence) -> list[tuple[Period, ...]]:
    earlier = document.sentences[max(0, place - LOOKED_BACK) : place]
    if document.is_page or not sentence.mentions:
        return [(period,) if period else () for period in aligned_periods(sentence, earlier)]
    reported = document.reported
    found = all_aligned_periods(_complete_periods(sentence), [_complete_periods(one) for one in earlier])
    expected = _EXPECTED.search(sentence.text) is not None
    known = [bool(periods) and not _is_ahead(periods[0], reported, expected) for periods in found]
    if all(known):
        return found
    default = _carry_periods(document, place)
    return [periods if is_known else default for periods, is_known in zip(found, known, strict=True)]


def _carry_periods(document: Document, place: int) -> tuple[Period, ...]:
    """Return the first period in the sentence or an earlier one of its section; else the periods of the report.

    A day applies only to its own paragraph, because the next one may be about another day.
    """
    sentences, reported = document.sentences, document.reported
    of_report = tuple(period for period in (reported, document.year_to_date) if period)
    block = _block_of(document, sentences[place])
    left = _CARRIED
    for other in reversed(sentences[max(0, place - _FURTHEST) : place + 1]):
        left -= not _ITEM.match(other.text)
        if other.section != sentences[place].section or left < 0:
            break
        elsewhere = _block_of(document, other) is not block
        for period, _, _ in own_periods(_complete_periods(other)):
            if period.kind == "range" or (elsewhere and period.kind == "date"):
                continue
            if not _is_ahead(period, reported) and not _is_long_ago(period, reported):
                # Text about the last day of the report is usually about the periods that end on it, too.
                return of_report if reported is not None and _first_day(period) == reported.ends else (period,)
    return of_report


def _block_of(document: Document, sentence: Sentence) -> Block:
    return document.block(SentenceRef(document.id, sentence.section, sentence.index, 0, 0))


def _first_day(period: Period) -> date | None:
    """Return the day, or the first one of a month; None for longer periods."""
    return date(period.year, period.month or 1, period.day or 1) if period.kind in ("date", "month") else None


def _complete_periods(sentence: Sentence) -> Sentence:
    """Return a sentence whose shared periods are completed, and without those in names.

    "June 30, 2025 and 2024" are two days; "the three and six months ended June 30, 2025" are two spans, and "the same
    periods in 2024" two more.
    """
    text, dates = sentence.text, list[Dated]()
    for period, start, end in sentence.periods:
        if _names_a_thing(text, period, start, end) or _DUE.search(text, max(0, start - 60), start):
            continue
        if period.kind == "year" and (group := _dates_before(text, dates, start, end)):
            years = period.year - group[-1].year
            dates += ((shifted(one, years), start + n, start + n + 1) for n, one in enumerate(group[:-1]))
            dates.append((shifted(group[-1], years), start + len(group) - 1, end))
            continue
        other = _OF_TWO_LENGTHS.search(text, max(0, start - 30), start)
        if other is not None and _LENGTH.match(text, start):
            length = parse_period(_LENGTH.sub(other["first"], text[start:end], count=1))
            if length is not None:
                dates.append((length, other.start(), other.end("first")))
        dates.append((period, start, end))
    return replace(sentence, periods=tuple(dates))


def _names_a_thing(text: str, period: Period, start: int, end: int) -> bool:
    """Whether a period is part of a name ("2030 notes", "the 2012 Settlement Agreement")."""
    if _NAMED_AFTER.match(text, end):
        return True
    after = {"year": _NAME, "month": _THING}.get(period.kind)
    return after is not None and bool(after.match(text, end) and _OF_NAME.search(text, max(0, start - 8), start))


def _dates_before(text: str, dates: Sequence[Dated], start: int, end: int) -> list[Period]:
    """Return the days or spans of one year that a following year repeats ("June 30, 2025 and 2024")."""
    if not dates or end - start != len("2024") or dates[-1][0].kind not in ("date", "month", "quarter", "span"):
        return []
    if _AND.fullmatch(text, dates[-1][2], start) or _SAME.search(text, max(0, start - 60), start):
        group = list(takewhile(lambda dated: dated[0].year == dates[-1][0].year, reversed(dates)))
        lasting = [period for period, _, _ in reversed(group) if period.kind in ("quarter", "span")]
        return lasting if dates[-1][0].kind in ("quarter", "span") else [dates[-1][0]]
    return []


def _is_ahead(period: Period, reported: Period | None, expected: bool = False) -> bool:
    """Whether a period begins after the reported year; days of the next year may be mentioned."""
    if reported is None:
        return False
    begin = _first_day(period)
    if begin is not None and reported.ends is not None:
        return begin > reported.ends + _PUBLISHED
    return period.year > reported.year + (expected or period.kind in ("date", "month", "quarter", "span"))


def _is_long_ago(period: Period, reported: Period | None) -> bool:
    """Whether a period is earlier than those that a report compares, such as the date of an acquisition."""
    return reported is not None and period.year < reported.year - _YEARS_COMPARED


def last_days_of_years(document: Document) -> dict[int, Period]:
    """Return the last day of fiscal years that end in the following calendar year.

    The years of income and cash flow statements and the days of balance sheets are paired in order.
    """
    years: set[int] = set()
    days: set[Period] = set()
    for table in (document.whole or document).tables:
        periods = {column.period for column in table.columns[1:] if column.period is not None}
        if table.role is TableRole.BALANCE_SHEET:
            days |= {period for period in periods if period.kind == "date"}
        elif table.role in _FLOWS:
            years |= {period.year for period in periods if period.kind == "year"}
    latest = sorted(days, key=lambda day: (day.year, day.month or 0, day.day or 0), reverse=True)
    pairs = zip(sorted(years, reverse=True), latest, strict=False)
    return {year: day for year, day in pairs if day.year == year + 1}
