"""Which sentences explain a thing: say what it is, what it means or what it does, of the company as well."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from quaestor.core.terms import spans_of_terms, terms
from quaestor.facts.sentences import Floats, SentenceIndex
from quaestor.questions.explained import find_explained

_OF_COMPANY = frozenset(terms("company companies business firm corporation they it group"))
"""Terms of a question that refer to the company."""
_MARKS = "+"
"""What makes another name of one ("Acme+")."""
_CLOSED = r"[\u201d\u2019\"')\u00ae\u2122+]*+"
_ASIDE = rf"{_CLOSED}(?:\s*\([^)]{{0,160}}\)|,[^,;]{{0,80}},)?{_CLOSED}"
_IS = (
    r"(?:(?:is|are|was) (?:also )?(?:an?|the|our|those|any|defined|calculated|computed|designed|intended|made up"
    r"|composed)|to be)\b"
)
_MEANS = (
    r"(?:means?|refers? to|represents?|is defined as|consists?|comprises?|encompass(?:es)?|includes?|involves?"
    r"|describes?|enables?|allows?|helps?|imposes?|provides?|contains?|offers?|combines?|measures?)\b"
)
_DOES = (
    r"(?:designs?|develops?|manufactures?|markets?|operates?|distributes?|engages?|produces?|sells?|serves?|delivers?"
    r"|supplies|focus(?:es)?|is engaged|are engaged|is focused|are focused)\b"
)
_EXPLAINS = re.compile(
    rf"{_ASIDE}[\s,]*(?:(?:generally|primarily|typically|also|currently) )?(?:{_IS}|{_MEANS}|{_DOES})"
)
_APPOSED = re.compile(
    rf"{_CLOSED}(?:,? (?:LLC|LP|Ltd|Inc)\b\.?)?(?: \([^)]{{0,60}}\))?, "
    r"(?:an?|our|the|which (?:is|are|means|includes?))\b"
)
_DASHED = re.compile(rf"{_CLOSED}\s?(?:\u2014|\u2013 |: )(?=\S)")
_QUOTED = re.compile(r"[\u201c\"][^\u201c\u201d\"]{0,30}$")
_OPENING = 3
"""Terms that may precede the subject of a sentence."""
_BEING = (
    r"(?:(?:is|are) (?:an? |one of |the (?:\w+'s )?(?:leading|largest|world|parent|holding|only)\b|engaged |focused )"
    rf"|{_DOES})"
)
_INTRODUCES = re.compile(rf"\W*(?:the company|we)(?: \w+ly| also)? {_BEING}", re.IGNORECASE)
_NAMES_ITSELF = re.compile(rf"(?:[^.;]|\b(?:inc|co|corp|ltd|cos)\.|\.(?=[,)\w])){{0,250}}?\b{_BEING}", re.IGNORECASE)
_SHORTEST = 6
_EARLY = 0.5
"""The part of a document in which a company says what it does."""
_WEIGHTS = {"is": 1.0, "apposed": 0.8, "quoted": 0.8, "dashed": 0.6, "within": 0.6}


def measure_explanations(question: str, index: SentenceIndex, company: frozenset[str]) -> Floats | None:
    """Return how well each sentence explains what a question wants explained; None if it asks for something else.

    Args:
        company: The terms by which the document's own company is called.
    """
    thing = find_explained(question)
    if thing is None:
        return None
    found = np.zeros(len(index.sentences), np.float32)
    named = terms(thing)
    others = [one for one in named if one.replace("&", "") not in company and one not in _OF_COMPANY]
    mark = thing[-1] if thing[-1] in _MARKS else ""
    if not others and not mark:
        for place, value in _introductions(index, company):
            found[place] = value
        return found
    for phrase in filter(None, dict.fromkeys((named, tuple(others)))):
        for place in map(int, np.flatnonzero(index.having(phrase).all(axis=0))):
            found[place] = max(found[place], explains(index.sentences[place].text, phrase, mark))
    return found


def explains(text: str, thing: Sequence[str], mark: str = "") -> float:
    """Return how well a sentence explains a thing, by where it names it and how it goes on.

    >>> explains("A unit case is a bottle.", terms("unit case")), explains("Unit cases rose.", terms("unit case"))
    (1.0, 0.0)
    """
    spans = spans_of_terms(text)
    said = [one for _, _, one in spans]
    size = len(thing)
    best = 0.0
    for start in range(len(said) - size + 1):
        begin, end = spans[start][0], spans[start + size - 1][1]
        if said[start : start + size] != list(thing) or not text.startswith(mark, end):
            continue
        opens = start < _OPENING
        if _EXPLAINS.match(text, end):
            best = max(best, _WEIGHTS["is" if opens else "within"])
        elif _APPOSED.match(text, end):
            best = max(best, _WEIGHTS["apposed"])
        elif _QUOTED.search(text, max(0, begin - 40), begin):
            best = max(best, _WEIGHTS["quoted"])
        elif opens and _DASHED.match(text, end):
            best = max(best, _WEIGHTS["dashed"])
    return best


def _introductions(index: SentenceIndex, company: frozenset[str]) -> Iterator[tuple[int, float]]:
    """Yield the sentences that say what the company is or does, and how likely each is: the earlier, the likelier."""
    value = 1.0
    for place in range(int(len(index.sentences) * _EARLY)):
        said = index.terms[place]
        if len(said) < _SHORTEST:
            continue
        text = index.sentences[place].text
        if _INTRODUCES.match(text) or (said[0] in company and _NAMES_ITSELF.match(text)):
            yield place, value
            value *= 0.8
            if value < 0.3:
                return
