"""Noun phrases of running text: what a table is said to show, and what a number is said to be.

Refuses to parse: a phrase that the patterns do not catch is not there.
"""

import re
from functools import lru_cache

from quaestor.core.encoding_artifacts import normalize_text
from quaestor.core.stop_words import PHRASE_BOUNDARIES
from quaestor.documents.document import Sentence

_SHOWN = re.compile(
    r"\b(?:following|below) (?:tables?|charts?|schedules?|summary|information"
    r"|is an? (?:summary|analysis|reconciliation) of)\s?(?:below )?"
    r"(?:of|sets? forth|summari[sz]es?|presents?|shows?|provides?|details?|reflects?|lists?|includes?"
    r"|discloses?|reconciles?|represents?|contains?|illustrates?|outlines?|depicts?|displays?|)\s(.{3,90})",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"(?:the|our|certain|selected|a|an|all|total|aggregate|estimated|preliminary|reported|related|company's|and|or"
    r"|(?:summari[sz]ed |key |more |further |additional )?(?:financial )?information "
    r"(?:about|regarding|on|concerning|related to)|detail(?:s|ed information)? (?:about|regarding)"
    r"|(?:activity|changes?|amounts?|balances?) (?:in|related to|of|under|for)"
    r"|(?:components?|allocations?|summar(?:y|ies)|compositions?|breakdowns?|reconciliations?|analys[ie]s|details?) of)"
    r"\s+",
    re.IGNORECASE,
)
_ENDING = re.compile(
    r"\s(?:as of|as at|at|for|in|by|with|under|that|which|recogni[sz]ed|charged|on|during|from|and the|is|are|was|were"
    r"|we|incurred|granted|issued|made|registered|outstanding as|to)\b|[,:;.()\[\]0-9\"$%]"
)
_SAID = re.compile(
    r"(?P<phrase>(?:[a-z&'/-]{1,40} ){1,7})(?:was|were|is|are|of|total(?:l?ed|ing)|amount(?:ed|ing) to"
    r"|equal(?:l?ed)? to)"
    r"(?: (?:approximately|about|nearly|only|an? (?:net|total)))? ?(?:\$ ?)?$"
)
_WORDS_AT_MOST = 5


def topics(sentence: str) -> tuple[str, ...]:
    """Return what the tables that a sentence announces are said to show.

    >>> topics("the following table summarizes the activity in our unrecognized tax benefits for the year :")
    ('unrecognized tax benefits',)
    """
    found = []
    for match in _SHOWN.finditer(normalize_text(sentence).casefold()):
        phrase, before = match[1], None
        while phrase != before:
            phrase, before = _LEADING.sub("", phrase, count=1) if _LEADING.match(phrase) else phrase, phrase
        cut = _ENDING.search(f" {phrase}")
        words = (phrase if cut is None else f" {phrase}"[: cut.start()]).split()
        if 1 < len(words) <= _WORDS_AT_MOST and all(word.replace("-", "").isalpha() for word in words):
            found.append(" ".join(words))
    return tuple(found)


@lru_cache(maxsize=1024)
def noun_phrase_before(before: str) -> str | None:
    """Return the noun phrase that names a number, from the text before it; None if none does.

    >>> noun_phrase_before("in 2012 , the company's research and development expense was ")
    'research and development expense'
    """
    match = _SAID.search(before[-90:].casefold())
    if match is None:
        return None
    words = match["phrase"].split()
    for i in range(len(words) - 1, -1, -1):
        if words[i] in PHRASE_BOUNDARIES or words[i].endswith("'s"):
            words = words[i + 1 :]
            break
    while words and words[0] in ("of", "and", "&"):
        words = words[1:]
    phrase = " ".join(words)
    whole = all(word[0].isalpha() and word[-1].isalpha() for word in words)
    return phrase if whole and 0 < len(words) <= _WORDS_AT_MOST and len(phrase) > 3 else None


def noun_phrase_in(sentence: Sentence) -> tuple[tuple[int, str], ...]:
    """Return the numbers of a sentence, by their place in it, that a noun phrase names, and the phrase."""
    named = (
        (order, noun_phrase_before(sentence.text[: m.ref.start][-90:])) for order, m in enumerate(sentence.mentions)
    )
    return tuple((order, phrase) for order, phrase in named if phrase)
