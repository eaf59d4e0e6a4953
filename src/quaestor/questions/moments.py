"""Times that a question about a filing names."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from quaestor.core.patterns import lazy_regex


@dataclass(frozen=True, slots=True)
class MomentQuery:
    """Time that a question names.

    Attributes:
        start: The offset of its first character.
        end: The offset after its last character.
        year: The year; None if it is relative or missing.
        quarter: The quarter that it is, or in which it ends; None if missing.
        months: Its length; 0 for an instant; None if missing.
        back: The distance of a relative time in years before the base, negative after it; for the end of an unnamed
            year, before the last one.
        quarters_back: The distance of a relative time in quarters.
        count: The length of a range of years ("over three years"); 0 for all available years; with `back` but without
            a year, the years before the base.
        month: The month of a named day, or None.
        day: The day of that month, or None.
        latest: Whether the latest time is meant; with `back`, whether it counts from the latest ("last year").
        to_date: Whether the year to date is meant.
        again: Whether it refers to the times of earlier answers: "in those two years", "the start of that year".
    """

    start: int
    end: int
    year: int | None = None
    quarter: int | None = None
    months: int | None = None
    back: int | None = None
    quarters_back: int | None = None
    count: int | None = None
    month: int | None = None
    day: int | None = None
    latest: bool = False
    to_date: bool = False
    again: bool = False

    @property
    def is_plain_year(self) -> bool:
        """Whether it names only years, no parts of years or days."""
        return self.year is not None and self.quarter is None and self.month is None and self.months is None

    @property
    def is_year_end(self) -> bool:
        """Whether it is the end of a fiscal year that is not named, which means the last one."""
        return self.quarter == 4 and self.months == 0 and self.year is None


_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_LENGTHS = {"three": 3, "six": 6, "nine": 9, "twelve": 12, "3": 3, "6": 6, "9": 9, "12": 12}
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    "(?:january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
)
_COUNT = r"(?:two|three|four|five|six|seven|eight|nine|ten|[2-9]|10)"
_YEARS = r"(?:years?|yrs?)"
_FISCAL = r"(?:fy\s?|fiscal(?:\s+year)?\s+|cy\s?|calendar\s+)"
_FULL_YEAR = r"(?:19|20)\d\d"
_PART_ENDS = r"(?:\b|(?<=[qhm])(?=(?:\d\d|\d{4})\b))"
"""End of a part's name, which a year may follow: "3q24"."""
_BARE = r"(?:0\d|1[5-9]|2\d|9\d)"
"""Years without a century and an apostrophe: "capex 24"."""
_NUMBERED = (
    "top|note|item|level|page|section|form|class|tier|ifrs|ias|asc|asu|frs|exhibit|part|chapter|article|rule|phase|series"
    "|model|next|first|last|past|over|under|above|below|than|least|most|about|around|nearly|roughly|approximately|exactly"
    "|only|of|by|plus|minus|times|age|aged|route|lot|unit|block|gen|version|covid"
)
"""Words before a number that is not a year."""
_PRIOR = r"(?:prior|previous|preceding|prev)[\s-](?:fiscal|financial|comparable)?"
_OPEN = r"(?!\s*%|[.,]\d)"
"""A number must not continue after a year."""
_Groups = dict[str, str | None]
_Span = tuple[int, int]
_CENTURY = 2000
_NINETIES = 60
_LONGEST_RANGE = 40

