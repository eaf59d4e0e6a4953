"""The sheets of a workbook, cell by cell: what is shown, and what it holds.

Of formulas only the value that was stored with them is read; without one the cell is unknown, not empty. Nothing is
fetched.
"""

import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from xml.parsers import expat

from quaestor.core.patterns import lazy_regex
from quaestor.errors import DatasetError
from quaestor.readers.content import FileContent, named_encoding
from quaestor.readers.tabular import LONGEST_CELL, MOST_CELLS, MOST_COLUMNS
from quaestor.readers.workbook.number_formats import BUILT_IN, ShownNumber, print_number

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


_WORKBOOK = "xl/workbook.xml"
_REFERENCE = lazy_regex(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})")
_MOST_TEXTS = 1_000_000
_MOST_CHARACTERS = 64 << 20
_MOST_MERGED = 10_000
_UNKNOWN = "=?"
"""What is shown of a formula whose value is not stored."""
_EXACT_DIGITS = 15
"""Digits that Excel holds; what is written beyond them is of binary fractions."""


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A cell that shows something.

    Attributes:
        value: The number that it holds, where digits of it are shown; else None.
        shift: By what power of ten the shown number is larger, see `ShownNumber`.
        is_unknown: Whether it is a formula that was stored without its value.
    """

    text: str
    value: Decimal | None = None
    shift: int = 0
    is_unknown: bool = False


@dataclass(slots=True)
class SheetContent:
    """A sheet.

    Attributes:
        rows: The shown rows by their numbers from 1, each its cells by their columns from 0.
        merged: Ranges of merged cells: first row, first column, last row, last column.
    """

    name: str
    rows: dict[int, dict[int, SheetCell]] = field(default_factory=dict)
    merged: list[tuple[int, int, int, int]] = field(default_factory=list)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: int = 0
    without_value: int = 0
    cut: bool = False


@dataclass(slots=True)
class Workbook:
    """The sheets of a file, in the order of their tabs."""

    sheets: list[SheetContent]
    hidden: list[str]


@dataclass(frozen=True, slots=True)
class _Common:
    """What the cells of all sheets refer to."""

    texts: tuple[str, ...]
    formats: tuple[str, ...]
    since_1904: bool


def read_workbook(archive: Archive) -> Workbook:
    """Return the sheets of a workbook.

    Raises:
        DatasetError: It is damaged, or larger than can be read.
    """
    listed: list[tuple[str, str, bool]] = []
    since_1904 = False

    def start(tag: str, given: Mapping[str, str]) -> None:
        nonlocal since_1904
        if tag == "sheet":
            listed.append((given.get("name", ""), given.get("id", ""), given.get("state", "visible") == "visible"))
        elif tag == "workbookPr":
            since_1904 = given.get("date1904") in ("1", "true")

    archive.parse(_WORKBOOK, start, _ignore, _ignore)
    parts = archive.relations(_WORKBOOK)
    by_kind = dict(parts.values())
    common = _Common(
        _texts(archive, by_kind.get("sharedStrings", "")), _formats(archive, by_kind.get("styles", "")), since_1904
    )
    room = MOST_CELLS
    sheets = []
    for name, relation, shown in listed:
        kind, part = parts.get(relation, ("", ""))
        if not shown or kind != "worksheet" or part not in archive:
            continue
        reading = _SheetReading(SheetContent(name), common, room)
        archive.parse(part, reading.start, reading.end, reading.text)
        sheets.append(reading.content())
        room = max(0, reading.room)
    return Workbook(sheets, [name for name, _, shown in listed if not shown])


def _ignore(_: str) -> None:
    """Take what is not needed."""


def _texts(archive: Archive, part: str) -> tuple[str, ...]:
    """Return the texts that cells share; what is pronounced beside them is none."""
    if part not in archive:
        return ()
    found: list[str] = []
    pieces: list[str] = []
    inside = {"t": 0, "rPh": 0}
    characters = 0

    def start(tag: str, _: Mapping[str, str]) -> None:
        if tag == "si":
            pieces.clear()
        elif tag in inside:
            inside[tag] += 1

    def end(tag: str) -> None:
        nonlocal characters
        if tag in inside:
            inside[tag] -= 1
        elif tag == "si":
            found.append("".join(pieces)[:LONGEST_CELL])
            characters += len(found[-1])
            if len(found) >= _MOST_TEXTS or characters > _MOST_CHARACTERS:
                raise StopParsingError

    def text(words: str) -> None:
        if inside["t"] and not inside["rPh"] and sum(map(len, pieces[-8:])) <= LONGEST_CELL:
            pieces.append(words)

    archive.parse(part, start, end, text)
    return tuple(found)


def _formats(archive: Archive, part: str) -> tuple[str, ...]:
    """Return the number format of each style."""
    if part not in archive:
        return ()
    own: dict[int, str] = {}
    styles: list[int] = []
    within = ""

    def start(tag: str, given: Mapping[str, str]) -> None:
        nonlocal within
        if tag == "numFmt":
            own[_number(given.get("numFmtId"))] = given.get("formatCode", "General")
        elif tag in ("cellXfs", "cellStyleXfs"):
            within = tag
        elif tag == "xf" and within == "cellXfs":
            styles.append(_number(given.get("numFmtId")))

    def end(tag: str) -> None:
        nonlocal within
        if tag == within:
            within = ""

    archive.parse(part, start, end, _ignore)
    return tuple(own.get(style, BUILT_IN.get(style, "General")) for style in styles)


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0


class _SheetReading:
    """What a sheet's part says, element by element."""

    def __init__(self, sheet: SheetContent, common: _Common, room: int) -> None:
        self._sheet, self._common, self.room = sheet, common, room
        self._row, self._column, self._shown = 0, -1, True
        self._kind, self._style, self._formula = "n", 0, False
        self._pieces: list[str] = []
        self._taking = self._spoken = False
        self._length = 0
        self._hidden_columns: list[tuple[int, int]] = []

    def start(self, tag: str, given: Mapping[str, str]) -> None:
        match tag:
            case "row":
                self._row = _number(given.get("r")) or self._row + 1
                self._column = -1
                self._shown = given.get("hidden") not in ("1", "true")
                if not self._shown and len(self._sheet.hidden_rows) < MOST_CELLS:
                    self._sheet.hidden_rows.add(self._row)
            case "c":
                place = _REFERENCE.fullmatch(given.get("r", ""))
                self._column = column_number(place[1]) if place else self._column + 1
                self._kind, self._style = given.get("t", "n"), _number(given.get("s"))
                self._pieces, self._length, self._formula = [], 0, False
            case "v" | "t":
                self._taking = not self._spoken
            case "rPh":
                self._spoken = True
            case "f":
                self._formula = True
            case "col" if given.get("hidden") in ("1", "true"):
                self._hidden_columns.append((_number(given.get("min")) - 1, _number(given.get("max")) - 1))
            case "mergeCell":
                self._merge(given.get("ref", ""))

    def end(self, tag: str) -> None:
        match tag:
            case "v" | "t":
                self._taking = False
            case "rPh":
                self._spoken = False
            case "c":
                self._cell()

    def text(self, words: str) -> None:
        if self._taking and self._length <= LONGEST_CELL:
            self._length += len(words)
            self._pieces.append(words)

    def content(self) -> SheetContent:
        """Return the sheet, without the columns that are not shown."""
        for first, last in self._hidden_columns:
            for row in self._sheet.rows.values():
                for column in [column for column in row if first <= column <= last]:
                    del row[column]
            self._sheet.hidden_columns += min(last, MOST_COLUMNS) - first + 1
        self._sheet.without_value = sum(cell.is_unknown for row in self._sheet.rows.values() for cell in row.values())
        return self._sheet

    def _cell(self) -> None:
        written = "".join(self._pieces)[:LONGEST_CELL]
        # A formula that yields an empty text is stored as one.
        unknown = self._formula and not written and self._kind != "str"
        if not self._shown or not self._row or not (written or unknown):
            return
        if self._column >= MOST_COLUMNS:
            self._sheet.cut = True
            return
        self.room -= 1
        if self.room < 0:
            self._sheet.cut = True
            raise StopParsingError
        cell = SheetCell(_UNKNOWN, is_unknown=True) if unknown else self._shown_cell(written)
        if cell.text.strip():
            self._sheet.rows.setdefault(self._row, {})[self._column] = cell

    def _shown_cell(self, written: str) -> SheetCell:
        match self._kind:
            case "s":
                place = _number(written.strip())
                return SheetCell(self._common.texts[place] if place < len(self._common.texts) else "")
            case "b":
                return SheetCell("TRUE" if written.strip() == "1" else "FALSE")
            case "n":
                return self._number_cell(written)
        return SheetCell(written)

    def _number_cell(self, written: str) -> SheetCell:
        try:
            value = Decimal(written.strip())
        except InvalidOperation:
            return SheetCell(written)
        if not value.is_finite() or abs(value.adjusted()) > 300:
            return SheetCell(written)
        digits = value.as_tuple().digits
        if len(digits) > _EXACT_DIGITS:
            value = value.quantize(Decimal(1).scaleb(value.adjusted() - _EXACT_DIGITS + 1)).normalize()
        formats = self._common.formats
        code = formats[self._style] if self._style < len(formats) else "General"
        shown: ShownNumber = print_number(value, code, since_1904=self._common.since_1904)
        return SheetCell(shown.text, value if shown.is_number else None, shown.shift)

    def _merge(self, reference: str) -> None:
        first, _, last = reference.partition(":")
        one, other = _REFERENCE.fullmatch(first), _REFERENCE.fullmatch(last)
        if one and other and len(self._sheet.merged) < _MOST_MERGED:
            top, bottom = int(one[2]), int(other[2])
            self._sheet.merged.append((top, column_number(one[1]), bottom, column_number(other[1])))


def column_number(letters: str) -> int:
    """Return the place of a column, from 0.

    >>> column_number("A"), column_number("AB")
    (0, 27)
    """
    place = 0
    for letter in letters:
        place = 26 * place + ord(letter) - ord("A") + 1
    return place - 1


def column_letters(place: int) -> str:
    """Return how a column is called that has a place, from 0.

    >>> column_letters(0), column_letters(27)
    ('A', 'AB')
    """
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
