"""The words by which a document calls the company that it is of: those of its cover, and of the owners of its income.

Owns whether a word of a question can only be the company: "Nord's free cash flow" is its own, "that of Europe" is not.
"""

import re
from collections.abc import Iterable, Iterator

from quaestor.core.caching import BoundedCache
from quaestor.core.words import words
from quaestor.documents.document import Document, Paragraph, SectionHeading
from quaestor.retrieval.measures.lines import statement_rows

_KIND = re.compile(r"\b(?:inc|corp|corporation|company|co|plc|ltd|limited|incorporated|n\.v|s\.a)\b", re.IGNORECASE)
_NO_NAME = re.compile(r"incorporated by|\bfiler\b|reporting company|growth company|commission", re.IGNORECASE)
_COVER, _LONGEST = 80, 60

_KEPT = BoundedCache[str, frozenset[str]](16)


def names_company(document: Document, called: Iterable[str]) -> bool:
    """Returns whether all of some words are of the company's name.

    Args:
        document: The whole one.
        called: Words of a question.
    """
    own = frozenset(map(_plain, called))
    return not own or own <= _KEPT.get(document.digest, lambda: frozenset(_names(document)))


def _names(document: Document) -> Iterator[str]:
    texts: list[str] = []
    for block in document.blocks[:_COVER]:
        match block.content:
            case SectionHeading(text=text):
                texts.append(text)
            case Paragraph(sentences=sentences):
                texts += (sentence.text for sentence in sentences)
    names = [text for text in texts if len(text) <= _LONGEST and _KIND.search(text) and not _NO_NAME.search(text)]
    names += (row.label.partition(" to ")[2] for row in statement_rows(document) if row.share == 1)
    for name in names:
        yield from map(_plain, words(name))


def _plain(word: str) -> str:
    return re.sub(r"['\u2019]s?$", "", word.lower()).strip(".")
