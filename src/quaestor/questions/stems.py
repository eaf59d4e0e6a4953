"""Words of questions, labels and sentences as comparable stems."""

import re
import threading
from collections.abc import Iterable
from functools import lru_cache

import Stemmer

from quaestor.core.patterns import lazy_regex
from quaestor.core.words import STOP_WORDS, words


class _ThreadStemmer(threading.local):
    """A stemmer for each thread: while it works it keeps the word in itself."""

    def __init__(self) -> None:
        self.stemmer = Stemmer.Stemmer("english")


_thread = _ThreadStemmer()
_YEAR = lazy_regex(r"(?:19|20)\d\d")
_MONTHS = "january february march april may june july august september october november december".split()
_DATE = lazy_regex(r"(?<![\d/.])(1[0-2]|0?[1-9])/(3[01]|[12]\d|0?[1-9])/((?:19|20)?\d\d)(?![\d/])")
"""A date in digits, the month first: "12/31/10"."""

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
    """Return the stem of a word of lower case: changes, changed and changing are one."""
    return str(_thread.stemmer.stemWord(word))


@lru_cache(maxsize=4096)
def meaning_stem(word: str) -> str | None:
    """Return the stem of a word of lower case that carries meaning; None of a stop word, a number or a sign."""
    return None if word in STOP_WORDS or not word[0].isalpha() else stem(_DEGREES.get(word, word))


@lru_cache(maxsize=1024)
def stems(text: str) -> tuple[str, ...]:
    """Return the stems of the words that carry meaning: no stop words, numbers or signs; in order, with repeats.

    A letter or number that is part of a name follows it: "tier 2 capital" has the stem `tier2`. A date in digits has
    its month as a word.
    """
    lowered = _with_months(text.lower())
    tokens = words(lowered)
    plain = [found for word in tokens if (found := meaning_stem(word)) is not None]
    # Most texts have no such word at all, which is quicker to see.
    named = () if _WITH_MARKS.isdisjoint(tokens) else _NAMED.findall(lowered)
    return (*plain, *(f"{name}{mark.replace('-', '')}" for name, mark in named if mark.strip("-")))


def stems_of_parts(parts: Iterable[str]) -> tuple[str, ...]:
    """Return the stems of texts with a space between them; those of a part are known from the last time."""
    texts = tuple(parts)
    found = [_single_stems(part) for part in texts]
    # A name at the end of a part may have its mark at the beginning of the next.
    return stems(" ".join(texts)) if None in found else tuple(stem for part in found if part for stem in part)


@lru_cache(maxsize=1024)
def _single_stems(text: str) -> tuple[str, ...] | None:
    """The stems of a text; None if it may have others next to other texts."""
    lowered = text.lower()
    return stems(text) if is_of_single_words(lowered, words(lowered)) else None


def is_of_single_words(text: str, tokens: Iterable[str]) -> bool:
    """Return whether the stems of any part of a text are those of its words alone: it has no date and no mark.

    Args:
        text: In lower case.
    """
    return "/" not in text and _WITH_MARKS.isdisjoint(tokens)


def without_owner(text: str) -> str:
    """Return a text of lower case without the company that reports: its numbers are about it, and need not name it.

    >>> without_owner("how many stores did the company have?")
    'how many stores did   have?'
    """
    return _OWNER.sub(" ", text)


@lru_cache(maxsize=1024)
def shapes(text: str) -> tuple[str, ...]:
    """Return all words stemmed, with years written `YEAR` and other numbers `NUM`, for n-grams."""
    return tuple(_shape(word) for word in words(_with_months(text)))


def _with_months(text: str) -> str:
    """The text with its dates in words: a report's "december 31, 2010" is a question's "12/31/10"."""
    return _DATE.sub(_write_date, text) if "/" in text else text


def _write_date(date: re.Match[str]) -> str:
    month, day, year = date.groups()
    # Of two digits the years up to 49 are of this century, as strptime has it up to 68 and reports never reach.
    century = "" if len(year) > 2 else "20" if year < "50" else "19"
    return f"{_MONTHS[int(month) - 1]} {day}, {century}{year}"


def _shape(word: str) -> str:
    if word[0].isdigit():
        return "YEAR" if _YEAR.fullmatch(word) else "NUM"
    return stem(word)