_TIMES = lazy_regex(
    rf"""
      (?P<numbers>\b(?:(?P<numbermonth>0?[1-9]|1[0-2])/[0-3]?\d/(?P<numberyear>(?:19|20)?\d\d)
        |[0-3]?\d[/.](?P<secondmonth>0?[1-9]|1[0-2])[/.](?P<lastyear>(?:19|20)?\d\d)
        |(?P<isoyear>{_FULL_YEAR})-(?P<isomonth>0[1-9]|1[0-2])-[0-3]\d)\b)
    | (?P<range>\b(?:(?P<between>between|from)\s+)?{_FISCAL}?(?P<from>{_FULL_YEAR})\s*
        (?:-|\u2013|to|through|thru|until)\s*
        {_FISCAL}?'?(?P<until>(?:19|20)?\d\d)\b(?![.,]\d|\s*%))
    | (?P<shortrange>\bfy\s?'?(?P<shortfrom>\d\d)\s*(?:-|\u2013|to|through|thru|until)\s*fy\s?'?(?P<shortuntil>\d\d)\b)
    | (?P<barerange>\b(?:between|from)\s+'?(?P<barefrom>{_BARE})\s+(?:and|to|until)\s+'?(?P<bareuntil>{_BARE})
        (?=\s*(?:[?.!,;]|$)))
    | (?P<betweenyears>\bbetween\s+{_FISCAL}?(?P<low>{_FULL_YEAR})\s+and\s+{_FISCAL}?(?P<high>{_FULL_YEAR})\b)
    | (?P<span>\b(?:(?:in|for|during)\s+)?(?:the\s+)?
        (?:(?P<spanmonths>three|six|nine|twelve|3|6|9|12)[\s-]+months|(?:fiscal\s+)?(?P<spanof>quarter|year))
        \s+(?:ended|ending|to)\s+(?P<spanmonth>{_MONTH})\b\.?
        (?:\s+(?P<spanday>[0-3]?\d)(?:st|nd|rd|th)?\b)?
        (?:\s*,?\s*(?:of\s+)?(?P<spanyear>{_FULL_YEAR}))?)
    | (?P<part>\b(?:fy\s?)?(?P<partyear>{_FULL_YEAR})[\s-]?(?:q(?P<partquarter>[1-4])|h(?P<parthalf>[12]))\b)
    | (?P<monthquarter>\b(?:the\s+)?(?P<quartermonth>{_MONTH})\s+quarter\b
        (?:\s+(?:of\s+)?(?P<quarteryear>{_FULL_YEAR}))?)
    | (?P<day>\b(?P<month>{_MONTH})\b\.?\s+(?P<date>[0-3]?\d)(?:st|nd|rd|th)?\b
        (?:\s*,?\s*(?P<dayyear>{_FULL_YEAR}|'\d\d\b))?)
    | (?P<monthyear>\b(?:[0-3]?\d\s+)?(?P<inmonth>{_MONTH})\b\.?(?:\s+(?:of\s+)?|-|(?='))
        '?(?P<ofyear>{_FULL_YEAR}|(?<=['-])\d\d|[3-9]\d)\b)
    | (?P<endmonth>\b(?:at|in|since|by|to|of|until)\s+(?:the\s+)?(?:end\s+of\s+|end-)?(?:last\s+)?
        (?P<baremonth>{_MONTH})\b(?!\s*(?:['\d-]|quarter)))
    | (?P<dayfirst>\b[0-3]?\d(?:st|nd|rd|th)?\s+(?:of\s+)?(?!may\b)(?P<firstmonth>{_MONTH})\b(?!\s+quarter))
    | \b(?P<q>q(?P<qn>[1-4])|(?P<nq>[1-4])q
        |(?P<qword>first|second|third|fourth|1st|2nd|3rd|4th)[\s-]+(?:fiscal\s+)?(?:quarter|qtr)){_PART_ENDS}
        (?:\s*(?:of\s+|[-/])?{_FISCAL}?\s?'?(?P<qyear>(?:19|20)?\d\d)\b{_OPEN})?
    | \b(?P<h>h(?P<hn>[12])|(?P<nh>[12])h|(?P<hword>first|second|1st|2nd)[\s-]+half
        |(?:first\s+)?(?:six|6)[\s-]+months?|6m|half[\s-]year|(?:the|that|this|for|over)\s+half(?!\s+of)){_PART_ENDS}
        (?:\s*(?:of\s+|[-/])?{_FISCAL}?\s?'?(?P<hyear>(?:19|20)?\d\d)\b{_OPEN})?
    | \b(?P<nine>(?:first\s+)?(?:nine|9)[\s-]+months?|9m){_PART_ENDS}
        (?:\s*(?:of\s+|[-/])?{_FISCAL}?\s?'?(?P<nineyear>(?:19|20)?\d\d)\b{_OPEN})?
    | \b(?P<ytd>ytd|year[\s-]to[\s-]date|so\s+far\s+this\s+year)\b
    | \b(?P<opening>(?:(?:(?:at|from|since|as\s+of)\s+)?(?:the\s+)?(?:(?:very\s+)?(?:start|beginning)
          |opening\s+(?:balance|amount|position))\s+(?:of|for)\s+|(?P<when>when)\s+)
        (?:(?:the\s+year\s+)?(?:{_FISCAL}?'?(?P<openingyear>{_FULL_YEAR})|(?:{_FISCAL}'?|')(?P<openingshort>\d\d))
          |(?:(?P<ofthat>that|the\s+same)\s+|(?:the\s+)?(?:(?:latest|current|last|reported)\s+)?)(?:fiscal\s+)?
            (?:year|period|(?P<openingquarter>quarter)))
        (?(when)\s+(?:began|begins|started|starts|opened|opens))
        |(?:opening|beginning)(?=\s+(?:balance|amount|position)s?\b))\b{_OPEN}
    | \b(?P<year>(?:fye?|f(?='?\d)|fiscal(?:\s+year)?|cy|calendar|ye|y/e|year[\s-]end)\s*
          '?(?P<fyyear>(?:19|20)?\d\d)(?:/(?P<fyend>\d\d)|[ae])?
        |(?P<plainyear>{_FULL_YEAR})(?:/(?P<plainend>\d\d)\b(?!/)|[ae])?)\b{_OPEN}
    | (?P<apostrophe>(?<!\w)'(?P<short>\d\d)\b{_OPEN})
    | \b(?P<ahead>(?:over|in|within|during)?\s{{0,4}}(?:the\s+)?next\s+(?:(?:{_COUNT}|1[0-9]|twelve)\s+)?
        (?:fiscal\s+)?(?:{_YEARS}|months?|quarters?)|within\s+(?:a|one|the)\s+year|inside\s+a\s+year)\b
    | \b(?P<again>(?:(?:in|for|during|over|across|at|of)\s+)?(?:(?:those|these|(?P<both>both)|(?:the\s+)?same)\s+
          (?:(?P<asmany>{_COUNT})\s+)?(?:fiscal\s+)?(?:{_YEARS}|periods|quarters|halves|dates)\b(?<!year)(?<!yr)
          (?!\s+(?:ended|ending|to)\b)
        |(?:in|for|at)\s+(?:each|both)(?=\W*$)|(?P<fullyears>(?:(?:in|for|over)\s+)?the\s+(?:full|whole)\s+years\b)))
    | \b(?P<count>(?:over|across|for|in|during)?\s{{0,4}}(?:(?:the|these|those|all|its)\s{{1,4}}){{0,4}}
        (?:last|past|latest|previous|most\s+recent)?\s*(?P<many>{_COUNT})
        (?:\s+(?:fiscal\s+|financial\s+)?{_YEARS}\b(?!\s+(?:ago|earlier|before|prior|back|or|and|ends?))
          (?:\s+shown|\s+presented|\s+reported)?
        |\s+year\s+ends\b|[\s-](?:year|yr)\b(?!\s*(?:note|bond|term)))
        |(?:in\s+|for\s+)?(?:each|every|by|per)\s+(?:fiscal\s+)?year\b(?:\s+(?:shown|presented|reported))?
        |(?:all|the)\s+years\b(?!\s+(?:(?:of\s+)?{_FISCAL}?{_FULL_YEAR}|from|between|end(?:ed|ing))\b)|year\s+by\s+year)
    | \b(?P<earlier>(?:the\s+(?P<before>{_COUNT})\s+(?:fiscal\s+)?{_YEARS}\s+(?:before|prior|preceding)
        |(?:the\s+)?(?:prior|preceding)\s+(?P<prior>{_COUNT})\s+(?:fiscal\s+)?{_YEARS}))\b
    | \b(?P<priorend>(?:(?:at|as\s+of|by|since|from|on)\s+)?(?:the\s+)?{_PRIOR}\s?(?:year|yr)[\s-]?(?:'s\s+)?end)\b
    | \b(?P<sametime>(?:(?:in|for|during|over)\s+)?(?:the\s+)?same\s+
        (?:(?P<samequarter>quarter|three\s+months)|period|half|months|weeks|time)\s+
        (?:(?:(?:of|in)\s+)?(?:the\s+)?(?:last|{_PRIOR})\s?(?:year|yr)|(?:a|one)\s+{_YEARS}\s+(?:ago|earlier|before|prior)
          |(?:the\s+)?{_YEARS}\s+(?:ago|earlier|before|prior)))\b
    | \b(?P<then>then(?=\s+(?:and|vs\.?|versus)\s)|(?<=vs\ )then|(?<=versus\ )then|(?<=now\ and\ )then
        |(?:(?:in|for|during|over)\s+)?(?:that|the\s+same)\s+(?P<thatquarter>quarter|three\s+months))\b
    | \b(?P<back>(?P<far>{_COUNT})\s*(?:{_YEARS}|y)\s+(?:ago|earlier|before|prior|back)
        |(?:12|twelve)\s+months\s+(?:ago|earlier|before|prior)
        |(?:a|one|1)?\s*{_YEARS}[\s-]+(?:ago|earlier|before|prior|back)(?:\s+(?:period|quarter))?
        |(?:the\s+)?(?:(?:year|yr)\s+before|{_PRIOR}\s?(?:year|yr|fy|period)|py|pcp
          |(?P<reported>last\s+(?:(?:fiscal\s+|financial\s+)?(?:year|yr)|fy|fiscal\b(?!\s+(?:half|quarter|month)))
            |ly))(?:'s)?
        |(?:the\s+)?(?:comparable|corresponding|equivalent)\s+(?:quarter|period|half)
          (?!\s+(?:of\s+|in\s+|a\s+|the\s+|last\s+|prior\s+|previous\s+))
        |the\s+(?:one|time)\s+before|before\s+that)\b
    | \b(?P<forward>the\s+(?:year\s+after|(?:following|subsequent)\s+(?:fiscal\s+)?(?:year|yr))
        |(?:a|one)\s+{_YEARS}\s+(?:on|later|after))\b(?!\s+(?:the|its|their)\b)
    | \b(?P<qfar>{_COUNT})\s+quarters\s+(?:ago|earlier|before|back)\b
    | \b(?P<qback>sequential(?:ly)?\b|qoq|q/q|quarter[\s-](?:over|on)[\s-]quarter|last\s+quarter
        |(?:prior|previous|preceding)\s+quarter|(?:the\s+)?quarter\s+before)\b
    | \b(?P<latest>(?:the\s+)?(?:latest|most\s+recent|current|this|recent)\s+(?:fiscal\s+|financial\s+|reported\s+)?
        (?:year|yr|fy|period|quarter)(?:[\s-]end)?(?:'s)?|(?:(?:at|in|on|for)\s+)?the\s+later\s+(?:date|year(?:[\s-]end)?)
        |this\s+time|right\s+now|latest|currently|most\s+recently
        |at\s+the\s+moment|(?<!^)(?<!^and\ )(?<!^ok\ )now|now(?=\W*$))\b
    | \b(?P<lastalone>(?<=and\s)last|(?<=vs\s)last|(?<=versus\s)last|(?<=against\s)last|(?<=on\s)last|(?<=than\s)last)\b
        (?=\s*(?:$|[,?;.]|in\b|by\b|for\b))
    | \b(?P<each>(?:per|each|every|by|which|what|any|best|worst|weak|strong(?:est)?|in\s+which
        |in\s+what)\s+(?:single\s+)?(?:quarter|three\s+months)|quarter\s+by\s+quarter)\b
    | \b(?P<quarter>(?:in\s+|for\s+|during\s+)?(?:the\s+)?(?:quarter|qtr|three\s+months|3\s+months)
        (?:\s+(?:just\s+)?ended)?)\b
    | \b(?P<yearend>(?:at|as\s+of|by|since|from|on)\s+(?:the\s+)?(?:last\s+|prior\s+|previous\s+)?
        (?:(?:fiscal\s+)?year(?:[\s-]end|'s\s+end)(?:\s+(?:of\s+)?{_FISCAL}?'?(?P<endyear>{_FULL_YEAR}|{_BARE}\b))?
        |end\s+of\s+(?:(?:the\s+|last\s+)?(?:fiscal\s+)?year(?!\s*\d)|{_FISCAL}?(?P<ofendyear>{_FULL_YEAR}))))\b
    | \b(?P<full>(?:for\s+|over\s+|in\s+)?(?:the\s+)?(?:full|whole|entire)[\s-](?:fiscal\s+)?year)\b
    | (?<![\w.,'])(?P<barefirst>{_BARE})
        (?=\s+(?:(?:vs|v|versus|against)\b\.?\s+'?{_BARE}\b|and\s+'?{_BARE}\s*[?.!]*$))
    | \b(?P<bareword>(?!(?:{_NUMBERED})\b)[a-z&]+)\s+(?P<bare>{_BARE})(?=\s*(?:[?.!]*\s*$|(?:vs|v|versus|against)\b))
    """,
    re.VERBOSE,
)


