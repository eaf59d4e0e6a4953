"""The companies that a document is of: the words by which it calls each, and the files whose statements are meant."""

import re
from collections.abc import Iterable, Iterator, Sequence

from quaestor.core.caching import BoundedCache
from quaestor.core.provenance import CellRef
from quaestor.core.words import SMALL_WORDS, words
from quaestor.documents.combining import file_of, files_of, newest_years
from quaestor.documents.document import Document, Paragraph, SectionHeading
from quaestor.retrieval.company_name import COVER
from quaestor.retrieval.measures.lines import StatementRow, statement_rows

_KIND = re.compile(r"\b(?:inc|corp|corporation|company|co|plc|ltd|limited|incorporated|n\.v|s\.a)\b", re.IGNORECASE)
_NO_NAME = re.compile(
    r"incorporated by|\bfiler\b|reporting company|growth company|commission|^the company\b|\d", re.IGNORECASE
)
_LONGEST = 60

_Files = Sequence[tuple[frozenset[str], tuple[StatementRow, ...]]]
_FILES = BoundedCache[str, _Files](16)


def statements_asked(document: Document, called: Iterable[str]) -> Sequence[Sequence[StatementRow]] | None:
    """Return the lines of the statements that a question is about, those of the latest file before those of others.

    Of several companies none are meant where the question names no company.

    Args:
        called: Words of the question that may name the company.

    Returns:
        None if a word is of no company's name.
    """
    own = frozenset(map(_plain, called))
    every = _FILES.get(document.digest, lambda: _files(document))
    files = [(names, rows) for names, rows in every if own <= names]
    if not files and not any(names for names, _ in every) and own.isdisjoint(_label_words(document)):
        files = list(every)  # nothing says what the company is called, and no line is called so
    if not files:
        return None
    named = [names for names, _ in files if names]
    return [rows for _, rows in files] if len(named) < 2 or frozenset.intersection(*named) else []


def _files(document: Document) -> _Files:
    """The words of the companies of the files of a document, the latest first, and the lines of their statements."""
    newest = newest_years(document)
    names = sorted(files_of(document), key=lambda name: -newest[name]) or [""]
    rows = statement_rows(document)
    of_file = {row.table: file_of(document, CellRef(document.id, row.table, 0, 0)) or "" for row in rows}
    own = {name: tuple(row for row in rows if of_file[row.table] == name) for name in names}
    return [(frozenset(_names(document, name, own[name])), own[name]) for name in names]


def _label_words(document: Document) -> frozenset[str]:
    labels = {head.label for table in document.tables for head in (*table.rows, *table.columns)}
    return frozenset(_plain(word) for label in labels for word in words(label))


def _names(document: Document, file: str, rows: Iterable[StatementRow]) -> Iterator[str]:
    """The words of a company's name, as the cover of its file and the owners of its income have it."""
    paths = {section.id: section.path for section in document.sections}
    blocks = [block for block in document.blocks if not file or paths[block.section][:1] == (file,)]
    texts: list[str] = []
    for block in blocks[:COVER]:
        match block.content:
            case SectionHeading(text=text):
                texts.append(text)
            case Paragraph(sentences=sentences):
                texts += (sentence.text for sentence in sentences)
    names = [text for text in texts if len(text) <= _LONGEST and _KIND.search(text) and not _NO_NAME.search(text)]
    names += (row.label.partition(" to ")[2] for row in rows if row.share == 1)
    for name in names:
        yield from (word for word in map(_plain, words(name)) if not _KIND.fullmatch(word) and word not in SMALL_WORDS)


def _plain(word: str) -> str:
    return re.sub(r"['\u2019]s?$", "", word.lower()).strip(".")
