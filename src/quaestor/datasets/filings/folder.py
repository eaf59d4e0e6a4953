"""The documents that questions are about, by the names that the questions give them."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from quaestor.core.caching import BoundedCache
from quaestor.documents.document import Document
from quaestor.errors import DatasetError
from quaestor.readers.cache import ByteCache
from quaestor.readers.content import FileContent, read_content
from quaestor.readers.limited import DEFAULT_LIMITS, ReadingLimits
from quaestor.readers.reading import read_file, unread_file

_HELD = 6
"""Documents that are held once they are read: questions about one mostly follow each other."""
_LONGEST_NAME = 255


class DocumentFolder:
    """The documents of a folder, each read as it is asked for."""

    def __init__(
        self, path: Path, cache: ByteCache | None = None, limits: ReadingLimits | None = DEFAULT_LIMITS
    ) -> None:
        """Take the folder.

        Args:
            cache: Where documents are kept once they are read.
            limits: What reading a document may take; None to read it in this process.
        """
        self.path = path
        self._cache, self._limits = cache, limits
        self._read = BoundedCache[str, Document](_HELD)

    def require(self, names: Iterable[tuple[str, str]]) -> None:
        """Make sure that the folder has all documents, before the first is read.

        Raises:
            DatasetError: It lacks one.
        """
        seen = set[str]()
        for name, where in names:
            if name not in seen:
                self._file(name, where)
            seen.add(name)

    def document(self, name: str, where: str) -> Document:
        """Return a document.

        Args:
            name: As questions call it: its file's name, with or without the ending.
            where: Where it is named, for errors.

        Raises:
            DatasetError: The folder has no such file, several, or one that cannot be read.
        """
        return self._read.get(name, lambda: self._document(read_content(self._file(name, where))))

    def text(self, text: str) -> Document:
        """Return a document whose text is at hand, named by its digest."""
        data = text.encode("utf-8", "replace")
        name = f"{hashlib.sha256(data).hexdigest()[:12]}.txt"
        return self._read.get(name, lambda: self._document(FileContent(Path(name), data)))

    def _document(self, content: FileContent) -> Document:
        found = read_file(content, self._cache, self._limits)
        if found is None:
            raise DatasetError(unread_file(content))
        return found[1]

    def _file(self, name: str, where: str) -> Path:
        if not self.path.is_dir():
            raise DatasetError(f"{self.path} is not a folder: name the folder of the documents with --documents")
        exact = self.path / name
        if exact.name != name or len(name.encode("utf-8", "replace")) > _LONGEST_NAME:
            raise DatasetError(f"{where}: {name[:_LONGEST_NAME]!r} is not the name of a file")
        if exact.is_file():
            return exact
        found = sorted(path for path in self.path.iterdir() if _plain(path) == name and path.suffix != ".jsonl")
        if not found:
            advice = "name the folder of the documents with --documents"
            raise DatasetError(f"{where}: {self.path} has no document {name!r}; {advice}")
        if len(found) > 1:
            raise DatasetError(f"{where}: {name!r} is ambiguous: {', '.join(path.name for path in found)}")
        return found[0]


def _plain(path: Path) -> str:
    """Return the name of a file without its ending, packed or not."""
    return Path(path.stem).stem if path.suffix == ".gz" else path.stem
