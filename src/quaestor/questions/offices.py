"""Names of offices and auditors as in filings: "the CFO" is the chief financial officer."""

import re
from collections.abc import Callable, Mapping

from quaestor.core.patterns import lazy_regex
from quaestor.core.terms import terms

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
