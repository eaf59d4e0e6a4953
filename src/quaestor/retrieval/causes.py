"""Why the thing that a question asks about rose or fell, as a document says it.

Cuts no words out of it: that is for who answers.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quaestor.documents.document import Document
from quaestor.questions.question import Question
from quaestor.questions.stems import stem, without_owner
from quaestor.questions.words_asked import words_asked
from quaestor.retrieval.cause_sentences import CauseSentence, causes_stated
from quaestor.retrieval.everyday import in_words_of_reports
from quaestor.retrieval.movements import (
    MOVES,
    NAMES_NOTHING,
    ONE_AMOUNT,
    NamedThing,
    months_named,
    read_thing,
    rose,
)

_ASKING = re.compile(
    r"^(?:\W|\b(?:and|so|but|why|what|how|come|did|does|do|was|were|is|are|has|have|had|been|there|the|an?|in|of|to|for|be"
    r"|reasons?|causes?d?|factors?|main|primary|key|major|explains?|explained|drove|drives?|drivers?|driving|led|leads?|behind"
    r"|affected|impacted|influenced|contributed|it|its|their|they|that|this|so|such|much)\b)+"
)
_AT_THE_END = re.compile(
    r"(?:\W|\b(?:in|for|during|at|as|of|the|fiscal|year|ended|end|compared|to|with|over|from|by|(?:first|second|third|fourth"
    r"|last|prior|previous|this) (?:quarter|half|year)|quarter|(?:three|six|nine) months"
    r"|so|much|due|attributable)\b){1,40}$"
)
_HEADS_NOTHING = NAMES_NOTHING | frozenset(
    stem(word)
    for word in (
        "overview financial condition management discussion analysis review highlights item note statements "
        "performance segment operating operations liquidity capital resources changes summary information products "
        "services reportable business comparison versus executive earnings driver data part general other "
        "measures income statement january february march april may june july august september october "
        "november december"
    ).split()
)
_EXPENSE, _INCOME = stem("expense"), stem("income")
_OWN, _OF_A_PART, _UNDER = 1.0, 0.6, 0.55
_ELSEWHERE, _NO_YEAR, _ALWAYS, _OTHER_LENGTH, _UNDIRECTED, _EXTRA = 0.1, 0.15, 0.45, 0.25, 0.1, 0.02
_PRESENT = re.compile(r"\b(?:is|are|results?|depends?|fluctuates?|varies|vary)\b", re.IGNORECASE)
_OTHER_RATE = re.compile(r"\b(?:than|from) the (?:[\w.]+ ){0,3}statutory", re.IGNORECASE)
_AGAINST_OTHER = 0.15
_IN_DISCUSSION = 0.03
_LONGEST = 1_000
PART, LEAST = 0.7, 0.45
"""The fits below which a cause is that of a part of what is asked, and of something else."""


@dataclass(frozen=True, slots=True)
class CauseQuestion:
    """What a question asks the cause of.

    Attributes:
        rose: Whether it rose; None if the question does not say.
        year: The year that it moved to; None if none is named.
        months: The length of the period, where that is named.
        statutory: Whether it asks of a rate beside the statutory one.
    """

    thing: NamedThing
    rose: bool | None
    year: int | None
    months: int | None
    statutory: bool


@dataclass(frozen=True, slots=True)
class CauseCandidate:
    """A sentence that may say the cause that is asked for.

    Attributes:
        stated: The sentence, as it was read.
        fit: How well it fits: 1 where all does, below `PART` where it is the cause of a part alone.
    """

    stated: CauseSentence
    fit: float


def cause_asked(question: Question, earlier: Sequence[Question] = ()) -> CauseQuestion | None:
    """Return what a question asks the cause of the move of; None if it asks for none.

    Args:
        earlier: The questions before, oldest first: one that names nothing ("why did it fall?") is about the last one
            that does.
    """
    text = in_words_of_reports(question.lowered)
    if len(text) > _LONGEST or words_asked(question.lowered) not in ("cause", "ground") or not MOVES.search(text):
        return None
    told = [(each, thing) for each in (question, *reversed(earlier)) if (thing := read_thing(_asked_words(each)))]
    if not told:
        return None
    before, thing = told[0]
    years, months = question.years or before.years, months_named(text) or months_named(before.lowered)
    return CauseQuestion(thing, rose(text), max(years, default=None), min(months, default=None), "statutory" in text)


def find_causes(asked: CauseQuestion, document: Document) -> tuple[CauseCandidate, ...]:
    """Return the sentences of a document that say why something moved as asked, the best first, the newest of those."""
    found = (CauseCandidate(stated, _fit(asked, stated)) for stated in causes_stated(document))
    fitting = (each for each in found if each.fit >= LEAST)
    return tuple(sorted(fitting, key=lambda each: (-each.fit, -(each.stated.year or 0))))


def _asked_words(question: Question) -> str:
    """Return the words of a question that name what moved."""
    text = question.lowered[:_LONGEST]
    for period in reversed([period for period in question.periods if period.end <= _LONGEST]):
        text = f"{text[: period.start]} {text[period.end :]}"
    text = MOVES.sub(" ", in_words_of_reports(without_owner(text)).split(" than ")[0])
    return _AT_THE_END.sub("", _ASKING.sub("", text))


def _fit(asked: CauseQuestion, stated: CauseSentence) -> float:
    """Return how well a sentence says what is asked; 0 if it says something else."""
    went_up, text = stated.moved.rose, stated.sentence.text
    if asked.rose is not None and went_up is not None and asked.rose is not went_up:
        return 0.0
    if asked.year is not None and stated.year is not None and asked.year != stated.year:
        return 0.0
    fit = _of_thing(asked, stated)
    if not fit:
        return 0.0
    if stated.year is None:
        fit -= _ALWAYS if _PRESENT.search(text) else _NO_YEAR
    fit -= _AGAINST_OTHER * (asked.statutory is not (_OTHER_RATE.search(text) is not None))
    fit -= _UNDIRECTED * (asked.rose is not None and went_up is None)
    fit -= _OTHER_LENGTH * (asked.months is not None and asked.months not in stated.months)
    return max(0.0, fit + _IN_DISCUSSION * stated.discussed)


def _of_thing(asked: CauseQuestion, stated: CauseSentence) -> float:
    """Return how well what a sentence says to have moved is what is asked about."""
    wanted, thing, heads = asked.thing, stated.moved.thing.stems, stated.moved.thing.heads
    named = frozenset[str]().union(*stated.headings) - _HEADS_NOTHING
    totals = bool(wanted.name & ONE_AMOUNT)
    under = any(wanted.name <= heading <= wanted.name | _HEADS_NOTHING for heading in stated.headings)
    elsewhere = _ELSEWHERE * bool(named - wanted.name - thing)
    if not thing:
        return _OWN - elsewhere if under else 0.0
    if not wanted.heads & heads:
        # "Research and development" below "Operating expenses".
        return _UNDER - _EXTRA * len(thing - wanted.stems) if under and totals else 0.0
    if not wanted.stems - thing <= named or (_EXPENSE in wanted.name and _INCOME in heads):
        return 0.0
    more = thing - wanted.stems
    return (_OF_A_PART - _EXTRA * len(more) if more else _OWN) - elsewhere
