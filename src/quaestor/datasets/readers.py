"""Files that are a document and no dataset: a person asks about them, nobody has asked yet.

This package reads none; other packages add readers by entry points `quaestor.readers`, named as the reader is.
"""

from typing import Protocol, cast

from quaestor.datasets.content import FileContent
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.documents.document import Document
from quaestor.documents.repairs import show_warning
from quaestor.plugins import Registry


class DocumentReader(Protocol):
    """How one kind of file is read as a document."""

    @property
    def name(self) -> str:
        """What `Dataset.format` says; no other reader's."""

    def recognises(self, content: FileContent) -> bool:
        """Returns whether a file is of this kind, by what it holds and not by its name. Raises nothing."""

    def read(self, content: FileContent) -> Document:
        """Returns the document of a file that `recognises` takes.

        Raises:
            DatasetError: The file is not what it should be; the message says what to do.
        """


def _reader_of(name: str, found: object) -> DocumentReader:
    """Returns a reader: an object of one, or the class that makes it."""
    made: object = found() if isinstance(found, type) else found
    if not all(hasattr(made, part) for part in ("name", "recognises", "read")):
        raise TypeError(f"it is {type(made).__name__}, which has no name, recognises and read")
    reader = cast(DocumentReader, made)
    if reader.name != name:
        raise TypeError(f"it is called {reader.name!r}")
    return reader


_READERS: Registry[DocumentReader] = Registry("quaestor.readers", "document reader", {}, _reader_of)


def reader_names() -> tuple[str, ...]:
    """Returns the names of the readers that are known."""
    return _READERS.names()


def read_alone(content: FileContent) -> Dataset | None:
    """Returns a file that is a document as a dataset in which nothing is asked; None where no reader knows it.

    Raises:
        DatasetError: A reader knows it, and cannot read it.
    """
    for name, reader in _READERS.usable():
        if reader.recognises(content):
            document = reader.read(content)
            return Dataset.of(
                str(content.path),
                name,
                [Conversation(document.id, document, ())],
                tuple(map(show_warning, document.warnings)),
            )
    return None
