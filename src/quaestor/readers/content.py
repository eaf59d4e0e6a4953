"""What a file holds, looked at by every format and read once: its first bytes, all of it, its text, its JSON.

What merely looks at a file reads its head.
"""

import codecs
import gzip
import hashlib
import io
import json
import os
import re
import select
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from quaestor.core.patterns import lazy_regex
from quaestor.core.visible import visible_name
from quaestor.errors import DatasetError
from quaestor.readers.json_records import JsonOutline, JsonRecords, RecordPlaces, find_outline

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 4096
_CONTROLS = lazy_regex("[\0-\x08\x0e-\x1f\x7f\ufeff]+")


@dataclass(frozen=True, slots=True)
class DecodedText:
    """The text of a file.

    Attributes:
        text: Lines end in a line feed, whatever they end in in the file; without signs that print nothing.
        warnings: What was lost, one line each.
    """

    text: str
    warnings: tuple[str, ...] = ()

    def warned(self, warning: str) -> "DecodedText":
        """Return it with one more warning."""
        return replace(self, warnings=(*self.warnings, warning))


def decode_text(data: bytes) -> DecodedText:
    r"""Return bytes as text. Loses nothing that prints.

    >>> decode_text(b"caf\xe9\r\n").text
    'café\n'
    """
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", ""))
    if not encoding:
        encoding = _unmarked_wide(data[:_SAMPLE])
    warnings = []
    if encoding:
        text = data[len(mark) :].decode(encoding, "replace")
    else:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            # cp1252 leaves five bytes open, which print nothing.
            text = data.decode("cp1252", "replace")
            line = data.count(b"\n", 0, error.start) + 1
            warnings.append(f"line {line} is not UTF-8; the text was read as Windows-1252")
    if "\ufffd" in text and encoding:
        warnings.append(f"characters that are not valid {encoding.upper()} were replaced by \ufffd")
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x85", "\n")
    text, dropped = _CONTROLS.subn("", text)
    if dropped:
        warnings.append(f"control characters were left out in {dropped} place{'s' * (dropped != 1)}")
    return DecodedText(text, tuple(warnings))


_NAMED = frozenset(
    {"utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7", "ascii", "iso8859-1", "cp1252"}
    | {f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16)}
    | {f"cp125{page}" for page in (0, 1, 3, 4, 5, 6, 7, 8)}
    | {"cp437", "cp850", "cp852", "cp866", "cp874", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "tis-620"}
    | {"gb2312", "gbk", "gb18030", "hz", "big5", "big5hkscs", "euc_jp", "shift_jis", "cp932", "iso2022_jp"}
    | {"euc_kr", "cp949", "johab"}
)
"""Encodings that a file may name, as Python calls them: those that documents are written in. Python also has
codecs that do not make text, or that cost more than their length."""


def named_encoding(name: str) -> str | None:
    """Return Python's name of the encoding that a file names; None if no document is written in it.

    >>> named_encoding("Windows-1251"), named_encoding("zlib_codec"), named_encoding("UTF-1.5")
    ('cp1251', None, None)
    """
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    return found if found in _NAMED else None


def is_text(data: bytes) -> bool:
    """Return whether the first bytes of a file are those of a text: hardly anything in them prints nothing."""
    if any(data.startswith(mark) for mark, _ in _MARKS) or _unmarked_wide(data[:_SAMPLE]):
        return True
    controls = sum(data.count(bytes([code])) for code in (*range(9), *range(14, 32), 127))
    return bool(data.strip()) and 20 * controls <= len(data)


def _unmarked_wide(data: bytes) -> str:
    """Return the encoding of a text in UTF-16 without a mark: every second byte of it is zero; else ""."""
    if len(data) < 4 or b"\0" not in data:
        return ""
    even, odd = data[0::2], data[1::2]
    if odd.count(0) > 0.7 * len(odd) and even.count(0) < 0.1 * len(even):
        return "utf-16-le"
    return "utf-16-be" if even.count(0) > 0.7 * len(even) and odd.count(0) < 0.1 * len(odd) else ""


HEAD = 1 << 16
"""Bytes by which a file is recognised."""

LARGEST = 256 << 20
"""Bytes of a file that is read whole, unpacked; more than any filing or data set has."""

LARGEST_FILE = 2 << 30
"""Bytes of a file that is looked at."""