def read_moments(text: str) -> Iterator[MomentQuery]:
    """Yield the times that a lower-case text names, in order."""
    for match in _TIMES.finditer(text):
        if backwards := _range_backwards(match):
            yield from backwards
        elif (found := _moment(match)) is not None:
            yield found


def begin_years(moments: Sequence[MomentQuery]) -> tuple[MomentQuery, ...]:
    """Replace named years by their beginnings if the times include "the beginning of the year"."""
    opening = next((moment for moment in moments if moment.is_year_end and moment.back), None)
    if opening is None or not any(moment.is_plain_year for moment in moments):
        return tuple(moments)
    return tuple(_begin(moment) if moment.is_plain_year else moment for moment in moments if moment is not opening)


def _begin(moment: MomentQuery) -> MomentQuery:
    before = (moment.year or 0) - 1
    return replace(moment, year=before) if moment.count else replace(moment, year=before, quarter=4, months=0)


def _range_backwards(match: re.Match[str]) -> tuple[MomentQuery, ...]:
    """Return the two years of "2021 to 2020", which does not include the years in between; empty for other ranges."""
    for first, last in (("from", "until"), ("low", "high")):
        begin, end = _year(match[first]), _year(match[last])
        if begin is not None and end is not None and begin > end:
            middle = match.end(first)
            return MomentQuery(match.start(), middle, year=begin), MomentQuery(middle, match.end(), year=end)
    return ()


