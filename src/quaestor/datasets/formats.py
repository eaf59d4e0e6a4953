"""Dataset formats, and their detection by a file's content, not by its name."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from quaestor.core.caching import BoundedCache
from quaestor.datasets.dataset import Conversation, Dataset
from quaestor.documents.document import Document
from quaestor.documents.repairs import show_warning
from quaestor.errors import DatasetError, SeveralPagesError
from quaestor.plugins import Registry, named_object
from quaestor.readers.cache import ByteCache
from quaestor.readers.content import FileContent, read_content
from quaestor.readers.limited import DEFAULT_LIMITS, ReadingLimits
from quaestor.readers.reading import read_file, unread_file
from quaestor.readers.registry import reader_names

_MOST_DOCUMENTS = 6
"""Number of documents cached; questions about the same document usually follow each other."""
_LONGEST_NAME = 255


class DocumentFolder:
    """Documents of a folder, each read on access."""

    def __init__(
        self, path: Path, cache: ByteCache | None = None, limits: ReadingLimits | None = DEFAULT_LIMITS
    ) -> None:
        self.path = path
        self._cache, self._limits = cache, limits
        self._read = BoundedCache[str, Document](_MOST_DOCUMENTS)

    def require(self, names: Iterable[tuple[str, str]]) -> None:
        """Raise a DatasetError if a document is missing in the folder, before any is read."""
        seen = set[str]()
        for name, where in names:
            if name not in seen:
                self._file(name, where)
            seen.add(name)

    def document(self, name: str, where: str) -> Document:
        """Return a document by name; `where` is for messages."""
        return self._read.get(name, lambda: self._document(read_content(self._file(name, where))))

    def text(self, text: str) -> Document:
        """Return the document of a text, named by its digest."""
        data = text.encode("utf-8", "replace")
        name = f"{hashlib.sha256(data).hexdigest()[:12]}.txt"
        return self._read.get(name, lambda: self._document(FileContent(Path(name), data)))

    def _document(self, content: FileContent) -> Document:
        found = read_file(content, self._cache, self._limits)
        if found is None:
            raise DatasetError(unread_file(content))
        return found[1]

    def _file(self, name: str, where: str) -> Path:
        if not self.path.is_dir():
            raise DatasetError(f"{self.path} is not a folder: name the folder of the documents with --documents")
        exact = self.path / name
        if exact.name != name or len(name.encode("utf-8", "replace")) > _LONGEST_NAME:
            raise DatasetError(f"{where}: {name[:_LONGEST_NAME]!r} is not the name of a file")
        if exact.is_file():
            return exact
        found = sorted(path for path in self.path.iterdir() if _plain(path) == name and path.suffix != ".jsonl")
        if not found:
            advice = "name the folder of the documents with --documents"
            raise DatasetError(f"{where}: {self.path} has no document {name!r}; {advice}")
        if len(found) > 1:
            raise DatasetError(f"{where}: {name!r} is ambiguous: {', '.join(path.name for path in found)}")
        return found[0]


def _plain(path: Path) -> str:
    """Return the name of a file without its suffix, nor the suffix `.gz`."""
    return Path(path.stem).stem if path.suffix == ".gz" else path.stem


class DatasetFormat(Protocol):
    """Reader of conversations in one file format.

    Other packages add formats through the entry point group `quaestor.datasets`, named after the format.
    """

    @property
    def name(self) -> str:
        """The unique name of the format, which is stored in `Dataset.format`."""

    def recognises(self, content: FileContent) -> bool:
        """Return whether a file is in this format, by its content and not by its name. Must not raise."""

    def read(self, content: FileContent, limit: int | None = None) -> Dataset:
        """Return the documents and questions of a file, never an answer.

        Args:
            limit: Maximum number of conversations to read.

        Raises:
            DatasetError: The file or a record is invalid; the message says which and what to do.
        """


@runtime_checkable
class AboutFiles(Protocol):
    """DatasetFormat for questions about documents in a separate folder."""

    def read(self, content: FileContent, limit: int | None = None) -> Dataset:
        """Return the documents and questions of a file, with documents in the same folder."""
        return self.read_about(content, DocumentFolder(content.path.parent), limit)

    def read_about(self, content: FileContent, folder: DocumentFolder, limit: int | None = None) -> Dataset:
        """Return the documents and questions of a file.

        Args:
            limit: Maximum number of conversations to read.

        Raises:
            DatasetError: A record is invalid, or a document is missing; the message says which.
        """


def _format_of(name: str, found: object) -> DatasetFormat:
    return cast(DatasetFormat, named_object(name, found, ("name", "recognises", "read")))


# The original format accepts any list of records, so it is tried last.
_FORMATS: Registry[DatasetFormat] = Registry(
    "quaestor.datasets",
    "dataset format",
    {
        "original": "quaestor.datasets.convfinqa:OriginalFormat",
        "cleaned": "quaestor.datasets.convfinqa:CleanedFormat",
        "tatqa": "quaestor.datasets.tatqa:TatqaFormat",
        "docfinqa": "quaestor.datasets.filings:DocFinqaFormat",
        "financebench": "quaestor.datasets.filings:FinanceBench",
        "filings": "quaestor.datasets.filings:FilingQuestions",
    },
    _format_of,
)


def dataset_formats(*, benchmarks: bool = True) -> tuple[DatasetFormat, ...]:
    """Return all available formats in the order in which they are tried, those of other packages first."""
    names = [name for name in _FORMATS.names() if benchmarks or name not in _FORMATS.built_in]
    return tuple(format for _, format in reversed(tuple(_FORMATS.usable(names))))


def read_dataset(
    path: str | Path,
    limit: int | None = None,
    cache: ByteCache | None = None,
    limits: ReadingLimits = DEFAULT_LIMITS,
    folder: Path | None = None,
) -> Dataset:
    """Read the documents and questions of a file, in the format that recognises it.

    A document file (see `quaestor.readers`) becomes a dataset with one conversation without questions.

    Args:
        limit: Maximum number of conversations to read.
        cache: Cache for documents.
        folder: The folder of the documents that the questions are about; by default the file's folder.
    """
    if limit is not None and limit < 1:
        raise DatasetError(f"invalid limit {limit}: it must be at least 1")
    return _dataset_in(read_content(Path(path)), limit, cache, limits, folder)


def _dataset_in(
    content: FileContent, limit: int | None, cache: ByteCache | None, limits: ReadingLimits, folder: Path | None = None
) -> Dataset:
    for format in dataset_formats(benchmarks=content.looks_like_json):
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
    if (found := read_file(content, cache, limits)) is not None:
        name, document = found
        warnings = tuple(map(show_warning, document.warnings))
        return Dataset.of(str(content.path), name, [Conversation(document.id, document, ())], warnings)
    if not content.looks_like_json:
        raise DatasetError(unread_file(content))
    # Raises an error with the position of invalid JSON, which no format could report better.
    _ = content.json
    names = ", ".join(sorted((*_FORMATS.names(), *reader_names())))
    wanted = "expected a list of records or an object with 'dev', 'train' or 'test'"
    raise DatasetError(f"{content.path} contains no conversations: {wanted}; known formats: {names}")


def read_document(
    source: str | Path | FileContent, cache: ByteCache | None = None, limits: ReadingLimits = DEFAULT_LIMITS
) -> Document:
    """Return the document of a file with exactly one: a document file, or a dataset about one page."""
    content = source if isinstance(source, FileContent) else read_content(Path(source))
    dataset = _dataset_in(content, None, cache, limits)
    document, *others = dataset.documents()
    if others:
        raise SeveralPagesError(dataset.path, 1 + len(others))
    return document
