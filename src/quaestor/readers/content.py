"""Content of a file, read lazily and once: its first bytes, all bytes, decoded text, parsed JSON.

Detection of formats reads only `head`.
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
from quaestor.core.renaming import renamed_attributes
from quaestor.core.visible import visible_name
from quaestor.errors import DatasetError
from quaestor.readers.json_records import JsonOutline, JsonRecords, RecordPlaces, find_outline

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is a prefix of this one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 4096
_CONTROLS = lazy_regex("[\0-\x08\x0e-\x1f\x7f\ufeff]+")


@dataclass(frozen=True, slots=True)
class DecodedText:
    """Decoded text of a file.

    Attributes:
        text: The text with line feeds as line ends and without control characters.
        warnings: One line for each kind of loss while decoding.
    """

    text: str
    warnings: tuple[str, ...] = ()

    def warned(self, warning: str) -> "DecodedText":
        """Return a copy with one more warning."""
        return replace(self, warnings=(*self.warnings, warning))


def decode_text(data: bytes) -> DecodedText:
    r"""Decode bytes. Keeps every printable character.

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
            # The five bytes that cp1252 does not define are not printable.
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
"""Python's names of the encodings that a file may declare. Python has others that do not produce text, or whose
cost is not linear in the length.
"""


def named_encoding(name: str) -> str | None:
    """Return Python's name of a declared encoding, or None if it is not supported.

    >>> named_encoding("Windows-1251"), named_encoding("zlib_codec"), named_encoding("UTF-1.5")
    ('cp1251', None, None)
    """
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return None
    return found if found in _NAMED else None


def is_text(data: bytes) -> bool:
    """Return whether the first bytes of a file look like text: at most 5 % of them are control characters."""
    if any(data.startswith(mark) for mark, _ in _MARKS) or _unmarked_wide(data[:_SAMPLE]):
        return True
    controls = sum(data.count(bytes([code])) for code in (*range(9), *range(14, 32), 127))
    return bool(data.strip()) and 20 * controls <= len(data)


def _unmarked_wide(data: bytes) -> str:
    """Return the encoding of UTF-16 text without a byte order mark, in which every second byte is zero; else ""."""
    if len(data) < 4 or b"\0" not in data:
        return ""
    even, odd = data[0::2], data[1::2]
    if odd.count(0) > 0.7 * len(odd) and even.count(0) < 0.1 * len(even):
        return "utf-16-le"
    return "utf-16-be" if even.count(0) > 0.7 * len(even) and odd.count(0) < 0.1 * len(odd) else ""


HEAD = 1 << 16
"""Bytes at the start of a file that are used to recognise its format."""

LARGEST = 256 << 20
"""Limit in bytes for a file that is read whole, after decompression; larger than any filing or dataset."""

LARGEST_FILE = 2 << 30
"""Limit in bytes for a file that is opened at all."""

LONGEST_TEXT = 32 << 20
"""Limit in bytes for text; the rest is left out with a warning."""

ZIP_MARKS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
"""First bytes of a zip archive; the second is an empty archive."""

_LONGEST_LISTING = 8 << 20
_PATIENCE = 10
"""Seconds to wait for the first data of a pipe."""

