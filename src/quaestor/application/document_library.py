"""The documents of a shared server: files named when it was started, and uploads.

An upload is stored under its digest in a bounded folder, and read with limits. Its name is only displayed and never
becomes part of a path. It can be reached only by its id.
"""

import asyncio
import hashlib
import json
import os
import re
import secrets
import unicodedata
from collections import Counter, OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from weakref import WeakValueDictionary

from quaestor.application.file_cache import file_cache, reading_limits
from quaestor.application.files import write_private
from quaestor.application.resolve import (
    SAMPLE,
    DocumentInCorpus,
    folder_beside_store,
    has_numbers,
    page_file,
    read_page,
    read_pages,
    require_askable,
)
from quaestor.core.private_files import make_private_folder
from quaestor.core.visible import visible_name
from quaestor.documents.document import Document
from quaestor.errors import BusyError, InputError, StoreError, UnknownUploadError
from quaestor.readers.cache import ByteCache, cache_key
from quaestor.readers.content import FileContent, read_content
from quaestor.readers.limited import ReadingLimits, read_limited_async
from quaestor.readers.reading import read_in_process
from quaestor.readers.registry import code_of_reading, own_readers
from quaestor.readers.serialization import document_bytes, document_of
from quaestor.settings import Settings

FOLDER = "uploads"
"""The name of the folder."""

