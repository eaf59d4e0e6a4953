"""The topic of a question, in its own words: "net revenue", "the s&p 500 index"."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from quaestor.core.encoding_artifacts import normalize_text
from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import find_periods, find_relative_periods
from quaestor.core.words import ARTICLES, JOINING_WORDS, NAMELESS_WORDS, SCALE_WORDS, terms
from quaestor.ontology.core import read_core

_QUESTION = frozenset("what which how what's who".split())
_POINTING = frozenset("this that these those it they them its such".split())
_RELATING = lazy_regex(r"represent|constitut|account|divid|relati|compar|over$|as$|than$|less$|minus$|times$")
_COMPOUNDS = frozenset(
    "fair carrying book market present intrinsic notional par face purchase exercise share stock".split()
)
"""Words that form a name with a following noun for a value: a fair value, a carrying amount."""

_THINGS = frozenset("rate rates return returns".split())
"""Nouns for results that form a name with any preceding word: an interest rate."""

_LIMITS = frozenset("minimum maximum".split())
"""Nouns for results that are adjectives before a name: minimum rental payments."""

_NO_RESULTS = frozenset("shares price prices".split())
_NAMING = frozenset("concerning regarding".split())
_VERBS = frozenset("is was were are be been did does do that which will".split())
_ADJECTIVES = ("ly", "ed", "net", "initial", "original", "outstanding", "actual", "gross", "aggregate")

_LONGEST = 10
_BEHIND = 60
_SCALES = frozenset({*SCALE_WORDS, "percent"}) - {"hundred"}


class _Phrase(NamedTuple):
    start: int
    words: tuple[str, ...]


def counted_thing(after: str) -> str | None:
    """Return what a number in running text counts, from the text after it, or None.

    >>> counted_thing(" of unsecured debt and some cash")
    'unsecured debt'
    >>> counted_thing(" in 2016 , $ 97.5 in 2015")
    """
    near = after[:_BEHIND]
    return _counted(near if near == after or after[_BEHIND].isspace() else near.rpartition(" ")[0])


@lru_cache(maxsize=64)
def _counted(after: str) -> str | None:
    tokens = _tokens(after)
    while tokens and tokens[0] in _SCALES:
        tokens = tokens[1:]
    if tokens[:1] == ["of"]:
        tokens = tokens[1:]
    found = _phrases(tokens[: next((i for i, token in enumerate(tokens) if token == "and"), len(tokens))])
    return " ".join(found[0].words) if found and found[0].start <= (tokens[0] in ARTICLES) else None


@lru_cache(maxsize=1024)
def named_entity(text: str) -> str | None:
    """Return the topic of a text in its own words, or None.

    Of a part and a whole it is the part; of two things, the first one.

    >>> named_entity("what was the change in net revenue from 2007 to 2008?")
    'net revenue'
    >>> named_entity("and how much does this change represent in relation to it?")
    """
    tokens = _tokens(text)
    question_word = next((place for place, token in enumerate(tokens) if token in _QUESTION), -1)
    phrases = _phrases(tokens)
    before = [phrase for phrase in phrases if phrase.start < question_word]
    after = [phrase for phrase in phrases if phrase.start > question_word]
    if _points_back(tokens[question_word + 1 : after[0].start if after else len(tokens)]):
        after = []
        before = before if _NAMING.intersection(tokens[:2]) else []
    chosen = after or before
    return " ".join(_part_of(tokens, chosen).words) if chosen else None


def _tokens(question: str) -> list[str]:
    """Return the words and marks of a question in lower case, with a mark in place of each period."""
    text = normalize_text(question).lower().replace("\u2019", "'").replace("'s ", " ")
    spans = [(period.start, period.end) for period in find_periods(text)]
    spans += [(period.start, period.end) for period in find_relative_periods(text)]
    for start, end in spans:
        text = text[:start] + "|" * (end - start) + text[end:]
    return terms(re.sub(r"\|+", " | ", text))


def _phrases(tokens: Sequence[str]) -> list[_Phrase]:
    found: list[_Phrase] = []
    words: list[str] = []
    start = 0
    for place, (token, following) in enumerate(pairwise((*tokens, "?", "?"))):
        if _names(token, words, following):
            start = place if not words else start
            words.append(token)
        elif words and (token in JOINING_WORDS or (token in ARTICLES and words[-1] in JOINING_WORDS)):
            words.append(token)
        else:
            after_verb = tokens[start - 1] in _VERBS if words and start else False
            _close(found, start, words[1:] if after_verb and words[0].endswith("ed") else words)
            words = []
    return found


def _names(token: str, before: Sequence[str], following: str) -> bool:
    if not token[0].isalnum() or token in NAMELESS_WORDS:
        return False
    if token[0].isdigit():
        return bool(before) and before[-1] not in JOINING_WORDS and not token.endswith("%")
    if token not in _nouns():
        return True
    if (before or token in _LIMITS) and _continues_name(following):
        return True
    if not before or before[-1] in JOINING_WORDS or list(before) == ["net"]:
        return False
    return before[-1] in _COMPOUNDS or token in _THINGS or following in JOINING_WORDS


def _continues_name(following: str) -> bool:
    """Return whether a word continues a name: "cost reduction initiatives", "future minimum payments"."""
    return following.isalpha() and following not in NAMELESS_WORDS and following not in _nouns()


@lru_cache(maxsize=1)
def _nouns() -> frozenset[str]:
    """Return the nouns for results, in singular and plural, which do not name a topic."""
    nouns = {noun for metric in read_core().metric_types.values() for noun in metric.nouns if " " not in noun}
    return frozenset(nouns | {f"{noun}s" for noun in nouns}) - _NO_RESULTS


def _close(found: list[_Phrase], start: int, words: list[str]) -> None:
    """Add a phrase without joining words at its ends, unless it is empty or a single adjective."""
    words = words[:_LONGEST]
    while words and (words[-1] in JOINING_WORDS or words[-1] in ARTICLES):
        words = words[:-1]
    while words and (words[0] in JOINING_WORDS or words[0] in ARTICLES):
        words = words[1:]
    if words and not (len(words) == 1 and words[0].endswith(_ADJECTIVES)):
        found.append(_Phrase(start, tuple(words)))


def _points_back(tokens: Sequence[str]) -> bool:
    """Return whether words refer to a result and relate it to something: "this change represent in relation to"."""
    pointed = False
    for token in tokens:
        pointed = pointed or token in _POINTING or token in _nouns()
        if pointed and _RELATING.match(token):
            return True
    return False


def _part_of(tokens: Sequence[str], phrases: Sequence[_Phrase]) -> _Phrase:
    """Return the part if the first phrase is the whole: "percentage of WHOLE was due to PART", "did PART represent"."""
    first = phrases[0]
    shares = read_core().metric_types["percentage"].nouns
    whole = first.start >= 2 and any(
        before in shares and after == "of" for before, after in pairwise(tokens[: first.start])
    )
    if not whole or len(phrases) < 2:
        return first
    between = tokens[first.start + len(first.words) : phrases[1].start]
    return phrases[1] if {"did", "does", "do", "was", "were", "is", "are"}.intersection(between) else first
