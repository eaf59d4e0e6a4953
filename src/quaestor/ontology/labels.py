"""The ladder of readings by which two labels are one: each rung forgives one more difference of print.

A rung is a key: labels with equal keys are one by that rung. The first rung on which two labels meet is the reason that
is given for it.
"""

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from quaestor.core.stop_words import LABEL_FILLERS
from quaestor.core.words import label_words, singular
from quaestor.ontology.core import read_core

_LONGEST_SPELT = 1_000
_NUMBERLESS = re.compile(r"^[a-z]{8,}$")
_DIRECTIONS = frozenset("from to by over under per".split())
_MONTHS = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
)
_DATE = re.compile(rf"\b(?:as of|at|on|ended|ending|through)\s+(?={_MONTHS}\.?\s?[0-9])")
_SIGNS = re.compile(
    r"/?\s?\(\s?(loss|losses|gains?|income|expenses?|benefit|benefits|earnings|deficit|decrease|increase|charges?|credit|provision)\s?\)"
)
_AND = re.compile(r"(?: &)+ ")
_INITIAL = re.compile(r"(?<![a-z])[a-z]")
_ABBREVIATION = re.compile(r"\(\s?[\"']?(?:the )?[\"']?([a-z&.-]{2,8})\s?[\"']?\s?\)")


@dataclass(frozen=True, slots=True)
class MatchRule:
    """One way in which labels are the same.

    Attributes:
        score: How sure it is, 1 is certain.
        key: The label as read on this rung; labels with equal keys are one. "" joins nothing.
    """

    name: str
    score: float
    reason: str
    key: Callable[[str], str]


def _rung(name: str, score: float, reason: str, key: Callable[[str], str]) -> MatchRule:
    return MatchRule(name, score, reason, lru_cache(maxsize=1024)(key))


@lru_cache(maxsize=1024)
def plain(label: str) -> str:
    """Return a label in lower case, its punctuation gone but for what changes its meaning.

    A sign in brackets stays in them: "income taxes (benefits)" is an expense, an income tax benefit is none.
    """
    text = _SIGNS.sub(lambda found: f" [{found[1]}] ", label.casefold().replace("-", " ").replace("&", " & "))
    return _AND.sub(" and ", " ".join(label_words(text)).strip(" ."))


def _joined(label: str) -> str:
    return re.sub(r"[^a-z0-9%$\[]", "", plain(label))


def _singular(label: str) -> str:
    return " ".join(map(singular, plain(label).split()))


def _without_abbreviation(label: str) -> str:
    """Drop a bracketed abbreviation of the words before it: "restricted stock units (rsus)"."""
    begins = [(found.start(), found[0]) for found in _INITIAL.finditer(label)]
    initials, starts = "".join(letter for _, letter in begins), [start for start, _ in begins]

    def drop(found: re.Match[str]) -> str:
        letters = re.sub(r"[^a-z]", "", found[1])
        before = initials[: bisect_left(starts, found.start())]
        return "" if letters in before or letters.removesuffix("s") in before else found[0]

    return _singular(_ABBREVIATION.sub(drop, label.casefold()))


def _without_date(label: str) -> str:
    """Drop the preposition of a date; the date stays, for january 1 opens a year and december 31 ends it."""
    return _without_abbreviation(_DATE.sub("", label.casefold()))


def _without_sign(label: str) -> str:
    """Drop a sign in brackets, where the noun that it modifies is printed too: "net (loss)" is a net loss."""
    rest = " ".join(_SIGNS.sub(" ", label.casefold()).split())
    headless = rest == "net" or not rest or rest.startswith(("from ", "before ", "on ", "per "))
    return _without_date(_SIGNS.sub(r" \1 ", label.casefold()) if headless else rest)


def _without_fillers(label: str) -> str:
    return " ".join(word for word in _without_sign(label).split() if word not in LABEL_FILLERS)


def _reworded(label: str) -> str:
    text = f" {_without_fillers(label)} "
    for variant, wording in _wordings():
        if variant in text:
            text = text.replace(f" {variant} ", f" {wording} ")
    return text.strip()


@lru_cache(maxsize=1)
def _wordings() -> tuple[tuple[str, str], ...]:
    return tuple((_without_fillers(variant), _without_fillers(wording)) for variant, wording in read_core().wordings)


def _sorted(label: str) -> str:
    """Word order, of three words and more: lease financing is no financing lease, a transfer from is none to."""
    key = _reworded(label)
    words = key.split()
    return " ".join(sorted(words)) if len(words) > 2 and _DIRECTIONS.isdisjoint(words) else key


def _unqualified(label: str) -> str:
    """Drop the core's qualifiers where enough is left to name one thing: a total volume is not every volume."""
    core, words = read_core(), _reworded(label).split()
    for word, alone in core.leading:
        if words[:1] == [word] and (len(words) > 2 or (len(words) == 2 and words[1] in alone)):
            words = words[1:]
    for word, before in core.trailing:
        if len(words) > 1 and words[-1] == word and words[-2] in before:
            words = words[:-1]
    return " ".join(sorted(words) if len(words) > 2 else words)


RUNGS = (
    _rung("same words", 1.0, "the same words in other cases, spaces and punctuation", plain),
    _rung("spaces", 0.98, "the same letters, a space or a hyphen lost or added", _joined),
    _rung("plural", 0.97, "singular and plural", _singular),
    _rung("abbreviation", 0.96, "an abbreviation in brackets after the full words", _without_abbreviation),
    _rung("date", 0.94, "the preposition before a date", _without_date),
    _rung("sign", 0.93, "a sign in words, in brackets: (loss), (benefit)", _without_sign),
    _rung("filler", 0.93, "words without meaning: the, of, and", _without_fillers),
    _rung("wording", 0.92, "wordings that the core ontology treats as one", _reworded),
    _rung("order", 0.9, "the same words in another order", _sorted),
    _rung("qualifier", 0.85, "a leading total, or an optional net", _unqualified),
)
"""In the order in which they are asked."""

SPELLING = MatchRule("spelling", 0.8, "one letter lost or added in a long word", lambda label: "")
"""Asked last; its keys are many for each label, see `spellings`."""
CONCEPT = _rung("concept", 1.0, "filings tag both with the same concept", lambda _: "")
PROPOSED = _rung("proposed", 0.7, "proposed with a reason and accepted", lambda _: "")


def spellings(label: str) -> frozenset[str]:
    """Return the keys of a label on the rung of spelling: it, and it with one letter of a long word left out.

    A text of more than a thousand characters, which is not a label that anybody spells, has itself alone.
    """
    words = _reworded(label).split()
    found = {" ".join(words)}
    if len(label) > _LONGEST_SPELT:
        return frozenset(found)
    for i, word in enumerate(words):
        if _NUMBERLESS.fullmatch(word):
            for cut in range(1, len(word)):
                found.add(" ".join((*words[:i], word[:cut] + word[cut + 1 :], *words[i + 1 :])))
    return frozenset(found) if words else frozenset()
