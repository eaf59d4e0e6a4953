"""Uploads: files stored under their digests in a bounded folder, read with limits.

The name of an upload is only displayed and never becomes part of a path. An upload can be reached only by its id.
"""

import asyncio
import hashlib
import json
import os
import re
import secrets
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from quaestor.application.file_cache import file_cache, reading_limits
from quaestor.application.files import write_private
from quaestor.application.resolve import DocumentInCorpus, require_askable, store_file
from quaestor.core.private_files import make_private_folder
from quaestor.documents.document import Document
from quaestor.errors import InputError, StoreError, UnknownUploadError
from quaestor.readers.cache import ByteCache, cache_key
from quaestor.readers.content import FileContent
from quaestor.readers.limited import ReadingLimits, read_limited_async
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
    """Limits on uploads.

    Attributes:
        files: The maximum number of stored uploads; the least recently used are removed first.
    """

    largest: int = 50_000_000
    most: int = 1 << 30
    files: int = 200
    reading: ReadingLimits = field(default_factory=ReadingLimits)
    at_once: int = 4


@dataclass(frozen=True, slots=True)
class UploadEntry:
    """An upload in a list."""

    id: str
    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Upload:
    """An upload with its document."""

    id: str
    name: str
    digest: str
    size: int
    document: Document

    @property
    def page(self) -> DocumentInCorpus:
        """The document with its corpus."""
        return DocumentInCorpus(self.document, (self.document,), self.name)


class Uploads:
    """A folder of uploads. All calls must come from one event loop, and may run concurrently."""

    def __init__(self, folder: Path, cache: ByteCache | None = None, limits: UploadLimits = UploadLimits()) -> None:
        """Set the folder; it is created with the first upload."""
        self.folder: Path = folder
        self.limits: UploadLimits = limits
        self._cache = cache
        self.reading: asyncio.Semaphore = asyncio.Semaphore(limits.at_once)

    async def read_upload(self, data: bytes, name: str) -> Upload:
        """Read and store a file, and return it; raise an error, without storing it, if it cannot be asked about."""
        shown = display_name(name)
        if len(data) > self.limits.largest:
            raise InputError(f"cannot read {shown}: a file may have at most {self.limits.largest / 1_000_000:.3g} MB")
        if not data.strip(b" \t\r\n\f\v\0\xef\xbb\xbf"):
            raise InputError(f"cannot read {shown}: the file is empty")
        digest = hashlib.sha256(data).hexdigest()
        document = await self._document(data, digest, shown)
        upload = Upload(secrets.token_urlsafe(_ID_BYTES), shown, digest, len(data), document)
        await asyncio.to_thread(self._keep, upload, data)
        return upload

    async def open(self, id: str) -> Upload:
        """Return an earlier upload; it is read again if its document is not cached."""
        name, digest, data = await asyncio.to_thread(self._find, id)
        return Upload(id, name, digest, len(data), await self._document(data, digest, name))

    def all(self) -> tuple[UploadEntry, ...]:
        """Return the stored uploads, the most recently used first."""
        found = sorted(self._entries(), key=lambda entry: entry[0], reverse=True)
        return tuple(UploadEntry(path.stem, name, size) for _, path, _, size, name in found)

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
            entry = {"name": upload.name, "digest": upload.digest, "size": upload.size}
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
    cache, store = file_cache(settings), store_file(settings.store)
    limits = UploadLimits(settings.serve_upload_mb * 1_000_000, reading=reading_limits(settings))
    if store is not None:
        yield Uploads(store.absolute().parent / FOLDER, cache, limits)
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Uploads(Path(folder), cache, limits)


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
        plain = (
            f"{stem[: _LONGEST_NAME - 1 - len(suffix)]}.{suffix}" if dot and len(suffix) < 8 else plain[:_LONGEST_NAME]
        )
    return plain if plain.strip("._ ") else _NO_NAME