_ID = re.compile(r"[\w-]{22}", re.ASCII)
_ID_BYTES = 16
_LONGEST_NAME = 100
_NO_NAME = "document"


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """Limits on uploads; of more than `files`, the least recently used are removed."""

    largest: int = 50_000_000
    most: int = 1 << 30
    files: int = 200
    reading: ReadingLimits = field(default_factory=ReadingLimits)
    at_once: int = 4


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """A file, page or upload that can be asked about."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Upload:
    """An upload with its document."""

    id: str
    name: str
    digest: str
    document: Document

    @property
    def page(self) -> DocumentInCorpus:
        """The document with its corpus."""
        return DocumentInCorpus(self.document, (self.document,), self.name)


class Uploads:
    """A folder of uploads. All calls must come from one event loop, and may run concurrently."""

    def __init__(self, folder: Path, cache: ByteCache | None = None, limits: UploadLimits = UploadLimits()) -> None:
        self.folder, self.limits, self._cache = folder, limits, cache
        self.reading = asyncio.Semaphore(limits.at_once)

    async def read_upload(self, data: bytes, name: str) -> Upload:
        """Read and store a file, and return it; raise an error, without storing it, if it cannot be asked about."""
        shown = display_name(name)
        if len(data) > self.limits.largest:
            raise InputError(f"cannot read {shown}: a file may have at most {self.limits.largest / 1_000_000:.3g} MB")
        if not data.strip(b" \t\r\n\f\v\0\xef\xbb\xbf"):
            raise InputError(f"cannot read {shown}: the file is empty")
        digest = hashlib.sha256(data).hexdigest()
        document = await self._document(data, digest, shown)
        upload = Upload(secrets.token_urlsafe(_ID_BYTES), shown, digest, document)
        await asyncio.to_thread(self._keep, upload, data)
        return upload

    async def open(self, id: str) -> Upload:
        """Return an earlier upload; it is read again if its document is not cached."""
        name, digest, data = await asyncio.to_thread(self._find, id)
        return Upload(id, name, digest, await self._document(data, digest, name))

    def all(self) -> tuple[LibraryEntry, ...]:
        """Return the stored uploads, the most recently used first."""
        found = sorted(self._entries(), key=lambda entry: entry[0], reverse=True)
        return tuple(LibraryEntry(path.stem, name) for _, path, _, _, name in found)

    def forget(self, id: str) -> bool:
        """Delete an upload, and its file unless another upload has the same; return whether the upload existed."""
        if not self.has(id):
            return False
        self._entry(id).unlink(missing_ok=True)
        self._make_room()
        return True

    def has(self, id: str) -> bool:
        """Return whether an upload is stored; another server of the same store may have removed it."""
        return _ID.fullmatch(id) is not None and self._entry(id).exists()

    async def _document(self, data: bytes, digest: str, name: str) -> Document:
        key = cache_key("upload", digest, name, code_of_reading())
        if self._cache is not None and (cached := await asyncio.to_thread(self._cache.get, key)) is not None:
            with suppress(ValueError):  # a damaged entry: read the file again
                return await asyncio.to_thread(document_of, cached)
        async with self.reading:
            reader, document = await read_limited_async(FileContent(Path(name), data), self.limits.reading)
        require_askable(document)
        if self._cache is not None and reader in own_readers():  # the dependencies of other readers are unknown
            await asyncio.to_thread(lambda cache: cache.put(key, document_bytes(document)), self._cache)
        return document

    def _entry(self, id: str) -> Path:
        return self.folder / f"{id}.json"

    def _file(self, digest: str) -> Path:
        return self.folder / f"{digest}.file"

    def _keep(self, upload: Upload, data: bytes) -> None:
        try:
            make_private_folder(self.folder)
            entry = {"name": upload.name, "digest": upload.digest, "size": len(data)}
            # Written before the file, because files without an entry are removed.
            write_private(self._entry(upload.id), json.dumps(entry).encode())
            if not self._file(upload.digest).exists():
                write_private(self._file(upload.digest), data)
        except OSError as error:
            with suppress(OSError):
                self._entry(upload.id).unlink(missing_ok=True)
            raise StoreError(f"cannot save {upload.name}: {error.strerror or type(error).__name__}") from None
        self._make_room(upload.id)

    def _find(self, id: str) -> tuple[str, str, bytes]:
        if _ID.fullmatch(id):
            with suppress(OSError, ValueError, KeyError):
                entry = json.loads(self._entry(id).read_bytes())
                name, digest = str(entry["name"]), str(entry["digest"])
                data = self._file(digest).read_bytes()
                if hashlib.sha256(data).hexdigest() == digest:
                    os.utime(self._entry(id))  # mark the entry as recently used
                    return name, digest, data
        raise UnknownUploadError("this document no longer exists: upload it again")

    def _make_room(self, newest: str = "") -> None:
        """Remove the least recently used uploads, and files without an upload."""
        with suppress(OSError):
            entries = sorted(self._entries(), key=lambda entry: (entry[1].stem == newest, entry[0]), reverse=True)
            sizes: dict[str, int] = {}
            for number, (_, path, digest, size, _) in enumerate(entries, start=1):
                if number > self.limits.files or sum({**sizes, digest: size}.values()) > self.limits.most:
                    path.unlink(missing_ok=True)
                else:
                    sizes[digest] = size
            for path in self.folder.glob("*.file"):
                if path.stem not in sizes:
                    path.unlink(missing_ok=True)

    def _entries(self) -> Iterator[tuple[int, Path, str, int, str]]:
        """Yield the time of last use in nanoseconds, the path, the digest, the size in bytes and the name of each."""
        for path in self.folder.glob("*.json"):
            with suppress(OSError, ValueError, KeyError, TypeError):
                entry = json.loads(path.read_bytes())
                yield path.stat().st_mtime_ns, path, str(entry["digest"]), int(entry["size"]), str(entry["name"])


@contextmanager
def open_uploads(settings: Settings) -> Iterator[Uploads]:
    """Yield the uploads beside the run store, or in a temporary folder if the store is not a file."""
    limits = UploadLimits(settings.serve_upload_mb * 1_000_000, reading=reading_limits(settings))
    with folder_beside_store(settings, FOLDER) as folder:
        yield Uploads(folder, file_cache(settings), limits)


def display_name(name: str) -> str:
    r"""Return the display name of a file: the last part of its path, on one line, without control characters.

    >>> display_name("..\\..\\10-K\u202efdp.html")
    '10-K_fdp.html'
    """
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    plain = "".join("_" if unicodedata.category(sign)[0] == "C" or sign in "\u2028\u2029" else sign for sign in last)
    plain = " ".join(plain.split())
    stem, dot, suffix = plain.rpartition(".")
    if len(plain) > _LONGEST_NAME:
        ending = f".{suffix}" if dot and len(suffix) < 8 else ""
        plain = (stem if ending else plain)[: _LONGEST_NAME - len(ending)] + ending
    return plain if plain.strip("._ ") else _NO_NAME


_RECEIVED, _RECEIVED_OF_ONE = 8, 4
"""The number of simultaneous uploads, in all and by one client: each file is in memory as a whole until it is read."""

_LISTED = 200
"""The number of pages listed for a file with many pages."""

_MOST_RECENT = 8
"""The number of documents cached in memory, besides those of open conversations."""


class DocumentLibrary:
    """The files named at the start, and uploads. All calls must come from one event loop."""

    def __init__(self, files: Sequence[str], uploads: Uploads, cache: ByteCache | None = None) -> None:
        self._names = {_id(name): name for name in files}
        self._uploads, self._cache = uploads, cache
        self._recent: OrderedDict[str, DocumentInCorpus] = OrderedDict()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        refusal = "too many uploads in progress: try again in a moment"
        self.receiving = ConcurrencyLimiter(_RECEIVED, refusal, _RECEIVED_OF_ONE)

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
        return await asyncio.to_thread(self._uploads.all)

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
        async with self._locks.setdefault(id, asyncio.Lock()):
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
    return hashlib.sha256(f"file {name}".encode("utf-8", "surrogateescape")).hexdigest()[:22]


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
