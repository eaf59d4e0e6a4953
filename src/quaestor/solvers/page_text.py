"""Selection of the sentences shown to a model: those with a number or before a table, within a length limit.

A sentence that begins with "its" or "this" is shown with the one before, which names the subject.

Other sentences cannot be used in a plan. On a page of a report all selected sentences fit, so every question about it
gets the same text; for a longer document those that share the most words with the question and the ones before are
chosen.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, sqrt

from quaestor.conversation.turn import Memory
from quaestor.core.patterns import lazy_regex
from quaestor.documents.document import Document, Sentence
from quaestor.questions.stems import stems

MOST_TEXT = 12_000
"""Limit in characters for the sentences shown: twice the longest text of a page in the public files."""

_LEANS = lazy_regex(r"(?:it|its|this|these|those|they|their|such|both|the (?:latter|former|same))\b", re.IGNORECASE)
_TURNS_BEFORE = 3
_BEFORE_COUNTS = 0.6
"""Weight of a word from the previous question relative to this one; a power of it for earlier questions."""


@dataclass(frozen=True, slots=True)
class ShownText:
    """The sentences of a text that are shown, and the number of those left out."""

    sentences: tuple[Sentence, ...]
    left_out: int


def leans_on_the_last(text: str) -> bool:
    """Return whether a sentence takes its subject from the one before.

    >>> [leans_on_the_last(text) for text in ("Its sales rose by 26 %.", "Italy's sales rose.")]
    [True, False]
    """
    return _LEANS.match(text) is not None


def sentences_with_numbers(document: Document) -> tuple[Sentence, ...]:
    """Return the sentences with a number, those right before a table, and those they refer back to."""
    leads = {(lead[-1].section, lead[-1].index) for table in document.tables if (lead := document.lead_of(table))}
    shown = {(s.section, s.index) for s in document.sentences if s.mentions} | leads
    shown |= {
        (before.section, before.index)
        for before, s in pairwise(document.sentences)
        if before.section == s.section and (s.section, s.index) in shown and leans_on_the_last(s.text)
    }
    return tuple(s for s in document.sentences if (s.section, s.index) in shown)


def select_text(
    document: Document, question: str, memory: Memory, most: int = MOST_TEXT, *, all_sentences: bool = False
) -> ShownText:
    """Select the sentences with numbers, and the most relevant of them if they are too long in total."""
    numbered = document.sentences if all_sentences else sentences_with_numbers(document)
    if sum(len(sentence.text) for sentence in numbered) <= most:
        return ShownText(numbered, 0)
    scores = _scores(numbered, _word_weights(question, memory))
    room, chosen = most, set()
    for place in sorted(scores, key=lambda place: -scores[place]):
        if len(numbered[place].text) <= room:
            chosen.add(place)
            room -= len(numbered[place].text)
    shown = tuple(sentence for place, sentence in enumerate(numbered) if place in chosen)
    return ShownText(shown, len(numbered) - len(shown))


def _word_weights(question: str, memory: Memory) -> Mapping[str, float]:
    wanted: dict[str, float] = {}
    for ago, earlier_question in enumerate((question, *reversed(memory.questions[-_TURNS_BEFORE:]))):
        for word in stems(earlier_question):
            wanted.setdefault(word, _BEFORE_COUNTS**ago)
    return wanted


def _scores(sentences: Sequence[Sentence], wanted: Mapping[str, float]) -> Mapping[int, float]:
    """Score each sentence by the words it shares with the search words; frequent words weigh less."""
    words = [frozenset(stems(sentence.text)) for sentence in sentences]
    spread = Counter(word for own in words for word in own)
    return {
        place: fsum(wanted[word] / sqrt(spread[word]) for word in sorted(own & wanted.keys()))
        for place, own in enumerate(words)
    }
