"""A file whose reading could do harm, read in a process with limits and then found by whoever reads it here."""

import asyncio
from dataclasses import dataclass

from quaestor.readers.cache import ByteCache
from quaestor.readers.content import FileContent
from quaestor.readers.limited import ReadingLimits, read_limited_async
from quaestor.readers.reading import document_key
from quaestor.readers.written import document_bytes


@dataclass(frozen=True, slots=True)
class SingleDocumentCache:
    """A `ByteCache` that has the document of one file, and is another one besides.

    Attributes:
        document: As `written` writes it.
        others: What is kept of other files, or None.
    """

    key: str
    document: bytes
    others: ByteCache | None

    def get(self, key: str) -> bytes | None:
        """Return the document, or what is kept elsewhere under another key."""
        if key == self.key:
            return self.document
        return self.others.get(key) if self.others is not None else None

    def put(self, key: str, data: bytes) -> None:
        """Keep bytes elsewhere, if there is such a place."""
        if self.others is not None:
            self.others.put(key, data)


async def read_apart(
    content: FileContent, cache: ByteCache | None, limits: ReadingLimits, place: asyncio.Semaphore
) -> ByteCache | None:
    """Return a cache with which reading a file here opens nothing of it: its document is there.

    A file that no reader of this package takes (a dataset in JSON, one that another package's reader takes) is not
    read, and the cache is the one that was given.

    Args:
        cache: Where documents are kept once they are read, or None.
        place: Bounds how many files are read at once; one that is kept does not wait.

    Raises:
        DatasetError: It is damaged, or takes more than it may.
    """
    key = await asyncio.to_thread(_key, content)
    if key is None or (cache is not None and await asyncio.to_thread(cache.get, key) is not None):
        return cache
    async with place:
        _, document = await read_limited_async(content, limits)
    written = await asyncio.to_thread(document_bytes, document)
    if cache is not None:
        await asyncio.to_thread(cache.put, key, written)
    return SingleDocumentCache(key, written, cache)


def _key(content: FileContent) -> str | None:
    return None if content.looks_like_json else document_key(content)
