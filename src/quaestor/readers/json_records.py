"""Records of a JSON file, located in one pass and parsed one at a time on access.

Only plain JSON in UTF-8 is scanned. For anything else the caller parses the whole file, which also gives the error.
"""

import codecs
import hashlib
import io
import json
import threading
import weakref
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import overload

from quaestor.errors import DatasetError

_CHUNK = 1 << 18
_SPACE = " \t\n\r"
_BOM = codecs.BOM_UTF8.decode("latin-1")
_OPENING = {"[": "list", "{": "object"}


@dataclass(frozen=True, slots=True)
class RecordPlaces:
    """Byte positions of values in a file.

    Attributes:
        starts: Offset of the first byte of each value.
        ends: Offset after the last byte of each value.
        marks: First eight bytes of the BLAKE2 digest of each value.
        listed: Whether the values are the elements of a list; otherwise there is one single value.
    """

    starts: "array[int]" = field(default_factory=lambda: array("Q"))
    ends: "array[int]" = field(default_factory=lambda: array("Q"))
    marks: "array[int]" = field(default_factory=lambda: array("Q"))
    listed: bool = True


@dataclass(frozen=True, slots=True)
class JsonOutline:
    """Structure of a JSON file.

    Attributes:
        parts: For an object, the positions of the elements of the list under each key, or of the value if it is not a
            list; for a list, the positions of its elements under "".
    """

    kind: str
    parts: Mapping[str, RecordPlaces]


def find_outline(file: io.BufferedIOBase, largest: int) -> JsonOutline | None:
    """Return the structure of a JSON file; None if it is not a list or object, not in UTF-8 or not valid JSON.

    Args:
        largest: Limit in bytes; the result for a larger file is None.
    """
    try:
        return _OutlineScanner(file, largest).outline()
    except (ValueError, RecursionError):  # includes JSONDecodeError and UnicodeDecodeError
        return None


class _OutlineScanner:
    """Scans a file once, in chunks.

    Chunks are decoded as Latin-1, so that a character is a byte: JSON's syntax is ASCII, whatever its strings contain.
    """

    def __init__(self, file: io.BufferedIOBase, largest: int) -> None:
        self._file, self._left = file, largest
        self._checked = codecs.getincrementaldecoder("utf-8")("surrogatepass")
        self._decode = json.JSONDecoder().raw_decode
        self._text, self._base, self._at, self._over = "", 0, 0, False
        self._more(max(_CHUNK, len(_BOM)))
        self._at = len(_BOM) if self._text.startswith(_BOM) else 0

    def outline(self) -> JsonOutline:
        kind = _OPENING.get(self._next(), "")
        if kind == "list":
            parts = {"": self._elements()}
        elif kind == "object":
            parts = self._members()
        else:
            raise ValueError(kind)
        if self._next():
            raise ValueError("more follows")
        return JsonOutline(kind, parts)

    def _members(self) -> dict[str, RecordPlaces]:
        parts: dict[str, RecordPlaces] = {}
        self._step("{")
        while self._next() != "}":
            if parts:
                self._step(",")
                self._next()
            start, end = self._value()
            key = json.loads(self._text[start:end].encode("latin-1").decode("utf-8", "surrogatepass"))
            if not isinstance(key, str):
                raise ValueError("no key")
            self._step(":")
            if self._next() == "[":
                parts[key] = self._elements()
            else:
                parts[key] = RecordPlaces(listed=False)
                self._add(parts[key])
        self._step("}")
        return parts

    def _elements(self) -> RecordPlaces:
        found = RecordPlaces()
        self._step("[")
        while self._next() != "]":
            if found.starts:
                self._step(",")
                self._next()
            self._add(found)
        self._step("]")
        return found

    def _add(self, found: RecordPlaces) -> None:
        start, end = self._value()
        found.starts.append(self._base + start)
        found.ends.append(self._base + end)
        found.marks.append(_mark(self._text[start:end].encode("latin-1")))

    def _value(self) -> tuple[int, int]:
        """Skip a value; return its start and end in the current chunk."""
        while True:
            with suppress(json.JSONDecodeError):
                end = self._decode(self._text, self._at)[1]
                # A number at the end of the chunk may continue in the next one.
                if end < len(self._text) or self._over:
                    start, self._at = self._at, end
                    return start, end
            if self._over:
                raise ValueError("no value")
            self._more(max(_CHUNK, len(self._text) - self._at))

    def _next(self) -> str:
        """Skip white space; return the next character, "" at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if self._over:
                return ""
            self._more(_CHUNK)

    def _step(self, wanted: str) -> None:
        if self._next() != wanted:
            raise ValueError(wanted)
        self._at += 1

    def _more(self, size: int) -> None:
        """Drop the text that was scanned and read more."""
        data = self._file.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise ValueError("too large")
        self._over = not data
        self._checked.decode(data, self._over)
        self._text, self._base, self._at = self._text[self._at :] + data.decode("latin-1"), self._base + self._at, 0


def _mark(data: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


class JsonRecords(Sequence[object]):
    """Values of a JSON file, parsed on access; safe for several threads."""

    def __init__(self, path: Path, file: io.BufferedIOBase, parts: Iterable[RecordPlaces]) -> None:
        """Create the sequence.

        Args:
            file: The open file, which the sequence closes when it is deleted.
        """
        self._path, self._file, self._parts, self._lock = path, file, tuple(parts), threading.Lock()
        self._count = sum(len(part.starts) for part in self._parts)
        weakref.finalize(self, file.close)

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> object: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[object]: ...
    def __getitem__(self, index: int | slice) -> object:
        """Parse and return a record.

        Raises:
            DatasetError: The file has changed since it was scanned.
        """
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(self._count))]
        data = self._data(range(self._count)[index])
        return json.loads(data.decode("utf-8", "surrogatepass"))

    def is_object(self, index: int) -> bool:
        """Return whether a record is an object, without parsing it."""
        return self._data(index).startswith(b"{")

    def __iter__(self) -> Iterator[object]:
        return (self[place] for place in range(self._count))

    def digest(self) -> str:
        """Return the SHA-256 of the open file, even if its path now leads to another file."""
        whole = hashlib.sha256()
        with self._lock:
            self._file.seek(0)
            while chunk := self._file.read(_CHUNK):
                whole.update(chunk)
        return whole.hexdigest()

    def _data(self, index: int) -> bytes:
        for part in self._parts:
            if index < len(part.starts):
                break
            index -= len(part.starts)
        start, mark = part.starts[index], part.marks[index]
        with self._lock:
            self._file.seek(start)
            data = self._file.read(part.ends[index] - start)
        if _mark(data) != mark:
            raise DatasetError(f"{self._path} was changed while it was in use; do not change it, and start again")
        return data