def _moment(match: re.Match[str]) -> MomentQuery | None:
    of = match.groupdict()
    build = next((build for name, build in _BUILDERS.items() if of[name]), None)
    return None if build is None else build(match.span(), of)


def _range(at: _Span, first: str | None, last: str | None) -> MomentQuery:
    begin, end = _year(first) or 0, _year(last) or 0
    if not 0 < end - begin <= _LONGEST_RANGE:
        return MomentQuery(*at, year=begin)
    return MomentQuery(*at, year=end, back=end - begin, count=end - begin + 1)


def _quarter(at: _Span, of: _Groups) -> MomentQuery:
    quarter = int(of["qn"] or of["nq"] or _ORDINALS[of["qword"] or ""])
    return MomentQuery(*at, year=_year(of["qyear"]), quarter=quarter, months=3)


def _part(at: _Span, of: _Groups) -> MomentQuery:
    """Read "2024 q3", "2024h1"."""
    quarter = of["partquarter"]
    if quarter is not None:
        return MomentQuery(*at, year=_year(of["partyear"]), quarter=int(quarter), months=3)
    return MomentQuery(*at, year=_year(of["partyear"]), quarter=2 * int(of["parthalf"] or 1), months=6)


def _span(at: _Span, of: _Groups) -> MomentQuery:
    """Read "nine months ended September 30, 2024", "year ended June 30"."""
    months = {"quarter": 3, "year": 12}.get(of["spanof"] or "") or _LENGTHS[of["spanmonths"] or ""]
    day = None if of["spanday"] is None else int(of["spanday"])
    return MomentQuery(*at, year=_year(of["spanyear"]), month=_month(of["spanmonth"]), day=day, months=months)


