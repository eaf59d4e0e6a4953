"""The parts of a workbook's archive, as XML: unpacked no further than they are needed, and bounded.

Refuses what no spreadsheet program writes: document types, by which entities come in, and parts without end.
"""

import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from xml.parsers import expat

from quaestor.errors import DatasetError
from quaestor.readers.content import FileContent
from quaestor.readers.encodings import named_encoding

_CHUNK = 1 << 16
MOST_UNPACKED = 512 << 20
"""Bytes of all parts together that are unpacked: fifty times what a large workbook has."""

MOST_ELEMENTS = 4_000_000
"""Elements of all parts together that are gone through: each takes its time, however small it is."""

StartHandler = Callable[[str, Mapping[str, str]], None]


_LIBRARY_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    expat.ExpatError,
    EOFError,
    OSError,
    LookupError,
    OverflowError,
    ValueError,
)
"""What `zipfile` and `expat` raise of damaged files."""


class StopParsingError(Exception):
    """Raised by a handler: what follows is not needed."""


class Archive:
    """The parts of one workbook."""

    def __init__(self, content: FileContent) -> None:
        self._path = content.path
        self._room, self._elements = MOST_UNPACKED, 0
        with self._readable():
            self._zip = zipfile.ZipFile(io.BytesIO(content.data))

    def __contains__(self, name: str) -> bool:
        """Whether there is a part of a name."""
        return name in self._zip.NameToInfo

    def parse(self, name: str, start: StartHandler, end: Callable[[str], None], text: Callable[[str], None]) -> None:
        """Goes through a part: elements by their local names, attributes likewise.

        Args:
            start: Is told of the beginning of an element.

        Raises:
            DatasetError: The part is broken, larger than can be read, or has a document type.
        """

        def begin(tag: str, given: Mapping[str, str]) -> None:
            self._elements += 1
            if self._elements > MOST_ELEMENTS:
                raise self._too_much(f"has more than {MOST_ELEMENTS:,} elements")
            start(tag.rpartition(" ")[2], {key.rpartition(" ")[2]: value for key, value in given.items()})

        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = begin
        parser.EndElementHandler = lambda tag: end(tag.rpartition(" ")[2])
        parser.CharacterDataHandler = text
        parser.XmlDeclHandler = self._require_known_encoding
        parser.StartDoctypeDeclHandler = self._refuse_document_type
        with self._readable(name), self._zip.open(name) as part:
            try:
                while chunk := part.read(_CHUNK):
                    self._room -= len(chunk)
                    if self._room < 0:
                        raise self._too_much(f"unpacks to more than {MOST_UNPACKED >> 20} MB")
                    parser.Parse(chunk, False)
                parser.Parse(b"", True)
            except StopParsingError:
                pass

    def relations(self, of: str) -> dict[str, tuple[str, str]]:
        """Return the kind and the part of each relation of a part, by its id."""
        folder, name = posixpath.split(of)
        found: dict[str, tuple[str, str]] = {}

        def start(tag: str, given: Mapping[str, str]) -> None:
            if tag == "Relationship" and given.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, given.get("Target", ""))).lstrip("/")
                found[given.get("Id", "")] = (given.get("Type", "").rpartition("/")[2], target)

        path = f"{folder}/_rels/{name}.rels"
        if path in self:
            self.parse(path, start, lambda tag: None, lambda text: None)
        return found

    def _too_much(self, what: str) -> DatasetError:
        why = f"it {what}"
        return DatasetError(f"cannot read {self._path}: {why}; save the sheets that matter as CSV")

    def _require_known_encoding(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding is not None and named_encoding(encoding) is None:
            raise DatasetError(
                f"cannot read {self._path}: part of it has the unknown encoding {encoding[:40]!r}; save it again"
            )

    def _refuse_document_type(self, *_: object) -> None:
        raise DatasetError(
            f"cannot read {self._path}: part of it has a document type, which workbooks do not have; save it again"
        )

    @contextmanager
    def _readable(self, name: str = "") -> Iterator[None]:
        try:
            yield
        except _LIBRARY_ERRORS as error:
            if isinstance(error, DatasetError):
                raise
            where = f" ({name})" if name else ""
            why = " ".join(str(error).split())[:100]
            raise DatasetError(
                f"cannot read {self._path}: the workbook is damaged{where}: {why}; save it again"
            ) from error
        except RuntimeError as error:  # how zipfile says that it is encrypted, or packed in another way
            raise DatasetError(
                f"cannot read {self._path}: it is encrypted or compressed in an unknown way; save it again"
            ) from error
