"""What a number of running text is, by the clause before it: "rental expense for operating leases".

The numbers of one list are one thing. What the patterns do not catch is not there.
"""

import re
from functools import lru_cache

from quaestor.core.encoding_artifacts import normalize_text
from quaestor.core.periods import find_periods
from quaestor.core.quantity import Scale
from quaestor.core.stop_words import PHRASE_BOUNDARIES, PHRASE_JOINTS, PHRASE_LEADS
from quaestor.documents.alignment import list_of
from quaestor.documents.document import Sentence
from quaestor.questions.entity import named_entity

_ABOUT = r"(?:\s(?:approximately|about|nearly|roughly|only|an?|net|total))*\s*\$?\s*$"
_IS = re.compile(
    r"\s(?:was|were|is|are|of|totall?ed|totals|amounted to|approximated|equall?ed|reached"
    r"|(?:declined|increased|decreased|rose|fell|grew|dropped|improved) (?:to|from))" + _ABOUT
)
_AGAINST = re.compile(
    r"\s\$?\s?[\d.,]+\s?%?(?:\s(?:thousand|million|billion))?[\s,]{0,3}(?:(?:in|for|at|during) \|[\s,]{0,3})?"
    r"(?:(?:as )?compared (?:with|to)|versus|(?:up |down )?from|(?P<level>to))" + _ABOUT
)
"""Behind a number that stands first: what the number behind it is too."""
_MOVED = re.compile(r"\s(?P<moved>declined|increased|decreased|rose|fell|grew|dropped|improved)(?: by)?" + _ABOUT)
_MOVES = {"increased": "increase", "rose": "increase", "grew": "increase", "improved": "improvement"}
_OF_AMOUNT = re.compile(
    r"\s(?:of|to|by|was|were)(?:\s(?:approximately|about))?\s*\$?\s*[\d.,]+(?:\s(?:thousand|million|billion))?$"
)
_TIME = re.compile(
    r"(?:(?<![\s,])[\s,]*+\b(?:for|during|in|as of|as at|at|on|ended|ending|and|the|both|each of|each|fiscal|years?"
    r"|quarters?|months?|respectively|three|six|nine|twelve)\b|(?<![\s,])[\s,]*+\|){1,12}[\s,]*$"
)
_APART = re.compile(r"\b(?:or|includes|was|is|has)\b")
_PREDICATE = re.compile(r"(?P<subject>[^,;:()\"]+?) (?:was|were|is|are) [^,;:()\"|]+")
_PERIOD_OF_NAME = re.compile(r"(?<=\bthe )\|(?= [a-z])|(?<=\bour )\|(?= [a-z])")
"""A year within a name: "the 2005 plan"."""
_CLAUSE = re.compile(r"[,;:()\"|]|\s-\s")
_ASIDE = re.compile(r"\s\([^()]*\)(?=\s\w)|\s?,\s?(?:except|excluding|including|net of)\b[^,]*,?\s*$")
_VERBS = frozenset(
    "accrues approved assumes bears carries consisting contains do excludes expects mainly means not offset pays "
    "principally record reflect reflects represents requires resulted".split()
)
_GIVEN = frozenset("incurred paid received recognized recorded reported".split())
"""Boundaries that a joint behind them makes a part of the phrase: "cost recognized for grants"."""
_NO_HEAD = frozenset("amount amounts value total aggregate sum number portion addition result net".split())
_DONE = ("ed", "sold", "repaid", "net", "gross", "attributable")
_LONGEST = 10


def place_in_list(sentence: Sentence, start: int) -> tuple[int, range] | None:
    """Return which number of a sentence is at a place, and the list of like numbers that it is in, if any.

    Args:
        start: The number's first character.
    """
    mentions = sentence.mentions
    place = next((n for n, mention in enumerate(mentions) if mention.ref.start == start), None)
    run = range(0) if place is None else list_of(sentence, place)
    if place is None or len(run) < 2:
        return None
    between = sentence.text[mentions[run[0]].ref.end : mentions[run[-1]].ref.start]
    percents = {mentions[n].quantity.scale is Scale.PERCENT for n in run}
    # "$ 62 million , or 9% of sales" are two views of one thing, no list.
    apart = _APART.search(between) or sentence.text.startswith(" of which", mentions[run[-1]].ref.end)
    return None if len(percents) > 1 or apart else (place, run)


