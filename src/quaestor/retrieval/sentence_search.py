"""Sentences of a document that have some words, wherever they are."""

from dataclasses import dataclass

from quaestor.core.words import SMALL_WORDS, search_words
from quaestor.documents.document import Document, Paragraph

_MOST_BLOCKS = 3
_SHARE_NEEDED = 0.5
_STEM = 4
"""Letters by which a sentence is looked through before its words are compared."""


@dataclass(frozen=True, slots=True)
class SentenceQuery:
    """Words that a sentence has, or most of them."""

    words: str


def blocks_saying(document: Document, query: SentenceQuery) -> tuple[int, ...]:
    """Return the paragraphs with a sentence that has most of some words, at least half of them, the best first."""
    wanted = {word for word in search_words(query.words) if word not in SMALL_WORDS}
    needed = _SHARE_NEEDED * len(wanted)
    stems = [word[:_STEM] for word in wanted]
    shares: dict[int, int] = {}
    for block in document.blocks if wanted else ():
        for sentence in block.content.sentences if isinstance(block.content, Paragraph) else ():
            text = sentence.text.lower()
            if sum(stem in text for stem in stems) >= needed:
                shared = len(wanted.intersection(search_words(sentence.text)))
                shares[block.order] = max(shares.get(block.order, 0), shared)
    best = max(shares.values(), default=0)
    return tuple(order for order, shared in shares.items() if shared == best >= needed)[:_MOST_BLOCKS]
