"""The leaves of running text: each number with the words, verbs and years of its sentence."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from quaestor.core.words import word_spans, words
from quaestor.graph.facts import MentionFact
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.questions.stems import stems
from quaestor.solvers.embedded.page.number import CandidateNumber, power_of_ten_of

LEADS = ("", "from", "to", "by", "of", "than", "with", "was", "were", "and", "approximately", "versus")
"""Words before a number in a sentence that tell its part: "increased from 128 to 201"."""

FIRST_SENTENCE = 1000
"""The line of the first sentence: sentences are counted after the rows of any table."""

_BEFORE = 60
"""Characters of a sentence before a number that describe it."""
_AFTER = 40
"""Characters after it."""

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_WORD = re.compile(r"\S+")
_MOVED = re.compile(
    r"(?:increas|decreas|declin|grew|rose|fell|higher|lower|reduc|change)\w*"
    r"(?: (?:of|by|in))?(?: (?:approximately|about|an|a|the))*[ $]*$"
)


def numbers_of_text(graph: KnowledgeGraph) -> Iterator[CandidateNumber]:
    """Yields a leaf for each number in a sentence."""
    return map(_leaf, graph.mentions)


def _leaf(mention: MentionFact) -> CandidateNumber:
    text, start, end = mention.sentence, mention.source.start, mention.source.end
    before = text[max(0, start - _BEFORE) : start].partition(" ")[2] if start > _BEFORE else text[:start]
    after = text[end : end + _AFTER].rpartition(" ")[0] or text[end : end + _AFTER]
    return CandidateNumber(
        quantity=mention.quantity,
        source=mention.source,
        label=f"{before.strip()[-40:]} {text[start:end]} {after.strip()[:25]}".strip(),
        row=stems(before),
        column=stems(after),
        around=stems(text),
        year=mention.year or 0,
        years=_years(text, start, end),
        lead=_lead(text[:start]),
        moved=_MOVED.search(text, 0, start) is not None,
        power=power_of_ten_of(mention.quantity),
        table=-1,
        line=FIRST_SENTENCE + mention.place,
        place=mention.order,
        total="total" in before.split(),
        distances=stem_distances(text, start, end),
    )


def _years(text: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """The years that a sentence names, with their distance from the number in words."""
    return tuple(
        [
            (year, _words_between(text, min(last, end), max(first, start)))
            for year, first, last in _years_of(text)
            if not start <= first < end
        ]
    )


@lru_cache(maxsize=64)
def _years_of(text: str) -> tuple[tuple[int, int, int], ...]:
    """The years that a sentence names, each with where it begins and ends."""
    return tuple((int(found[0]), *found.span()) for found in _YEAR.finditer(text))


def _words_between(text: str, start: int, end: int) -> int:
    """How many words, and parts of them, stand in a part of a text."""
    if start >= end:
        return 0
    begins = _word_starts(text)
    cut = start > 0 and not text[start].isspace() and not text[start - 1].isspace()
    return bisect_left(begins, end) - bisect_left(begins, start) + cut


@lru_cache(maxsize=64)
def _word_starts(text: str) -> tuple[int, ...]:
    return tuple(found.start() for found in _WORD.finditer(text))


def _lead(before: str) -> int:
    skipped = ("a", "an", "the", "million", "billion")
    found = [word for word in words(before[-40:]) if word[0].isalpha() and word not in skipped]
    return LEADS.index(found[-1]) if found and found[-1] in LEADS else 0


def stem_distances(text: str, start: int, end: int) -> tuple[tuple[str, int], ...]:
    """Returns each stem around a span with its least distance in words; a number between counts as five words.

    Args:
        text: A sentence.
        start: Where the span begins, in characters.
        end: Where it ends.
    """
    said = _worded(text)
    if _is_cut(said, start) or _is_cut(said, end):
        said = _worded(f"{text[:start]}{' ' * (end - start)}{text[end:]}")
    before, after = bisect_right(said.ends, start), bisect_left(said.begins, end)
    nearest: dict[str, int] = {}
    for stem, place in said.stems:
        if place < before:
            # The last one before the span is the nearest of them.
            nearest[stem] = said.far[before] - said.far[place]
        elif place >= after:
            far = said.far[place + 1] - said.far[after]
            if far < nearest.get(stem, far + 1):
                nearest[stem] = far
    return tuple(nearest.items())


@dataclass(frozen=True, slots=True)
class _Worded:
    """The words of a sentence.

    Attributes:
        begins: Where each begins.
        ends: Where each ends.
        far: How far the beginning of the sentence is from each, and from its end.
        stems: The stems with the places of their words, in order.
    """

    begins: tuple[int, ...]
    ends: tuple[int, ...]
    far: tuple[int, ...]
    stems: tuple[tuple[str, int], ...]


@lru_cache(maxsize=64)
def _worded(text: str) -> _Worded:
    # Character by character where a letter becomes two, so that places stay places.
    lowered = low if len(low := text.lower()) == len(text) else "".join(min(c.lower(), c, key=len) for c in text)
    spans = word_spans(lowered)
    said = [lowered[begin:end] for begin, end in spans]
    far = accumulate((5 if word[0].isdigit() else 1 for word in said), initial=0)
    stems_said = tuple((stem, place) for place, word in enumerate(said) for stem in _stems_of(word))
    return _Worded(tuple(begin for begin, _ in spans), tuple(end for _, end in spans), tuple(far), stems_said)


def _is_cut(said: _Worded, at: int) -> bool:
    """Whether a place is inside of a word."""
    last = bisect_left(said.begins, at) - 1
    return last >= 0 and said.ends[last] > at


@lru_cache(maxsize=4096)
def _stems_of(word: str) -> tuple[str, ...]:
    return stems(word)
