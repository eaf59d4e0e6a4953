"""Reading a file as a document: finds the reader, warns if the suffix does not fit, and caches the document."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace

from quaestor.documents.document import Document
from quaestor.documents.repairs import DocumentWarning, WarningKind
from quaestor.errors import DatasetError, QuaestorError
from quaestor.readers.cache import ByteCache, cache_key
from quaestor.readers.content import FileContent
from quaestor.readers.kinds import SUFFIXES, unread_kind
from quaestor.readers.limited import ReadingLimits, read_limited, read_limited_async
from quaestor.readers.registry import DocumentReader, find_reader, own_readers, reader_names, version_of
from quaestor.readers.serialization import document_bytes, document_of

_KIND = {"html": "HTML", "pdf": "PDF", "xlsx": "a workbook", "markdown": "Markdown", "csv": "CSV", "text": "plain text"}
_TEXT_READERS = frozenset({"markdown", "csv", "text"})

SMALL_TEXT = 1 << 18
"""Limit in bytes for a text that is read in this process; the cost is linear in its size."""


def read_file(
    content: FileContent, cache: ByteCache | None = None, limits: ReadingLimits | None = None
) -> tuple[str, Document] | None:
    """Return the name of a file's reader, and its document; None if no reader recognises it.

    Args:
        limits: Limits for reading in a separate process; None to read in this process.

    Raises:
        InputError: A reader recognises the file but cannot read it.
        ReadingLimitError: Reading exceeds a limit.
    """
    reader = find_reader(content)
    if reader is None:
        return None
    return reader.name, _cached_document(reader, content, cache, limits)


def unreadable(content: FileContent, error: Exception) -> str:
    """Return the message for a file on which a library or a reader fails unexpectedly."""
    why = f"it is damaged, or written in an unknown way ({type(error).__name__})"
    return f"cannot read {content.path}: {why}; get it again"


def unread_file(content: FileContent) -> str:
    """Return the message for a file that no reader recognises."""
    known = ", ".join(reader_names())
    kind = unread_kind(content)
    if kind is not None:
        return f"cannot read {content.path}: it is {kind}"
    return f"cannot read {content.path}: unknown format; known formats: {known}, or a data set in JSON"


def document_key(content: FileContent) -> str | None:
    """Return the cache key of the document of a file; None if it has no reader, or one without a version."""
    reader = find_reader(content)
    return None if reader is None else _key(reader, content)


def _cached_document(
    reader: DocumentReader, content: FileContent, cache: ByteCache | None, limits: ReadingLimits | None
) -> Document:
    key = _key(reader, content) if cache is not None else None
    if cache is not None and key is not None and (data := cache.get(key)) is not None:
        with suppress(ValueError):  # read the file again if the entry is damaged
            return document_of(data)
    if limits is None or _is_small_text(reader, content):
        document = _read(reader, content)
    else:
        document = read_limited(content, limits)[1]
    if cache is not None and key is not None:
        with suppress(ValueError):  # a document of another package's reader may be too large
            cache.put(key, document_bytes(document))
    return document


def _is_small_text(reader: DocumentReader, content: FileContent) -> bool:
    """Return whether a file is a small text that no third-party library parses, so that its size bounds the cost."""
    if reader.name not in _TEXT_READERS or reader.name not in own_readers():
        return False
    with content.open() as file:
        return len(file.read(SMALL_TEXT + 1)) <= SMALL_TEXT


def _key(reader: DocumentReader, content: FileContent) -> str | None:
    version = version_of(reader)
    return None if version is None else cache_key("document", content.digest, content.name, version)


def _read(reader: DocumentReader, content: FileContent) -> Document:
    try:
        document = reader.read(content)
    except (QuaestorError, MemoryError):
        raise
    except Exception as error:
        raise DatasetError(unreadable(content, error)) from error
    named = next((name for name, suffixes in SUFFIXES.items() if content.suffix in suffixes), None)
    # Plain text may contain any kind of table.
    if named in (None, "text", reader.name) or reader.name not in SUFFIXES:
        return document
    line = f"the file is named {content.suffix} but is {_KIND[reader.name]}, and was read as such"
    return replace(document, warnings=(DocumentWarning(WarningKind.LOST, detail=line), *document.warnings))


# Untrusted files are read in a process with limits; afterwards this process finds the document in a cache.


@dataclass(frozen=True, slots=True)
class SingleDocumentCache:
    """`ByteCache` that holds the document of one file, in front of another cache."""

    key: str
    document: bytes
    others: ByteCache | None

    def get(self, key: str) -> bytes | None:
        """Return the document, or the entry of the other cache."""
        if key == self.key:
            return self.document
        return self.others.get(key) if self.others is not None else None

    def put(self, key: str, data: bytes) -> None:
        """Store bytes in the other cache, if there is one."""
        if self.others is not None:
            self.others.put(key, data)


async def read_in_process(
    content: FileContent, cache: ByteCache | None, limits: ReadingLimits, place: asyncio.Semaphore
) -> ByteCache | None:
    """Read a file in a process with limits, and return a cache that has its document.

    Reading the file with this cache does not parse it here. Nothing is read and `cache` is returned if no reader takes
    the file (a dataset in JSON), its reader has no version, or its document is cached.

    Args:
        place: Limits how many files are read at once; a cached file does not wait.

    Raises:
        DatasetError: The file is damaged, or reading exceeds a limit.
    """
    key = await asyncio.to_thread(lambda: None if content.looks_like_json else document_key(content))
    if key is None or (cache is not None and await asyncio.to_thread(cache.get, key) is not None):
        return cache
    async with place:
        _, document = await read_limited_async(content, limits)
    written = await asyncio.to_thread(document_bytes, document)
    if cache is not None:
        await asyncio.to_thread(cache.put, key, written)
    return SingleDocumentCache(key, written, cache)
