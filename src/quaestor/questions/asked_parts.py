"""Questions about the parts of an answer before: "and the first one?", "the second minus the first", "the two".

Each takes the whole text, so that "the first quarter" and "the two segments" are none of them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from quaestor.core.words import NUMBER_WORDS

_PLACES = MappingProxyType(
    {word: place for place, words in enumerate((
        ("first", "former", "1st"), ("second", "2nd", "other"), ("third", "3rd"), ("fourth", "4th"), ("fifth", "5th"),
        ("sixth",), ("seventh",), ("eighth",), ("ninth",), ("tenth",),
    )) for word in words} | {"last": -1, "latter": -1}
)  # fmt: skip
_MANY: Mapping[str, int] = MappingProxyType({word: many for word, many in NUMBER_WORDS.items() if 2 <= many <= 12})

_NUMBER = "|".join(_MANY)
_OF_THEM = rf"(?:\s+of\s+(?:them|these|those|the\s+(?:{_NUMBER})))?"
_NOUN = rf"(?:\s+(?:one|value|number|figure|amount|item|answer|result)s?)?{_OF_THEM}"
_ORDINAL = rf"(?:the\s+(?:{'|'.join(_PLACES)})|(?!other\b)(?:{'|'.join(_PLACES)}))(?:\s+(?:{_NUMBER}))?{_NOUN}"
"""Other without the article is the line of a table."""
_ALL = (
    rf"(?:both{_NOUN}|(?:all\s+(?:of\s+)?)?(?:the|all|these|those)\s+(?:{_NUMBER}){_NOUN}"
    r"|all(?:\s+of)?(?:\s+(?:them|these|those))?)"
)
_NAMED = rf"(?:{_ORDINAL}|{_ALL})"
_ANY = rf"(?:{_NAMED}|them|these|those)"

_LEAD = (
    r"(?:(?:and|so|then|now|but|ok|okay|please|also)\b[\s,]*){0,4}"
    r"(?:(?:what(?:\s+(?:is|was|are|were|about)|'s|s)|how\s+(?:much\s+(?:is|was)|about)"
    r"|(?:(?:can|could)\s+you\s+)?(?:give|tell|show)(?:\s+me)?|calculate|compute)\s+)?"
)
_RELATIVE = r"(?:percentage|percent|%|relative)"
_OPERATIONS: Mapping[str, str] = MappingProxyType({
    "sum": r"(?:the\s+)?(?:sum|total)|add(?:\s+up)?|sum(?:\s+up)?|total(?:\s+up)?",
    "average": r"(?:the\s+)?(?:average|mean)",
    "divide": r"(?:the\s+)?(?:ratio|quotient)|divide",
    "subtract": r"(?:the\s+)?difference",
    "multiply": r"(?:the\s+)?product|multiply",
    "percentage_change": rf"(?:the\s+)?{_RELATIVE}\s+(?:change|growth|difference|increase|decrease)",
    "change": r"(?:the\s+)?(?:change|increase|decrease)",
    "argmax": r"(?:the\s+)?(?:highest|largest|biggest|greatest|maximum)",
    "argmin": r"(?:the\s+)?(?:lowest|smallest|least|minimum)",
})  # fmt: skip
_BETWEEN: Mapping[str, str] = MappingProxyType({
    "sum": r"plus|\+|added\s+to|together\s+with",
    "subtract": r"minus|less|-|net\s+of",
    "multiply": r"times|multiplied\s+by",
    "divide": r"divided\s+by|over|to|relative\s+to|/",
    "percentage": rf"(?:as|in)\s+(?:a\s+)?(?:{_RELATIVE}|share)\s+of",
    "": "and",
})  # fmt: skip


def _alternatives(words: Mapping[str, str], group: str) -> str:
    return "|".join(f"(?P<{group}_{name or 'none'}>{pattern})" for name, pattern in words.items())


_FORMS = tuple(
    re.compile(
        rf"{_LEAD}(?:{form})(?P<together>\s+(?:up|together|combined|added\s+up|in\s+(?:total|sum|all)))?[\s?.!]*"
    )
    for form in (
        rf"(?P<a>{_NAMED})",
        rf"(?P<a>{_NAMED})\s+(?:{_alternatives(_BETWEEN, 'op')})\s+(?P<b>{_NAMED})",
        rf"(?:{_alternatives(_OPERATIONS, 'op')})(?:\s+(?:of|between|for|in|from))?\s+(?P<a>{_ANY})"
        rf"(?:\s+(?:and|to|over|by|with|from)\s+(?P<b>{_NAMED}))?",
        rf"(?P<from>subtract|deduct|take)\s+(?P<b>{_NAMED})\s+from\s+(?P<a>{_NAMED})",
        rf"which\s+(?:one\s+)?(?:of\s+(?P<a>{_ANY})\s+)?(?:is|was)\s+(?:the\s+)?"
        r"(?:(?P<op_argmax>(?P<more>larger|higher|bigger|greater|more)|largest|highest|biggest|greatest|most)"
        r"|(?P<op_argmin>(?P<fewer>smaller|lower|less|fewer)|smallest|lowest|least))",
    )
)
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class AskedParts:
    """What is asked of the parts of an answer.

    Attributes:
        places: Which, from 0; a negative one counts from the end. Empty: all.
        count: Of how many parts the answer is; 0 if not given.
        operation: What is done with them, a name of `quaestor.plan.operations`; "" of parts as they are.
    """

    places: tuple[int, ...]
    count: int = 0
    operation: str = ""


@lru_cache(maxsize=1024)
def read_asked_parts(text: str) -> AskedParts | None:
    """Return what a question in lower case asks of the parts of an answer before; None if it asks for anything else.

    >>> read_asked_parts("and the sum of the first two?")
    AskedParts(places=(0, 1), count=0, operation='sum')
    >>> read_asked_parts("what was the first quarter?")
    """
    if len(text) > _LONGEST:
        return None
    lowered = " ".join(text.split())
    found = next((match for form in _FORMS if (match := form.fullmatch(lowered))), None)
    if found is None:
        return None
    groups = found.groupdict()
    named = [_read_parts(groups[name]) for name in ("a", "b") if groups.get(name)]
    operation = next((name.removeprefix("op_") for name, hit in groups.items() if name[:3] == "op_" and hit), "")
    operation = "subtract" if groups.get("from") else "" if operation == "none" else operation
    if groups.get("together"):
        operation = operation or "sum"
    places, count = tuple(place for places, _ in named for place in places), max((many for _, many in named), default=0)
    if len(named) == 2 and not all(places for places, _ in named):
        return None  # "both minus the first"
    if groups.get("more") or groups.get("fewer"):
        count = count or 2
    if operation in ("change", "percentage_change"):
        # From the first to the second.
        places, operation = places[::-1] or (1, 0), "subtract" if operation == "change" else operation
        count = count or (0 if named[0][0] else 2)
    return AskedParts(places, count, operation)


def _read_parts(text: str) -> tuple[tuple[int, ...], int]:
    """Return the places that words name, and of how many parts they speak."""
    named, _, whole = text.partition(" of ")
    words, together = named.split(), next((_MANY[word] for word in whole.split() if word in _MANY), 0)
    many = next((_MANY[word] for word in words if word in _MANY), 0)
    place = next((_PLACES[word] for word in words if word in _PLACES), None)
    if place is None:
        return (), 2 if "both" in words else many or together
    if not many:
        return (place,), 2 if {"former", "latter", "other"} & set(words) else together
    return tuple(range(-many, 0) if place < 0 else range(many)), together
