"""Registry of document readers, which recognise files by content rather than name.

Other packages add readers with entry points in the group `quaestor.readers`, named like the reader.
"""

import hashlib
import logging
from functools import lru_cache
from pathlib import Path
from typing import Protocol, cast

from quaestor.documents.document import Document
from quaestor.errors import QuaestorError
from quaestor.plugins import Registry, named_object
from quaestor.readers.content import FileContent

_log = logging.getLogger("quaestor.readers")


class DocumentReader(Protocol):
    """Reads one file format as a document."""

    @property
    def name(self) -> str:
        """Unique name, also the value of `Dataset.format`."""

    def recognises(self, content: FileContent) -> bool:
        """Return whether a file has this format, judging by content rather than name. Must not raise."""

    def read(self, content: FileContent) -> Document:
        """Return the document of a file that `recognises` accepts.

        Raises:
            DatasetError: The file is malformed; the message says what to do.
            DocumentError: Likewise.
        """


def _reader_of(name: str, found: object) -> DocumentReader:
    return cast(DocumentReader, named_object(name, found, ("name", "recognises", "read")))


# Readers are tried in this order, those of other packages first: formats with a distinctive mark come before plain
# text.
_OWN = {
    "html": "quaestor.readers.html.reader:HtmlReader",
    "pdf": "quaestor.readers.pdf.reader:PdfReader",
    "xlsx": "quaestor.readers.workbook.reader:WorkbookReader",
    "markdown": "quaestor.readers.markdown:MarkdownReader",
    "csv": "quaestor.readers.delimited:DelimitedReader",
    "text": "quaestor.readers.plain_text:PlainTextReader",
}
_READERS: Registry[DocumentReader] = Registry("quaestor.readers", "document reader", _OWN, _reader_of)


def reader_names() -> tuple[str, ...]:
    """Return the names of all known readers."""
    return _READERS.names()


def own_readers() -> frozenset[str]:
    """Return the names of the readers of this package."""
    return _READERS.built_in


def find_reader(content: FileContent, *, own_only: bool = False) -> DocumentReader | None:
    """Return the reader that recognises a file, or None; readers of other packages come first, unless `own_only`."""
    ordered = sorted(reader_names(), key=own_readers().__contains__)
    ordered = [name for name in ordered if not own_only or name in own_readers()]
    return next((reader for _, reader in _READERS.usable(ordered) if _recognises(reader, content)), None)


def _recognises(reader: DocumentReader, content: FileContent) -> bool:
    try:
        return reader.recognises(content)
    except (QuaestorError, MemoryError):
        raise
    except Exception:  # noqa: BLE001  # a failing reader must not make files of other formats unreadable
        _log.warning("the reader %r failed to look at %s", reader.name, content.path, exc_info=True)
        return False


# Documents are cached per version of the code that reads them.

_PACKAGES = ("core", "documents", "readers")
"""Packages whose code affects documents."""


def version_of(reader: DocumentReader) -> str | None:
    """Return the version of a reader's documents; None if it is unknown, so that they are not cached.

    Readers of other packages declare an attribute `version`.
    """
    version = getattr(reader, "version", None)
    if reader.name in own_readers():
        return f"{reader.name} {version or ''} {code_of_reading()}"
    return f"{reader.name} {version} {code_of_reading()}" if version else None


def code_of_reading() -> str:
    """Return the digest of this package's code for reading documents."""
    return digest_of_code(*_PACKAGES)


@lru_cache(maxsize=8)
def digest_of_code(*packages: str) -> str:
    """Return the digest of the code of some subpackages of `quaestor`."""
    root = Path(__file__).parents[1]
    whole = hashlib.sha256()
    for package in packages:
        for path in sorted(path for path in (root / package).rglob("*") if path.suffix in (".py", ".ttl", ".tsv")):
            whole.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()
