"""The documents of a shared server: files named when it was started, and uploads."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePath
from weakref import WeakValueDictionary

from quaestor.application.resolve import (
    SAMPLE,
    DocumentInCorpus,
    has_numbers,
    page_file,
    read_page,
    read_pages,
    require_askable,
)
from quaestor.application.uploads import Uploads
from quaestor.core.visible import visible_name
from quaestor.errors import BusyError, InputError, UnknownUploadError
from quaestor.readers.cache import ByteCache
from quaestor.readers.content import read_content
from quaestor.readers.reading import read_in_process

_RECEIVED, _RECEIVED_OF_ONE = 8, 4
"""The number of simultaneous uploads, in all and by one client: each file is in memory as a whole until it is read."""

_LISTED = 200
"""The number of pages listed for a file with many pages."""

_MOST_RECENT = 8
"""The number of documents cached in memory, besides those of open conversations."""


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """A file, page or upload that can be asked about."""

    id: str
    name: str


class DocumentLibrary:
    """The files named at the start, and uploads. All calls must come from one event loop."""

    def __init__(self, files: Sequence[str], uploads: Uploads, cache: ByteCache | None = None) -> None:
        """Set the files by their names; they are read when they are opened."""
        self._names = {_id(name): name for name in files}
        self._uploads, self._cache = uploads, cache
        self._recent: OrderedDict[str, DocumentInCorpus] = OrderedDict()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        refusal = "too many uploads in progress: try again in a moment"
        self.receiving: ConcurrencyLimiter = ConcurrencyLimiter(_RECEIVED, refusal, _RECEIVED_OF_ONE)

    @property
    def files(self) -> tuple[LibraryEntry, ...]:
        """The named files, in the order given; a file may have several pages."""
        return tuple(LibraryEntry(id, _base_name(name)) for id, name in self._names.items())

    def add(self, name: str) -> LibraryEntry:
        """Add a file without reading it, and return its entry."""
        id = _id(name)
        self._names.setdefault(id, name)
        return LibraryEntry(id, _base_name(name))

    def remove(self, id: str) -> None:
        """Remove a file added by `add`."""
        self._names.pop(id, None)
        self._recent.pop(id, None)

    @property
    def largest(self) -> int:
        """The maximum size of an upload in bytes."""
        return self._uploads.limits.largest

    async def uploads(self) -> tuple[LibraryEntry, ...]:
        """Return the uploads, the most recently used first."""
        return tuple(LibraryEntry(entry.id, entry.name) for entry in await asyncio.to_thread(self._uploads.all))

    async def forget(self, id: str) -> None:
        """Delete an upload; named files cannot be deleted."""
        if id.partition(".")[0] in self._names:
            raise InputError("this file was given when the server was started: only uploads can be deleted")
        if not await asyncio.to_thread(self._uploads.forget, id):
            raise UnknownUploadError("this document no longer exists: choose another")
        self._recent.pop(id, None)

    async def take(self, data: bytes, name: str) -> LibraryEntry:
        """Store an upload, and return its entry."""
        upload = await self._uploads.read_upload(data, name)
        self._hold(upload.id, upload.page)
        return LibraryEntry(upload.id, upload.name)

    async def pages(self, id: str) -> tuple[LibraryEntry, ...]:
        """Return the pages of a named file that contain numbers; at most 200."""
        name = self._name(id)
        cache = await self._read_before(name)
        found = await asyncio.to_thread(read_pages, name, None, cache, self._uploads.limits.reading)
        numbered = [(index, page.document) for index, page in enumerate(found) if has_numbers(page.document)]
        return tuple(LibraryEntry(f"{id}.{index}", document.id) for index, document in numbered[:_LISTED])

    async def open(self, id: str) -> DocumentInCorpus:
        """Return a document, with the corpus that it is read in."""
        # Concurrent requests for a document share one reading.
        lock = self._locks.get(id)
        if lock is None:
            lock = self._locks[id] = asyncio.Lock()
        async with lock:
            if id.partition(".")[0] not in self._names and not self._uploads.has(id):
                self._recent.pop(id, None)
            if (recent := self._recent.get(id)) is not None:
                self._recent.move_to_end(id)
                return recent
            page = await self._read(id)
            self._hold(id, page)
            return page

    async def _read(self, id: str) -> DocumentInCorpus:
        whole, dot, index = id.partition(".")
        if whole not in self._names:
            return (await self._uploads.open(id)).page
        name = self._name(whole)
        cache = await self._read_before(name)
        if dot:
            found = await asyncio.to_thread(read_pages, name, None, cache, self._uploads.limits.reading)
            if not (index.isascii() and index.isdigit() and int(index) < len(found)):
                raise UnknownUploadError("this page no longer exists: choose another")
            page = found[int(index)]
            name = f"{name}#{page.document.id}"
        page = await asyncio.to_thread(read_page, name, cache, self._uploads.limits.reading)
        require_askable(page.document)
        return page

    async def _read_before(self, name: str) -> ByteCache | None:
        """Read a file in a separate process, and return a cache that has its document."""
        if page_file(name) == page_file(SAMPLE):
            return self._cache
        content = await asyncio.to_thread(read_content, page_file(name))
        return await read_in_process(content, self._cache, self._uploads.limits.reading, self._uploads.reading)

    def _hold(self, id: str, page: DocumentInCorpus) -> None:
        self._recent[id] = page
        while len(self._recent) > _MOST_RECENT:
            self._recent.popitem(last=False)

    def _name(self, id: str) -> str:
        if id not in self._names:
            raise UnknownUploadError("this document no longer exists: choose another")
        return self._names[id]


def _id(name: str) -> str:
    return sha256(f"file {name}".encode("utf-8", "surrogateescape")).hexdigest()[:22]


def _base_name(name: str) -> str:
    """Return the name of a file without its folders.

    >>> _base_name("/home/me/filings/AAPL.htm"), _base_name("data/pages.json#MRO/2007/page_134.pdf")
    ('AAPL.htm', 'pages.json#MRO/2007/page_134.pdf')
    """
    path, separator, identity = name.partition("#")
    shown = "sample: pages of fictional companies" if name == SAMPLE else PurePath(path).name
    return visible_name(f"{shown}{separator}{identity}")


class ConcurrencyLimiter:
    """Limits the number of concurrent operations. All calls must come from one event loop."""

    def __init__(self, most: int, refusal: str, most_of_one: int | None = None) -> None:
        """Set the limits for all clients and for one client, and the message of the error if a limit is reached."""
        self._most, self._refusal, self._most_of_one = most, refusal, most_of_one or most
        self._entered: Counter[str] = Counter()

    @contextmanager
    def enter(self, client: str = "") -> Iterator[None]:
        """Take one slot for a client for the duration of the block."""
        if self._entered.total() >= self._most or self._entered[client] >= self._most_of_one:
            raise BusyError(self._refusal)
        self._entered[client] += 1
        try:
            yield
        finally:
            self._entered[client] -= 1
            if not self._entered[client]:
                del self._entered[client]
