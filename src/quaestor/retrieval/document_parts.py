"""Parts of a document: sections by heading, sentences by words, and estimated numbers of tokens."""

import math
from dataclasses import dataclass

from quaestor.core.words import SMALL_WORDS, search_words
from quaestor.documents.document import Block, Document, Paragraph, SectionHeading
from quaestor.documents.table import Table

MOST_READ = 2_500
"""Approximate number of tokens in one part of a section."""
_BEGINS, _ENDS, _ALL = 1, 2, 3
_LETTERS_A_TOKEN = 3.2
"""Characters per token in tables and sentences of filings with current tokenizers; digits need more than words."""
_MOST_BLOCKS = 3
_SHARE_NEEDED = 0.5
_STEM = 4
"""Number of letters of a word used to preselect sentences."""


def tokens_of(block: Block) -> int:
    """Return the approximate number of tokens of a block."""
    match block.content:
        case Table() as table:
            letters = sum(len(cell.text) + 2 for row in table.cells if any(cell.text for cell in row) for cell in row)
        case Paragraph(sentences=sentences):
            letters = sum(len(sentence.text) + 1 for sentence in sentences)
        case SectionHeading(text=text):
            letters = len(text)
    return math.ceil(letters / _LETTERS_A_TOKEN)


def fits_excerpt(document: Document, budget_tokens: int) -> bool:
    """Whether a whole document is within the budget; stops counting when it is exceeded."""
    room = budget_tokens
    for block in document.blocks:
        room -= tokens_of(block)
        if room < 0:
            return False
    return True


@dataclass(frozen=True, slots=True)
class Reading:
    """A section to read.

    Attributes:
        heading: Its heading or the beginning of it ("Note 7"), or its path with " > " between headings.
        part: Which part of a long section, from 1.
    """

    heading: str
    part: int = 1


def section_parts(document: Document, heading: str) -> tuple[tuple[int, ...], ...]:
    """Return the blocks of a section including its subsections, split into parts; empty if no section matches.

    If several sections match, the longest one is used; the others may be entries in a table of contents.
    """
    wanted = search_words(heading)
    last = search_words(heading.rpartition(">")[2])
    fits: dict[tuple[str, ...], int] = {}
    for section in document.sections:
        for at in range(len(section.path) if wanted and last else 0):
            path = section.path[: at + 1]
            if path not in fits:
                own = search_words(path[-1])
                same = _ALL if search_words(" ".join(path)) == wanted else _ENDS if own == last else 0
                fits[path] = same or _BEGINS * (own[: len(last)] == last)
    best = max(fits.values(), default=0)
    found = [_parts(document, path) for path, fit in fits.items() if fit == best] if best else []
    return max(found, key=lambda parts: sum(map(len, parts)), default=())


def _parts(document: Document, path: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    inside = {section.id for section in document.sections if section.path[: len(path)] == path}
    parts: list[list[int]] = []
    room = 0
    for block in document.blocks:
        too_large = isinstance(block.content, Table) and block.content.is_too_large
        if block.section in inside and not too_large:
            cost = tokens_of(block)
            # A heading stays with the first block below it.
            if not parts or (cost > room and not isinstance(document.blocks[parts[-1][-1]].content, SectionHeading)):
                parts.append([])
                room = MOST_READ
            parts[-1].append(block.order)
            room -= cost
    return tuple(map(tuple, parts))


@dataclass(frozen=True, slots=True)
class SentenceQuery:
    """Words to search for in sentences, most of which must occur."""

    words: str


def find_paragraphs_with_words(document: Document, query: SentenceQuery) -> tuple[int, ...]:
    """Return paragraphs with a sentence that has most of the words, at least half of them, best first."""
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
