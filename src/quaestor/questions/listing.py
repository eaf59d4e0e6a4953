"""Lists in questions: one value at several times ("sales in 2008 and 2009"), split into a question for each time.

The callers decide whether to answer with one list or with several answers, and read lists of things ("sales and cost in
2009").
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from quaestor.core.patterns import lazy_regex

_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?)"
)
_DAY = rf"{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?"
_YEAR = r"(?:19|20)\d\d"
_LEAD = r"(?:the\s+)?(?:(?:fiscal|financial|calendar)\s+(?:years?\s+)?|years?\s+|q[1-4]\s+|fy\s*)?"
_DATE = rf"(?:{_LEAD}(?:{_DAY}\s*,?\s*)?{_YEAR}|{_DAY})\b"
_AND = r"(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)(?:(?:in|for|at|as\s+of|during)\s+)?"
_BEFORE = r"(?<![\w$.,-])(?<![\d$] )"
_DATES = lazy_regex(rf"{_BEFORE}(?P<first>{_DATE})(?P<more>(?:{_AND}{_DATE}){{1,40}})(?!\s*[-%])", re.I)
_SPAN = lazy_regex(rf"{_BEFORE}(?P<lead>{_LEAD})(?P<first>{_YEAR})\s+(?:to|through)\s+(?P<last>{_YEAR})\b", re.I)
_PARTS = lazy_regex(rf"(?P<lead>{_LEAD})(?P<day>{_DAY})?\s*,?\s*(?P<year>{_YEAR})?", re.I)
_ONE = lazy_regex(_DATE, re.I)

_RESPECTIVE = lazy_regex(r",?\s*\brespective(?:ly)?\b,?", re.I)
_BETWEEN = lazy_regex(r"\b(?:between\s+(?:[\w.]+\s+){0,4}|from\s+(?:(?:the|fiscal|years?|of)\s+)*)$", re.I)
_TOGETHER = lazy_regex(
    r"\b(?:sum|average|mean|combined|combine|altogether|together|both|difference|differ\w*|chang\w+|increas\w+|decreas\w+"
    r"|grow\w*|declin\w+|ratio|percent(?:age)? of|as an? percent\w*|vary|varied|variation|variance|aggregate|cumulative"
    r"|maximum|minimum|highest|lowest|largest|smallest|greatest|least|higher|lower|larger|smaller|greater|less|more"
    r"|compar\w+|relative|versus|vs|against|net of|divided|times|minus|plus|exceed\w*|two years|three years|range"
    r"|per year|annual|same|rose|fell|drop\w*|portion|share of|proportion|due|matur\w*|if)\b",
    re.I,
)
_TOTAL = lazy_regex(r"(?:\b(?:the|its|their|our|a)|'s)\s+(?:[\w-]+\s+)?total\b", re.I)
_WEIGHTED = lazy_regex(r"\bweighted[- ]average\b", re.I)
_NO_VALUE = lazy_regex(
    r"\s*(?:and\s+)?(?:(?:in|for|during|of)\s+)?(?:which|why|when|where|who|whose|how (?:did|does|do|is|are|was|were"
    r"|has|have|often|long|come|so)|did|does|do|is|are|was|were|has|have|had|can|could|will|would|should)\b",
    re.I,
)
_BROKEN_DOWN = lazy_regex(
    r"(?<!per the )\bbreak ?downs?\b|\b(?:break|broken) (?:[\w$%-]+ ){0,8}(?:down|out)\b"
    r"|(?<!stock )(?<!share )(?<!for-one )(?<!led )\bsplit\b(?! (?:between|in) \d)"
    r"|(?<!led )(?<!driven )(?<!caused )(?<!offset )\b(?:by|per|(?:for|of|in) each)"
    r"(?: (?!which|what|how)[\w&/-]+){0,2} "
    r"(?:segments?|regions?|products?|categor(?:y|ies)|countr(?:y|ies)|geograph(?:y|ies)|divisions?"
    r"|business(?:es)?|types?|lines?|markets?|functions?|areas?|brands?|programs?|channels?|currenc(?:y|ies))\b"
)
_CHOOSES = lazy_regex(
    r"\b(?:which|why|when|what (?:caused|drove)|stock split|share split|total of|combined|second(?! quarter| half)"
    r"|(?:large|bigge|great|small|lowe|highe|strong|weak|fa|slow|be|wor|mo|lea)\w{0,3}st"
    r"|(?:does|did|do|is|are|was|were) (?!you\b))\b"
)
_WHICH = lazy_regex(
    r"\b(?:which|who|when|what (?:year|quarter|month|segment|region|country|product|line|category|type|kind))\b"
)
_EXTREME = lazy_regex(
    r"\b(?:largest|biggest|greatest|smallest|strongest|weakest|lowest|highest|fastest|slowest|best|worst|most|least|top)\b"
)
_IS_IT = lazy_regex(r"(?:and |so |but )?(?:is|was|are|were|did|does|do|has|have|had)\b")
_BEST_TIME = lazy_regex(
    r"\b(?:best|worst|(?:high|low|larg|bigg|small|strong|weak|great|busi|lean)est|peak|record)"
    r"(?: (?!(?:for|of|in|at|on|by|from|over|than|that|this|last|each|per|since)\b)[\w-]+){0,2}"
    r" (?P<kind>year|quarter)\b(?! of the year before)"
)
_ITS_AMOUNT = lazy_regex(
    r"(?:and |so )?(?:what|how (?:much|many|big|large|high)) (?:was|is|were|are) (?:it|that|this|they)"
)
_THE_REST = lazy_regex(
    r"\bthe (?:rest|remainder|remaining (?:part|amount|portion|share))\b|\belsewhere\b|\b(?:everything|all) else\b"
    r"|\b(?:excluding|without|apart from|other than|besides|ex) (?:that|it|those|them|this|these)\b"
)
_MOST = 12
_STOPS = (
    r"(?:the|an?|of|for|from|in|on|at|to|by|with|as|under|over|between|into|during|per|is|are|was|were|respective|respectively"
    r"|company's|its|their|that|which|what|how|and)"
)
_THING = rf"(?:(?!{_STOPS}\b)[\w'&.-]{{1,40}})"
_THINGS = lazy_regex(
    rf"\b(?P<first>{_THING}(?: {_THING}){{0,3}}(?:, {_THING}(?: {_THING}){{0,3}}){{0,{_MOST + 3}}})"
    rf",? and (?:the )?(?P<last>{_THING}(?: {_THING}){{0,4}})",
    re.I,
)
_LONGEST = 1_000


_DOWN, _UP = (
    r"(?:largest|biggest|highest|most|best|top|high|large)",
    r"(?:smallest|lowest|least|fewest|worst|bottom|low|small)",
)
_ASKS_FOR_ONE = re.compile(r"\b(?:which|what|who|where)\b")
_SORTED = r"(?:\b(?:rank|sort)(?:ed|ing)?|^(?:please |and |(?:can|could) you )*order|\bordered)\b"
_ORDERED = re.compile(
    rf"{_SORTED}(?=.{{0,80}}\b(?:by|in|from|according|{_DOWN}|{_UP})\b)|\b(?:ranking of|in order of"
    rf"|(?:ascending|descending|increasing|decreasing) order|{_DOWN} to (?:the )?{_UP}|{_UP} to (?:the )?{_DOWN}"
    rf"|(?:{_DOWN}|{_UP}) first)\b"
)
"""Words that ask for everything that a question ranks."""
_ASCENDING = re.compile(rf"\b(?:(?:ascending|increasing) order|{_UP} to (?:the )?{_DOWN}|{_UP} first)\b")


@dataclass(frozen=True, slots=True)
class Listing:
    """Question for several values.

    Attributes:
        questions: A question for each value, in the order of the text.
        items: The words in which they differ: "2008", "december 31, 2019".
        respective: Whether the question asks for separate values ("respectively").
        total: Whether it asks for "the total", which is mostly that of all times together.
    """

    questions: tuple[str, ...]
    items: tuple[str, ...]
    respective: bool
    total: bool


def read_listing(text: str) -> Listing | None:
    """Split a question for a value at several times; return None for any other question.

    Questions that compute with the values ("the average in 2008 and 2009"), or that ask for no value, are not split.

    >>> read_listing("What were net sales in 2009 and 2008, respectively?").questions
    ('What were net sales in 2009?', 'What were net sales in 2008?')
    >>> read_listing("what was the change in sales between 2008 and 2009?")
    """
    if len(text) > _LONGEST:
        return None
    respective = _RESPECTIVE.search(text) is not None
    found = _find_times(text, respective=respective)
    if found is None or _NO_VALUE.match(text) or _BETWEEN.search(text[: found[0][0]]):
        return None
    (start, end), items = found
    rest = text[:start] + " " + text[end:]
    if not respective and asks_one(rest):
        return None
    questions = tuple(_narrow(text, start, end, item) for item in items)
    return Listing(questions, items, respective, not respective and _TOTAL.search(rest) is not None)


def read_enumeration(text: str) -> Listing | None:
    """Split a question for several things "respectively", by its words alone; return None for any other question.

    >>> read_enumeration("What were the respective federal, state and foreign credits in 2009?").items
    ('federal credits', 'state credits', 'foreign credits')
    """
    if len(text) > _LONGEST or _RESPECTIVE.search(text) is None or _NO_VALUE.match(text):
        return None
    found = next((each for each in _THINGS.finditer(text) if not _ONE.search(each["last"])), None)
    if found is None:
        return None
    first, last, head = found["first"], found["last"], ""
    items = [item.strip() for item in first.split(",") if item.strip()]
    if all(" " not in item for item in items) and " " in last:
        # "federal and foreign credits": the noun after the last item belongs to all
        last, _, rest = last.partition(" ")
        head = f" {rest}"
    things = tuple(f"{item}{head}" for item in (*items, last))
    return Listing(tuple(_narrow(text, *found.span(), thing) for thing in things), things, respective=True, total=False)


def read_order(text: str) -> Literal["ascending", "descending"] | None:
    """Return the order in which a lower-case question asks for everything that it ranks, or None.

    >>> read_order("rank the segments by revenue"), read_order("sort the costs, smallest first"), read_order("sales?")
    ('descending', 'ascending', None)
    """
    if not _ORDERED.search(text) or _ASKS_FOR_ONE.search(text):
        return None
    return "ascending" if _ASCENDING.search(text) else "descending"


def asks_for_parts(text: str) -> bool:
    """Return whether a question asks for all parts of something, instead of for one of them.

    >>> asks_for_parts("capex by segment for 2022 please"), asks_for_parts("which was the largest by segment?")
    (True, False)
    """
    lower = text.lower()
    return _BROKEN_DOWN.search(lower) is not None and _CHOOSES.search(lower) is None


def asks_for_extreme(text: str) -> bool:
    """Return whether a question asks which of several, or when something, is at its highest or lowest.

    >>> asks_for_extreme("In which year was income highest"), asks_for_extreme("what was the highest price")
    (True, False)
    """
    lower = text.lower()
    return _WHICH.search(lower) is not None and _EXTREME.search(lower) is not None


def names_best_time(text: str, kind: str = "") -> bool:
    """Return whether a lower-case question asks when something was at its highest or lowest.

    Args:
        kind: `year` or `quarter`; "" for either.

    >>> names_best_time("lowest revenue quarter"), names_best_time("was that the best quarter?")
    (True, False)
    """
    return _IS_IT.match(text) is None and any(kind in ("", found["kind"]) for found in _BEST_TIME.finditer(text))


def asks_for_its_amount(text: str) -> bool:
    """Return whether a question only asks for the amount of the last answer: "and how much was it?"."""
    return _ITS_AMOUNT.fullmatch(text.lower().strip(" ?.,-")) is not None


def asks_for_rest(text: str) -> bool:
    """Return whether a lower-case question asks for what is left without the last answer.

    >>> asks_for_rest("and the rest?"), asks_for_rest("excluding that?"), asks_for_rest("excluding leases?")
    (True, True, False)
    """
    return _THE_REST.search(text) is not None


def asks_one(text: str) -> bool:
    """Return whether a question asks for one result of several things, such as their sum or the largest of them."""
    return _TOGETHER.search(_WEIGHTED.sub(" ", text)) is not None


def _find_times(text: str, *, respective: bool) -> tuple[tuple[int, int], tuple[str, ...]] | None:
    """Return the span of a list of times in a question, and each of the times in full."""
    for found in _DATES.finditer(text):
        start, end = found.span()
        items = _complete_times([part.group() for part in _ONE.finditer(text, found.start("first"), end)])
        if 1 < len(set(items)) == len(items) <= _MOST:
            return (start, end), items
    if respective and (span := _SPAN.search(text)):
        first, last = int(span["first"]), int(span["last"])
        if 0 < abs(first - last) < _MOST:
            step = 1 if first < last else -1
            return span.span(), tuple(f"{span['lead']}{year}" for year in range(first, last + step, step))
    return None


def _complete_times(items: list[str]) -> tuple[str, ...]:
    """Complete times with what they share: "june 30 and december 31, 2019" are both in 2019."""
    parts = [found.groupdict() for item in items if (found := _PARTS.match(item))]
    for later, earlier in pairwise(reversed(parts)):
        earlier["year"] = earlier["year"] or later["year"]
    for before, after in pairwise(parts):
        after["lead"] = after["lead"] or before["lead"]
        # A day that only the first time names belongs to all: "december 31, 2019 and 2018".
        after["day"] = after["day"] or before["day"]
    return tuple(_one_time(part) for part in parts)


def _one_time(part: dict[str, str | None]) -> str:
    day, year = part["day"] or "", part["year"] or ""
    return (part["lead"] or "") + ", ".join(filter(None, (day, year)))


_SINGULAR = (
    (lazy_regex(r"\byears(?=(?:\s+(?:of|in))?\s*$|\s+end(?:ed|ing)\s*$|\s+then end(?:ed|ing)\s*$)", re.I), "year"),
    (lazy_regex(r"\bquarters(?=\s+(?:of|in)\s*$)", re.I), "quarter"),
    (lazy_regex(r"\beach of\s+$", re.I), ""),
)


def _narrow(text: str, start: int, end: int, item: str) -> str:
    """Return a question with one of its times in place of all."""
    before, after = text[:start], text[end:]
    for form, one in _SINGULAR:
        before = form.sub(one, before)
    item = re.sub(r"\byears\b", "year", item)
    single = _RESPECTIVE.sub("", f"{before}{item}{after}")
    return " ".join(single.replace(" ?", "?").split())
