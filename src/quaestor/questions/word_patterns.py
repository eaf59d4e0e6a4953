"""What the words of a question ask for: patterns for persons, times, reasons, directions and kinds of numbers.

Also whose numbers it asks for ("Lowe's margin"), and the names of offices as in filings ("the CFO").
"""

import re
from collections.abc import Callable, Mapping

from quaestor.core.patterns import lazy_regex
from quaestor.core.terms import SMALL, term, terms
from quaestor.core.words import FUNCTION_WORDS

_OWNER = lazy_regex(
    r"\b(?P<owner>[\w&.-]{1,30}(?: (?!(?:what|who|how|when|where|is|was|were|and|of|in)\b)[\w&.-]{1,30})?)'s?(?=\s)"
)
_SUBJECT = lazy_regex(
    r"\b(?:did|does|do|has|have|had|will|is|was|are|were)\s+(?P<owner>[\w&.-]{1,30}(?: [\w&.-]{1,30})?)\s+"
    r"(?:sell|sold|make|made|earn|book|spend|spent|pay|paid|report|post|have|has|had|get|got|own|bring|brought|generate|record"
    r"|owe|employ|ship|deliver|raise|buy|bought|issue|hold)\b"
)
_NOT_OWNERS = frozenset(
    "what who how when where it that there here let year quarter month week day today yesterday company firm group "
    "business segment unit division they he she".split()
)
_TRAILING_WORDS = frozenset(
    "actually already also currently either ever even just really still then typically usually "
    "co corp corporation inc incorporated ltd plc".split()
)


def names_other_owner(text: str, is_known: Callable[[str], bool]) -> bool:
    """Return whether a question asks for the numbers of someone on whom the document does not report.

    Args:
        is_known: Returns whether a term occurs in the company's name, or in a line of the document.

    >>> names_other_owner("what was lowe's margin?", {"nord"}.__contains__)
    True
    >>> names_other_owner("what's nord's margin?", {"nord"}.__contains__)
    False
    """
    lowered = text.lower().replace("\u2019", "'")
    for found in (*_OWNER.finditer(lowered), *_SUBJECT.finditer(lowered)):
        owner = found["owner"].split()
        while len(owner) > 1 and owner[-1] in _TRAILING_WORDS:
            owner.pop()  # "has Nord ever paid"
        if (
            _NOT_OWNERS.isdisjoint(owner)
            and owner[-1] not in FUNCTION_WORDS
            and not any(map(is_known, terms(owner[-1])))
        ):
            return True
    return False


_OFFICES: Mapping[str, re.Pattern[str]] = {
    "chief executive officer": lazy_regex(r"(?<![\w-])ceo\b|(?<=\bwho )(?:runs|heads|leads)\b", re.IGNORECASE),
    "chief financial officer": lazy_regex(r"(?<![\w-])cfo\b", re.IGNORECASE),
    "chief operating officer": lazy_regex(r"(?<![\w-])coo\b", re.IGNORECASE),
    "chief technology officer": lazy_regex(r"(?<![\w-])cto\b", re.IGNORECASE),
    "served as auditor": lazy_regex(
        r"(?<=\bwho )audit(?:s|ed)\b|\bauditors?\b|(?<=\bhow long )has [\w&\s]{1,40}\baudited\b", re.IGNORECASE
    ),
}


def spell_offices(text: str, mentions: Callable[[str], bool]) -> str:
    """Replace offices and auditors in a question by their names in filings.

    >>> spell_offices("who is the CFO?", lambda term: True)
    'who is the chief financial officer?'

    Args:
        mentions: Returns whether the filing has a term; an abbreviation stays if the filing does not spell it out.
    """
    for name, pattern in _OFFICES.items():
        if pattern.search(text) and all(map(mentions, terms(name))):
            text = pattern.sub(name, text)
    return text


_STOP = SMALL | frozenset(
    """what which who whom whose when where why how did do does has have had been can could would should will it its
    they them their he she we you i me us tell give show please and or but so then ok now about if any some there here
    these those than much many just only also not no yes say says said come up go going get got make made""".split()
)
STOP_TERMS = frozenset(map(term, _STOP))


def _build_pattern(words: str) -> re.Pattern[str]:
    """Compile a pattern of comma-separated words and phrases; `*` matches any ending."""
    found = "|".join(re.escape(" ".join(word.split())).replace(r"\*", r"\w*") for word in words.split(","))
    return re.compile(rf"\b(?:{found})\b")


