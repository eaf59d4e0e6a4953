"""A section of a document by its heading, in parts that can be read at once."""

from dataclasses import dataclass

from quaestor.core.words import search_words
from quaestor.documents.document import Document, SectionHeading
from quaestor.documents.table import Table
from quaestor.retrieval.excerpt import tokens_of

MOST_READ = 2_500
"""About how many tokens of a section are read at once."""
_BEGINS, _ENDS, _ALL = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Reading:
    """A section to be read.

    Attributes:
        heading: Of it, or how it begins ("Note 7"); or the way to it, with " > " between headings.
        part: Which part of a long one, from 1.
    """

    heading: str
    part: int = 1


def section_parts(document: Document, heading: str) -> tuple[tuple[int, ...], ...]:
    """Return the blocks under a heading and those below it, a part each; none if nothing has it.

    If several sections have it, the longest is meant: the others are mentions of it, as in a table of contents.
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
            # A heading is not parted from what it is over.
            if not parts or (cost > room and not isinstance(document.blocks[parts[-1][-1]].content, SectionHeading)):
                parts.append([])
                room = MOST_READ
            parts[-1].append(block.order)
            room -= cost
    return tuple(map(tuple, parts))
