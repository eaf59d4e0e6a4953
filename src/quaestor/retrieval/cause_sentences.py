"""The sentences of a document that say why something rose or fell."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace

from quaestor.core.caching import BoundedCache
from quaestor.documents.document import Block, Document, Paragraph, Sentence
from quaestor.retrieval.movements import (
    FALL,
    MOVES,
    NO_DIRECTION,
    NOTHING,
    RISE,
    NamedThing,
    months_named,
    name_stems,
    read_thing,
    rose,
)

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
"""As in "The increase in cost of sales was", "the sales growth reflects", "this increase was"."""
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
"""What a paragraph is about, printed before a dash: "Graphics revenue \u2013 The increase was due to"."""
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
_LONGEST = 4_000
"""Characters; what is longer is not a sentence."""
_KEPT = BoundedCache[str, "tuple[CauseSentence, ...]"](8)


@dataclass(frozen=True, slots=True)
class Moved:
    """What a sentence says to have moved.

    Attributes:
        thing: What; nothing if only the headings say.
        rose: Whether it rose; None if the sentence does not say.
        goes_on: Whether it points at what was said before: "the increase", "the sales growth".
    """

    thing: NamedThing = NOTHING
    rose: bool | None = None
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class CauseSentence:
    """A sentence that says why something moved.

    Attributes:
        headings: The stems of the nearest headings, the nearest last.
        year: The latest year that it, or else its heading, names.
        months: The lengths of its periods, likewise.
        discussed: Whether it is in the management's discussion.
        listed: The points of the list that it leads to ("due to the following:"), each with the place of its block.
    """

    sentence: Sentence
    block: int
    place: int
    moved: Moved
    headings: tuple[frozenset[str], ...]
    year: int | None
    months: frozenset[int]
    discussed: bool
    listed: tuple[tuple[Sentence, int], ...] = ()


def causes_stated(document: Document) -> tuple[CauseSentence, ...]:
    """Return the sentences of a document that say why something moved, in their order; those of a few are kept."""
    return _KEPT.get(document.digest, lambda: tuple(_causes(document)))


def _causes(document: Document) -> Iterator[CauseSentence]:
    paths = {section.id: section.path for section in document.sections}
    for block in document.blocks:
        if not isinstance(block.content, Paragraph):
            continue
        before, year = Moved(), None
        for place, sentence in enumerate(block.content.sentences):
            moved = _read(sentence.text)
            year = _latest_year(sentence) or year
            if moved is not None and moved.goes_on and moved.thing.stems <= before.thing.stems:
                moved = replace(before, rose=before.rose if moved.rose is None else moved.rose)
            if moved is not None and _states_cause(sentence.text):
                stated = _stated(block, place, paths[block.section], moved, year)
                if not sentence.text.rstrip().endswith(":"):
                    yield stated
                elif listed := tuple(_listed(document, block)):
                    yield replace(stated, listed=listed)
            if moved is not None and moved.thing:
                before = moved


def _stated(block: Block, place: int, path: tuple[str, ...], moved: Moved, year: int | None) -> CauseSentence:
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


def _listed(document: Document, lead: Block) -> Iterator[tuple[Sentence, int]]:
    """Yield the points of the list behind a block."""
    at = bisect_left(document.blocks, lead.order, key=lambda block: block.order)
    for block in document.blocks[at + 1 : at + 1 + _POINTS]:
        if not isinstance(block.content, Paragraph) or not _BULLET.match(block.content.sentences[0].text):
            return
        yield block.content.sentences[0], block.order


def _states_cause(text: str) -> bool:
    move = MOVES.search(text)
    cause = _CAUSE.search(text)
    return move is not None and cause is not None and not _UNSURE.search(text) and not _NO_CAUSE.search(text)


def _read(text: str) -> Moved | None:
    """Return what a sentence says to have moved; None if it is about no move of a thing."""
    if _NOTE.match(text) or len(text) > _LONGEST:
        return None
    said = _LEAD_IN.sub("", _ASIDE.sub(" ", _BULLET.sub("", text)).strip())
    for name, short in _WITH_COMMAS:
        said = name.sub(short, said)
    named = ""
    if dashed := _NAMED_BEFORE.match(said):
        named, said = dashed["name"], dashed["rest"]
    if found := _MOVE_OF.match(said):
        thing = read_thing(found["of"] or found["before"] or named)
        goes_on = not found["of"] and not named
        return Moved(thing, rose(f"{found['move']} {said[found.end() :]}"), goes_on)
    verb = _VERB.search(said)
    thing = read_thing(said[: verb.start()]) if verb else NOTHING
    return Moved(thing, rose(said[verb.start() :])) if verb and thing else None


def _latest_year(sentence: Sentence) -> int | None:
    years = [year for period, _, _ in sentence.periods for year in (period.year, period.last) if year]
    return max(years, default=None)
