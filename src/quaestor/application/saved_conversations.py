"""The list of saved conversations: the title, the document and the stored runs of each.

Questions and answers are only in the store.
"""

import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from errno import EACCES, EAGAIN, ENOSPC
from pathlib import Path
from time import time_ns

from quaestor.application.files import write_private
from quaestor.application.resolve import folder_beside_store
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
"""The name of the folder."""

LONGEST_TITLE = 120

_LOCKS = ".locks"
"""An empty lock file; each conversation locks one byte position in it."""

_ID = re.compile(r"[\w-]{22}", re.ASCII)
_ID_BYTES = 16
_EMPTY_FOR = timedelta(days=1)
"""The time after which a conversation without questions is deleted."""

_LARGEST = 16_384
"""The maximum size in bytes of a file that is appended to; a larger one is rewritten."""


@dataclass(frozen=True, slots=True)
class SavedConversation:
    """A conversation in the list, with a random id that cannot be guessed.

    The title is the one that a person gave, else the first question. Each of `runs` begins with a copy of the one
    before.
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
        """The run that stores the conversation now."""
        return self.runs[-1] if self.runs else None


class SavedConversations:
    """A folder of conversations, which several servers may share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._locks: int | None = None

    def begin(self, document: str, about: str, title: str = "", answerer: str = "default") -> SavedConversation:
        """Create and save a new conversation."""
        at, id = now(), secrets.token_urlsafe(_ID_BYTES)
        conversation = SavedConversation(id, document, about, at, at, _title(title) if title else "", answerer=answerer)
        self.save(conversation)
        return conversation

    def all(self) -> tuple[SavedConversation, ...]:
        """Return the conversations with questions, the most recently used first; delete old ones without questions."""
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
        """Return a page of all conversations, including those without questions, the most recently changed first."""
        found = sorted(self._list_by_change(), reverse=True)
        shown = []
        for _, id in found[part.offset : part.offset + part.limit]:
            with suppress(InputError):  # another process has deleted it in the meantime
                shown.append(self.get(id))
        return part.page(shown, len(found))

    def _list_by_change(self) -> Iterator[tuple[int, str]]:
        """Yield the modification time of each conversation, in nanoseconds, and its id."""
        with suppress(FileNotFoundError), os.scandir(self.folder) as entries:
            for entry in entries:
                id, _, suffix = entry.name.partition(".")
                if suffix == "json" and _ID.fullmatch(id):
                    with suppress(FileNotFoundError):
                        yield entry.stat().st_mtime_ns, id

    def get(self, id: str) -> SavedConversation:
        """Return a conversation by its id."""
        if _ID.fullmatch(id):
            with suppress(OSError):
                for line in reversed(self._path(id).read_bytes().splitlines()):
                    with suppress(ValueError):  # a line that was written only in part
                        return serial.load(SavedConversation, json.loads(line))
        raise UnknownConversationError("this conversation no longer exists: start a new one")

    def save(self, saved: SavedConversation) -> None:
        """Save the state of a conversation."""
        path, line = self._path(saved.id), json.dumps(serial.dump(saved), ensure_ascii=False).encode()
        try:
            if not _append_line(path, line):
                make_private_folder(self.folder)
                write_private(path, line)
                _stamp(path)
        except OSError as error:
            raise StoreError(f"cannot save the conversation: {error.strerror or type(error).__name__}") from None

    def rename(self, id: str, title: str) -> SavedConversation:
        """Change the title of a conversation, and return it."""
        saved = replace(self.get(id), title=_title(title), used=now())
        self.save(saved)
        return saved

    def forget(self, id: str) -> None:
        """Delete a conversation from the list."""
        if _ID.fullmatch(id):
            self._path(id).unlink(missing_ok=True)

    def lock(self, id: str) -> bool:
        """Lock a conversation against changes by other servers, and return False if one of them has the lock.

        The system releases the locks of a process that ends. If the system or disk does not support locks, this always
        succeeds.
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
        """Release the lock of a conversation."""
        if fcntl is not None and self._locks is not None:
            with suppress(OSError):
                fcntl.lockf(self._locks, fcntl.LOCK_UN, 1, _lock_place(id))

    def close(self) -> None:
        """Release all locks."""
        if self._locks is not None:
            os.close(self._locks)
            self._locks = None

    def _path(self, id: str) -> Path:
        return self.folder / f"{id}.json"


def _lock_place(id: str) -> int:
    """Return the position in the lock file that belongs to a conversation."""
    return int.from_bytes(hashlib.sha256(id.encode()).digest()[:6])


def _append_line(path: Path, line: bytes) -> bool:
    """Append a line to a file, faster than replacing it; return False if the file is missing or too large."""
    try:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        return False
    try:
        if os.fstat(file).st_size + len(line) > _LARGEST:
            return False
        # The newline comes first, so that the rest of a partly written line becomes a separate line.
        if os.write(file, b"\n" + line) <= len(line):
            raise OSError(ENOSPC, os.strerror(ENOSPC))
    finally:
        os.close(file)
    _stamp(path)
    return True


def _stamp(path: Path) -> None:
    """Set the modification time in nanoseconds; that of the system is too coarse to sort a list by."""
    at = time_ns()
    os.utime(path, ns=(at, at))


def _title(words: str) -> str:
    title = " ".join(words.split())
    if not 0 < len(title) <= LONGEST_TITLE:
        raise InputError(f"a title must have 1 to {LONGEST_TITLE} characters, not {len(title)}")
    return title


@contextmanager
def open_conversations(settings: Settings) -> Iterator[SavedConversations]:
    """Yield the conversations beside the run store; if that is not a file, in a temporary folder."""
    with folder_beside_store(settings, FOLDER) as folder, closing(SavedConversations(folder)) as saved:
        yield saved
