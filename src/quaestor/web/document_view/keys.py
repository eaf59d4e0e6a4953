"""Places in a document as words of an address: `t3-4-2` a cell, `s-notes-12-30-35` a span of a sentence.

Nothing else than a place of the document at hand comes of one.
"""

import re

from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.documents.document import Document, Sentence

_CELL = re.compile(r"t(\d{1,6})-(\d{1,6})-(\d{1,6})", re.ASCII)
_SPAN = re.compile(r"s-([a-z0-9_]{1,200})-(\d{1,6})-(\d{1,7})-(\d{1,7})", re.ASCII)


def source_key(source: Source) -> str:
    """Return the words for a place.

    >>> source_key(CellRef("page.pdf", 0, 2, 1)), source_key(SentenceRef("page.pdf", "pre_text", 3, 10, 14))
    ('t0-2-1', 's-pre_text-3-10-14')
    """
    if isinstance(source, CellRef):
        return f"t{source.table}-{source.row}-{source.column}"
    return f"{sentence_key(source)}-{source.start}-{source.end}"


def sentence_key(sentence: Sentence | SentenceRef) -> str:
    """Return the words for a whole sentence."""
    index = sentence.index if isinstance(sentence, Sentence) else sentence.sentence
    return f"s-{sentence.section}-{index}"


def source_at(key: str, document: Document) -> Source | None:
    """Return the place that some words are of; None if the document has no such place."""
    try:
        if match := _CELL.fullmatch(key):
            table, row, column = map(int, match.groups())
            cell = CellRef(document.id, table, row, column)
            return document.cell(cell).ref
        if match := _SPAN.fullmatch(key):
            section, index, start, end = match[1], *map(int, match.groups()[1:])
            span = SentenceRef(document.id, section, index, start, end)
            return span if start < end <= len(document.sentence(span).text) else None
    except LookupError:
        return None
    return None
