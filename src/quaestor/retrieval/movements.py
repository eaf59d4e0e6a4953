"""Recognises what changed and whether it increased, in questions about reasons and in sentences that give them."""

import re
from dataclasses import dataclass
from functools import lru_cache

from quaestor.core.words import FUNCTION_WORDS, words
from quaestor.questions.stems import stem
from quaestor.retrieval.colloquial_words import in_words_of_reports

RISE = (
    r"increas\w+|rose|ris(?:es?|ing|en)|gr[eo]w\w*|growth|higher|improv\w+|gain(?:s|ed)?|expan(?:d\w*|sion)|climb\w*"
    r"|up\b|accelerat\w+"
)
FALL = (
    r"decreas\w+|f[ea]ll(?:s|ing|en)?\b|declin\w+|lower|drop\w*|reduc(?:ed|tions?|es|ing)|down\b|shr[aiu]nk|worsen\w*"
    r"|contract(?:ed|ion)|deteriorat\w+"
)
NO_DIRECTION = r"chang\w+|fluctuat\w+|varied|moved"
MOVES = re.compile(rf"\b(?:{RISE}|{FALL}|{NO_DIRECTION})", re.IGNORECASE)
"""Any word for a change."""
_RISES, _FALLS = re.compile(rf"\b(?:{RISE})", re.IGNORECASE), re.compile(rf"\b(?:{FALL})", re.IGNORECASE)
_OF_OTHERS = re.compile(r"\s(?:of|from|in|to|for|on|by|associated with|related to)\s", re.IGNORECASE)
_SEGMENTS = re.compile(r"\s+and\s+|\s*[,/&]\s*")
_ASIDE = re.compile(r"\([^()]*\)")
_SAME = (
    (re.compile(r"\bnet (?:income|earnings|profits?|loss(?:es)?)\b"), "netincome"),
    (
        re.compile(r"\bsales(?=,? (?:and|&)? ?(?:general|marketing)\b| force\b| tax)|(?<=marketing and )sales\b"),
        "selling",
    ),
    (re.compile(r"\b(?:net )?(?:operating )?(?:sales|revenues?)\b"), "revenue"),
    (re.compile(r"\b(?:earnings(?! per)|profits?(?! margin))\b"), "income"),
)
"""Patterns of synonyms, each with the word that replaces them."""
ONE_AMOUNT = frozenset(map(stem, "expense expenses cost costs spending amount amounts level levels".split()))
"""Words after the name of a line that do not change it: "research and development expense"."""
NAMES_NOTHING = frozenset(
    stem(word)
    for word in (
        "total company consolidated overall amount dollar fiscal year quarter month ended period result results why "
        "what reason cause caused led lead factor driver main primary key drove drive explain explains affected affect "
        "impacted impact influenced contributed contribute behind approximately compared comparison prior same mainly "
        "primarily effective first second third fourth six nine three twelve decrease increase year-over-year"
    ).split()
)
"""Words next to the name of a thing that are not part of it."""
_DURATIONS = (
    (
        6,
        re.compile(
            r"\b(?:six|6)[- ]months?|\b(?:first|second) half\b|\bhalf[- ]year|\bh[12]\b|year[- ]to[- ]date|\bytd\b",
            re.IGNORECASE,
        ),
    ),
    (9, re.compile(r"\b(?:nine|9)[- ]months?", re.IGNORECASE)),
    (3, re.compile(r"\b(?:three|3)(?:[- ]months?| and (?:six|nine))\b|\bquarters?\b|\bq[1-4]\b", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class NamedSubject:
    """A thing that may change.

    Attributes:
        heads: Stems for the kind of thing: "revenue" in "Services revenue".
        name: All stems of its name, including a final "expense".
    """

    stems: frozenset[str] = frozenset()
    heads: frozenset[str] = frozenset()
    name: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.stems)


NOTHING = NamedSubject()
"""Used if no thing is named."""


def read_thing(text: str) -> NamedSubject:
    """Return the thing that words name.

    >>> sorted(read_thing("Services net sales").heads)
    ['revenu']
    """
    worded = _reword(text)
    names = frozenset(name_stems(text))
    heads: set[str] = set()
    for part in _SEGMENTS.split(_OF_OTHERS.split(worded, maxsplit=1)[0]):
        own = [each for each in name_stems(part) if each not in NAMES_NOTHING]
        while len(own) > 1 and own[-1] in ONE_AMOUNT:
            own.pop()
        heads.update(own[-1:])
    return NamedSubject((names - NAMES_NOTHING - ONE_AMOUNT) | heads, frozenset(heads), names)


def name_stems(text: str) -> tuple[str, ...]:
    """Return the stems of a name or heading, with synonyms unified."""
    named = (word for word in words(_reword(text)) if word not in FUNCTION_WORDS and word[0].isalpha())
    return tuple(stem(word.removesuffix("'s").removesuffix("\u2019s")) for word in named)


def mentions_increase(text: str) -> bool | None:
    """Return whether a text mentions an increase before a decrease; None if it mentions neither.

    >>> mentions_increase("decreased because of higher freight")
    False
    """
    rise, fall = _RISES.search(text), _FALLS.search(text)
    if rise is None or fall is None:
        return None if rise is fall else rise is not None
    return rise.start() < fall.start()


@lru_cache(maxsize=8192)
def months_named(text: str) -> frozenset[int]:
    """Return the lengths of periods in a text, in months; empty for years."""
    return frozenset(months for months, form in _DURATIONS if form.search(text))


def _reword(text: str) -> str:
    text = in_words_of_reports(_ASIDE.sub(" ", text.lower()))
    for names, name in _SAME:
        text = names.sub(name, text)
    return text
