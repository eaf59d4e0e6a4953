"""Comparable stems of the words in questions, labels and sentences."""

import re
from functools import lru_cache

from quaestor.core.patterns import lazy_regex
from quaestor.core.terms import stem_word
from quaestor.core.words import STOP_WORDS, words

_YEAR = lazy_regex(r"(?:19|20)\d\d")
_MONTHS = "january february march april may june july august september october november december".split()
_DATE = lazy_regex(r"(?<![\d/.])(1[0-2]|0?[1-9])/(3[01]|[12]\d|0?[1-9])/((?:19|20)?\d\d)(?![\d/])")
"""A date in digits, month first: "12/31/10"."""

_NAMES = "class series tier level type phase plan p russell nasdaq topix unit point form group".split()
_NAMED = lazy_regex(rf"\b({'|'.join(_NAMES)})[ -]+([a-z]?-?\d{{0,4}}|[a-z])\b")
"""A letter or a number that is part of a name: "tier 2", "class a", "s&p 500"."""

_WITH_MARKS = frozenset(_NAMES)

_OWNER = lazy_regex(
    r"\b[\w.&-]{1,60}['\u2019]s\b|\bthe (?:company|firm|corporation|registrant)\b|\b(?:they|their|them|we|our|it|its)\b"
)

_DEGREES = {
    "highest": "high",
    "lowest": "low",
    "largest": "large",
    "biggest": "big",
    "smallest": "small",
    "latest": "late",
}


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return the stem of a lower-case word; changes, changed and changing have the same one."""
    return stem_word(word)


@lru_cache(maxsize=4096)
def meaning_stem(word: str) -> str | None:
    """Return the stem of a lower-case word that carries meaning; None for a stop word, a number or a sign."""
    return None if word in STOP_WORDS or not word[0].isalpha() else stem(_DEGREES.get(word, word))


@lru_cache(maxsize=1024)
def stems(text: str) -> tuple[str, ...]:
    """Return the stems of the words that carry meaning (no stop words, numbers or signs), in order and with repeats.

    A letter or number that is part of a name is appended: "tier 2 capital" has the stem `tier2`. The month of a date in
    digits counts as a word.
    """
    lowered = _with_months(text.lower())
    tokens = words(lowered)
    plain = [found for word in tokens if (found := meaning_stem(word)) is not None]
    # a fast check, because most texts have no such word
    named = () if _WITH_MARKS.isdisjoint(tokens) else _NAMED.findall(lowered)
    return (*plain, *(f"{name}{mark.replace('-', '')}" for name, mark in named if mark.strip("-")))


def without_owner(text: str) -> str:
    """Remove references to the reporting company from a lower-case text, because its numbers need not name it.

    >>> without_owner("how many stores did the company have?")
    'how many stores did   have?'
    """
    return _OWNER.sub(" ", text)


@lru_cache(maxsize=1024)
def shapes(text: str) -> tuple[str, ...]:
    """Return all words stemmed, with years as `YEAR` and other numbers as `NUM`, for n-grams."""
    return tuple(_shape(word) for word in words(_with_months(text)))


def _with_months(text: str) -> str:
    """Spell out dates in digits, so that a question's "12/31/10" matches a report's "december 31, 2010"."""
    return _DATE.sub(_write_date, text) if "/" in text else text


def _write_date(date: re.Match[str]) -> str:
    month, day, year = date.groups()
    # Two-digit years up to 49 are in this century (strptime: up to 68, which no report reaches).
    century = "" if len(year) > 2 else "20" if year < "50" else "19"
    return f"{_MONTHS[int(month) - 1]} {day}, {century}{year}"


def _shape(word: str) -> str:
    if word[0].isdigit():
        return "YEAR" if _YEAR.fullmatch(word) else "NUM"
    return stem(word)