def text_subject(sentence: Sentence, start: int) -> str | None:
    """Return what the number at a place of a sentence is; None if no clause says it.

    Args:
        start: The number's first character.
    """
    return _subject_before(sentence.text[:start])


@lru_cache(maxsize=64)
def _subject_before(text: str) -> str | None:
    """What the number behind a text is. An earlier answer is described again with each that comes after it."""
    before, level = _without_periods(normalize_text(text)), False
    if against := _AGAINST.search(before):
        before, level = f"{before[: against.start()]} ", against["level"] is not None
    if moved := _MOVED.search(before):
        phrase = _phrase(_OF_AMOUNT.sub("", _TIME.sub("", before[: moved.start()])))
        return f"{_MOVES.get(moved['moved'], 'decrease')} in {phrase}" if phrase and not level else phrase
    verb = _IS.search(before)
    if verb is None:
        return None
    clause = _TIME.sub("", before[: verb.start()])
    if predicate := _PREDICATE.fullmatch(clause):
        # "the fair values of our hedges were current liabilities of $ 37 million": they are the fair values.
        clause = _TIME.sub("", predicate["subject"])
    return _phrase(clause)


def _without_periods(text: str) -> str:
    """The text in lower case, each period in it one mark."""
    lowered = text.lower()
    for period in sorted(find_periods(lowered), key=lambda found: -found.start):
        lowered = f"{lowered[: period.start]}|{lowered[period.end :]}"
    return lowered


def _phrase(clause: str) -> str | None:
    """The noun phrase at the end of a clause, with what is attached to its head."""
    words = _CLAUSE.split(_PERIOD_OF_NAME.sub(" ", _ASIDE.sub("", clause)))[-1].split()
    begin = len(words)
    while begin and _is_inside(words, begin - 1):
        begin -= 1
    words = words[begin:]
    # What is done to something is not part of its name: "acquired through the issuance".
    while words and (
        words[0] in PHRASE_JOINTS or words[0] in PHRASE_LEADS or (words[0].endswith("ed") and words[1:2] == [])
    ):
        words = words[1:]
    if len(words) > 1 and words[0].endswith(_DONE) and words[1] in PHRASE_JOINTS:
        return _phrase(" ".join(words[2:]))
    words = _without_last(words)
    while len(words) > _LONGEST and (joint := next((n for n in _from_last(words) if words[n] in PHRASE_JOINTS), 0)):
        # What is attached last says least: "rent expense charged to operations for all leases".
        words = _without_last(words[:joint])
    half = len(words) // 2
    if words[:half] == words[half:]:
        # A heading that runs into its paragraph: "operating income operating income increased".
        words = words[half:]
    known = words and len(words) <= _LONGEST and not any(char.isdigit() for word in words for char in word)
    if not known or (len(words) == 1 and words[0] in _NO_HEAD):
        return None
    phrase = " ".join(words)
    return phrase if named_entity(phrase) else None


def _is_inside(words: list[str], at: int) -> bool:
    """Whether a phrase that ends behind a word goes on before it."""
    word = words[at]
    joined = word in PHRASE_JOINTS or (word in _GIVEN and at > 0 and words[at + 1 : at + 2] == ["for"])
    boundary = word in PHRASE_BOUNDARIES or word in _VERBS or not any(map(str.isalnum, word.replace("&", "n")))
    return joined or not boundary


def _from_last(words: list[str]) -> range:
    return range(len(words) - 1, 0, -1)


def _without_last(words: list[str]) -> list[str]:
    """The words without joints at their end, and what is done through one ("costs associated with")."""
    kept = len(words)
    while kept and words[kept - 1] in PHRASE_JOINTS:
        kept -= 1
    done = 1 < kept < len(words) and words[kept - 1].endswith("ed")
    return words[: kept - done]
