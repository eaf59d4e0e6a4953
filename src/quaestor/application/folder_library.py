"""Documents of the folders that a program may read: which there are, by which names, and under which ids."""

import asyncio
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from quaestor.application.document_library import DocumentLibrary
from quaestor.application.resolve import SAMPLE, DocumentInCorpus, page_file
from quaestor.errors import InputError, UnknownUploadError

SUFFIXES = (".html", ".htm", ".xhtml", ".pdf", ".xlsx", ".csv", ".tsv", ".md", ".txt", ".json", ".gz")
"""The ends of the names that are listed; another file can be read by its name, where a reader knows what it holds."""

MOST_LISTED = 1_000
LARGEST = 100_000_000
"""Bytes of a file that is read."""

_LONGEST = 1_000
_DEEPEST = 8
_MOST_SEEN = 50_000
"""Files that are looked at for a list, so that a list of a whole disk comes to its end."""

_SEPARATOR = "#"


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder, or a single file, that may be read."""

    label: str
    path: Path


class Folders:
    """The folders and files that were named. Reads nothing of a file."""

    def __init__(self, names: Sequence[str]) -> None:
        """Take what may be read."""
        self.has_sample: bool = SAMPLE in names
        self.roots: tuple[Folder, ...] = tuple(_label_roots([_existing_path(name) for name in names if name != SAMPLE]))

    def find(self, name: str) -> str:
        """Return what `resolve.read_page` takes for a name that somebody gives, the page after `#` included."""
        if self.has_sample and (name == SAMPLE or name.startswith(SAMPLE + _SEPARATOR)):
            return name
        if 0 < len(name) <= _LONGEST and name.isprintable():
            for path, page in _split(name):
                found = self._within(path)
                # A file whose own name ends so would be read instead, wherever it leads to.
                if found is not None and not (page and os.path.lexists(f"{found}{page}")):
                    return f"{found}{page}"
        raise UnknownUploadError("no such file in the folders of this server: list the documents")

    def name_of(self, path: Path) -> str:
        """Return what a file is called: its path in its folder, with the folder's name if there are several."""
        root = next((root for root in self.roots if path.is_relative_to(root.path)), None)
        return path.name if root is None else self._name(root, path)

    def list_files(self) -> tuple[str, ...]:
        """Return the names of the files that could be documents, by their ends; in the order of their names."""
        names = [SAMPLE] if self.has_sample else []
        for root in self.roots:
            for path in _files(root.path):
                if len(names) >= MOST_LISTED:
                    return tuple(names)
                if self._within(path) is not None:
                    names.append(self._name(root, path))
        return tuple(names)

    def _name(self, root: Folder, path: Path) -> str:
        if path == root.path:
            return root.label
        inside = path.relative_to(root.path).as_posix()
        return inside if len(self.roots) == 1 else f"{root.label}/{inside}"

    def _within(self, path: Path) -> Path | None:
        """Return the regular file that a path leads to in the end, if that is in a folder and not hidden there."""
        for candidate in self._candidates(path):
            try:
                found = candidate.resolve(strict=True)
                status = found.stat()
            except (OSError, ValueError, RuntimeError):  # not there, a loop of links, no name of a file
                continue
            if stat.S_ISREG(status.st_mode) and any(_holds(root.path, found) for root in self.roots):
                if status.st_size > LARGEST:
                    raise InputError(f"{found.name} has {status.st_size:,} bytes; the maximum is {LARGEST:,}")
                return found
        return None

    def _candidates(self, path: Path) -> Iterator[Path]:
        """Yield what a path may mean: a label and what is in it, a path in a folder, a path from the root."""
        if path.is_absolute():
            yield path
            return
        for root in self.roots:
            first, *rest = path.parts or ("",)
            if first == root.label:
                yield root.path.joinpath(*rest)
            if root.path.is_dir():
                yield root.path / path


def _existing_path(name: str) -> Path:
    try:
        path = Path(name).expanduser().resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        raise InputError(f"no such file or folder: {name[:200]!r}") from None
    if not path.is_dir() and not path.is_file():
        raise InputError(f"{name[:200]!r} is a pipe or a device: choose a file or a folder")
    return path


def _label_roots(paths: Sequence[Path]) -> Iterator[Folder]:
    used: set[str] = set()
    for path in dict.fromkeys(paths):
        wanted = path.name or "root"
        label = next(name for name in (wanted, *(f"{wanted}-{n}" for n in range(2, 10_000))) if name not in used)
        used.add(label)
        yield Folder(label, path)


def _split(name: str) -> Iterator[tuple[Path, str]]:
    """Yield the path and what is behind it: all of a name is a path if there is such a file."""
    yield Path(name), ""
    path, separator, page = name.rpartition(_SEPARATOR)
    if separator and path and page:
        yield Path(path), f"{_SEPARATOR}{page}"


def _holds(root: Path, path: Path) -> bool:
    """Whether a file is the one that was named, or is in the folder that was, in no hidden one."""
    if path == root:
        return True
    return path.is_relative_to(root) and not any(part.startswith(".") for part in path.relative_to(root).parts)


def _files(root: Path) -> Iterator[Path]:
    if root.is_file():
        yield root
        return
    seen = 0
    for folder, folders, files in os.walk(root):
        seen += len(files) + len(folders)
        if seen > _MOST_SEEN:
            return
        depth = len(Path(folder).relative_to(root).parts)
        folders[:] = sorted(name for name in folders if not name.startswith(".")) if depth < _DEEPEST else []
        for name in sorted(files):
            if name.lower().endswith(SUFFIXES) and not name.startswith(".") and name.isprintable():
                yield Path(folder) / name


@dataclass(frozen=True, slots=True)
class Opened:
    """A document that was opened by its name."""

    id: str
    name: str
    page: DocumentInCorpus


class FolderLibrary:
    """The documents of folders, opened by a library. All calls are made from one event loop."""

    def __init__(self, folders: Folders, library: DocumentLibrary) -> None:
        """Take what may be read, and what opens it."""
        self._folders, self._library = folders, library

    async def names(self) -> tuple[str, ...]:
        """Return the names of the files that could be documents."""
        return await asyncio.to_thread(self._folders.list_files)

    async def open(self, name: str) -> Opened:
        """Return a document."""
        found = await asyncio.to_thread(self._folders.find, name)
        entry = self._library.add(found)
        try:
            page = await self._library.open(entry.id)
        except BaseException:
            self._library.remove(entry.id)
            raise
        return Opened(entry.id, name, page)

    async def pages(self, name: str) -> tuple[str, ...]:
        """Return the names of the pages of a file of several, as far as they have a number; the first 200."""
        entry = self._library.add(await asyncio.to_thread(self._folders.find, name))
        try:
            pages = await self._library.pages(entry.id)
        finally:
            self._library.remove(entry.id)
        return tuple(f"{name}#{page.name}" for page in pages)

    async def know_again(self) -> None:
        """Add all files of the folders to the library, so that an earlier conversation finds its document."""
        for name in await self.names():
            if name != SAMPLE:
                self._library.add(await asyncio.to_thread(self._folders.find, name))

    def name_of(self, page: DocumentInCorpus) -> str:
        """Return the name by which a document is opened; what it is called where nobody named it."""
        if not page.name or page.name.startswith(f"{SAMPLE}#"):
            return page.name or page.document.id
        file = page_file(page.name)
        return f"{self._folders.name_of(file)}{page.name.removeprefix(str(file))}"
