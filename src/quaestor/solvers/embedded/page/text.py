"""The leaves of running text: each number with the words, verbs and years of its sentence."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from quaestor.graph.facts import MentionFact
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.solvers.embedded.page.number import CandidateNumber, power_of_ten_of
from quaestor.solvers.embedded.page.sentence_words import SentenceWords, sentence_words, stem_distances

LEADS = ("", "from", "to", "by", "of", "than", "with", "was", "were", "and", "approximately", "versus")
"""Words before a number in a sentence that tell its part: "increased from 128 to 201"."""

FIRST_SENTENCE = 1000
"""The line of the first sentence: sentences are counted after the rows of any table."""

_BEFORE = 60
"""Characters of a sentence before a number that describe it."""
_AFTER = 40
"""Characters after it."""
_LEADS_FROM = 40
"""Characters before it in which a word leads to it."""
_SKIPPED = frozenset({"a", "an", "the", "million", "billion"})

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_WORD = re.compile(r"\S+")
_MOVED = re.compile(
    r"(?:increas|decreas|declin|grew|rose|fell|higher|lower|reduc|change)\w{0,20}"
    r"(?: (?:of|by|in))?(?: (?:approximately|about|an|a|the))*[ $]{0,4}$"
)


def numbers_of_text(graph: KnowledgeGraph) -> Iterator[CandidateNumber]:
    """Yield a leaf for each number in a sentence."""
    return map(_leaf, graph.mentions)


def _leaf(mention: MentionFact) -> CandidateNumber:
    text, start, end = mention.sentence, mention.source.start, mention.source.end
    said = sentence_words(text)
    begin = (text.find(" ", start - _BEFORE, start) + 1 or start) if start > _BEFORE else 0
    behind = max(text.rfind(" ", end, end + _AFTER), end)
    if behind == end:
        behind = min(end + _AFTER, len(text))
    before, after = text[begin:start], text[end:behind]
    return CandidateNumber(
        quantity=mention.quantity,
        source=mention.source,
        label=f"{before.strip()[-40:]} {text[start:end]} {after.strip()[:25]}".strip(),
        row=said.stems_between(begin, start),
        column=said.stems_between(end, behind),
        around=said.stems_between(0, len(text)),
        year=mention.year or 0,
        years=_years(text, start, end),
        lead=_lead(said, start),
        moved=_MOVED.search(text, 0, start) is not None,
        power=power_of_ten_of(mention.quantity),
        table=-1,
        line=FIRST_SENTENCE + mention.place,
        place=mention.order,
        total="total" in before.split(),
        distances=stem_distances(text, start, end),
    )


def _years(text: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    """The years that a sentence names, with their distance from the number in words, and parts of words."""
    named = _years_of(text)
    if not named:
        return ()
    begins = _word_starts(text)
    at, behind = bisect_left(begins, start), bisect_left(begins, end) - _is_cut(text, end)
    return tuple(
        [
            (found.year, at - found.behind if found.last < start else found.at - behind if found.first > end else 0)
            for found in named
            if not start <= found.first < end
        ]
    )


class _NamedYear(NamedTuple):
    """A year in a sentence: where it begins and ends, and how many words begin before either.

    Of those that begin before its end one less, where a word goes on there.
    """

    year: int
    first: int
    last: int
    at: int
    behind: int


@lru_cache(maxsize=64)
def _years_of(text: str) -> tuple[_NamedYear, ...]:
    found = []
    for one in _YEAR.finditer(text):
        begins, (first, last) = _word_starts(text), one.span()
        behind = bisect_left(begins, last) - _is_cut(text, last)
        found.append(_NamedYear(int(one[0]), first, last, bisect_left(begins, first), behind))
    return tuple(found)


def _is_cut(text: str, at: int) -> bool:
    """Whether a place is inside of what is between two spaces."""
    return 0 < at < len(text) and not text[at].isspace() and not text[at - 1].isspace()


@lru_cache(maxsize=64)
def _word_starts(text: str) -> tuple[int, ...]:
    return tuple([found.start() for found in _WORD.finditer(text)])


def _lead(said: SentenceWords, start: int) -> int:
    """The code of the last word before a number that is not an article, sign or number."""
    for place in range(bisect_right(said.ends, start) - 1, -1, -1):
        if said.begins[place] < start - _LEADS_FROM:
            break
        word = said.text[said.begins[place] : said.ends[place]].lower()
        if word[0].isalpha() and word not in _SKIPPED:
            return LEADS.index(word) if word in LEADS else 0
    return 0
