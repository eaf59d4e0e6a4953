"""Full names of the abbreviations that a document explains: "United States and Canada (UCAN)"."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

_CALLED = re.compile(
    r"(?<![\w.&'\u2019-])(?P<name>[A-Z][\w.&'\u2019-]*+(?:,? (?:(?:and|of|the|&) )?[A-Z][\w.&'\u2019-]*+){0,6}),? "
    r"\((?:the )?[\"\u201c]?(?P<short>[A-Z]{2,6})[\"\u201d]?\)"
)
_WORD = re.compile(r"[A-Z][\w.&'\u2019-]*")


def find_full_names(texts: Iterable[str]) -> Mapping[str, str]:
    """Return the most frequent full name of each abbreviation: "Asia Pacific (APAC)".

    >>> find_full_names(["Sales in Asia Pacific (APAC) grew."])
    {'APAC': 'Asia Pacific (APAC)'}
    """
    counts: dict[str, Counter[str]] = {}
    for text in texts:
        if ")" not in text:
            continue
        for found in _CALLED.finditer(text):
            name = _name_abbreviated(found["name"], found["short"])
            if name:
                counts.setdefault(found["short"], Counter())[name] += 1
    return {short: f"{names.most_common(1)[0][0]} ({short})" for short, names in counts.items()}


def _name_abbreviated(name: str, short: str) -> str:
    """Return the last words of a name that an abbreviation is of; it may begin with a company's own letter."""
    starts = [word.start() for word in _WORD.finditer(name)]
    for letters in (short, short[1:]):
        for start in reversed(starts):
            words = name[start:]
            if len(letters) > 1 and words[0] == letters[0] and len(words) > len(short) and _abbreviates(letters, words):
                return words
    return ""


def _abbreviates(letters: str, name: str) -> bool:
    rest = iter(name.upper())
    return all(letter in rest for letter in letters)
