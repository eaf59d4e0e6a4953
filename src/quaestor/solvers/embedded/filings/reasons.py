"""Scores for sentences that give the reason for a change or explain something."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import fsum

import numpy as np

from quaestor.core.patterns import lazy_regex
from quaestor.core.terms import spans_of_terms, term, terms
from quaestor.facts.sentences import CAUSE, FALLS, RISES, STATIC, Floats, SentenceIndex
from quaestor.questions.words_asked import find_explained

OF_TIME = frozenset(
    term(word)
    for word in """fiscal year years quarter month months ended three six nine twelve total net during compared same
    period prior january february march april may june july august september october november december first second
    third fourth increase decrease change growth decline reduction improvement drivers driver overall reported
    primary""".split()
)
"""Terms of a sentence's subject that do not name a thing."""
_MOVE_OR_AMOUNT = frozenset(
    term(word)
    for word in """drive drove driven behind explain explains reason reasons made make happen happened hurt weigh
    weighed held push pushed swing jump jumped shrink shrank slip slipped cut little much weak strong low high big far
    back turn turned last latest previous approximately million billion thousand % percent primarily point points basis
    amount example""".split()
)
"""Terms for a movement or its size, which do not name what moved."""
_NOT_THINGS = OF_TIME | RISES | FALLS | CAUSE | _MOVE_OR_AMOUNT
_IMPRECISE = 0.5
"""Share of a sentence's score that it keeps if it also names many other things."""
_OPPOSITE = 0.6
"""Share that it keeps if the thing moved in the other direction."""
_CAUSE = STATIC.index("cause")


def find_things(words: Collection[str]) -> frozenset[str]:
    """Return the terms of a question or label that name things instead of movements, times and amounts."""
    return frozenset(one for one in words if one not in _NOT_THINGS and not one[0].isdigit())


def measure_causes(
    things: Sequence[Collection[str]], index: SentenceIndex, company: Collection[str], *, rises: bool, falls: bool
) -> Floats:
    """Return how well each sentence gives the reason for a movement.

    Args:
        things: The names of what moved, as terms.
        company: The terms of the name of the document's company.
        rises: Whether it rose, according to the question.
        falls: Whether it fell, according to the question.
    """
    found = np.zeros(len(index.sentences), np.float32)
    weighed = [{one: index.rarity(one) for one in thing} for thing in things if thing]
    weighed = [weights for weights in weighed if sum(weights.values())]
    if not weighed:
        return found
    for place in np.flatnonzero(index.static[:, _CAUSE]):
        effect = _find_effect(index.terms[place])
        named = find_things(effect).difference(company)
        up, down = not RISES.isdisjoint(effect), not FALLS.isdisjoint(effect)
        if not (up or down):
            continue
        value = max(_match(named, weights) for weights in weighed)
        value *= _OPPOSITE if (up and not down and falls > rises) or (down and not up and rises > falls) else 1.0
        found[place] = value
    return found


def _find_effect(words: Sequence[str]) -> Sequence[str]:
    """Return the terms of a sentence before the first word for a cause; empty if there is none.

    >>> _find_effect(("sale", "rose", "due", "price"))
    ('sale', 'rose')
    """
    return words[: next((place for place, one in enumerate(words) if one in CAUSE), 0)]


def _match(named: Collection[str], weights: Mapping[str, float]) -> float:
    """Return the weighted share of a thing's terms that is named, reduced by other named terms."""
    if not named:
        return 0.0
    common = [one for one in weights if one in named]
    recall = fsum(weights[one] for one in common) / fsum(weights.values())
    return recall * (_IMPRECISE + (1.0 - _IMPRECISE) * len(common) / len(named))


_OF_COMPANY = frozenset(terms("company companies business firm corporation they it group"))
"""Terms in questions that refer to the company."""
_MARKS = "+"
"""Suffixes that distinguish names ("Acme+")."""
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
_EXPLAINS = lazy_regex(
    rf"{_ASIDE}[\s,]*(?:(?:generally|primarily|typically|also|currently) )?(?:{_IS}|{_MEANS}|{_DOES})"
)
_APPOSED = lazy_regex(
    rf"{_CLOSED}(?:,? (?:LLC|LP|Ltd|Inc)\b\.?)?(?: \([^)]{{0,60}}\))?, "
    r"(?:an?|our|the|which (?:is|are|means|includes?))\b"
)
_DASHED = lazy_regex(rf"{_CLOSED}\s?(?:\u2014|\u2013 |: )(?=\S)")
_QUOTED = lazy_regex(r"[\u201c\"][^\u201c\u201d\"]{0,30}$")
_OPENING = 3
"""Maximum number of terms before the subject of a sentence."""
_BEING = (
    r"(?:(?:is|are) (?:an? |one of |the (?:\w+'s )?(?:leading|largest|world|parent|holding|only)\b|engaged |focused )"
    rf"|{_DOES})"
)
_INTRODUCES = lazy_regex(rf"\W*(?:the company|we)(?: \w+ly| also)? {_BEING}", re.IGNORECASE)
_NAMES_ITSELF = lazy_regex(rf"(?:[^.;]|\b(?:inc|co|corp|ltd|cos)\.|\.(?=[,)\w])){{0,250}}?\b{_BEING}", re.IGNORECASE)
_SHORTEST = 6
_EARLY = 0.5
"""Leading part of a document in which a company introduces itself."""
_WEIGHTS = {"is": 1.0, "apposed": 0.8, "quoted": 0.8, "dashed": 0.6, "within": 0.6}


def measure_explanations(question: str, index: SentenceIndex, company: frozenset[str]) -> Floats | None:
    """Return how well each sentence explains what a question asks to explain; None if it asks for something else.

    Args:
        company: The terms of the name of the document's company.
    """
    thing = find_explained(question)
    if thing is None:
        return None
    found = np.zeros(len(index.sentences), np.float32)
    named = terms(thing)
    others = [one for one in named if one.replace("&", "") not in company and one not in _OF_COMPANY]
    mark = thing[-1] if thing[-1] in _MARKS else ""
    if not others and not mark:
        for place, value in _find_introductions(index, company):
            found[place] = value
        return found
    for phrase in filter(None, dict.fromkeys((named, tuple(others)))):
        for place in map(int, np.flatnonzero(index.having(phrase).all(axis=0))):
            found[place] = max(found[place], _weigh_explanation(index.sentences[place].text, phrase, mark))
    return found


def _weigh_explanation(text: str, thing: Sequence[str], mark: str = "") -> float:
    """Return how well a sentence explains a thing, by the position of its name and the words after it.

    >>> _weigh_explanation("A unit case is a bottle.", terms("unit case"))
    1.0
    """
    spans = spans_of_terms(text)
    sentence_terms = [one for _, _, one in spans]
    size = len(thing)
    best = 0.0
    for start in range(len(sentence_terms) - size + 1):
        begin, end = spans[start][0], spans[start + size - 1][1]
        if sentence_terms[start : start + size] != list(thing) or not text.startswith(mark, end):
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


def _find_introductions(index: SentenceIndex, company: frozenset[str]) -> Iterator[tuple[int, float]]:
    """Yield sentences that introduce the company, with a score that decreases for later ones."""
    value = 1.0
    for place in range(int(len(index.sentences) * _EARLY)):
        sentence_terms = index.terms[place]
        if len(sentence_terms) < _SHORTEST:
            continue
        text = index.sentences[place].text
        if _INTRODUCES.match(text) or (sentence_terms[0] in company and _NAMES_ITSELF.match(text)):
            yield place, value
            value *= 0.8
            if value < 0.3:
                return