_GZIP = b"\x1f\x8b\x08"
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*(?:[\[{\"\]0-9-]|true|false|null)|\{\s*[\"}]|[\[{]\s*\Z|[0-9]+\s*\Z)")


@renamed_attributes(as_it_is="open_raw")
@dataclass(frozen=True)
class FileContent:
    """Content of a file, read only as far as needed.

    Attributes:
        given: The bytes of the file if they are already in memory; None to read the file.
    """

    path: Path
    given: bytes | None = field(default=None, repr=False)

    @cached_property
    def head(self) -> bytes:
        """The first `HEAD` bytes, decompressed."""
        with self.open() as file:
            return file.read(HEAD)

    @cached_property
    def data(self) -> bytes:
        """All bytes, decompressed.

        Raises:
            DatasetError: The file is larger than `LARGEST`, or cannot be read or decompressed.
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
        """The decoded text, up to `LONGEST_TEXT` bytes.

        Raises:
            DatasetError: The file cannot be read or decompressed.
        """
        with self.open() as file:
            data = file.read(LONGEST_TEXT + 1)
        if len(data) <= LONGEST_TEXT:
            return decode_text(data)
        cut = f"only the first {LONGEST_TEXT >> 20} MB were read"
        # Cut at the end of a line, because half a line could be misread.
        return decode_text(data[: data.rfind(b"\n", 0, LONGEST_TEXT) + 1 or LONGEST_TEXT]).warned(cut)

    @cached_property
    def is_packed(self) -> bool:
        """Whether the file is compressed with gzip, whatever its name."""
        with self.open_raw() as file:
            return file.read(len(_GZIP)) == _GZIP

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the file on disk, without decompression."""
        with self.open_raw() as file:
            whole = hashlib.sha256()
            while chunk := file.read(1 << 20):
                whole.update(chunk)
            return whole.hexdigest()

    @property
    def name(self) -> str:
        """File name without invisible characters, used as the id of the document."""
        return visible_name(self.path.name)

    @property
    def suffix(self) -> str:
        """Suffix in lower case, ignoring `.gz` (`.html`)."""
        plain = self.path.with_suffix("") if self.path.suffix.casefold() == ".gz" else self.path
        return plain.suffix.casefold()

    @contextmanager
    def open(self) -> Iterator[io.BufferedIOBase]:
        """Open the file, decompressed, to read only a part.

        Raises:
            DatasetError: The file cannot be read or decompressed; also raised inside the `with` block.
        """
        with self.open_raw() as file:
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
        """Names of the members of a zip archive; empty if the file is not an archive, or a damaged one.

        Raises:
            DatasetError: As `data`.
        """
        if not self.head.startswith(ZIP_MARKS):
            return ()
        # An archive with millions of names would exhaust the memory.
        end = self.data.rfind(b"PK\x05\x06")
        if end < 0 or len(self.data) < end + 22 or struct.unpack_from("<I", self.data, end + 12)[0] > _LONGEST_LISTING:
            return ()
        try:
            with zipfile.ZipFile(io.BytesIO(self.data)) as archive:
                return tuple(archive.namelist())
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001  # zipfile raises various errors for a damaged directory
            return ()

    @contextmanager
    def open_raw(self) -> Iterator[io.BufferedIOBase]:
        """Open the file without decompression.

        Raises:
            DatasetError: The file cannot be read.
        """
        if self.given is not None:
            yield io.BytesIO(self.given)
            return
        try:
            # A pipe can be read only once.
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
        # A normal open would block for ever if nothing writes to the pipe.
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
            DatasetError: The file is not valid JSON; the message names the position of the error.
        """
        parsed, failure = self._parsed
        if failure is not None:
            raise DatasetError(failure)
        return parsed

    @property
    def is_json(self) -> bool:
        """Whether the file is valid JSON."""
        return self.looks_like_json and self._parsed[1] is None

    @cached_property
    def outline(self) -> JsonOutline | None:
        """Positions of the records of a JSON dataset, found without loading them.

        None if the JSON is neither a list nor an object, or invalid; `json` then raises the reason.
        """
        if not self.looks_like_json:
            return None
        try:
            with self._as_utf8.open() as file:
                return find_outline(file, LARGEST)
        except (DatasetError, UnicodeDecodeError):
            return None

    def records(self, parts: Iterable[RecordPlaces]) -> JsonRecords:
        """Return records of the JSON, parsed on access.

        A file that is compressed, a pipe or not in UTF-8 is kept in memory meanwhile.

        Raises:
            DatasetError: The file can no longer be read.
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
        """Whether the suffix is that of JSON, or the content begins like JSON."""
        return self.suffix in (".json", ".jsonl") or _JSON.match(self.head) is not None

    @cached_property
    def _parsed(self) -> tuple[object, str | None]:
        """The parsed JSON and None, or None and the error message."""
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
    """Return the content of a file, to be read lazily.

    Raises:
        DatasetError: The file does not exist, is empty or is larger than `LARGEST_FILE`.
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
