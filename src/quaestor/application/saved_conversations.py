"""Conversations as a list for people: what each is called, what it is about, which runs of the store it is kept as.

Questions and answers are in the store alone.
"""

import hashlib
import json
import os
import re
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from errno import EACCES, EAGAIN, ENOSPC
from pathlib import Path
from time import time_ns

from quaestor.application.files import write_private
from quaestor.application.resolve import store_file
from quaestor.core import serial
from quaestor.core.private_files import make_private_folder, open_private
from quaestor.errors import InputError, StoreError, UnknownConversationError
from quaestor.settings import Settings
from quaestor.store.listing import ListPage, ListPart
from quaestor.store.records import now

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

FOLDER = "conversations"
"""The folder's name."""

LONGEST_TITLE = 120

_LOCKS = ".locks"
"""A file of which each conversation has a byte, to be locked; it stays empty."""

_ID = re.compile(r"[\w-]{22}", re.ASCII)
_ID_BYTES = 16
_EMPTY_FOR = timedelta(days=1)
"""A conversation in which nothing was asked is kept that long."""

_LARGEST = 16_384
"""Bytes of a file that is gone on with; a larger one is begun anew."""


@dataclass(frozen=True, slots=True)
class SavedConversation:
    """A conversation as it is listed.

    Attributes:
        id: By which it is found again; nobody can guess it.
        title: As a person calls it, else its first question; "" before that.
        runs: The runs of the store that it was kept as, the latest last: each begins with a copy of the one before.
    """

    id: str
    document: str
    about: str
    created: datetime
    used: datetime
    title: str = ""
    runs: tuple[str, ...] = ()
    turns: int = 0
    answerer: str = "default"

    @property
    def run(self) -> str | None:
        """The run that it is kept as now."""
        return self.runs[-1] if self.runs else None


class SavedConversations:
    """A folder of conversations, which several servers may share."""

    def __init__(self, folder: Path) -> None:
        """Take the folder, which is made with the first."""
        self.folder = folder
        self._locks: int | None = None

    def begin(self, document: str, about: str, title: str = "", answerer: str = "default") -> SavedConversation:
        """Return a new conversation, which is on record from now on."""
        at, id = now(), secrets.token_urlsafe(_ID_BYTES)
        made = SavedConversation(id, document, about, at, at, _title(title) if title else "", answerer=answerer)
        self.save(made)
        return made

    def all(self) -> tuple[SavedConversation, ...]:
        """Return those in which something was asked, the latest used first; old empty ones are gone afterwards."""
        found = []
        for path in self.folder.glob("*.json"):
            with suppress(InputError, UnknownConversationError):
                saved = self.get(path.stem)
                if saved.turns:
                    found.append(saved)
                elif now() - saved.used > _EMPTY_FOR:
                    self.forget(saved.id)
        return tuple(sorted(found, key=lambda saved: saved.used, reverse=True))

    def part(self, part: ListPart) -> ListPage[SavedConversation]:
        """Return a part of the list of all, those in which nothing was asked yet too, the latest changed first."""
        found = sorted(self._list_by_change(), reverse=True)
        shown = []
        for _, id in found[part.offset : part.offset + part.limit]:
            with suppress(InputError):  # somebody has deleted it meanwhile
                shown.append(self.get(id))
        return ListPage(tuple(shown), len(found), part)

    def _list_by_change(self) -> Iterator[tuple[int, str]]:
        """Yield when each was changed last, in nanoseconds, and its id."""
        with suppress(FileNotFoundError), os.scandir(self.folder) as entries:
            for entry in entries:
                id, _, suffix = entry.name.partition(".")
                if suffix == "json" and _ID.fullmatch(id):
                    with suppress(FileNotFoundError):
                        yield entry.stat().st_mtime_ns, id

    def get(self, id: str) -> SavedConversation:
        """Return one."""
        if _ID.fullmatch(id):
            with suppress(OSError):
                for line in reversed(self._path(id).read_bytes().splitlines()):
                    with suppress(ValueError):  # of which only a part could be written
                        return serial.load(SavedConversation, json.loads(line))
        raise UnknownConversationError("this conversation no longer exists: start a new one")

    def save(self, saved: SavedConversation) -> None:
        """Keep a conversation as it is now."""
        path, line = self._path(saved.id), json.dumps(serial.dump(saved), ensure_ascii=False).encode()
        try:
            if not _append_line(path, line):
                make_private_folder(self.folder)
                write_private(path, line)
                _stamp(path)
        except OSError as error:
            raise StoreError(f"cannot save the conversation: {error.strerror or type(error).__name__}") from None

    def rename(self, id: str, title: str) -> SavedConversation:
        """Call a conversation something else, and return it."""
        saved = replace(self.get(id), title=_title(title), used=now())
        self.save(saved)
        return saved

    def forget(self, id: str) -> None:
        """Take a conversation off the list."""
        if _ID.fullmatch(id):
            self._path(id).unlink(missing_ok=True)

    def lock(self, id: str) -> bool:
        """Keep other servers from changing a conversation, and return whether none of them is doing so.

        The system lets go of the locks of a process that ends. Without locks on this system or disk nobody waits.
        """
        if fcntl is None:
            return True
        try:
            if self._locks is None:
                make_private_folder(self.folder)
                self._locks = open_private(self.folder / _LOCKS, os.O_RDWR | os.O_CREAT)
            fcntl.lockf(self._locks, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _lock_place(id))
        except OSError as error:
            return error.errno not in (EACCES, EAGAIN)
        return True

    def unlock(self, id: str) -> None:
        """Let other servers change a conversation again."""
        if fcntl is not None and self._locks is not None:
            with suppress(OSError):
                fcntl.lockf(self._locks, fcntl.LOCK_UN, 1, _lock_place(id))

    def close(self) -> None:
        """Let go of all locks."""
        if self._locks is not None:
            os.close(self._locks)
            self._locks = None

    def _path(self, id: str) -> Path:
        return self.folder / f"{id}.json"


def _lock_place(id: str) -> int:
    """Return the byte of the file of locks that belongs to a conversation."""
    return int.from_bytes(hashlib.sha256(id.encode()).digest()[:6])


def _append_line(path: Path, line: bytes) -> bool:
    """Write a line at the end of a file, and return whether it did: not if there is none, or it is large.

    A file that is replaced goes to the disk at once on some systems, and whoever asks would wait for that each time.
    """
    try:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        return False
    try:
        if os.fstat(file).st_size + len(line) > _LARGEST:
            return False
        # The line end comes first: what is left of a line that could not be written whole is a line of its own.
        if os.write(file, b"\n" + line) <= len(line):
            raise OSError(ENOSPC, os.strerror(ENOSPC))
    finally:
        os.close(file)
    _stamp(path)
    return True


def _stamp(path: Path) -> None:
    """Say when a file changed, to the nanosecond: systems say it to some milliseconds, and a list is in that order."""
    at = time_ns()
    os.utime(path, ns=(at, at))


def _title(words: str) -> str:
    title = " ".join(words.split())
    if not 0 < len(title) <= LONGEST_TITLE:
        raise InputError(f"a title must have 1 to {LONGEST_TITLE} characters, not {len(title)}")
    return title


@contextmanager
def open_conversations(settings: Settings) -> Iterator[SavedConversations]:
    """Give the conversations beside the run store; where that is not a file, in a folder that is gone afterwards."""
    store = store_file(settings.store)
    if store is not None:
        with closing(SavedConversations(store.absolute().parent / FOLDER)) as saved:
            yield saved
        return
    with tempfile.TemporaryDirectory() as folder, closing(SavedConversations(Path(folder))) as saved:
        yield saved
