"""Documents in the folders that the program may read, found by file names."""

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
"""The suffixes of listed files; other files can be opened by name if a reader recognizes their content."""

MOST_LISTED = 1_000
LARGEST = 100_000_000
"""The maximum size of a file in bytes."""

_LONGEST = 1_000
_DEEPEST = 8
_MOST_SEEN = 50_000
"""The number of entries examined for a list, so that listing a whole disk ends."""

_SEPARATOR = "#"


class Folders:
    """The permitted folders and files. Does not read the content of files."""

    def __init__(self, names: Sequence[str]) -> None:
        self.has_sample = SAMPLE in names
        self.roots: dict[str, Path] = {}
        for path in dict.fromkeys(_existing_path(name) for name in names if name != SAMPLE):
            # The labels are unique: the names of the files and folders, numbered if several have the same.
            label, number = path.name or "root", 1
            while label in self.roots:
                number += 1
                label = f"{path.name or 'root'}-{number}"
            self.roots[label] = path

    def find(self, name: str) -> str:
        """Resolve a user's file name for `resolve.read_page`, including the page after `#`."""
        if self.has_sample and (name == SAMPLE or name.startswith(SAMPLE + _SEPARATOR)):
            return name
        if 0 < len(name) <= _LONGEST and name.isprintable():
            for path, page in _split(name):
                found = self._within(path)
                # A file whose own name ends in `#page` would be read instead, and may link out of the folders.
                if found is not None and not (page and os.path.lexists(f"{found}{page}")):
                    return f"{found}{page}"
        raise UnknownUploadError("no such file in the folders of this server: list the documents")

    def name_of(self, path: Path) -> str:
        """Return the name of a file: its path in its folder, after the folder's label if there are several."""
        for label, root in self.roots.items():
            if path.is_relative_to(root):
                return self._name(label, path)
        return path.name

    def list_files(self) -> tuple[str, ...]:
        """Return the names of the files with a document's suffix, sorted."""
        names = [SAMPLE] if self.has_sample else []
        for label, root in self.roots.items():
            for path in _files(root):
                if len(names) >= MOST_LISTED:
                    return tuple(names)
                if self._within(path) is not None:
                    names.append(self._name(label, path))
        return tuple(names)

    def _name(self, label: str, path: Path) -> str:
        if path == self.roots[label]:
            return label
        inside = path.relative_to(self.roots[label]).as_posix()
        return inside if len(self.roots) == 1 else f"{label}/{inside}"

    def _within(self, path: Path) -> Path | None:
        """Resolve a path to a regular file, or None if the file is hidden or outside the folders."""
        for candidate in self._candidates(path):
            try:
                found = candidate.resolve(strict=True)
                status = found.stat()
            except (OSError, ValueError, RuntimeError):  # missing, a loop of links, or not a valid file name
                continue
            if stat.S_ISREG(status.st_mode) and any(_holds(root, found) for root in self.roots.values()):
                if status.st_size > LARGEST:
                    raise InputError(f"{found.name} has {status.st_size:,} bytes; the maximum is {LARGEST:,}")
                return found
        return None

    def _candidates(self, path: Path) -> Iterator[Path]:
        """Yield the possible meanings of a path: absolute, below a label, or relative to a folder."""
        if path.is_absolute():
            yield path
            return
        for label, root in self.roots.items():
            first, *rest = path.parts or ("",)
            if first == label:
                yield root.joinpath(*rest)
            if root.is_dir():
                yield root / path


def _existing_path(name: str) -> Path:
    try:
        path = Path(name).expanduser().resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        raise InputError(f"no such file or folder: {name[:200]!r}") from None
    if not path.is_dir() and not path.is_file():
        raise InputError(f"{name[:200]!r} is a pipe or a device: choose a file or a folder")
    return path


def _split(name: str) -> Iterator[tuple[Path, str]]:
    """Yield the possible splits into path and `#page`, first the whole name as a path."""
    yield Path(name), ""
    path, separator, page = name.rpartition(_SEPARATOR)
    if separator and path and page:
        yield Path(path), f"{_SEPARATOR}{page}"


def _holds(root: Path, path: Path) -> bool:
    """Return whether a file is the permitted file, or is in the permitted folder and not hidden."""
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
class NamedDocument:
    """A document opened by its name."""

    id: str
    name: str
    page: DocumentInCorpus


class FolderLibrary:
    """Opens the documents of folders through a `DocumentLibrary`. All calls must come from one event loop."""

    def __init__(self, folders: Folders, library: DocumentLibrary) -> None:
        self._folders, self._library = folders, library

    async def names(self) -> tuple[str, ...]:
        """Return the names of the files with a document's suffix."""
        return await asyncio.to_thread(self._folders.list_files)

    async def open(self, name: str) -> NamedDocument:
        """Open a document by its name."""
        found = await asyncio.to_thread(self._folders.find, name)
        entry = self._library.add(found)
        try:
            page = await self._library.open(entry.id)
        except BaseException:
            self._library.remove(entry.id)
            raise
        return NamedDocument(entry.id, name, page)

    async def pages(self, name: str) -> tuple[str, ...]:
        """Return the names of the pages of a file that contain numbers; at most 200."""
        entry = self._library.add(await asyncio.to_thread(self._folders.find, name))
        try:
            pages = await self._library.pages(entry.id)
        finally:
            self._library.remove(entry.id)
        return tuple(f"{name}#{page.name}" for page in pages)

    async def know_again(self) -> None:
        """Add all files of the folders to the library, so that earlier conversations find their documents."""
        for name in await self.names():
            if name != SAMPLE:
                self._library.add(await asyncio.to_thread(self._folders.find, name))

    def name_of(self, page: DocumentInCorpus) -> str:
        """Return the name by which a document is opened, or its own name if it was not opened by one."""
        if not page.name or page.name.startswith(f"{SAMPLE}#"):
            return page.name or page.document.id
        file = page_file(page.name)
        return f"{self._folders.name_of(file)}{page.name.removeprefix(str(file))}"