ASKS: Mapping[str, re.Pattern[str]] = {
    "why": _build_pattern("why,how come,because,reason*,cause*,drive*,drove,driving,behind,explain*"),
    "who": _build_pattern("who,whom,whose,ceo,cfo"),
    "when": _build_pattern(
        "when,what date,what day,what year*,which year*,which month,what month,what period,which period,until,since,"
        "how long,how old,expire*,maturity"
    ),
    "where": _build_pattern(
        "where,which state*,what state*,which countr*,what countr*,which cit*,what cit*,which exchange,headquarter*"
    ),
    "count": _build_pattern("how many,number of,headcount"),
    "much": _build_pattern("how much,how big,how large,how high,how low,cost*,spend,paid,pay,worth"),
    "which": _build_pattern("which,name,list"),
    "what": _build_pattern("what"),
    "how": _build_pattern("how do,how does,how did,how is,how are"),
    "define": _build_pattern("defin*,mean*,made up,includ*,consist*,describe*"),
    "percent": lazy_regex(r"%|\b(?:percent\w*|rate|share|margin)\b"),
    "closed": lazy_regex(r"^(?:and |so |but )?(?:is|are|was|were|did|does|do|has|have|had|can|could|will|would|any)\b"),
    "forward": _build_pattern("expect*,guid*,outlook,forecast*,plan*,next year,will,target*"),
    "adverse": _build_pattern("risk*,danger*,threat*,sue*,suing,suit,lawsuit*,court"),
    "auditor": _build_pattern("audit*"),
    "signs": _build_pattern("sign,signs,signed,signing,signature*"),
    "staff": _build_pattern("employ*,headcount,head count,staff,workforce,workers,people work*,associates"),
    "rises": _build_pattern("rise,rose,up,grow*,grew,higher,increas*,jump*,more,better,improv*,gain*,climb*"),
    "falls": _build_pattern(
        "fall*,fell,down,drop*,lower,decreas*,declin*,less,worse,shrink*,shrank,shrunk,negative,loss,lost,weak*"
    ),
    "now": _build_pattern("now,current*,today,latest,left,remain*"),
    "any": _build_pattern("any,anything,anyone,anybody,ever,at all"),
}
"""What a question may ask for, by patterns of its words."""

_ASKED_NUMBERS: Mapping[str, re.Pattern[str]] = {
    "count": _build_pattern("how many,number of,count,headcount,how big,how large,size"),
    "duration": _build_pattern(
        "how long,how many years,how many months,how many days,how many weeks,years,months,days,period,maturity,term,"
        "life,lives,length of time,notice"
    ),
    "area": _build_pattern("square feet,square foot,sq ft,how big,floor space,indoors,area"),
    "percent": lazy_regex(r"%|\b(?:percent\w*|rate|share|margin|stake|proportion|fraction|portion|yield)\b"),
    "money": _build_pattern(
        "how much,cost*,spend,spent,paid,pay*,worth,price,fee*,damages,amount*,charge*,how big,how large,how high,"
        "fund*,debt,loan*,guidance,sales,revenue*,expens*,income,value"
    ),
}
"""Patterns of questions for each kind of number."""
_COUNTS = lazy_regex(r"\b(?:how many|number of|count of) (.{1,40})")


def asks_for(name: str, lowered: str) -> float:
    """Return 1 if a question in lower case matches a pattern of `ASKS`, else 0."""
    return float(ASKS[name].search(lowered) is not None)


def asks_who_signed(lowered: str) -> bool:
    """Return whether a question in lower case asks for people that a signature may name."""
    return any(asks_for(name, lowered) for name in ("who", "auditor", "signs"))


def list_asked_numbers(lowered: str) -> frozenset[str]:
    """Return the kinds of numbers that a question in lower case asks for."""
    found = frozenset(kind for kind, pattern in _ASKED_NUMBERS.items() if pattern.search(lowered))
    return found - {"count"} if found & {"duration", "area"} else found


def list_counted_terms(lowered: str) -> frozenset[str]:
    """Return the first terms of what a question in lower case asks to count."""
    counted = _COUNTS.search(lowered)
    return frozenset(terms(counted[1])[:3]) if counted else frozenset()