def _half(at: _Span, of: _Groups) -> MomentQuery:
    half = int(of["hn"] or of["nh"] or _ORDINALS[of["hword"] or "first"])
    return MomentQuery(*at, year=_year(of["hyear"]), quarter=2 * half, months=6)


def _opening(at: _Span, year: str | None, *, again: bool) -> MomentQuery:
    """Read "start of 2024", which is the end of the previous year."""
    named = _year(year)
    if named is None:
        return MomentQuery(*at, quarter=4, months=0, back=1, again=again)
    return MomentQuery(*at, year=named - 1, quarter=4, months=0)


_BUILDERS: Mapping[str, Callable[[_Span, _Groups], MomentQuery]] = {
    "range": lambda at, of: _range(at, of["from"], of["until"]),
    "shortrange": lambda at, of: _range(at, of["shortfrom"], of["shortuntil"]),
    "barerange": lambda at, of: _range(at, of["barefrom"], of["bareuntil"]),
    "betweenyears": lambda at, of: _range(at, of["low"], of["high"]),
    "span": _span,
    "monthquarter": lambda at, of: MomentQuery(
        *at, year=_year(of["quarteryear"]), month=_month(of["quartermonth"]), months=3
    ),
    "numbers": lambda at, of: MomentQuery(
        *at,
        year=_year(of["numberyear"] or of["lastyear"] or of["isoyear"]),
        month=int(of["numbermonth"] or of["secondmonth"] or of["isomonth"] or 0),
        months=0,
    ),
    "part": _part,
    "day": lambda at, of: MomentQuery(
        *at, year=_year(of["dayyear"]), month=_month(of["month"]), day=int(of["date"] or 0) or None, months=0
    ),
    "monthyear": lambda at, of: MomentQuery(*at, year=_year(of["ofyear"]), month=_month(of["inmonth"])),
    "endmonth": lambda at, of: MomentQuery(*at, month=_month(of["baremonth"]), months=0),
    "dayfirst": lambda at, of: MomentQuery(*at, month=_month(of["firstmonth"]), months=0),
    "q": _quarter,
    "h": _half,
    "nine": lambda at, of: MomentQuery(*at, year=_year(of["nineyear"]), quarter=3, months=9),
    "ytd": lambda at, of: MomentQuery(*at, to_date=True),
    "year": lambda at, of: MomentQuery(
        *at, year=_year(of["fyend"] or of["plainend"] or of["fyyear"] or of["plainyear"])
    ),
    "apostrophe": lambda at, of: MomentQuery(*at, year=_year(of["short"])),
    "barefirst": lambda at, of: MomentQuery(*at, year=_year(of["barefirst"])),
    "bare": lambda at, of: MomentQuery(at[1] - 2, at[1], year=_year(of["bare"])),
    "opening": lambda at, of: (
        MomentQuery(*at, quarters_back=1, months=0)
        if of["openingquarter"]
        else _opening(at, of["openingyear"] or of["openingshort"], again=of["ofthat"] is not None)
    ),
    "again": lambda at, of: MomentQuery(
        *at,
        count=2 if of["both"] else None if of["asmany"] is None else _number(of["asmany"]),
        months=12 if of["fullyears"] else None,
        again=True,
    ),
    "count": lambda at, of: MomentQuery(*at, count=0 if of["many"] is None else _number(of["many"])),
    "earlier": lambda at, of: MomentQuery(*at, back=1, count=_number(of["before"] or of["prior"] or "")),
    "sametime": lambda at, of: MomentQuery(*at, months=3 if of["samequarter"] else None, back=1, again=True),
    "then": lambda at, of: MomentQuery(*at, months=3 if of["thatquarter"] else None, back=0, again=True),
    "back": lambda at, of: MomentQuery(
        *at, back=1 if of["far"] is None else _number(of["far"]), latest=bool(of["reported"])
    ),
    "priorend": lambda at, of: MomentQuery(*at, quarter=4, months=0, back=1),
    "forward": lambda at, of: MomentQuery(*at, back=-1),
    "qfar": lambda at, of: MomentQuery(*at, quarters_back=_number(of["qfar"] or ""), months=3),
    "qback": lambda at, of: MomentQuery(*at, quarters_back=1, months=3),
    "latest": lambda at, of: MomentQuery(*at, latest=True),
    "lastalone": lambda at, of: MomentQuery(*at, back=1),
    "quarter": lambda at, of: MomentQuery(*at, months=3),
    "yearend": lambda at, of: MomentQuery(*at, year=_year(of["endyear"] or of["ofendyear"]), quarter=4, months=0),
    "full": lambda at, of: MomentQuery(*at, months=12),
}
"""Builders by group of `_TIMES`; the future ("next year") and "each quarter" do not date a number."""


def _number(word: str) -> int:
    return _NUMBERS.get(word) or int(word)


def _year(digits: str | None) -> int | None:
    if digits is None:
        return None
    digits = digits.removeprefix("'")
    year = int(digits)
    return year if len(digits) == 4 else year + _CENTURY - 100 * (year >= _NINETIES)


def _month(name: str | None) -> int:
    return _MONTHS.index((name or "")[:3]) + 1
