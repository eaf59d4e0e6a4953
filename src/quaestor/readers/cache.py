"""What was made from a file, kept in a folder by digest, so that it need not be made again.

Whatever is wrong with the folder or an entry, the worst is that something is made once more; no operation raises an
error of the disk.
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
    """Keeps bytes by key. What it is asked for it may have forgotten."""

    def get(self, key: str) -> bytes | None:
        """Return what is kept under a key, as it was put there; None if nothing is."""
        ...

    def put(self, key: str, data: bytes) -> None:
        """Keep bytes under a key, in place of what is there."""
        ...


def cache_key(kind: str, *parts: str | bytes) -> str:
    """Return the key of what is made from some parts: it is another one where any of them is another.

    Args:
        kind: What is made, in small letters (`document`, `index`).
        parts: What it depends on: the digest of the file, the version of what makes it, options.

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
    """A `ByteCache` in a folder, which several processes may use at once.

    Attributes:
        folder: Where; made when something is kept, for its owner's eyes only.
        most: The bytes of all entries together; what was not used for longest goes first.
    """

    folder: Path
    most: int = 1 << 29

    def get(self, key: str) -> bytes | None:
        """Return what is kept under a key; an entry that is damaged is removed."""
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
        with suppress(OSError):  # what is used last stays longest
            os.utime(path)
        return entry

    def put(self, key: str, data: bytes) -> None:
        """Keep bytes under a key, unless they alone are half of what may be kept."""
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
        """Forget everything."""
        with suppress(OSError):
            for path in self.folder.glob(f"*{_SUFFIX}"):
                path.unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        if not key or not all(character.isalnum() or character in "-_" for character in key):
            raise ValueError(f"{key[:80]!r} is not a key; use letters, digits, - and _")
        return self.folder / f"{key}{_SUFFIX}"

    def _make_room(self) -> None:
        """Remove what was not used for longest, and what a process that died left unfinished."""
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
