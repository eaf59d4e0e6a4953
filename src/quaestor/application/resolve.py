"""Finds datasets, pages, documents and stores by the names that users give.

`sample` names the bundled dataset; a file of that name is `./sample`. A page is named `DATASET#ID`, with the id of the
page or of a conversation about it, in any case, and without `.pdf` if that is unambiguous. A file with one document
needs no id.
"""

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from quaestor.core.patterns import lazy_regex
from quaestor.core.visible import visible_name
from quaestor.datasets.dataset import Dataset
from quaestor.datasets.formats import read_dataset
from quaestor.documents.combining import combine
from quaestor.documents.document import Document
from quaestor.errors import (
    DatasetError,
    DocumentError,
    InputError,
    SeveralPagesError,
    UnknownConversationError,
    unknown_name,
)
from quaestor.readers.cache import ByteCache
from quaestor.readers.limited import DEFAULT_LIMITS, ReadingLimits
from quaestor.sample import sample_path
from quaestor.settings import Settings

SAMPLE = "sample"
"""The name of the bundled dataset."""

_FILE_LIKE = lazy_regex(r"[^\s#]*\.(?:html?|xhtml|pdf|xlsx|csv|tsv|md|txt|json|gz)", re.IGNORECASE)

_ADDRESS = lazy_regex(r"(?:https?|ftp|file)://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DocumentInCorpus:
    """A filing, a page of a dataset, or several files as one document, with the name that a user gave.

    By default the ontology is learned from `corpus`, all documents of its file.
    """

    document: Document
    corpus: tuple[Document, ...]
    name: str = ""

    @classmethod
    def of(cls, document: Document) -> "DocumentInCorpus":
        """Return a document whose ontology is learned from it alone."""
        return cls(document, (document,))

    @classmethod
    def of_dataset(cls, dataset: Dataset, document: Document) -> "DocumentInCorpus":
        """Return a page of a dataset."""
        return cls(document, tuple(dataset.documents()))


def dataset_path(name: str | Path) -> Path:
    """Return the path of a dataset by its name.

    >>> dataset_path("sample").name
    'sample.json'
    >>> dataset_path("./sample").name
    'sample'
    """
    return sample_path() if name == SAMPLE else Path(name)


def read_answerable(
    path: Path, limit: int | None = None, *, folder: Path | None = None, cache: ByteCache | None = None
) -> Dataset:
    """Read a dataset; raise an error if none of its questions can be answered."""
    dataset = read_dataset(path, limit, cache, DEFAULT_LIMITS, folder)
    if not any(has_numbers(conversation.document) for conversation in dataset.conversations):
        for page in dataset.documents():
            if page.refusal is not None:
                require_askable(page)
        raise DatasetError(f"no question about {path} can be answered: none of its pages contains a number")
    return dataset


def has_numbers(document: Document) -> bool:
    """Return whether a document has a number in a table or a sentence."""
    cells = (cell for table in document.tables for cell in table.body())
    return any(cell.quantities for cell in cells) or any(sentence.mentions for sentence in document.sentences)


def require_askable(document: Document) -> None:
    """Raise an error if questions about a document cannot be answered."""
    if document.refusal is not None:
        raise DocumentError(f"{document.id}: {document.refusal}")
    if not has_numbers(document):
        raise InputError(f"no question about {document.id} can be answered: its tables and text contain no numbers")


def page_file(name: str) -> Path:
    """Return the path of the file in `DATASET#ID`, or in `FILE` alone."""
    return _split(name)[0]


def read_page(name: str, cache: ByteCache | None = None, limits: ReadingLimits = DEFAULT_LIMITS) -> DocumentInCorpus:
    """Read the document of `DATASET#ID`, or of `FILE` if the file has just one."""
    page, *others = read_pages(name, None, cache, limits)
    if others:
        raise SeveralPagesError(name, 1 + len(others))
    return replace(page, name=name)


def read_files(
    names: Sequence[str], cache: ByteCache | None = None, limits: ReadingLimits = DEFAULT_LIMITS
) -> DocumentInCorpus:
    """Read the page or document of a name; several files become one document."""
    if len(names) == 1:
        return read_page(names[0], cache, limits)
    if len(set(names)) < len(names):
        raise InputError(f"duplicate file: {', '.join(names)[:200]}")
    short = [visible_name(Path(name).name) for name in names]
    shown = short if len(set(short)) == len(short) else [visible_name(name) for name in names]
    combined = combine(
        [(label, read_page(name, cache, limits).document) for label, name in zip(shown, names, strict=True)]
    )
    return DocumentInCorpus(combined, (combined,), " ".join(names))


def split_arguments(arguments: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split arguments into files (the first, and names of files after it) and the questions that follow."""
    files = [*arguments[:1]]
    for argument in arguments[1:]:
        if not _names_file(argument):
            break
        files.append(argument)
    questions = tuple(map(_typed_text, arguments[len(files) :]))
    for question in questions:
        if _names_file(question):
            raise InputError(f"{question[:200]!r} is a file: name files before questions")
        if _FILE_LIKE.fullmatch(question):
            raise InputError(f"{question[:200]!r} looks like a file but does not exist: check the path")
    return tuple(files), questions


def _typed_text(argument: str) -> str:
    """Decode an argument as UTF-8, even if the locale has another encoding, such as C."""
    try:
        return os.fsencode(argument).decode("utf-8")
    except UnicodeError:
        return argument


def _names_file(argument: str) -> bool:
    path = argument.rpartition("#")[0] or argument
    return SAMPLE in (argument, path) or _is_file(argument) or _is_file(path)


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # too long for a file name, or with a zero byte: a question
        return False


def read_pages(
    name: str, limit: int | None = None, cache: ByteCache | None = None, limits: ReadingLimits = DEFAULT_LIMITS
) -> tuple[DocumentInCorpus, ...]:
    """Read the page of `DATASET#ID`, or all pages of a file."""
    path, identity = _split(name)
    dataset = read_dataset(path, limit, cache, limits)
    if identity is not None:
        return (DocumentInCorpus.of_dataset(dataset, find_document(dataset, identity)),)
    corpus = tuple(dataset.documents())
    return tuple(DocumentInCorpus(document, corpus) for document in corpus)


def find_document(dataset: Dataset, identity: str) -> Document:
    """Return the page of a dataset by its id, or by the id of a conversation about it."""
    known = {document.id: document for document in dataset.documents()}
    for conversation in dataset.conversations:
        known.setdefault(conversation.id, conversation.document)
    return known[match_id(identity, list(known), dataset.path)]


def match_id(wanted: str, known: Sequence[str], where: str) -> str:
    """Return the known id for a user's id: an equal one, or the only one that differs just in case or `.pdf`."""
    if wanted in known:
        return wanted
    found = [id for id in known if _plain(id) == _plain(wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"{wanted!r} matches several pages in {where}: {', '.join(found[:5])}")
    raise UnknownConversationError(unknown_name("page", wanted, known, where=f"in {where}", most=3))


def _plain(id: str) -> str:
    return id.strip().casefold().replace(".pdf", "")


def _split(name: str) -> tuple[Path, str | None]:
    """Split a name into file and page id; the id is None if the whole name is a file, even with `#`."""
    whole = dataset_path(name)
    if whole.is_file():
        return whole, None
    path, separator, identity = name.rpartition("#")
    if separator and path and identity:
        return dataset_path(path), identity
    if what := _describe_other_path(whole):
        raise InputError(f"cannot read {name[:200]!r}: {what}")
    if _ADDRESS.match(name):
        raise InputError(f"{name[:200]!r} is a URL: save the page as a file first")
    if _FILE_LIKE.fullmatch(name):
        raise InputError(f"no such file: {name[:200]!r}; check the path and the current folder")
    wanted = "use DATASET#ID, such as sample#NORD/2012/page_41.pdf, or a file with a single page"
    raise InputError(f"{name[:200]!r} is neither a file nor a page: {wanted}")


def store_file(uri: str) -> Path | None:
    """Return the file of a run store, or None for a server or a store in memory."""
    scheme, separator, rest = uri.partition("://")
    if not separator:
        return Path(uri)
    return Path(rest[1:]) if scheme == "sqlite" and rest.strip("/") else None


@contextmanager
def folder_beside_store(settings: Settings, name: str) -> Iterator[Path]:
    """Yield the folder of this name beside the run store; if that is not a file, a temporary folder."""
    if (store := store_file(settings.store)) is not None:
        yield store.absolute().parent / name
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _describe_other_path(path: Path) -> str:
    """Explain why an existing path is not a readable file, and what to do; "" if nothing exists there."""
    try:
        if path.is_dir():
            return "it is a directory; name a file in it"
        if path.exists():
            return "it is a pipe or a device; save its contents as a file first"
        return "it is a broken link" if path.is_symlink() else ""
    except (OSError, ValueError):  # too long for a file name, or with a zero byte
        return ""
