"""Times that a question certainly asks for: years, quarters, halves, months, days and lengths of time.

Years and days in names ("notes due 2021") are excluded. `with_stated_years` adds the years that a question names only
relative to other questions, not to the periods of earlier answers: "in the year before".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from quaestor.core.periods import Period, PeriodMention, find_period_edges, find_periods, parse_period
from quaestor.questions.question import Question

_OF_CHANGE = ("change", "increase", "decrease", "decline", "growth", "variation", "grow", "vary", "fluctuation")
_OVER_TIME = re.compile(r"\b(?:over|throughout|during) the\b")


def with_stated_years(question: Question, earlier: Sequence[Question]) -> Question:
    """Add the years that a question names relative to those of earlier ones.

    Args:
        earlier: The earlier questions, oldest first.
    """
    years = _read_stated_years(question, tuple(earlier))
    return replace(question, stated_years=years) if years else question


@lru_cache(maxsize=1024)
def _read_stated_years(question: Question, earlier: tuple[Question, ...]) -> tuple[int, ...]:
    edges = find_period_edges(question.lowered)
    if question.years or not (question.offsets or edges):
        return ()
    base = _find_base(earlier)
    if not base:
        return ()
    if edges:
        count = edges[0].count
        years = tuple(range(base[0], base[-1] + 1))
        return years[:count] if count > 0 else years[count:]
    offset = question.offsets[0]
    year = (base[0] if offset < 0 else base[-1]) + offset
    goes_on = _OVER_TIME.search(question.lowered) and not question.names
    if _mentions_change(question) or (goes_on and _mentions_change(earlier[-1])):
        # A change over the next year begins at the end of the previous period.
        return (year, year + 1) if offset < 0 else (year - 1, year)
    return (year,)


def _mentions_change(question: Question) -> bool:
    return any(word in question.lowered for word in _OF_CHANGE)


def _find_base(earlier: tuple[Question, ...]) -> tuple[int, ...]:
    """Return the first and last year of the latest question that names years."""
    for place in range(len(earlier) - 1, -1, -1):
        years = earlier[place].years or _read_stated_years(earlier[place], earlier[:place])
        if years:
            return (min(years), max(years))
    return ()


MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
"""Pattern for the name of a month in lower case."""
_NUMBERS = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4,
    "three": 3, "six": 6, "nine": 9, "twelve": 12,
}  # fmt: skip
_ORDINAL = r"first|second|third|fourth|1st|2nd|3rd|4th"
_YEAR, _HALF, _QUARTER = 12, 6, 3
_PART = re.compile(
    rf"\b(?:(?P<quarter>{_ORDINAL})[\s-](?:fiscal[\s-])?(?:quarters?|qtr)"
    rf"|(?P<half>{_ORDINAL})[\s-](?:fiscal[\s-])?half"
    r"|q(?P<q>[1-4])|h(?P<h>[12])|(?P<before_q>[1-4])q|(?P<before_h>[12])h"
    r"|(?P<months>three|six|nine|twelve|3|6|9|12)[\s-]months?"
    r"|(?P<year>(?:full|whole|entire)[\s-](?:fiscal |calendar )?year))\b"
)
"""Words for a part of a year, or for a whole one, without its number."""
_DAY = re.compile(rf"\b(?:in|at|on|of|by|end(?:ed|ing)|through|for) (?P<day>{MONTH}\b\.?(?: [0-3]?[0-9]\b)?)")
"""A month or a day without its year."""
_LEAP_YEAR = 2000
_NAMED_MONTH = re.compile(rf"\b{MONTH}\b")
_WHOLE_YEAR = re.compile(r"^f|\bended\b|\bending\b")
_NO_TIME = re.compile(
    r"\b(?:if|assum\w+|suppos\w+|hypothetical\w*|would|could|might|expect\w*|forecast\w*|project(?:ed|ions?)|will|shall"
    r"|beginning|start|opening|until|before|after|since|following|next|due|payable|ago|future|scheduled|estimated"
    r"|matur\w+|expir\w+|amortization expense|past|trailing|last (?:three|six|nine|twelve|3|6|9|12))\b"
)
"""Words that make it uncertain which time is asked for."""
_TIME = re.compile(
    r"(?:^|(?<=[\s(,]))(?:in|for|during|of|at|on|from|between|than|as of|as at|and for|and in)\s+(?:the\s+)?"
    r"(?:(?:end|close|year|years|fiscal|calendar|full)\s+(?:of\s+|ended\s+|ending\s+)?(?:the\s+)?)*$"
)
_JOINED = re.compile(r"\s*(?:,|and|or|to|through|versus|vs\.?|-|\u2013|, and)\s*(?:in\s+|fiscal\s+)?")
_AFTER = re.compile(
    r"\s*(?:$|[?.,;:!)]|(?:and|or|to|as|compared|in|than|was|were|is|are|for|at|on|from|over|versus|vs|through|when|with"
    r"|did|does|do|how|what|respectively|alone)\b)"
)
_NAMES = re.compile(
    r"\b(?:due|matur\w+|expir\w+|issued|acquired|dated|founded|established|adopted|granted|begun|start(?:ed|ing)?"
    r"|beginning|effective|plan|act|class|series|notes?|bonds?|debentures?)\s+(?:\w+\s+)?(?:the\s+)?"
    r"(?:in|on|by|at|of|during|for|from|between|as of)\s+(?:\w+\s+)?$"
)
_UNSURE = re.compile(
    r"\b(?:if|assum\w+|suppos\w+|hypothetical\w*|would|could|might|expect\w*|forecast\w*|project(?:ed|ions?)|will|shall"
    r"|beginning|start|opening|until|prior|previous|before|after|since|preceding|following|next|last|due|payable|ago"
    r"|future|scheduled|estimated|matur\w+|expir\w+|amortization expense)\b"
)


@dataclass(frozen=True, slots=True)
class QuestionTime:
    """Time that a question asks for; unknown parts are None.

    Attributes:
        year: The year in its name, or that of its last day.
        months: Its length in months.
        quarter: The quarter, 1 to 4.
        half: The half, 1 or 2.
        month: The month that it is, or in which it ends.
        day: The day that it is, or on which it ends.
    """

    wording: str
    year: int | None = None
    months: int | None = None
    quarter: int | None = None
    half: int | None = None
    month: int | None = None
    day: int | None = None

    @property
    def is_fine(self) -> bool:
        """Whether it is more precise than a year."""
        return any((self.months, self.month, self.quarter, self.half))

    @property
    def is_length(self) -> bool:
        """Whether it is only a length: "nine months"."""
        return self.months is not None and not any((self.month, self.quarter, self.half))


@lru_cache(maxsize=256)
def times_asked(question: Question) -> tuple[QuestionTime, ...]:
    """Return the times that a question certainly asks for, parts of years first; empty if uncertain.

    >>> [(time.quarter, time.year) for time in times_asked(Question("what was third-quarter revenue in 2024?"))]
    [(3, 2024)]
    """
    if _NO_TIME.search(question.lowered):
        return ()
    fine = [_read_time(mention, question) for mention in question.periods if _is_fine(mention, question)]
    certain = years_asked(question)
    named = (mention for mention in question.periods if mention.period.kind == "year")
    years = [_read_time(mention, question) for mention in named if mention.period.year in certain]
    parts = tuple(_read_parts(question))
    if which := [part for part in parts if not part.is_length]:
        of_years = [replace(p, year=t.year, wording=f"{p.wording} of {t.year}") for p in which for t in years]
        fine += of_years or which
        years = []
    lengths = {part.months: part for part in parts if part.is_length}
    if len(lengths) > 1:
        return ()
    if length := next(iter(lengths.values()), None):
        # A month that is named with a length is the last one of the period.
        found = [*fine, *years]
        return tuple(_of_length(time, length) for time in found) or (length,)
    return (*fine, *years)


def _of_length(time: QuestionTime, length: QuestionTime) -> QuestionTime:
    if time.quarter is not None or time.months not in (None, 1, _YEAR):
        return time
    return replace(time, months=length.months, wording=f"{length.wording} of {time.wording}")


def _is_fine(mention: PeriodMention, question: Question) -> bool:
    """Return whether a mention of a part of a year, or of a day, is a time instead of a part of a name."""
    before = question.lowered[: mention.start]
    if mention.period.kind in ("year", "range") or _NAMES.search(before):
        return False
    if mention.period.kind in ("quarter", "span"):
        return True
    joined = any(_JOINED.fullmatch(before[other.end :]) for other in question.periods if other.end <= mention.start)
    return joined or _TIME.search(before) is not None or before.endswith((" to ", " through ", " by ", " ended "))


def _read_time(mention: PeriodMention, question: Question) -> QuestionTime:
    period, text = mention.period, question.lowered[mention.start : mention.end]
    # Halves and months are those of the calendar year, unless a month is named.
    ends = period.month if period.kind in ("month", "date") or _NAMED_MONTH.search(text) else None
    month, day = (period.ends.month, period.ends.day) if period.ends is not None else (ends, period.day)
    match period.kind:
        case "quarter":
            return QuestionTime(
                text, period.year, _QUARTER, period.quarter if month is None else None, None, month, day
            )
        case "year":
            whole = _WHOLE_YEAR.search(text) or question.lowered[: mention.start].endswith(("fiscal year ", "fiscal "))
            return QuestionTime(text, period.year, _YEAR if whole else None, month=month, day=day)
        case "month":
            return QuestionTime(text, period.year, 1, month=month)
        case _:
            return QuestionTime(
                text, period.year, period.months, None, half_of(period) if not month else None, month, day
            )


def half_of(period: Period) -> int | None:
    """Return the half of the calendar year for a period of six months, by its last month; else None."""
    return {_HALF: 1, _YEAR: 2}.get(period.month or 0) if period.months == _HALF else None


def _read_parts(question: Question) -> Iterator[QuestionTime]:
    """Yield the parts of years, then the days, that a question names without a year."""
    text = question.lowered
    for mention in question.periods:
        text = f"{text[: mention.start]}{'.' * (mention.end - mention.start)}{text[mention.end :]}"
    for match in _PART.finditer(text):
        part, group = match[0], match.groupdict()
        if quarter := group["quarter"] or group["q"] or group["before_q"]:
            yield QuestionTime(part, months=_QUARTER, quarter=_number(quarter))
        elif half := group["half"] or group["h"] or group["before_h"]:
            yield QuestionTime(part, months=_HALF, half=_number(half))
        else:
            yield QuestionTime(part, months=_number(group["months"]) if group["months"] else _YEAR)
    for match in _DAY.finditer(text):
        day = parse_period(match["day"], _LEAP_YEAR)
        if day is not None:
            yield QuestionTime(match["day"], months=1 if day.day is None else None, month=day.month, day=day.day)


def without_time_words(text: str) -> str:
    """Remove words that only name a time from a lower-case text: "third quarter of 2024", "nine months ended".

    >>> without_time_words("what was fourth-quarter net income in 2023?").split()
    ['what', 'was', 'net', 'income', 'in', '?']
    """
    for mention in reversed(find_periods(text)):
        text = f"{text[: mention.start]} {text[mention.end :]}"
    return _PART.sub(" ", text)


def _number(word: str) -> int:
    return _NUMBERS.get(word) or int(word)


def years_asked(question: Question) -> tuple[int, ...]:
    """Return the years that a question certainly asks for, in order.

    >>> years_asked(Question("what was the balance of notes due december 15, 2021 in 2017?"))
    ()
    >>> years_asked(Question("what was the change in net sales from 2009 to 2012?"))
    (2009, 2012)
    """
    text = question.lowered
    if _UNSURE.search(text) or question.relative_periods:
        return ()
    found: list[int] = []
    end_of_last: int | None = None
    for mention in question.periods:
        before = text[: mention.start]
        joined = end_of_last is not None and _JOINED.fullmatch(text[end_of_last : mention.start])
        timed = _TIME.search(before) and not _NAMES.search(before)
        if (joined or timed) and _AFTER.match(text[mention.end :]):
            period = mention.period
            found += [period.year] if period.last is None else [period.year, period.last]
            end_of_last = mention.end
        else:
            end_of_last = None
    return tuple(dict.fromkeys(found))
