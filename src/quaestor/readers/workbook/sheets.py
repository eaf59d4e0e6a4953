"""Sheets of a workbook: displayed text and value of each cell.

Only the stored values of formulas are read; a formula without one is unknown rather than empty. Nothing is fetched.
"""

import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from quaestor.core.patterns import lazy_regex
from quaestor.errors import DatasetError
from quaestor.readers.content import FileContent
from quaestor.readers.tabular import LONGEST_CELL, MOST_CELLS, MOST_COLUMNS
from quaestor.readers.workbook.number_formats import BUILT_IN, ShownNumber, print_number

if TYPE_CHECKING:
    from lxml.etree import XMLPullParser, _Element

_CHUNK = 1 << 16
MOST_UNPACKED = 512 << 20
"""Limit in bytes for all parts together, after decompression: fifty times the size of a large workbook."""

MOST_ELEMENTS = 4_000_000
"""Limit for the elements of all parts together, because each takes time to parse, however small it is."""
_TOO_MANY = f"it has more than {MOST_ELEMENTS:,} elements; save what matters as CSV"

_LIBRARY_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    LookupError,
    OverflowError,
    ValueError,
)
"""Errors that `zipfile` raises for damaged files."""


class Archive:
    """The parts of a workbook file."""

    def __init__(self, content: FileContent) -> None:
        self._path = content.path
        self._room, self._elements = MOST_UNPACKED, 0
        with self._readable():
            self._zip = zipfile.ZipFile(io.BytesIO(content.data))

    def __contains__(self, name: str) -> bool:
        """Return whether the archive has a part with this name."""
        return name in self._zip.NameToInfo

    def elements(self, name: str, *tags: str) -> "Iterator[_Element]":
        """Yield the elements of a part with one of the given local names, when they end; each is freed afterwards.

        Raises:
            DatasetError: The part is damaged, too large, or has a document type.
        """
        wanted: dict[object, bool] = {}
        for element in self._all_elements(name):
            tag = element.tag
            if not wanted and element.getroottree().docinfo.internalDTD is not None:
                raise self._refusal("part of it has a document type, which workbooks do not have; save it again")
            if tag not in wanted:
                wanted[tag] = local_name(element) in tags
            if wanted[tag]:
                yield element
                element.clear()
                if (parent := element.getparent()) is not None:
                    del parent[: parent.index(element)]

    def _all_elements(self, name: str) -> "Iterator[_Element]":
        """Yield every element of a part when it ends."""
        from lxml import etree

        parser = etree.XMLPullParser(
            ("end",), resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
        )
        with self._readable(name):
            self._refuse_many_elements(name)
        with self._readable(name), self._zip.open(name) as part:
            try:
                while chunk := part.read(_CHUNK):
                    self._room -= len(chunk)
                    if self._room < 0:
                        raise self._refusal(
                            f"it unpacks to more than {MOST_UNPACKED >> 20} MB; save what matters as CSV"
                        )
                    parser.feed(chunk)
                    yield from self._count(parser)
                parser.close()
                yield from self._count(parser)
            except etree.LxmlError as error:
                if "Resource limit exceeded" in str(error):
                    raise self._refusal("a text of it is longer than 10 MB; save what matters as CSV") from None
                raise ValueError(error) from error

    def _refuse_many_elements(self, name: str) -> None:
        """Count the closing tags of a large part before parsing it, which takes a minute for millions of elements."""
        if self._zip.getinfo(name).file_size < MOST_ELEMENTS:
            return
        ends = size = 0
        with self._zip.open(name) as part:
            while size <= MOST_UNPACKED and (chunk := part.read(_CHUNK)):
                size += len(chunk)
                ends += chunk.count(b"</") + chunk.count(b"/>")
                if ends > MOST_ELEMENTS:
                    raise self._refusal(_TOO_MANY)

    def _count(self, parser: "XMLPullParser") -> "Iterator[_Element]":
        element: Any
        for _, element in parser.read_events():
            if self._elements >= MOST_ELEMENTS:
                raise self._refusal(_TOO_MANY)
            self._elements += 1
            yield element

    def relations(self, of: str) -> dict[str, tuple[str, str]]:
        """Return the type and the target part of each relation of a part, by id."""
        folder, name = posixpath.split(of)
        path = f"{folder}/_rels/{name}.rels"
        found: dict[str, tuple[str, str]] = {}
        for relation in self.elements(path, "Relationship") if path in self else ():
            if relation.get("TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, relation.get("Target", ""))).lstrip("/")
                found[relation.get("Id", "")] = (relation.get("Type", "").rpartition("/")[2], target)
        return found

    def _refusal(self, why: str) -> DatasetError:
        return DatasetError(f"cannot read {self._path}: {why}")

    @contextmanager
    def _readable(self, name: str = "") -> Iterator[None]:
        try:
            yield
        except _LIBRARY_ERRORS as error:
            if isinstance(error, DatasetError):
                raise
            where = f" ({name})" if name else ""
            why = " ".join(str(error).split())[:100]
            raise self._refusal(f"the workbook is damaged{where}: {why}; save it again") from error
        except RuntimeError as error:  # zipfile raises this for encryption and unknown compression
            raise self._refusal("it is encrypted or compressed in an unknown way; save it again") from error


def local_name(element: "_Element") -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


_WORKBOOK = "xl/workbook.xml"
_TRUE = ("1", "true")
_REFERENCE = lazy_regex(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})")
_MOST_TEXTS = 1_000_000
_MOST_CHARACTERS = 64 << 20
_MOST_MERGED = 10_000
_UNKNOWN = "=?"
"""Displayed text of a formula whose value is not stored."""
_EXACT_DIGITS = 15
"""Significant digits in Excel; further digits in the file are artefacts of binary floating point."""


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A cell with displayed text.

    Attributes:
        value: The number in the cell if its digits are displayed; else None.
        shift: Power of ten by which the displayed number is scaled, see `ShownNumber`.
        is_unknown: Whether it is a formula without a stored value.
    """

    text: str
    value: Decimal | None = None
    shift: int = 0
    is_unknown: bool = False


@dataclass(slots=True)
class SheetContent:
    """A sheet of a workbook.

    Attributes:
        rows: The visible rows by number, from 1; each has its cells by column, from 0.
        merged: Merged ranges: first row, first column, last row, last column.
    """

    name: str
    rows: dict[int, dict[int, SheetCell]] = field(default_factory=dict)
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: int = 0
    without_value: int = 0
    cut: bool = False


def read_workbook(archive: Archive) -> tuple[list[SheetContent], list[str]]:
    """Return the visible sheets of a workbook in the order of their tabs, and the names of the hidden ones.

    Raises:
        DatasetError: The file is damaged or too large.
    """
    listed: list[tuple[str, str, bool]] = []
    since_1904 = False
    for element in archive.elements(_WORKBOOK, "sheet", "workbookPr"):
        if local_name(element) == "workbookPr":
            since_1904 = element.get("date1904") in _TRUE
        else:
            given = {str(name).rpartition("}")[2]: str(value) for name, value in element.items()}
            listed.append((given.get("name", ""), given.get("id", ""), given.get("state", "visible") == "visible"))
    parts = archive.relations(_WORKBOOK)
    by_kind = dict(parts.values())
    texts, formats = _texts(archive, by_kind.get("sharedStrings", "")), _formats(archive, by_kind.get("styles", ""))
    reader = _SheetReader(archive, texts, formats, since_1904, MOST_CELLS)
    sheets = []
    for name, relation, shown in listed:
        kind, part = parts.get(relation, ("", ""))
        if shown and kind == "worksheet" and part in archive:
            sheets.append(reader.read(name, part))
    return sheets, [name for name, _, shown in listed if not shown]


def _texts(archive: Archive, part: str) -> tuple[str, ...]:
    """Return the shared texts."""
    found: list[str] = []
    characters = 0
    for item in archive.elements(part, "si") if part in archive else ():
        found.append(_text_of(item))
        characters += len(found[-1])
        if len(found) >= _MOST_TEXTS or characters > _MOST_CHARACTERS:
            break
    return tuple(found)


def _text_of(element: "_Element") -> str:
    """Return the text of a cell or a shared text, without its pronunciation."""
    pieces: list[str] = []
    spoken: set[_Element] = set()
    for one in element.iter("{*}v", "{*}t", "{*}rPh"):
        if one in spoken:
            continue
        if local_name(one) == "rPh":
            spoken.update(one.iter())
        else:
            pieces.append(one.text or "")
    return "".join(pieces)[:LONGEST_CELL]


def _formats(archive: Archive, part: str) -> tuple[str, ...]:
    """Return the number format of each style."""
    own: dict[int, str] = {}
    styles: list[int] = []
    for element in archive.elements(part, "numFmt", "cellXfs") if part in archive else ():
        if local_name(element) == "numFmt":
            own[_number(element.get("numFmtId"))] = element.get("formatCode", "General")
        else:
            styles += [_number(style.get("numFmtId")) for style in element.iterchildren("{*}xf")]
    return tuple(own.get(style, BUILT_IN.get(style, "General")) for style in styles)


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0


@dataclass(slots=True)
class _SheetReader:
    """Reads sheets with the shared texts and formats, up to the limit of cells."""

    archive: Archive
    texts: tuple[str, ...]
    formats: tuple[str, ...]
    since_1904: bool
    room: int

    def read(self, name: str, part: str) -> SheetContent:
        sheet, number = SheetContent(name), 0
        hidden = bytearray(MOST_COLUMNS)
        for element in self.archive.elements(part, "col", "row", "mergeCell"):
            match local_name(element):
                case "col" if element.get("hidden") in _TRUE:
                    first, last = _number(element.get("min")) - 1, _number(element.get("max")) - 1
                    count = min(last + 1, MOST_COLUMNS) - first
                    hidden[first : first + count] = b"\1" * count
                case "row":
                    number = _number(element.get("r")) or number + 1
                    if element.get("hidden") in _TRUE:
                        if len(sheet.hidden_rows) < MOST_CELLS:
                            sheet.hidden_rows.add(number)
                    elif not self._take_row(sheet, number, element, hidden):
                        break
                case "mergeCell":
                    _merge(sheet, element.get("ref", ""))
        sheet.hidden_columns = sum(hidden)
        return sheet

    def _take_row(self, sheet: SheetContent, number: int, row: "_Element", hidden: Sequence[int]) -> bool:
        """Add the cells of a row to a sheet; return whether there is room for more."""
        column = -1
        for element in row.iterchildren("{*}c"):
            place = _REFERENCE.fullmatch(element.get("r", ""))
            column = column_number(place[1]) if place else column + 1
            kind, written = element.get("t", "n"), _text_of(element)
            # A formula whose result is empty text has the type `str`.
            unknown = not written and kind != "str" and element.find("{*}f") is not None
            if not (written or unknown) or (column < MOST_COLUMNS and hidden[column]):
                continue
            if column >= MOST_COLUMNS:
                sheet.cut = True
                continue
            self.room -= 1
            if self.room < 0:
                sheet.cut = True
                return False
            style = _number(element.get("s"))
            cell = SheetCell(_UNKNOWN, is_unknown=True) if unknown else self._shown_cell(kind, style, written)
            sheet.without_value += unknown
            if cell.text.strip():
                sheet.rows.setdefault(number, {})[column] = cell
        return True

    def _shown_cell(self, kind: str, style: int, written: str) -> SheetCell:
        match kind:
            case "s":
                place = _number(written.strip())
                return SheetCell(self.texts[place] if place < len(self.texts) else "")
            case "b":
                return SheetCell("TRUE" if written.strip() == "1" else "FALSE")
            case "n":
                return self._number_cell(style, written)
        return SheetCell(written)

    def _number_cell(self, style: int, written: str) -> SheetCell:
        try:
            value = Decimal(written.strip())
        except InvalidOperation:
            return SheetCell(written)
        if not value.is_finite() or abs(value.adjusted()) > 300:
            return SheetCell(written)
        digits = value.as_tuple().digits
        if len(digits) > _EXACT_DIGITS:
            value = value.quantize(Decimal(1).scaleb(value.adjusted() - _EXACT_DIGITS + 1)).normalize()
        code = self.formats[style] if style < len(self.formats) else "General"
        shown: ShownNumber = print_number(value, code, since_1904=self.since_1904)
        return SheetCell(shown.text, value if shown.is_number else None, shown.shift)


def _merge(sheet: SheetContent, reference: str) -> None:
    first, _, last = reference.partition(":")
    one, other = _REFERENCE.fullmatch(first), _REFERENCE.fullmatch(last)
    if one and other and len(sheet.merged) < _MOST_MERGED:
        sheet.merged.append((int(one[2]), column_number(one[1]), int(other[2]), column_number(other[1])))


def column_number(letters: str) -> int:
    """Return the index of a column, from 0.

    >>> column_number("A"), column_number("AB")
    (0, 27)
    """
    place = 0
    for letter in letters:
        place = 26 * place + ord(letter) - ord("A") + 1
    return place - 1


def column_letters(place: int) -> str:
    """Return the letters of a column with an index from 0.

    >>> column_letters(0), column_letters(27)
    ('A', 'AB')
    """
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
