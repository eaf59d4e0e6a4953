"""Stemmed terms for comparing words of questions, labels and phrases.

`R&D` and `A/P` are one term each; `gains/losses` and `long-term` are two. Possessive and plural endings are removed.
"""

import re
import threading
from collections.abc import Sequence
from functools import lru_cache

import Stemmer

from quaestor.core.patterns import lazy_regex

_WORD = lazy_regex(r"[a-z]{1,2}[&/][a-z]{1,2}(?![a-z])|pp&e|[a-z]+(?:&[a-z]+)*|[0-9]+(?:[.,][0-9]+)*|%")
_WORD_OR_BREAK = lazy_regex(rf"{_WORD.pattern}|[;\n]")
_OWNER = lazy_regex(r"'s(?![a-z])")


class _ThreadStemmer(threading.local):
    """One stemmer per thread, since a stemmer is not thread-safe."""

    def __init__(self) -> None:
        self.stemmer = Stemmer.Stemmer("english")


_thread = _ThreadStemmer()

_UNITED_STATES = lazy_regex(
    r"u(?<=\bu)(?<!tell u)(?<!give u)(?<!show u)(?:\.?s\.?(?![a-z$&])(?:a\b)?|nited states(?: of america)?\b)"
)
"""The country; "us" is a pronoun only after a few verbs."""

SMALL = frozenset(
    "a an the of in for to on at by from and or with its their our is was were are be as that this".split()
)
"""Words that are ignored when phrases are compared."""


def _in_lower(text: str) -> str:
    return _UNITED_STATES.sub(_in_full, text.lower().replace("\u2019", "'"))


def _in_full(match: re.Match[str]) -> str:
    # Keep the printed length, so that spans stay valid.
    return "usa".ljust(len(match[0]))[: len(match[0])] if len(match[0]) > 2 else "us"


@lru_cache(maxsize=1 << 15)
def term(word: str) -> str:
    """Return the term of a word in lower case."""
    if word in ("us", "usa"):
        return "us"
    return word if len(word) < 4 or not word.isalpha() else stem_word(word)


def stem_word(word: str) -> str:
    """Return the stem of a word in lower case, in American spelling: "amortisation" is "amortization"."""
    return str(_thread.stemmer.stemWord(word.replace("isation", "ization")))


@lru_cache(maxsize=1 << 14)
def terms(text: str) -> tuple[str, ...]:
    """Return the terms of a text in order, without small words.

    >>> terms("The cost of R&D in the company's long-term plans")
    ('cost', 'r&d', 'compani', 'long', 'term', 'plan')
    """
    return tuple(found for _, _, found in spans_of_terms(text))


def spans_of_terms(text: str) -> list[tuple[int, int, str]]:
    """Return the start, the end and the term of each word of a text, without small words."""
    lowered = _in_lower(text)
    return [
        (match.start(), match.end(), term(match[0]))
        for match in _WORD.finditer(lowered)
        if match[0] not in SMALL and not (match[0] == "s" and lowered[match.start() - 1 : match.start()] == "'")
    ]


def split_terms(lists: Sequence[str]) -> list[tuple[tuple[str, ...], ...]]:
    """Return the terms of phrases for several semicolon-separated lists in one pass, each phrase once per list.

    >>> split_terms(["total assets; asset base", "sales"])
    [(('total', 'asset'), ('asset', 'base')), (('sale',),)]
    """
    phrases: list[dict[tuple[str, ...], None]] = [{}]
    phrase: list[str] = []
    for word in _WORD_OR_BREAK.findall(_OWNER.sub(" ", _in_lower("\n".join((*lists, ""))))):
        if word not in ";\n":
            if word not in SMALL:
                phrase.append(term(word))
            continue
        if phrase:
            phrases[-1][tuple(phrase)] = None
            phrase = []
        if word == "\n":
            phrases.append({})
    return [tuple(of) for of in phrases[:-1]]
