"""The readers of documents by name, and which of them reads a file: by its content, not by its name.

Other packages add readers by entry points `quaestor.readers`, named as the reader is.
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
    """How one kind of file is read as a document."""

    @property
    def name(self) -> str:
        """What `Dataset.format` says; no other reader's."""

    def recognises(self, content: FileContent) -> bool:
        """Return whether a file is of this kind, by what it holds and not by its name. Raises nothing."""

    def read(self, content: FileContent) -> Document:
        """Return the document of a file that `recognises` takes.

        Raises:
            DatasetError: The file is not what it should be; the message says what to do.
            DocumentError: Likewise.
        """


def _reader_of(name: str, found: object) -> DocumentReader:
    return cast(DocumentReader, named_object(name, found, ("name", "recognises", "read")))


# In the order in which they are asked, but for those of other packages, which come first: what has a mark of its own
# in its bytes before what is any text.
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
    """Return the names of the readers that are known."""
    return _READERS.names()


def own_readers() -> frozenset[str]:
    """Return the names of those that are of this package."""
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
    except Exception:  # noqa: BLE001  # one reader's fault must not make files of other kinds unreadable
        _log.warning("the reader %r failed to look at %s", reader.name, content.path, exc_info=True)
        return False


# The version of the code that read a document: a cached document of other code is read again.

_PACKAGES = ("core", "documents", "readers")
"""The packages whose code affects a document."""


def version_of(reader: DocumentReader) -> str | None:
    """Return the version of a reader's documents; None if it is unknown, so that they are not cached.

    A reader of another package has an attribute `version`.
    """
    version = getattr(reader, "version", None)
    if reader.name in own_readers():
        return f"{reader.name} {version or ''} {code_of_reading()}"
    return f"{reader.name} {version} {code_of_reading()}" if version else None


def code_of_reading() -> str:
    """Return the digest of the code of this package that reads documents."""
    return digest_of_code(*_PACKAGES)


@lru_cache(maxsize=8)
def digest_of_code(*packages: str) -> str:
    """Return the digest of the code of some packages within this one."""
    root = Path(__file__).parents[1]
    whole = hashlib.sha256()
    for package in packages:
        for path in sorted(path for path in (root / package).rglob("*") if path.suffix in (".py", ".ttl")):
            whole.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()
