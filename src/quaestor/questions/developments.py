"""Questions for a development ("how did sales change?"), which ask for a change, and for a part of a whole.

Both ask for a number: the change instead of its course, and the share.
"""

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


def as_change(text: str) -> str:
    """Reword a question for a development as one for the change; return other questions unchanged.

    >>> as_change("how did rent develop from 2021 to 2024?")
    'what was the change in rent from 2021 to 2024?'
    """
    return (
        _DEVELOPED.sub(r"what was the change in \g<thing> ", text).replace(" ?", "?")
        if asks_for_development(text)
        else text
    )


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


_PART_OF = lazy_regex(
    r"\bhow much of (?P<whole>.{1,200}?) (?P<verb>is|was|are|were) (?!due\b|from\b|attributable\b|related\b|spent\b)",
    re.IGNORECASE,
)


def as_share(text: str) -> str:
    """Reword "how much of one thing was another" as a question for a percentage; return other questions unchanged.

    >>> as_share("how much of total costs was rent in 2024?")
    'what percentage of total costs was rent in 2024?'
    """
    return _PART_OF.sub(r"what percentage of \g<whole> \g<verb> ", text)
