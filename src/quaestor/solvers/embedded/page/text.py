"""The leaves of running text: each number with the words, verbs and years of its sentence."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

from quaestor.core.words import words
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
        distances=_distances(text, start, end),
    )


def _years(text: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """The years that a sentence names, with their distance from the number in words."""
    return tuple(
        (int(found[0]), _words_between(text, min(found.end(), end), max(found.start(), start)))
        for found in _YEAR.finditer(text)
        if not start <= found.start() < end
    )


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


def _distances(text: str, start: int, end: int) -> tuple[tuple[str, int], ...]:
    """The stems around a span with their distance in words; a number between counts as five words."""
    found: list[tuple[str, int]] = []
    for side, ordered in ((text[:start], True), (text[end:], False)):
        far = 0
        said = words(side)
        for word in reversed(said) if ordered else said:
            far += 5 if word[0].isdigit() else 1
            found.extend((stem, far) for stem in _stems_of(word))
    return tuple(found)


@lru_cache(maxsize=4096)
def _stems_of(word: str) -> tuple[str, ...]:
    return stems(word)
