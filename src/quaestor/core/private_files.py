"""Files and folders that only their owner can access."""

import os
import stat
from contextlib import suppress
from pathlib import Path

_OWNER_ONLY = 0o600
_OTHERS = 0o077


def open_private(path: str | os.PathLike[str], flags: int) -> int:
    """Open a file, creating it with access for its owner only; for use as the `opener` of `open`."""
    return os.open(path, flags, _OWNER_ONLY)


def make_private_folder(folder: Path) -> None:
    """Create a missing folder with access for its owner only, and its missing parents."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def restrict_to_owner(path: Path) -> None:
    """Remove the permissions of others from a file or folder of this user; ignore links, devices and other owners."""
    with suppress(OSError):
        found = os.lstat(path)
        ours = not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
        if ours and (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)) and found.st_mode & _OTHERS:
            os.chmod(path, stat.S_IMODE(found.st_mode) & ~_OTHERS)
