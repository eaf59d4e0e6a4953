"""Which sentences of a page a model is shown: those that print a number or lead to a table, as far as there is room.

The sentence before one that begins with "its" or "this" is shown with it: it names the thing.

What another sentence says can go into no plan. On a page of a report all of them have room, so what is shown is the
same for every question about it; of a longer document the sentences are shown that share most with the question and
with those before it.
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
"""The most characters of sentences that are shown: twice what the fullest page of the public files has."""

_LEANS = lazy_regex(r"(?:it|its|this|these|those|they|their|such|both|the (?:latter|former|same))\b", re.IGNORECASE)
_TURNS_BEFORE = 3
_BEFORE_COUNTS = 0.6
"""What a word counts of the question before, beside one of the question's own; of the one before that, less again."""


@dataclass(frozen=True, slots=True)
class ShownText:
    """What is shown of a text."""

    sentences: tuple[Sentence, ...]
    left_out: int


def leans_on_the_last(text: str) -> bool:
    """Return whether a sentence leaves it to the one before what it is about.

    >>> [leans_on_the_last(text) for text in ("Its sales rose by 26 %.", "Italy's sales rose.")]
    [True, False]
    """
    return _LEANS.match(text) is not None


def sentences_with_numbers(document: Document) -> tuple[Sentence, ...]:
    """Return the sentences that print a number or are the last before a table, and what they lean on."""
    leads = {(lead[-1].section, lead[-1].index) for table in document.tables if (lead := document.lead_of(table))}
    shown = {(s.section, s.index) for s in document.sentences if s.mentions} | leads
    shown |= {
        (before.section, before.index)
        for before, s in pairwise(document.sentences)
        if before.section == s.section and (s.section, s.index) in shown and leans_on_the_last(s.text)
    }
    return tuple(s for s in document.sentences if (s.section, s.index) in shown)


def shown_text(
    document: Document, question: str, memory: Memory, most: int = MOST_TEXT, *, all_sentences: bool = False
) -> ShownText:
    """Return the sentences that tell of numbers, the likeliest of them where they are longer than what is shown.

    Args:
        all_sentences: Whether those without numbers are among them, where the answer may be words.
    """
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
    """Return the words that are looked for, with their weights."""
    wanted: dict[str, float] = {}
    for ago, asked in enumerate((question, *reversed(memory.questions[-_TURNS_BEFORE:]))):
        for word in stems(asked):
            wanted.setdefault(word, _BEFORE_COUNTS**ago)
    return wanted


def _scores(sentences: Sequence[Sentence], wanted: Mapping[str, float]) -> Mapping[int, float]:
    """Return how much each sentence shares with what is looked for; a word that many have says less."""
    words = [frozenset(stems(sentence.text)) for sentence in sentences]
    spread = Counter(word for own in words for word in own)
    return {
        place: fsum(wanted[word] / sqrt(spread[word]) for word in sorted(own & wanted.keys()))
        for place, own in enumerate(words)
    }
