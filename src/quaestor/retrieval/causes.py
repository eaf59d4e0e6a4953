"""Finds the reasons that a document gives for an increase or decrease a question is about."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from quaestor.core.caching import BoundedCache
from quaestor.documents.document import Block, Document, Paragraph, Sentence
from quaestor.questions.question import Question
from quaestor.questions.stems import stem, without_owner
from quaestor.questions.words_asked import words_asked
from quaestor.retrieval.colloquial_words import in_words_of_reports
from quaestor.retrieval.movements import (
    FALL,
    MOVES,
    NAMES_NOTHING,
    NO_DIRECTION,
    NOTHING,
    ONE_AMOUNT,
    RISE,
    NamedSubject,
    mentions_increase,
    months_named,
    name_stems,
    read_thing,
)
from quaestor.retrieval.place import Place, Reason, shorten

if TYPE_CHECKING:
    from quaestor.retrieval.index import PlaceIndex

_CAUSE = re.compile(
    r"\b(?:due\s+(?:primarily |mainly |largely |in part |principally )?to|because|driven|attributable|attributed"
    r"|as a result of|result(?:s|ed|ing)?\s+(?:primarily |mainly )?(?:of|from)|reflect(?:s|ed|ing)?|caused by|owing to"
    r"|thanks to|primarily (?:from|as|higher|lower|increased|decreased)|benefit(?:t?ed|t?ing)? from|led by"
    r"|impacted by|affected by|(?:primarily|mainly|was|were) related to"
    r"|as (?:an?|the) (?:[\w-]+ ){0,3}(?:increases?|decreases?|declines?|growth|reductions?|higher|lower|impacts?"
    r"|benefits?))\b",
    re.IGNORECASE,
)
_NOUN = (
    r"(?:increases?|decreases?|declines?|growth|reductions?|improvements?|rise|drop|fall|changes?|fluctuations?"
    r"|variances?)\b"
)
_STOPS = (
    r"(?=\s+(?:in (?:the |fiscal |q[1-4])?(?:\w+ )?(?:year|quarter|19|20)|during|for|from|was|were|is|are|as|compared"
    r"|reflect\w*|primarily|mainly|largely|due|driven|result\w*|between|over|of (?:approximately )?\$)|\s*[,;(]|\s*$)"
)
_MOVE_OF = re.compile(
    rf"^(?:the|these|this|our|an?)?\s*(?P<before>(?:[\w&'\u2019./-]+,?\s+){{0,6}}?)(?P<move>{_NOUN})"
    rf"(?:\s+(?:in|to)\s+(?!\$|\d|approximately|19|20|fiscal|q[1-4])(?P<of>.+?){_STOPS})?",
    re.IGNORECASE,
)
"""For example "The increase in cost of sales was", "the sales growth reflects", "this increase was"."""
_VERB = re.compile(
    rf"\s(?:also |have |has |had )*(?:{RISE}|{FALL}|{NO_DIRECTION}|was|were|is|are|totaled|represented)\b",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(
    r"^(?:(?:on|in|during|for|as|compared|excluding|including|at|additionally|overall|however|further(?:more)?|similarly"
    r"|also|within)\b[^,]*,\s+(?:(?:19|20)\d\d,\s+)?)+",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[\u2022\u00b7\u25aa\u25cf\u25e6\u2013\u2014*-]\s*)+")
_NOTE = re.compile(r"^\(?\w{1,2}\)\s")
_NAMED_BEFORE = re.compile(r"^(?P<name>[^.,;:]{2,60}?)\s+[\u2013\u2014-]\s+(?P<rest>\S.*)$")
"""The topic of a paragraph before a dash: "Graphics revenue \u2013 The increase was due to"."""
_UNSURE = re.compile(
    r"\b(?:may|might|could|would|can|cannot|if|unless|expect\w*|anticipat\w*|believe|estimate[ds]?|likely|assum\w+"
    r"|hypothetical|shall|should)\b",
    re.IGNORECASE,
)
_NO_CAUSE = re.compile(r"\b(?:is|are) (?:also )?(?:affected|impacted|influenced|calculated)\b", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)")
_WITH_COMMAS = (
    (re.compile(r"\b(?:sales|selling), general,? (?:and|&) administrative\b", re.IGNORECASE), "SG&A"),
    (re.compile(r"\bproperty, plant,? (?:and|&) equipment\b", re.IGNORECASE), "PP&E"),
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_DISCUSSED = re.compile(r"discussion and analysis|\bMD&A\b|results of operations|item 7\b|item 2\b", re.IGNORECASE)
_HEADINGS = 2
_POINTS = 12
_LONGEST_SENTENCE = 4_000
"""Characters; longer text is not a sentence."""
_CAUSES = BoundedCache[str, "tuple[CauseSentence, ...]"](8)


@dataclass(frozen=True, slots=True)
class Movement:
    """A change described by a sentence.

    Attributes:
        thing: What changed; empty if only the headings name it.
        rose: Whether it increased; None if unknown.
        refers_back: Whether the sentence refers to something mentioned before: "the increase", "the sales growth".
    """

    thing: NamedSubject = NOTHING
    rose: bool | None = None
    refers_back: bool = False


@dataclass(frozen=True, slots=True)
class CauseSentence:
    """A sentence that gives the reason for a change.

    Attributes:
        headings: Stems of the nearest headings, nearest last.
        year: Latest year in the sentence, or else in its heading.
        months: Lengths of periods in the sentence, or else in its heading.
        listed: Items of the list that it introduces ("due to the following:"), each with the index of its block.
    """

    sentence: Sentence
    block: int
    place: int
    moved: Movement
    headings: tuple[frozenset[str], ...]
    year: int | None
    months: frozenset[int]
    discussed: bool
    listed: tuple[tuple[Sentence, int], ...] = ()


def causes_stated(document: Document) -> tuple[CauseSentence, ...]:
    """Return the sentences of a document that give reasons for changes, in order; cached for a few documents."""
    return _CAUSES.get(document.digest, lambda: tuple(_find_stated(document)))


def _find_stated(document: Document) -> Iterator[CauseSentence]:
    paths = {section.id: section.path for section in document.sections}
    for block in document.blocks:
        if not isinstance(block.content, Paragraph):
            continue
        before, year = Movement(), None
        for place, sentence in enumerate(block.content.sentences):
            moved = _read_movement(sentence.text)
            year = _latest_year(sentence) or year
            if moved is not None and moved.refers_back and moved.thing.stems <= before.thing.stems:
                moved = replace(before, rose=before.rose if moved.rose is None else moved.rose)
            if moved is not None and _states_cause(sentence.text):
                stated = _cause_sentence(block, place, paths[block.section], moved, year)
                if not sentence.text.rstrip().endswith(":"):
                    yield stated
                elif listed := tuple(_list_points(document, block)):
                    yield replace(stated, listed=listed)
            if moved is not None and moved.thing:
                before = moved


def _cause_sentence(
    block: Block, place: int, path: tuple[str, ...], moved: Movement, year: int | None
) -> CauseSentence:
    assert isinstance(block.content, Paragraph)
    sentence, near = block.content.sentences[place], " ".join(path[-_HEADINGS:])
    return CauseSentence(
        sentence,
        block.order,
        place,
        moved,
        tuple(frozenset(name_stems(heading)) for heading in path[-_HEADINGS:]),
        year or max(map(int, _YEAR.findall(near)), default=None),
        months_named(sentence.text) or months_named(near),
        any(map(_DISCUSSED.search, path)),
    )


def _list_points(document: Document, lead: Block) -> Iterator[tuple[Sentence, int]]:
    """Yield the items of the list after a block."""
    at = bisect_left(document.blocks, lead.order, key=lambda block: block.order)
    for block in document.blocks[at + 1 : at + 1 + _POINTS]:
        if not isinstance(block.content, Paragraph) or not _BULLET.match(block.content.sentences[0].text):
            return
        yield block.content.sentences[0], block.order


def _states_cause(text: str) -> bool:
    move = MOVES.search(text)
    cause = _CAUSE.search(text)
    return move is not None and cause is not None and not _UNSURE.search(text) and not _NO_CAUSE.search(text)


def _read_movement(text: str) -> Movement | None:
    """Return the change that a sentence describes, or None."""
    if _NOTE.match(text) or len(text) > _LONGEST_SENTENCE:
        return None
    statement = _LEAD_IN.sub("", _ASIDE.sub(" ", _BULLET.sub("", text)).strip())
    for name, short in _WITH_COMMAS:
        statement = name.sub(short, statement)
    named = ""
    if dashed := _NAMED_BEFORE.match(statement):
        named, statement = dashed["name"], dashed["rest"]
    if found := _MOVE_OF.match(statement):
        thing = read_thing(found["of"] or found["before"] or named)
        refers_back = not found["of"] and not named
        return Movement(thing, mentions_increase(f"{found['move']} {statement[found.end() :]}"), refers_back)
    verb = _VERB.search(statement)
    thing = read_thing(statement[: verb.start()]) if verb else NOTHING
    return Movement(thing, mentions_increase(statement[verb.start() :])) if verb and thing else None


def _latest_year(sentence: Sentence) -> int | None:
    years = [year for period, _, _ in sentence.periods for year in (period.year, period.last) if year]
    return max(years, default=None)


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
"""Fit below which a reason concerns only a part of the question, and below which it concerns something else."""


@dataclass(frozen=True, slots=True)
class CauseQuestion:
    """A question for the reason of a change.

    Attributes:
        rose: Whether it asks about an increase; None if not specified.
        year: The year of the change; None if not specified.
        statutory: Whether it asks about a rate compared with the statutory one.
    """

    thing: NamedSubject
    rose: bool | None
    year: int | None
    months: int | None
    statutory: bool


@dataclass(frozen=True, slots=True)
class CauseCandidate:
    """A sentence that may give the reason.

    Attributes:
        fit: How well it fits: 1 for a complete match, below `PART` for the reason of a part.
    """

    stated: CauseSentence
    fit: float


def read_cause_question(question: Question, earlier: Sequence[Question] = ()) -> CauseQuestion | None:
    """Return the change whose reason a question asks for, or None.

    Args:
        earlier: Earlier questions, oldest first; a question without a subject ("why did it fall?") is about the last
            one with a subject.
    """
    text = in_words_of_reports(question.lowered)
    if len(text) > _LONGEST or words_asked(question.lowered) not in ("cause", "ground") or not MOVES.search(text):
        return None
    things = [
        (each, thing) for each in (question, *reversed(earlier)) if (thing := read_thing(_read_subject_of_change(each)))
    ]
    if not things:
        return None
    before, thing = things[0]
    years, months = question.years or before.years, months_named(text) or months_named(before.lowered)
    return CauseQuestion(
        thing, mentions_increase(text), max(years, default=None), min(months, default=None), "statutory" in text
    )


def find_causes(cause: CauseQuestion, document: Document) -> tuple[CauseCandidate, ...]:
    """Return the sentences that give the reason asked for, best first, newer ones first among equals."""
    found = (CauseCandidate(stated, _score_fit(cause, stated)) for stated in causes_stated(document))
    fitting = (each for each in found if each.fit >= LEAST)
    return tuple(sorted(fitting, key=lambda each: (-each.fit, -(each.stated.year or 0))))


def _read_subject_of_change(question: Question) -> str:
    text = question.lowered[:_LONGEST]
    for period in reversed([period for period in question.periods if period.end <= _LONGEST]):
        text = f"{text[: period.start]} {text[period.end :]}"
    text = MOVES.sub(" ", in_words_of_reports(without_owner(text)).split(" than ")[0])
    return _AT_THE_END.sub("", _ASKING.sub("", text))


def _score_fit(cause: CauseQuestion, stated: CauseSentence) -> float:
    """Return how well a sentence answers the question; 0 if it is about something else."""
    went_up, text = stated.moved.rose, stated.sentence.text
    if cause.rose is not None and went_up is not None and cause.rose is not went_up:
        return 0.0
    if cause.year is not None and stated.year is not None and cause.year != stated.year:
        return 0.0
    fit = _score_thing(cause, stated)
    if not fit:
        return 0.0
    if stated.year is None:
        fit -= _ALWAYS if _PRESENT.search(text) else _NO_YEAR
    fit -= _AGAINST_OTHER * (cause.statutory is not (_OTHER_RATE.search(text) is not None))
    fit -= _UNDIRECTED * (cause.rose is not None and went_up is None)
    fit -= _OTHER_LENGTH * (cause.months is not None and cause.months not in stated.months)
    return max(0.0, fit + _IN_DISCUSSION * stated.discussed)


def _score_thing(cause: CauseQuestion, stated: CauseSentence) -> float:
    """Return how well the thing in a sentence matches the one asked about."""
    wanted, thing, heads = cause.thing, stated.moved.thing.stems, stated.moved.thing.heads
    named = frozenset[str]().union(*stated.headings) - _HEADS_NOTHING
    totals = bool(wanted.name & ONE_AMOUNT)
    under = any(wanted.name <= heading <= wanted.name | _HEADS_NOTHING for heading in stated.headings)
    elsewhere = _ELSEWHERE * bool(named - wanted.name - thing)
    if not thing:
        return _OWN - elsewhere if under else 0.0
    if not wanted.heads & heads:
        # For example "Research and development" below "Operating expenses".
        return _UNDER - _EXTRA * len(thing - wanted.stems) if under and totals else 0.0
    if not wanted.stems - thing <= named or (_EXPENSE in wanted.name and _INCOME in heads):
        return 0.0
    more = thing - wanted.stems
    return (_OF_A_PART - _EXTRA * len(more) if more else _OWN) - elsewhere


# Passages with reasons for changes as places for questions about reasons.

_MOST = 3
"""Maximum number of passages; further ones repeat these or concern only a part of the question."""


def places_of_causes(index: "PlaceIndex", question: Question, earlier: Sequence[Question], most: int) -> list[Place]:
    """Return passages with the reason that a question asks for, best first; empty for other questions."""
    cause_question = read_cause_question(question, earlier)
    if cause_question is None:
        return []
    found = find_causes(cause_question, index.document)
    own = [cause for cause in found if cause.fit >= PART][:_MOST]
    places = (place for cause in own or found[:most] for place in _find_places(index, cause))
    return list({place.block: place for place in places}.values())[:most]


def _find_places(index: "PlaceIndex", cause: CauseCandidate) -> Iterator[Place]:
    """Yield the passage of a sentence, and those of the list items that it introduces."""
    stated = cause.stated
    for place, order in ((stated.place, stated.block), *((0, order) for _, order in stated.listed)):
        block = index.document.blocks[order]
        assert isinstance(block.content, Paragraph)
        path, text = index.path(block), block.content.sentences[place].text
        yield Place(
            index.document.id,
            order,
            "passage",
            (),
            (place,),
            round(min(1.0, cause.fit), 3),
            (Reason("cause", ""),),
            shorten(text),
            page=block.page,
            section=path,
            title=path[-1] if path else "",
            anchor=block.anchor,
        )
