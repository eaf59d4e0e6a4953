"""A file to its document: which reader takes it, what is said where its name tells something else, what is kept."""

from contextlib import suppress
from dataclasses import replace

from quaestor.documents.document import Document
from quaestor.documents.repairs import DocumentWarning, WarningKind
from quaestor.readers.cache import ByteCache, cache_key
from quaestor.readers.content import FileContent
from quaestor.readers.kinds import unread_kind
from quaestor.readers.registry import DocumentReader, find_reader, reader_names
from quaestor.readers.version import version_of
from quaestor.readers.written import document_bytes, document_of

_SUFFIXES = {
    "html": (".html", ".htm", ".xhtml", ".xht"),
    "pdf": (".pdf",),
    "xlsx": (".xlsx", ".xlsm", ".xltx"),
    "markdown": (".md", ".markdown", ".mdown", ".mkd"),
    "csv": (".csv", ".tsv", ".tab", ".psv"),
    "text": (".txt", ".text", ".asc"),
}
"""How files are called that a reader of this package reads."""

_SAID = {"html": "HTML", "pdf": "PDF", "xlsx": "a workbook", "markdown": "Markdown", "csv": "CSV", "text": "plain text"}
_TEXTS = frozenset({".txt", ".text", ".asc"})
"""May hold any text: nothing is said where it is a table."""


def read_file(content: FileContent, cache: ByteCache | None = None) -> tuple[str, Document] | None:
    """Returns the name of the reader that takes a file, and its document; None where no reader knows it.

    Args:
        content: The file.
        cache: Where documents are kept; None to read it anew and keep nothing.

    Raises:
        InputError: A reader knows it, and cannot read it.
    """
    reader = find_reader(content)
    if reader is None:
        return None
    return reader.name, _kept(reader, content, cache)


def unread_file(content: FileContent) -> str:
    """Returns what is wrong with a file that no reader knows, in one line."""
    known = ", ".join(reader_names())
    kind = unread_kind(content)
    if kind is not None:
        return f"cannot read {content.path}: it is {kind}"
    return f"cannot read {content.path}: it is none of the formats known: {known}, or a data set in JSON"


def document_key(content: FileContent) -> str | None:
    """Returns the key under which the document of a file is kept; None where no reader takes it whose code is known.

    Args:
        content: The file, which is recognised and not read.
    """
    reader = find_reader(content)
    return None if reader is None else _key(reader, content)


def _kept(reader: DocumentReader, content: FileContent, cache: ByteCache | None) -> Document:
    key = _key(reader, content) if cache is not None else None
    if cache is None or key is None:
        return _read(reader, content)
    if (data := cache.get(key)) is not None:
        with suppress(ValueError):  # then it is made and kept anew
            return document_of(data)
    document = _read(reader, content)
    with suppress(ValueError):  # what another package's reader made may be more than can be written
        cache.put(key, document_bytes(document))
    return document


def _key(reader: DocumentReader, content: FileContent) -> str | None:
    version = version_of(reader)
    return None if version is None else cache_key("document", content.digest, content.path.name, version)


def _read(reader: DocumentReader, content: FileContent) -> Document:
    document = reader.read(content)
    told = next((name for name, suffixes in _SUFFIXES.items() if content.suffix in suffixes), None)
    if told in (None, reader.name) or reader.name not in _SUFFIXES or content.suffix in _TEXTS:
        return document
    line = f"it is called {content.suffix} and is {_SAID[reader.name]}: it was read as what it is"
    return replace(document, warnings=(DocumentWarning(WarningKind.LOST, detail=line), *document.warnings))