LONGEST_TEXT = 32 << 20
"""Bytes of a text that are read; what follows is left out with a warning."""

ZIP_MARKS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
"""How an archive begins; one of them an empty one."""

_LONGEST_LISTING = 8 << 20
_PATIENCE = 10
"""Seconds that a pipe may take until it begins."""

_GZIP = b"\x1f\x8b\x08"
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*(?:[\[{\"\]0-9-]|true|false|null)|\{\s*[\"}]|[\[{]\s*\Z|[0-9]+\s*\Z)")


@dataclass(frozen=True)
class FileContent:
    """A file, read as far as it is asked about.

    Attributes:
        given: What it holds, where that is at hand; None to read the file.
    """

    path: Path
    given: bytes | None = field(default=None, repr=False)

    @cached_property
    def head(self) -> bytes:
        """The first `HEAD` bytes, unpacked."""
        with self.open() as file:
            return file.read(HEAD)

    @cached_property
    def data(self) -> bytes:
        """What it holds, unpacked.

        Raises:
            DatasetError: It is larger than `LARGEST`, or cannot be read or unpacked.
        """
        with self.open() as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            unpacked = " unpacked" if self.is_packed else ""
            raise DatasetError(
                f"cannot read {self.path}: it is larger than {LARGEST >> 20} MB{unpacked}; cut it into smaller files"
            )
        return data

    @cached_property
    def text(self) -> DecodedText:
        """The text of a file that is one, up to `LONGEST_TEXT` bytes of it.

        Raises:
            DatasetError: It cannot be read or unpacked.
        """
        with self.open() as file:
            data = file.read(LONGEST_TEXT + 1)
        if len(data) <= LONGEST_TEXT:
            return decode_text(data)
        cut = f"only the first {LONGEST_TEXT >> 20} MB were read"
        # In mid-line nothing could be read right.
        return decode_text(data[: data.rfind(b"\n", 0, LONGEST_TEXT) + 1 or LONGEST_TEXT]).warned(cut)

    @cached_property
    def is_packed(self) -> bool:
        """Whether it is a `.gz` file, whatever it is called."""
        with self.as_it_is() as file:
            return file.read(len(_GZIP)) == _GZIP

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the file as it lies on the disk."""
        with self.as_it_is() as file:
            whole = hashlib.sha256()
            while chunk := file.read(1 << 20):
                whole.update(chunk)
            return whole.hexdigest()

    @property
    def name(self) -> str:
        """What the file is called, fit to be printed and stored: the id of its document."""
        return visible_name(self.path.name)

    @property
    def suffix(self) -> str:
        """How its name ends, in small letters, without `.gz` (`.html`)."""
        plain = self.path.with_suffix("") if self.path.suffix.casefold() == ".gz" else self.path
        return plain.suffix.casefold()

    @contextmanager
    def open(self) -> Iterator[io.BufferedIOBase]:
        """Open it, unpacked, for whoever reads no more of it than it needs.

        Raises:
            DatasetError: It cannot be read or unpacked; in the block too.
        """
        with self.as_it_is() as file:
            if not self.is_packed:
                yield file
                return
            try:
                with gzip.GzipFile(fileobj=file) as unpacked:
                    yield unpacked
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                why = f"it cannot be unpacked ({error}); it may be cut off, download it again"
                raise DatasetError(f"cannot read {self.path}: {why}") from error

    @cached_property
    def members(self) -> tuple[str, ...]:
        """The names of what a zip archive holds; empty if it is none, or a broken one.

        Raises:
            DatasetError: As `data`.
        """
        if not self.head.startswith(ZIP_MARKS):
            return ()
        # An archive of millions of names would fill the memory with them.
        end = self.data.rfind(b"PK\x05\x06")
        if end < 0 or len(self.data) < end + 22 or struct.unpack_from("<I", self.data, end + 12)[0] > _LONGEST_LISTING:
            return ()
        try:
            with zipfile.ZipFile(io.BytesIO(self.data)) as archive:
                return tuple(archive.namelist())
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001  # whatever zipfile does with a damaged list of names
            return ()

    @contextmanager
    def as_it_is(self) -> Iterator[io.BufferedIOBase]:
        """Open the file as it is stored, packed or not.

        Raises:
            DatasetError: It cannot be read.
        """
        if self.given is not None:
            yield io.BytesIO(self.given)
            return
        try:
            # A pipe can be read once only.
            regular = self.path.is_file() or not self.path.exists()
            file: io.BufferedIOBase = self.path.open("rb") if regular else io.BytesIO(self._read_pipe)
        except FileNotFoundError:
            raise DatasetError(f"cannot read {self.path}: no such file; check the path") from None
        except (OSError, ValueError) as error:
            raise DatasetError(f"cannot read {self.path}: {error}") from error
        with file:
            yield file

    @cached_property
    def _read_pipe(self) -> bytes:
        # If nobody ever writes, plain opening would wait for ever.
        with open(self.path, "rb", opener=_at_once) as pipe:
            waiting = select.poll()
            waiting.register(pipe, select.POLLIN)
            if not waiting.poll(1000 * _PATIENCE):
                raise TimeoutError(f"no data arrived within {_PATIENCE} s; save the data as a file")
            os.set_blocking(pipe.fileno(), True)
            return pipe.read(LARGEST + 1)

    @property
    def json(self) -> object:
        """The parsed JSON.

        Raises:
            DatasetError: It is none; the message says where it stops being any.
        """
        parsed, failure = self._parsed
        if failure is not None:
            raise DatasetError(failure)
        return parsed

    @property
    def is_json(self) -> bool:
        """Whether `json` can be read."""
        return self.looks_like_json and self._parsed[1] is None

    @cached_property
    def outline(self) -> JsonOutline | None:
        """What the JSON of a data set is made of, found without holding it.

        None if it is neither a list nor an object; `json` says then what is wrong.
        """
        if not self.looks_like_json:
            return None
        try:
            with self._as_utf8.open() as file:
                return find_outline(file, LARGEST)
        except (DatasetError, UnicodeDecodeError):
            return None

    def records(self, parts: Iterable[RecordPlaces]) -> JsonRecords:
        """Return values of the JSON, parsed as they are asked for.

        What is packed, comes out of a pipe or is in another encoding than UTF-8 is held as bytes meanwhile.

        Raises:
            DatasetError: The file cannot be read any more.
        """
        content = self._as_utf8
        if content.given is not None or content.is_packed or not self.path.is_file():
            return JsonRecords(self.path, io.BytesIO(content.data), parts)
        try:
            return JsonRecords(self.path, self.path.open("rb"), parts)
        except OSError as error:
            raise DatasetError(f"cannot read {self.path}: {error}") from error

    @cached_property
    def _as_utf8(self) -> "FileContent":
        encoding = json.detect_encoding(self.head[:4])
        if encoding in ("utf-8", "utf-8-sig"):
            return self
        return FileContent(self.path, self.data.decode(encoding, "surrogatepass").encode("utf-8", "surrogatepass"))

    @cached_property
    def looks_like_json(self) -> bool:
        """Whether it is called JSON or begins like it."""
        return self.suffix in (".json", ".jsonl") or _JSON.match(self.head) is not None

    @cached_property
    def _parsed(self) -> tuple[object, str | None]:
        """The parsed JSON, or why there is none."""
        try:
            return json.loads(self.data), None
        except json.JSONDecodeError as error:
            cut_off = error.pos >= len(error.doc) - 2
            hint = "it may be cut off, download it again" if cut_off else "is it a dataset?"
            place = f"line {error.lineno}, column {error.colno}"
            return None, f"cannot read {self.path} as JSON: {place}: {error.msg}; {hint}"
        except DatasetError as error:
            return None, str(error)
        except (ValueError, RecursionError) as error:
            return None, f"cannot read {self.path} as JSON: {type(error).__name__}; is it a dataset?"


def read_content(path: Path) -> FileContent:
    """Return what a file holds.

    Raises:
        DatasetError: There is no such file, nothing in it, or more than can be looked at.
    """
    if path.is_dir():
        raise DatasetError(f"cannot read {path}: it is a directory; name a file inside it")
    content = FileContent(path)
    if not content.head.strip(b" \t\r\n\f\v\0\xef\xbb\xbf"):
        raise DatasetError(f"cannot read {path}: the file is empty; download it again")
    if (size := path.stat().st_size) > LARGEST_FILE:
        raise DatasetError(
            f"cannot read {path}: it has {size >> 20} MB, more than {LARGEST_FILE >> 20} MB; cut it into smaller files"
        )
    return content


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)
