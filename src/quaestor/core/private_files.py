"""Files for their owner alone: made so, and made so again if an earlier version left them readable by others."""

import os
import stat
from contextlib import suppress
from pathlib import Path

_OWNER_ONLY = 0o600
_OTHERS = 0o077


def open_private(path: str | os.PathLike[str], flags: int) -> int:
    """Open a file that nobody but its owner can read, if it is made; the `opener` of `open`."""
    return os.open(path, flags, _OWNER_ONLY)


def make_private_folder(folder: Path) -> None:
    """Make a folder that nobody but its owner can enter, if it is missing, with the folders above it."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def tighten(path: Path) -> None:
    """Take a file or folder of this user from all others; leaves links, devices and what belongs to others alone."""
    with suppress(OSError):
        found = os.lstat(path)
        ours = not hasattr(os, "geteuid") or found.st_uid == os.geteuid()
        if ours and (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)) and found.st_mode & _OTHERS:
            os.chmod(path, stat.S_IMODE(found.st_mode) & ~_OTHERS)
