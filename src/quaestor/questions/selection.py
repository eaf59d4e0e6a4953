"""What a question chooses from: years, or the lines of a group, with the measure and the condition.

`read_answer_kind` derives the kind of answer: a number, yes or no, a name, names, numbers, a count, or words. The
default is a number, because most questions ask for one.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import find_periods
from quaestor.questions.conditions import DEGREE, Condition, read_condition
from quaestor.questions.developments import asks_for_development

Among = Literal["periods", "items"]
Form = Literal["choice", "count", "members", "yes_no"]

_LEAD = r"(?:(?:and|so|then|now|but|also|ok|okay|please|well)\b[\s,]*)*"
_PERIOD = (
    r"(?:(?:fiscal|financial|calendar|reporting|full|last|past|two|three|four|five)\s+)*"
    r"(?:(?P<one>year|fy|quarter|period|month|date)|(?P<all>years|fys|quarters|periods|months|dates))"
    r"(?P<maybe>\(s\))?(?:['\u2019]s?)?"
)
_PARTS = (
    "segment component category item line row entry type kind class region country market division department "
    "business area geography channel customer currency company subsidiary part constituent element product service "
    "asset liability expense cost source officer director director scope unit tranche brand state bank fund portfolio "
    "security instrument contract factor assumption location group stream position person employee location"
).split()
_PLURALS = {
    "category": "categories", "country": "countries", "company": "companies", "subsidiary": "subsidiaries",
    "currency": "currencies", "entry": "entries", "geography": "geographies", "liability": "liabilities",
    "security": "securities", "class": "classes", "business": "businesses",
}  # fmt: skip
_KINDS_OF_PART = frozenset(
    "segment component category item row entry type kind class region country division department geography "
    "channel currency part constituent element scope group area location".split()
)
"""Nouns for parts in general; questions also ask for "expenses" and "assets" themselves."""


def _alternatives(parts: Iterable[str]) -> str:
    one = sorted(parts)
    return f"(?:(?P<one>{'|'.join(one)})|(?P<all>{'|'.join(_PLURALS.get(part, f'{part}s') for part in one)}))"


_BEFORE = (
    r"(?:(?!(?:is|are|was|were|the|of|did|does|do|has|had|have|than|shares?|in|for|to|on|with|by|at|from|and|or|average"
    r"|sum|number|amounts?|value)\b)[\w'&/.-]+\s+){0,4}?"
)
_PART = rf"{_BEFORE}{_alternatives(_PARTS)}(?P<maybe>\(s\))?\b"
_PART_OF_ANY = rf"{_BEFORE}{_alternatives(_KINDS_OF_PART)}(?P<maybe>\(s\))?\b"
_NO_PART = (
    r"(?!(?:is|are|was|were|did|does|do|has|have|had|would|could|will|caused|led|drove|percent(?:age)?|portion"
    r"|proportion|growth)\b"
    r"|(?:\w+ ){0,2}?(?:ones?|values?|numbers?|amounts?|figures?|percent(?:age)?|rate|ratio|total|way|extent|portion"
    r"|share|proportion|impact|effect|price)\s+(?:is|are|was|were|did|does|do|has|have|had|of|would|will)\b)"
)
_VERB = (
    r"(?=\s+(?:is|are|was|were|has|have|had|did|does|do|saw|shows?|showed|grew|grow|rose|rise|fell|fall|declined"
    r"|decreased|increased|exceed\w*|contributed|contributes?|accounts?|accounted|made|makes?|generated|generates?"
    r"|earned|recorded|reported|incurred|costs?|lost|gained|improved|dropped|went|brought|produced|sold|paid|received"
    r"|represented|represents|changed|performed|owns?|owned|holds?|held)\b)"
)
_WHICH = r"(?:which|what)(?:\s+of\s+(?:the|these|those|its|their))?"
_PERIOD_ASKED = lazy_regex(
    rf"\b(?:(?:in|for|during|at|of|on|over|as of|by|from|since|until)\s+)?{_WHICH}\s+{_PERIOD}(?!\w)"
)
_WHEN = lazy_regex(rf"^{_LEAD}when\s+(?=(?:is|are|was|were|did|does|do|has|had)\b)")
_PART_ASKED = lazy_regex(rf"\b(?:(?:in|for|at|of|from|to|by)\s+)?{_WHICH}\s+{_NO_PART}{_PART}")
_ANY_ASKED = lazy_regex(
    rf"^{_LEAD}(?:[^?,]{{0,60}}, )?(?:(?:in|for|at|of|from)\s+)?{_WHICH}\s+{_NO_PART}"
    rf"(?P<noun>(?:(?!the\b|an?\b|would\b|do\b)[\w'&/-]+\s+){{0,3}}?(?:(?P<all>[a-z-]{{2,}}[^s\W]s)|(?P<one>[a-z-]{{3,}}))){_VERB}"
)
_PERSON_ASKED = lazy_regex(
    rf"^{_LEAD}(?:(?P<one>who)|(?P<all>(?!)))\s+(?=(?:has|had|owns?|owned|holds?|held|received|earned|got|is|was)\b)"
)
_COUNTED_PERIODS = lazy_regex(
    rf"\b(?:(?:in\s+|for\s+)?how many\s+(?:of (?:the|these|those)\s+)?{_PERIOD}|how (?:often|many times))\b"
)
_COUNTED_PARTS = lazy_regex(rf"\bhow many\s+(?:of (?:the|these|those)\s+)?{_PART}")
_LISTED = lazy_regex(
    rf"^{_LEAD}(?:[^?,]{{0,40}}, )?(?:(?:can you |could you )?(?:list|name|show|give(?: me)?|tell me|identify)"
    r"|(?:what|which) (?:are|were|is|was))\s+"
    rf"(?:me\s+)?(?:(?:all|each)\s+)?(?:of\s+)?(?:the\s+)?"
)
_PERIODS_LISTED = lazy_regex(rf"{_LISTED.pattern}(?:{DEGREE}\s+)?{_PERIOD}(?!\w|[\s-]+(?:on|over|to|end)\b)")
_LARGEST_PART = lazy_regex(
    rf"^{_LEAD}(?:what|which)\s+(?:is|was)\s+(?:the|its|their|our)\s+(?:(?:second|third|fourth|fifth)\s+)?"
    rf"(?:largest|biggest|greatest|smallest|main|top)\s+{_alternatives(_PARTS)}(?=\s*(?:\?|$)|\s+(?:in|of|by|for|during|among|under)\b)"
)
_RANKED = lazy_regex(rf"^{_LEAD}(?:rank|order|sort)\s+(?:all\s+)?(?:of\s+)?(?:the\s+)?{_PART}")
_TERSE_PERIOD = lazy_regex(
    rf"^{_LEAD}(?:the\s+)?{_PERIOD}(?=\s+(?:with|of|in which|when|where|that|above|below|over|under)\b)"
)
_TERSE_PART = lazy_regex(
    rf"^{_LEAD}(?:the\s+)?(?={DEGREE}\s){_PART_OF_ANY}(?=\s*(?:\?|$)|\s+(?:in|of|by|for|during)\b)"
)
_TERSE_YEAR = lazy_regex(rf"^{_LEAD}(?:the\s+)?(?={DEGREE}\s).{{0,60}}?\s{_PERIOD}\s*\??$")
_OPTIONS = lazy_regex(
    r"(?:,|:|\bbetween\b)\s*(?P<first>[^,?:]{2,60}?)\s*,?\s+(?:or|and)\s+(?P<second>[^,?:]{2,60}?)\s*(?:\?|$|,)"
)
_EITHER = lazy_regex(
    r"[^,:?]*(?:[,:]|\bbetween\b)\s*(?P<first>[^?:]{2,80}?)\s*,?\s+or\s+(?P<second>[^?:]{2,80}?)\s*(?:\?|$)"
)
"""Two options after a question for one of them; their names may contain commas."""
_WHICH_OF_TWO = lazy_regex(
    rf"^{_LEAD}(?P<one>which)(?:\s+one)?(?P<all>(?!))?\s*,?\s*(?=(?:is|was|are|were|had|has|grew|rose|fell)\b)"
)
_RANKS = 64
"""Maximum number of entries in a sorted list."""
_PARTS_LISTED = lazy_regex(rf"{_LISTED.pattern}{_PART_OF_ANY}")
_MADE_OF = lazy_regex(
    rf"^{_LEAD}(?:what\s+(?:(?:does|do|did)\s+(?P<whole>.+?)\s+(?:consist of|comprise(?: of)?|include|contain)"
    rf"|(?:is|are|was|were)\s+(?P<made>.+?)\s+(?:made up of|composed of|comprised of|broken down into|split into)"
    rf"|(?:makes?|made) up\s+(?P<up>.+?)|(?:is|are|was|were) included in\s+(?P<in>.+?)))\s*\??$"
)
_SHOWN = lazy_regex(
    r"\b(?:shown|listed|provided?|included?|presented|reported?|recorded|calculated|covered|available|disclosed|given"
    r"|highlighted|displayed|(?:is|are) there|(?:were|was) there|in the table|table\b"
    r"|provides?|shows?|covers?|includes?|reports?|information|data|stated|analy[sz]ed|split|ma[dk]e up|making up"
    r"|mentioned|belong to|add(?:s|ed)? up to|sums? up to|considered"
    r"|factored|used|allocated|tabulate|consists? of|comprises?)\b"
)
_DEGREE_LISTED = lazy_regex(
    rf"^{_LEAD}(?:list|name|show|give(?: me)?|tell me|identify|what (?:are|were))\s+(?:me\s+)?(?:the\s+)?"
    r"(?=(?:top\s+)?(?:two|three|four|five|six|seven|eight|nine|ten|\d{1,2}|top)\b)"
)
_SINGULAR = lazy_regex(r"\b(?:is|was)\b")
_OF_WHICH = lazy_regex(
    r"\b(?:calculating|calculat(?:e|ion of)|computing|tabulating|tabulate|under"
    r"|of|in|within|for|from|making up|make up|part of|included in|includes? in|belong\w* to|into"
    r"|adds? up to|sums? up to)"
    r"\s+(?P<whole>.+)$"
)
_CONSISTS = lazy_regex(r"^\W*+(?P<whole>.{1,200}?)\s+(?:consist|compris|includes?\b|is made up|made up)")
_ASKING_WORD = lazy_regex(
    r"(?:\b(?:in|for|at|of|on|during)\s+)?\b(?:which|what|how many|who|when|list|name|show|give|tell|identify|rank"
    r"|order|sort)\b"
)
_ASKING = lazy_regex(
    rf"^{_LEAD}(?P<verb>did|do|does|was|were|is|are|has|have|had)\b\s*(?P<there>there\s+(?:an?|any)\s+)?"
)
_AUXILIARY = lazy_regex(
    r"\b(?:is|are|was|were|did|does|do|has|have|had|there|amounts? (?:for|of|in)|the amounts?|the (?=\s*$)|table|"
    r"respectively|also|company|during their|provided?|calculated|recorded|presented|reported)\b"
)
_SHORT = lazy_regex(r"\b(what|which|who|when)['\u2019]s\b")
_BEFORE_TIME = lazy_regex(
    r"\b(?:in|for|at|as of|as at|on|during|of|from|to)\s+(?:the\s+)?(?:(?:fiscal )?years?\s+)?(?:ended\s+)?$"
)


@dataclass(frozen=True, slots=True)
class QuestionSelection:
    """What a question chooses from, and how.

    Attributes:
        form: A choice by a condition, a count of the matches, all members, or whether the condition is true.
        among: Periods, or the lines of a group.
        noun: Their name in the singular: "year", "segment"; "" if not given.
        several: Whether several may match: "which years".
        condition: The condition on their numbers.
        measure: The remaining words: what is measured.
        whole: What the lines are parts of, if stated ("under alternative investments"); else "".
        options: The named things to choose between ("freight or wages"); else empty.
        text: The normalized question, to which the spans of the condition refer.
    """

    form: Form
    among: Among
    noun: str
    several: bool
    condition: Condition
    measure: str
    whole: str = ""
    options: tuple[str, ...] = ()
    text: str = ""


def read_selection(text: str) -> QuestionSelection | None:
    """Read what a lower-case question chooses from; return None for other questions.

    >>> read_selection("which segments declined in 2012?").noun
    'segment'
    >>> read_selection("what was the highest price in 2012?")
    """
    text = " ".join(_SHORT.sub(r"\1 is", text).split())
    condition = read_condition(text)
    return (
        _read_count(text, condition)
        or _read_periods(text, condition)
        or _read_parts(text, condition)
        or _read_list(text, condition)
        or _read_terse(text, condition)
        or _read_one_of_two(text, condition)
        or _read_yes_no(text, condition)
    )


def _read_count(text: str, condition: Condition) -> QuestionSelection | None:
    found = _COUNTED_PERIODS.search(text)
    is_limited = bool(condition.limit or condition.move)
    if found and (is_limited or _SHOWN.search(text[found.end() :])):
        return _select("count", "periods", found, text, condition, several=True)
    found = _COUNTED_PARTS.search(text)
    if found and (is_limited or _SHOWN.search(text[found.end() :])):
        return _select("count", "items", found, text, condition, several=True)
    return None


def _read_periods(text: str, condition: Condition) -> QuestionSelection | None:
    found = _PERIOD_ASKED.search(text)
    if found:
        several = bool(found["all"] or found["maybe"])
        if condition.asked:
            return _select("choice", "periods", found, text, condition, several=several)
        if several and _SHOWN.search(text[found.end() :]):
            return _select("members", "periods", found, text, condition, several=True)
        return None
    found = _PERIODS_LISTED.search(text)
    chosen = bool(condition.extreme or condition.limit)
    if found and (chosen or (found["all"] and (condition.asked or _SHOWN.search(text[found.end() :])))):
        return _select("choice" if condition.asked else "members", "periods", found, text, condition, several=True)
    found = _WHEN.search(text)
    if found and condition.extreme:
        return _select("choice", "periods", found, text, condition, several=False)
    return None


def _read_parts(text: str, condition: Condition) -> QuestionSelection | None:
    found = _PART_ASKED.search(text)
    if found is None and condition.asked:
        found = _ANY_ASKED.search(text) or _PERSON_ASKED.search(text)
    if found is None:
        return None
    several = bool(found["all"])
    if condition.asked:
        return _select("choice", "items", found, text, condition, several=several)
    if several and _SHOWN.search(text[: found.start()] + text[found.end() :]):
        return _select("members", "items", found, text, condition, several=True)
    return None


def _read_list(text: str, condition: Condition) -> QuestionSelection | None:
    if found := _MADE_OF.search(text):
        whole = found["whole"] or found["made"] or found["up"] or found["in"]
        return QuestionSelection("members", "items", "component", True, Condition(), "", whole, text=text)
    if found := _RANKED.search(text):
        ranked = replace(condition, extreme=condition.extreme or "largest", many=_RANKS)
        return _select("choice", "items", found, text, ranked, several=True)
    found = _PARTS_LISTED.search(text)
    if found and found["all"] and not condition.extreme and not _SINGULAR.search(found[0]):
        if condition.limit or not condition.asked:
            form: Form = "choice" if condition.limit else "members"
            return _select(form, "items", found, text, condition, several=True)
    elif condition.extreme and (found := _LARGEST_PART.search(text) or found):
        return _select("choice", "items", found, text, condition, several=condition.many > 1)
    found = _DEGREE_LISTED.search(text)
    if found and condition.extreme and condition.many > 1:
        return _select("choice", "items", found, text, condition, several=True)
    return None


def _read_terse(text: str, condition: Condition) -> QuestionSelection | None:
    """Read a question without a verb: "the year with the highest rent", "second largest segment?"."""
    found = _TERSE_PERIOD.search(text)
    if found and (condition.extreme or condition.limit):
        return _select("choice", "periods", found, text, condition, several=bool(found["all"]))
    if not condition.extreme:
        return None
    if found := _TERSE_PART.search(text):
        return _select("choice", "items", found, text, condition, several=bool(found["all"]), terse=True)
    if found := _TERSE_YEAR.search(text):
        return _select("choice", "periods", found, text, condition, several=bool(found["all"]), terse=True)
    return None


def _read_one_of_two(text: str, condition: Condition) -> QuestionSelection | None:
    """Read a choice between two named things: "which is larger, freight or wages?"."""
    found = _WHICH_OF_TWO.search(text)
    options = _EITHER.match(text, found.end()) if found else None
    if not found or not options or not (condition.extreme or condition.move):
        return None
    choice = _select("choice", "items", found, text, condition, several=False)
    return replace(choice, noun="", options=(options["first"], options["second"]))


def _read_yes_no(text: str, condition: Condition) -> QuestionSelection | None:
    found = _ASKING.search(text)
    if found is None or not condition.asked:
        return None
    if condition.limit is None and not _is_move_asked(found, text, condition) and not condition.compared:
        return None
    return _select("yes_no", "periods", found, text, condition, several=False)


def _is_move_asked(found: re.Match[str], text: str, condition: Condition) -> bool:
    """Return whether a verb asks for a change: "did it fall?", "was there an increase?", not "was the increase 5?"."""
    if condition.move not in ("rose", "fell") or condition.extreme:
        return False
    start, end = condition.spans[0]
    if found["there"]:
        return start == found.end()
    if found["verb"] in ("did", "do", "does", "has", "have", "had"):
        return True
    return text[start:end].endswith("ing") and not re.search(r"\bthe\s+$", text[:start])


def _select(
    form: Form,
    among: Among,
    found: re.Match[str],
    text: str,
    condition: Condition,
    *,
    several: bool,
    terse: bool = False,
) -> QuestionSelection:
    """Build the selection of a matched form; `terse` removes only the noun from the measure."""
    groups = found.groupdict()
    noun = groups.get("one") or _singular(groups.get("all") or "")
    asking = _ASKING_WORD.search(text, found.start(), found.end())
    start = found.start("one" if groups.get("one") else "all") if terse else asking.start() if asking else found.start()
    remaining = _without(text, [(start, found.end()), *condition.spans])
    behind = _without(text, [(0, found.end()), *condition.spans, *_find_times(text)]) if among == "items" else ""
    whole = _CONSISTS.search(behind) or _OF_WHICH.search(behind.strip(" ?.,"))
    between = _OPTIONS.search(text) if among == "items" and " or " in text else None
    options = (between["first"].strip(), between["second"].strip()) if between else ()
    return QuestionSelection(
        form, among, noun, several, condition, remaining, whole["whole"] if whole else "", options, text
    )


def _find_times(text: str) -> list[tuple[int, int]]:
    """Return the spans of a question's periods, with the words that introduce them."""
    found = ((mention.start, mention.end) for mention in find_periods(text))
    return [(lead.start() if (lead := _BEFORE_TIME.search(text[:start])) else start, end) for start, end in found]


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """Remove spans and auxiliary verbs from a question."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return " ".join(_AUXILIARY.sub(" ", text.replace("?", " ")).split())


def _singular(noun: str) -> str:
    known = {several: one for one, several in _PLURALS.items()}
    return known.get(noun, noun.removesuffix("s"))


AskedKind = Literal["number", "yes_no", "label", "labels", "numbers", "count", "span"]
"""`label` is the name of a line, column, year or entity; `labels` are several of them; `numbers` are several numbers in
the order of the question; `span` is a span of text.
"""

_WORDS_LEAD = r"^(?:(?:and|so|then|now|but|also|ok|okay|please|well)\b[\s,]*)*"
_SEVERAL = lazy_regex(r"\brespective(?:ly)?\b")
_WORDS = lazy_regex(
    rf"{_WORDS_LEAD}(?:[^?,]{{0,40}}, )?(?:"
    r"why\b|where\b|who(?:se|m)?\b|when\b(?! .*\bby how much)"
    r"|how\s+(?:(?:is|are|was|were|does|do|did|has|have|had|can|could|should|will|would|often|come)\b)(?! much| many)"
    r"|(?:from|to|at|on|under|with|by)\s+(?:where|whom|which\s+\w+\s+(?:is|are|was|were))\b"
    r"|what\s+(?:does|do|did)\s+.+?\b(?:mean|represent(?=\s*\??$)|reflect|show|include|consist|comprise|refer|relate|allow"
    r"|require|exclude|contain|depend|result)\b"
    r"|what\s+(?:caused?|led|drove|drives|factors?|reasons?|method|type|types|kind|happens|happened|determines)\b"
    r"|what\s+(?:is|are|was|were)\s+(?:the\s+)?(?:(?:primary|main|key|major)\s+)?"
    r"(?:reasons?|causes?|meaning|definition|purpose|nature|description|drivers?)\b"
    r"|what\s+(?:is|are|was|were)\s+(?:included|excluded)\s+(?:in|from|among)\b"
    r"|what\s+(?:is|are|was|were|has|have|had)\s+.*\b(?:based on|due to|attributable to|related to|attributed to"
    r"|caused by|driven by|influenced by|affected by|defined(?: as)?|referred to|used for|from)\s*\??$"
    r"|what\s+(?:is|are)\s+(?:meant by\b|an?\s+[\w&-]+(?:\s[\w&-]+)?\s*\??$))"
)


@dataclass(frozen=True, slots=True)
class RequestedAnswer:
    """The answer that a question asks for.

    Attributes:
        selection: The selection that determines the answer, if any.
    """

    kind: AskedKind = "number"
    selection: QuestionSelection | None = None


@lru_cache(maxsize=1024)
def read_answer_kind(text: str) -> RequestedAnswer:
    """Return the kind of answer that a lower-case question asks for.

    >>> read_answer_kind("in which year were sales highest?").kind
    'label'
    >>> read_answer_kind("what was the highest price?").kind
    'number'
    """
    selection = read_selection(text)
    if _SEVERAL.search(text) and (selection is None or selection.form == "yes_no"):
        return RequestedAnswer("numbers")
    if selection is None:
        return RequestedAnswer("span" if _WORDS.search(text) and not asks_for_development(text) else "number")
    if selection.form == "yes_no":
        return RequestedAnswer("yes_no", selection)
    if selection.form == "count":
        return RequestedAnswer("count", selection)
    if selection.form == "members":
        return RequestedAnswer("labels", selection)
    condition = selection.condition
    one = condition.extreme is not None and condition.many < 2 and not (selection.several and not condition.compared)
    return RequestedAnswer("label" if one else "labels", selection)
