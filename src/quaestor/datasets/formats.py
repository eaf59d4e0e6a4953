"""The formats that a dataset can have, and which of them a file is in: by what it holds, not by its name."""

from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from quaestor.datasets.dataset import Dataset
from quaestor.datasets.filings.folder import DocumentFolder
from quaestor.datasets.readers import read_alone
from quaestor.documents.document import Document
from quaestor.errors import DatasetError, SeveralPagesError
from quaestor.plugins import Registry, named_object
from quaestor.readers.cache import ByteCache
from quaestor.readers.content import FileContent, read_content
from quaestor.readers.limited import DEFAULT_LIMITS, ReadingLimits
from quaestor.readers.reading import unread_file
from quaestor.readers.registry import reader_names


class DatasetFormat(Protocol):
    """How the conversations of one kind of file are read.

    Another package adds one by an entry point `quaestor.datasets`, named as the format is.
    """

    @property
    def name(self) -> str:
        """What `Dataset.format` says; no other format's."""

    def recognises(self, content: FileContent) -> bool:
        """Return whether a file is in this format, by what it holds and not by its name. Raises nothing."""

    def read(self, content: FileContent, limit: int | None = None) -> Dataset:
        """Return the documents and questions of a file, never an answer.

        Args:
            limit: Read no more than so many conversations.

        Raises:
            DatasetError: The file or a record is not what it should be; the message says which and what to do.
        """


@runtime_checkable
class AboutFiles(Protocol):
    """A DatasetFormat whose questions are about documents of their own, which lie in a folder."""

    def read_about(self, content: FileContent, folder: DocumentFolder, limit: int | None = None) -> Dataset:
        """Return the documents and questions of a file.

        Args:
            limit: Read no more than so many conversations.

        Raises:
            DatasetError: A record is not what it should be, or a document is missing; the message says which.
        """


def _format_of(name: str, found: object) -> DatasetFormat:
    return cast(DatasetFormat, named_object(name, found, ("name", "recognises", "read")))


# A list of records is all that the original format asks for, so every other format is asked before it.
_FORMATS: Registry[DatasetFormat] = Registry(
    "quaestor.datasets",
    "dataset format",
    {
        "original": "quaestor.datasets.convfinqa.original:OriginalFormat",
        "cleaned": "quaestor.datasets.convfinqa.cleaned:CleanedFormat",
        "tatqa": "quaestor.datasets.tatqa.format:TatqaFormat",
        "docfinqa": "quaestor.datasets.filings.docfinqa:DocFinqaFormat",
        "financebench": "quaestor.datasets.filings.format:FinanceBench",
        "filings": "quaestor.datasets.filings.format:FilingQuestions",
    },
    _format_of,
)


def dataset_formats() -> tuple[DatasetFormat, ...]:
    """Return the formats that are known, in the order in which they are asked: those of other packages first."""
    return tuple(format for _, format in reversed(tuple(_FORMATS.usable())))


def read_dataset(
    path: str | Path,
    limit: int | None = None,
    cache: ByteCache | None = None,
    limits: ReadingLimits = DEFAULT_LIMITS,
    folder: Path | None = None,
) -> Dataset:
    """Return the documents and questions of a file, in the format that recognises it.

    A file that is a document and no dataset is one without questions, see `quaestor.readers`.

    Args:
        limit: Read no more than so many conversations.
        cache: Where documents are kept once they are read.
        folder: Where the documents lie that the questions of the file are about; by default beside it.

    Raises:
        DatasetError: The file or a record is not what it should be; the message says which and what to do.
    """
    if limit is not None and limit < 1:
        raise DatasetError(f"invalid limit {limit}: it must be at least 1")
    return _dataset_in(read_content(Path(path)), limit, cache, limits, folder)


def _dataset_in(
    content: FileContent,
    limit: int | None,
    cache: ByteCache | None,
    limits: ReadingLimits,
    folder: Path | None = None,
) -> Dataset:
    for format in dataset_formats():
        if not format.recognises(content):
            continue
        if isinstance(format, AboutFiles):
            return format.read_about(content, DocumentFolder(folder or content.path.parent, cache, limits), limit)
        if folder is not None:
            raise DatasetError(f"{content.path} has its own documents: leave out the folder of documents")
        return format.read(content, limit)
    if folder is not None or content.suffix == ".jsonl":
        fields = "'file', 'conversation', 'turn' and 'question', or be one of FinanceBench"
        raise DatasetError(f"{content.path} contains no questions about documents: each line must have {fields}")
    if (document := read_alone(content, cache, limits)) is not None:
        return document
    if not content.looks_like_json:
        raise DatasetError(unread_file(content))
    # Says where the JSON ends, which no format could know better.
    _ = content.json
    names = ", ".join(sorted((*_FORMATS.names(), *reader_names())))
    wanted = "expected a list of records or an object with 'dev', 'train' or 'test'"
    raise DatasetError(f"{content.path} contains no conversations: {wanted}; known formats: {names}")


def read_document(path: str | Path, cache: ByteCache | None = None, limits: ReadingLimits = DEFAULT_LIMITS) -> Document:
    """Return the document of a file that holds just one: a file of a document reader, or a dataset about one page.

    Args:
        cache: Where documents are kept once they are read.

    Raises:
        DatasetError: The file is not what it should be.
        SeveralPagesError: It holds more pages than one.
    """
    return only_document(read_dataset(path, None, cache, limits))


def document_in(
    content: FileContent, cache: ByteCache | None = None, limits: ReadingLimits = DEFAULT_LIMITS
) -> Document:
    """Return the document of a file that is at hand, as `read_document` does.

    Args:
        content: The file, as `read_content` gives it.
        cache: Where documents are kept once they are read.

    Raises:
        DatasetError: The file is not what it should be.
        SeveralPagesError: It holds more pages than one.
    """
    return only_document(_dataset_in(content, None, cache, limits))


def only_document(dataset: Dataset) -> Document:
    """Return the document of a dataset that is about just one.

    Raises:
        SeveralPagesError: It is about more.
    """
    pages = {conversation.document.id: conversation.document for conversation in dataset.conversations}
    if len(pages) > 1:
        raise SeveralPagesError(dataset.path, len(pages))
    (document,) = pages.values()
    return document
