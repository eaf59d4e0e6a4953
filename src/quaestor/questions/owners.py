"""The owner of the numbers that a question asks for: "Lowe's margin", "how much did Pepsi sell"."""

from collections.abc import Callable

from quaestor.core.patterns import lazy_regex
from quaestor.core.terms import terms
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
