"""Questions for a change or a development ("how did sales change?"), and for what an investment became."""

import re

from quaestor.core.patterns import lazy_regex

_WHEN = "from|in|over|between|since|during|versus|vs|compared|relative|against|to|by|this|last|year|quarter|overall|for"
_DEVELOPED = lazy_regex(
    r"\bhow (?:did|has|have) (?P<thing>.+?) (?:develop|evolve|change|move)(?:d|ed)?\b\s*"
    rf"(?=$|[?.,;]|(?:{_WHEN})\b)",
    re.IGNORECASE,
)
_WHO = lazy_regex(r"(?:the (?:company|firm|group|management|board)|we|you|management)", re.IGNORECASE)


def asks_for_development(text: str) -> bool:
    """Return whether a question asks how something developed.

    >>> asks_for_development("how did net sales change in 2024?")
    True
    >>> asks_for_development("how did the company change its accounting for leases?")
    False
    """
    found = _DEVELOPED.search(text)
    return found is not None and not _WHO.fullmatch(found["thing"])


_YEAR = r"(?:fy ?|fiscal (?:year )?)?(?:20)?\d\d"
_IN_PERCENT = lazy_regex(r"%|\bpercent\b|\bpct\b(?! p)|\bcagr\b")
_CHANGE_IN = lazy_regex(
    r"^\W{0,3}(?:(?:and|so|what|how much|how big|was|were|is|are|the|its|their) ){0,5}(?:(?!of\b)[\w%-]+ ){0,3}"
    r"(?:change|increase|decrease|movement|rise|decline|drop)s? (?:in|of)\b"
)


def asks_for_change(text: str) -> bool:
    """Return whether a lower-case question begins by asking for the change of something.

    >>> asks_for_change("what was the dollar change in rent?"), asks_for_change("the effect of changes in rates")
    (True, False)
    """
    return _CHANGE_IN.search(text) is not None


def without_change(text: str) -> str:
    """Remove the words for a change from the beginning of a question.

    >>> without_change("what was the change in inventories")
    ' inventories'
    """
    return _CHANGE_IN.sub("", text)


_UP = "up|down|higher|lower|bigger|smaller|larger|greater|above|below"
_STEP = "change|movement|swing|increase|decrease|drop|rise|fall|jump"
_MOVED = (
    r"(?:r[io]se|risen|f[ae]ll|fallen|shr[aiu]nk|dropped|drop|declined?|decreased?|increased?|jump(?:ed)?|climb(?:ed)?"
    r"|slip(?:ped)?|improved?|changed?|moved?|go(?:ne)? (?:up|down)|went (?:up|down)|come (?:up|down))"
)
_HOW_FAR = lazy_regex(
    rf"\bhow (?:much|many|far)(?: [\w$]+)? (?:(?:{_UP})\b|(?:more|less|fewer|better|worse) (?:than|in|on|vs)\b)"
    rf"|\bhow (?:much|many)\b(?! of\b).{{1,100}}\b(?:{_MOVED}|(?:up|down) (?:from|on|over|vs|against))\b"
    rf"|\b(?:{_MOVED}|gr[eo]w|grown|up|down) (?:by )?how (?:much|many)\b|\b(?:{_MOVED}|gr[eo]w) by$"
    rf"|\bhow (?:big|large|much) (?:is|was|were|of an?) (?:the |that )?(?:{_STEP})\b"
    rf"|(?:^|[^\s\w] )(?:the )?(?:net )?(?:{_STEP})"
    rf"(?: in (?:\$|dollars?|points?)(?: millions| billions)?)?(?: (?:{_WHEN}|yoy|y/y)\b.*)?$"
    rf"|\b(?:change|movement|swing) (?:over|on|during|since|against|yoy|y/y)\b"
    rf"|\b(?:change|movement|swing) (?:in )?{_YEAR}$"
)
_SUPPOSES = lazy_regex(r"\b(?:would|could|might|may|if|why|because|what (?:drove|caused))\b")


def asks_how_far(text: str) -> bool:
    """Return whether a lower-case question asks in so many words how far an amount moved, and not by what percentage.

    >>> asks_how_far("rent rose how much?"), asks_how_far("rent, change on last year"), asks_how_far("rent, up or not?")
    (True, True, False)
    """
    text = text.strip(" ?!.")
    moves = _HOW_FAR.search(text) is not None or asks_for_development(text)
    return moves and not (_IN_PERCENT.search(text) or _SUPPOSES.search(text))


_RELATIVE = lazy_regex(
    r"\b(?:percent(?:age)?|pct|relative)\.? (?:change|growth|increase|decrease|rise|fall|decline|drop)\b"
    r"|% (?:change|growth|increase|decrease|rise|fall|decline|drop)\b"
)


def asks_for_percent_change(text: str) -> bool:
    """Return whether a lower-case question asks for a change as a percentage.

    >>> asks_for_percent_change("percentage change in rent"), asks_for_percent_change("change in percent rented")
    (True, False)
    """
    return _RELATIVE.search(text) is not None


YEARLY_RATE = lazy_regex(
    r"\b(?:annual|annuali[sz]ed|yearly|compound\w*) (?:growth )?(?:rate|growth|decline|decrease|increase)\b|\bcagr\b"
)
AVERAGE_CHANGE = lazy_regex(
    r"\b(?:average|mean|avg)\.? (?:(?:yearly|annual|quarterly|monthly|net|absolute|yoy|year.over.year) )*"
    r"(?:change|increase|decrease|decline)s?\b"
)


_AMOUNT = lazy_regex(
    r"(?:\$\s?100\b|\b100 (?:dollars|bucks|usd))(?![.,]?\d)(?! (?:thousand|million|billion|m\b|bn\b|k\b))"
)
_INVESTED = lazy_regex(r"\b(?:invest\w*|put(?:ting)?|stock|shares?|worth|grow\w*|grew|becom\w*|became|reinvest\w*)\b")


def asks_what_became(lowered: str) -> bool:
    """Return whether a lower-case question asks for the later value of a $100 investment.

    >>> asks_what_became("what did $100 invested in 2019 grow to?"), asks_what_became("was the fine $100 million?")
    (True, False)
    """
    return bool(_AMOUNT.search(lowered) and _INVESTED.search(lowered))
