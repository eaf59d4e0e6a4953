"""Words of questions, labels and sentences as comparable stems."""

import re
from functools import lru_cache

import snowballstemmer

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+(?:,\d{3})*(?:\.\d+)?|[%$]")
_YEAR = re.compile(r"(?:19|20)\d\d")
_STEMMER = snowballstemmer.stemmer("english")

STOPWORDS = frozenset(
    "a an the of in on at to for from by with as and or is are was were be been being it its that this these those "
    "what which how much many did do does so then there their they them than between over during per s we our us "
    "about into has have had can also both each same such value amount year years period".split()
)
"""Words that say little about which number is meant. Some of them say a lot about what to do with it, so the
signature's n-grams keep them."""


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    return str(_STEMMER.stemWord(word))


@lru_cache(maxsize=20_000)
def words(text: str) -> tuple[str, ...]:
    """Returns the words, numbers and the signs `%` and `$` of a text, in lower case and in order."""
    return tuple(_WORD.findall(text.lower()))


_NAMED = re.compile(
    r"\b(class|series|tier|level|type|phase|plan|p|russell|nasdaq|topix|unit|point|form|group)[ -]+"
    r"([a-z]?-?\d{0,4}|[a-z])\b"
)
"""A letter or a number that is part of a name: "tier 2", "class a", "s&p 500"."""

_DEGREES = {
    "highest": "high",
    "lowest": "low",
    "largest": "large",
    "biggest": "big",
    "smallest": "small",
    "latest": "late",
}


@lru_cache(maxsize=20_000)
def stems(text: str) -> tuple[str, ...]:
    """Returns the stems of the words that carry meaning: no stopwords, numbers or signs; in order, repeats kept.

    A letter or number that is part of a name follows it: "tier 2 capital" has the stem `tier2`.
    """
    lowered = text.lower()
    plain = tuple(
        _stem(_DEGREES.get(word, word)) for word in words(lowered) if word not in STOPWORDS and word[0].isalpha()
    )
    named = tuple(f"{name}{mark.replace('-', '')}" for name, mark in _NAMED.findall(lowered) if mark.strip("-"))
    return plain + named


@lru_cache(maxsize=20_000)
def shapes(text: str) -> tuple[str, ...]:
    """Returns all words stemmed, with years written `YEAR` and other numbers `NUM`, for n-grams."""
    return tuple(_shape(word) for word in words(text))


def _shape(word: str) -> str:
    if word[0].isdigit():
        return "YEAR" if _YEAR.fullmatch(word) else "NUM"
    return _stem(word)
