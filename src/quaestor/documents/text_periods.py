"""When the numbers of running text are of, where their own sentence does not say it.

A paragraph of a report names its year once ("In 2024, we recorded ... We also ..."), and what names none is of the
period that the report is on. A day far ahead is when something falls due, and dates no number.
"""

import re
from dataclasses import replace
from datetime import date

from quaestor.core.periods import Period, parse_period, shifted
from quaestor.documents.alignment import LOOKED_BACK, Dated, aligned_periods, own_periods
from quaestor.documents.document import Document, Sentence

_CARRIED = 12
"""How many sentences of its section back a sentence without a period looks for one."""
_YEARS_COMPARED = 2
_AND = re.compile(r"\s?,?\s?(?:and\s|or\s)?", re.IGNORECASE)
_OF_TWO_LENGTHS = re.compile(r"\b(?P<first>three|six|nine|twelve)(?:-month)?\s(?:and|or)\s$", re.IGNORECASE)
"""Before "six months ended June 30, 2025", in "the three and six months ended June 30, 2025"."""
_DUE = re.compile(
    r"\b(?:due|matur\w{1,5}|expir\w{1,5}|until|through|beginning|commenc\w{1,4}|prior to|redeemable)\b[^.;0-9]{0,30}$",
    re.IGNORECASE,
)
_NOTES = re.compile(r"\s(?:senior\s)?(?:notes|bonds|debentures|plan|act)\b", re.IGNORECASE)
"""What makes a period the name of a thing, or the day on which something falls due."""
_LENGTH = re.compile(r"(?:three|six|nine|twelve)(?=[\s-]months?)", re.IGNORECASE)


def periods_in_text(document: Document, place: int) -> tuple[Period | None, ...]:
    """Returns the period of each number of a sentence; None where nothing says it.

    Args:
        document: A page of a benchmark is taken sentence by sentence, as `aligned_periods` does.
        place: The sentence's, among all of the document.
    """
    sentences = document.sentences
    sentence = sentences[place]
    earlier = sentences[max(0, place - LOOKED_BACK) : place]
    if document.is_page or not sentence.mentions:
        return aligned_periods(sentence, earlier)
    found = aligned_periods(_spelled_out(sentence), [_spelled_out(one) for one in earlier])
    reported = document.reported
    if all(period is not None and not _is_ahead(period, reported) for period in found):
        return found
    default = period_of_sentence(document, place)
    return tuple(default if period is None or _is_ahead(period, reported) else period for period in found)


def period_of_sentence(document: Document, place: int) -> Period | None:
    """Returns what a sentence, or one before it in its section, names first; else the period of the report."""
    sentences, reported = document.sentences, document.reported
    for other in reversed(sentences[max(0, place - _CARRIED) : place + 1]):
        if other.section != sentences[place].section:
            break
        for period, _, _ in own_periods(_spelled_out(other)):
            if period.kind != "range" and not _is_ahead(period, reported) and not _is_long_ago(period, reported):
                # What is told of the last day as a rule is told of the period that ends on it, too.
                return reported if reported is not None and _last_day(period) == reported.ends else period
    return reported


def _last_day(period: Period) -> date | None:
    return date(period.year, period.month or 1, period.day or 1) if period.kind == "date" else None


def _spelled_out(sentence: Sentence) -> Sentence:
    """Returns a sentence whose periods say what the words before them say for several.

    "June 30, 2025 and 2024" are two days; "the three and six months ended June 30, 2025" are two lengths.
    """
    text, dates = sentence.text, list[Dated]()
    for period, start, end in sentence.periods:
        if _DUE.search(text, max(0, start - 60), start) or _NOTES.match(text, end):
            continue
        before = dates[-1] if dates else None
        if (
            before is not None
            and period.kind == "year"
            and end - start == len("2024")
            and before[0].kind in ("date", "quarter", "span")
            and _AND.fullmatch(text, before[2], start)
        ):
            dates.append((shifted(before[0], period.year - before[0].year), start, end))
            continue
        other = _OF_TWO_LENGTHS.search(text, max(0, start - 30), start)
        if other is not None and _LENGTH.match(text, start):
            length = parse_period(_LENGTH.sub(other["first"], text[start:end], count=1))
            if length is not None:
                dates.append((length, other.start(), other.end("first")))
        dates.append((period, start, end))
    return replace(sentence, periods=tuple(dates))


def _is_ahead(period: Period, reported: Period | None) -> bool:
    """Whether a period begins after the year that the document reports on; days of the next year may be told of."""
    if reported is None:
        return False
    return period.year > reported.year + (period.kind in ("date", "month", "quarter", "span"))


def _is_long_ago(period: Period, reported: Period | None) -> bool:
    """Whether a period is before those that a report compares: when a thing was bought or a case was begun."""
    return reported is not None and period.year < reported.year - _YEARS_COMPARED
