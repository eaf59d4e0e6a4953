"""Cache for data derived from files, in a folder with one entry per digest.

No operation raises an `OSError`: if the folder or an entry is damaged, the data is computed again.
"""

import hashlib
import os
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from quaestor.core.private_files import make_private_folder, open_private

_MAGIC = b"quaestor kept 1\n"
_DIGEST_SIZE = hashlib.sha256().digest_size
_HEAD = len(_MAGIC) + _DIGEST_SIZE
_SUFFIX = ".kept"
_UNFINISHED = ".part"
_ABANDONED_SECONDS = 3600.0


class ByteCache(Protocol):
    """Cache of bytes by key, which may drop entries at any time."""

    def get(self, key: str) -> bytes | None:
        """Return the bytes stored under a key, or None."""
        ...

    def put(self, key: str, data: bytes) -> None:
        """Store bytes under a key, replacing an earlier entry."""
        ...


def cache_key(kind: str, *parts: str | bytes) -> str:
    """Return a key that changes if any of its parts changes.

    Args:
        kind: The kind of data in lower case (`document`, `index`).
        parts: What the data depends on: the digest of the file, the version of the code, options.

    >>> cache_key("index", "ab", "c") != cache_key("index", "a", "bc")
    True
    """
    whole = hashlib.sha256(kind.encode())
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        whole.update(len(data).to_bytes(8, "big") + data)
    return f"{kind}-{whole.hexdigest()}"


@dataclass(frozen=True, slots=True)
class FolderCache:
    """`ByteCache` in a folder, safe for several processes at once.

    Attributes:
        folder: Created, readable only by its owner, when the first entry is stored.
        most: Limit in bytes for all entries together; the least recently used entries are removed first.
    """

    folder: Path
    most: int = 1 << 29

    def get(self, key: str) -> bytes | None:
        """Return the bytes stored under a key, or None; remove a damaged entry."""
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        entry = data[_HEAD:]
        if data[:_HEAD] != _MAGIC + hashlib.sha256(entry).digest():
            with suppress(OSError):
                path.unlink()
            return None
        with suppress(OSError):  # mark the entry as recently used
            os.utime(path)
        return entry

    def put(self, key: str, data: bytes) -> None:
        """Store bytes under a key, unless they alone take half of the limit."""
        if 2 * len(data) > self.most:
            return
        path = self._path(key)
        unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}{_UNFINISHED}")
        with suppress(OSError):
            make_private_folder(self.folder)
            try:
                with open(unfinished, "xb", opener=open_private) as file:
                    file.write(_MAGIC + hashlib.sha256(data).digest())
                    file.write(data)
                os.replace(unfinished, path)
            finally:
                unfinished.unlink(missing_ok=True)
            self._make_room()

    def clear(self) -> None:
        """Remove all entries."""
        with suppress(OSError):
            for path in self.folder.glob(f"*{_SUFFIX}"):
                path.unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        if not key or not all(character.isalnum() or character in "-_" for character in key):
            raise ValueError(f"{key[:80]!r} is not a key; use letters, digits, - and _")
        return self.folder / f"{key}{_SUFFIX}"

    def _make_room(self) -> None:
        """Remove the least recently used entries, and unfinished files of processes that died."""
        entries: list[tuple[float, int, str]] = []
        with os.scandir(self.folder) as found:
            for entry in found:
                with suppress(OSError):  # another process may have removed it
                    about = entry.stat(follow_symlinks=False)
                    if entry.name.endswith(_SUFFIX):
                        entries.append((about.st_mtime, about.st_size, entry.path))
                    elif entry.name.endswith(_UNFINISHED) and time.time() - about.st_mtime > _ABANDONED_SECONDS:
                        os.unlink(entry.path)
        room = self.most - sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if room >= 0:
                return
            with suppress(OSError):
                os.unlink(path)
            room += size
