"""A PDF file -> its pages as lines of text and drawn rules, by way of PDFium.

Owns all contact with the library: opening, what its errors mean to a person, and one page at a time in memory. PDFium
must not be called by two threads at once.
"""

import ctypes
import math
import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from quaestor.errors import DatasetError
from quaestor.readers.pdf.lines import TextLine, lines_of
from quaestor.readers.pdf.words import Character, Font, join_characters

PAGES_AT_MOST = 20_000
CHARACTERS_AT_MOST = 2_500_000
"""What is behind is left out, with a warning: a large filing has 300 pages, 1,000,000 characters."""
_CHARACTERS_OF_A_PAGE = 60_000
_DRAWN_AT_MOST = 4_000
_SIZE_OF_A_BOX = 0.88
"""The size of a font, in heights of the box of its characters."""
_FLAG_ITALIC, _FLAG_BOLD = 1 << 6, 1 << 18
_BOLD_NAME = re.compile(rb"bold|black|heavy|demi", re.IGNORECASE)
_ITALIC_NAME = re.compile(rb"ital|obliq", re.IGNORECASE)
_PASSWORD_ERROR = 4
_SAMPLED = 60
_THICKEST_RULE = 2.5
_BETWEEN_PIECES = 1.6
"""How far apart the pieces of one rule may be, in points: it is drawn cell by cell, or in dots."""
_BLANK = frozenset({0x20, 0x0D, 0x0A, 0x09, 0xA0})

_one_at_a_time = threading.RLock()


@dataclass(frozen=True, slots=True)
class Rule:
    """A line drawn from left to right; places as a word's."""

    left: float
    right: float
    y: float


@dataclass(frozen=True, slots=True)
class Page:
    """What a page prints.

    Attributes:
        number: From 1, as viewers count.
        width: In points, as it is read, turned upright.
        height: Likewise.
        lines: From the top down, those of one column of text after those of the other.
        rules: The lines drawn from left to right.
        characters: How many it has.
        unknown: How many of them have no meaning in Unicode; they are in no line.
        cut: Whether text was left out, because there was too much.
    """

    number: int
    width: float
    height: float
    lines: tuple[TextLine, ...]
    rules: tuple[Rule, ...] = ()
    characters: int = 0
    unknown: int = 0
    cut: bool = False


@dataclass(frozen=True, slots=True)
class PageFailure:
    """A page that cannot be read.

    Attributes:
        number: From 1.
        reason: In words.
    """

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class PagesLeft:
    """The pages behind the last one that is read: a file is larger than any report.

    Attributes:
        first: The number of the first of them.
        last: The number of the last.
    """

    first: int
    last: int


@contextmanager
def opened(path: Path, data: bytes) -> Iterator["PdfFile"]:
    """Return an open file; no other thread reads a PDF file meanwhile.

    Raises:
        DatasetError: It cannot be opened: it wants a password, or is broken.
    """
    with _one_at_a_time:
        document = _open(path, data)
        try:
            yield PdfFile(document)
        finally:
            document.close()


class PdfFile:
    """An open file."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self.page_count = len(document)

    def pages(self, first: int = 0, step: int = 1) -> Iterator[Page | PageFailure]:
        """Yield each `step`-th page from the place `first` on, until there are more characters than are read.

        Args:
            first: Place of a page, from 0.
            step: 1 for all pages.
        """
        from pypdfium2 import PdfiumError

        characters = 0
        for index in range(first, min(self.page_count, PAGES_AT_MOST), step):
            if characters > CHARACTERS_AT_MOST:
                return
            try:
                page = _read_page(self._document, index)
            except (PdfiumError, ValueError, OverflowError) as error:
                yield PageFailure(index + 1, " ".join(str(error).split()))
            else:
                characters += page.characters
                yield page


def _open(path: Path, data: bytes) -> Any:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD_ERROR:
            raise DatasetError(
                f"cannot read {path}: it is encrypted with a password; save it without a password and use that file"
            ) from None
        raise DatasetError(
            f"cannot read {path} as PDF: it is broken or cut off ({error}); download it again"
        ) from error
    if len(document) == 0:
        document.close()
        raise DatasetError(f"cannot read {path} as PDF: it has no pages; download it again")
    return document


def _read_page(document: Any, index: int) -> Page:
    page = document[index]
    try:
        text = page.get_textpage()
        try:
            return _TextReader(page, text).read(index + 1)
        finally:
            text.close()
    finally:
        page.close()


class _TextReader:
    """One page, read character by character."""

    def __init__(self, page: Any, text: Any) -> None:
        from pypdfium2 import raw

        self._raw, self._page, self._text = raw, page, text
        self._functions = _library_functions()
        self._handle = ctypes.cast(text.raw, ctypes.c_void_p)
        self._characters_printed = text.count_chars()
        self._taken = min(self._characters_printed, _CHARACTERS_OF_A_PAGE)
        self._turn = self._main_turn()
        self._upright = _Turning(self._turn, page.get_bbox())
        self._buffer = ctypes.create_string_buffer(200)
        self._flags = ctypes.c_int()
        self._fonts: dict[tuple[bytes, int], Font] = {}
        self._places: list[int] = []
        self._aslant: list[bool] = []
        self._glyphs = _Glyphs()
        self._unknown = 0

    def read(self, number: int) -> Page:
        words = list(join_characters(self._characters(), self._font))
        if any(self._aslant):
            words = [word for word, aslant in zip(words, self._aslant, strict=True) if not aslant]
        return Page(
            number,
            self._upright.width,
            self._upright.height,
            tuple(lines_of(words)),
            _joined_rules(self._rules()),
            self._taken,
            self._unknown,
            self._taken < self._characters_printed,
        )

    def _main_turn(self) -> int:
        """Returns how far most of the text is turned, in quarters; from a sample."""
        step = max(1, self._taken // _SAMPLED)
        turns = Counter(self._turn_of(place) for place in range(0, self._taken, step))
        return max(turns, key=lambda turn: (turn >= 0, turns[turn]), default=0) if turns else 0

    def _turn_of(self, place: int) -> int:
        return quarter(-self._functions.angle(self._handle, place))  # the library counts clockwise

    def _characters(self) -> Iterator[Character | None]:
        raw, text, turn = self._raw, self._handle, self._upright
        box, x, y = raw.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
        to_box, to_x, to_y = ctypes.byref(box), ctypes.byref(x), ctypes.byref(y)
        functions = self._functions
        get_code, get_box, get_origin = functions.code, functions.box, functions.origin
        add, glyphs = self._places.append, self._glyphs
        # What is called for each of a million characters is written out.
        upright, over, above = turn.is_upright, turn.left, turn.top
        for place in range(self._taken):
            glyph = glyphs[get_code(text, place)]
            if glyph is None:
                self._unknown += 1
                continue
            add(place)
            if not glyph:
                yield None
                continue
            get_box(text, place, to_box)
            get_origin(text, place, to_x, to_y)
            if upright:
                left, top, right, bottom = box.left - over, -box.top - above, box.right - over, -box.bottom - above
                line = -y.value - above
            else:
                left, top, right, bottom = turn.box(box.left, box.top, box.right, box.bottom)
                line = turn.y(x.value, y.value)
            size = (bottom - top) * _SIZE_OF_A_BOX
            yield glyph, left, right, line, size if size > 0.1 else 0.1

    def _font(self, place: int) -> Font:
        """Returns the font of a character that begins a word, and notes whether that word is turned otherwise."""
        at = self._places[place]
        self._aslant.append(self._turn_of(at) != self._turn)
        length = self._raw.FPDFText_GetFontInfo(self._text.raw, at, self._buffer, len(self._buffer), self._flags)
        key = (self._buffer.value if 0 < length <= len(self._buffer) else b"", self._flags.value)
        if key not in self._fonts:
            name, flags = key
            self._fonts[key] = Font(
                bool(_BOLD_NAME.search(name) or flags & _FLAG_BOLD),
                bool(_ITALIC_NAME.search(name) or flags & _FLAG_ITALIC),
            )
        return self._fonts[key]

    def _rules(self) -> Iterator[Rule]:
        raw, page = self._raw, ctypes.cast(self._page.raw, ctypes.c_void_p)
        get_drawn, get_kind, path = self._functions.drawn, self._functions.kind, raw.FPDF_PAGEOBJ_PATH
        left, bottom, right, top = (ctypes.c_float() for _ in range(4))
        for place in range(min(raw.FPDFPage_CountObjects(self._page.raw), _DRAWN_AT_MOST)):
            drawn = get_drawn(page, place)
            if get_kind(drawn) == path and raw.FPDFPageObj_GetBounds(
                ctypes.cast(drawn, raw.FPDF_PAGEOBJECT), left, bottom, right, top
            ):
                start, upper, end, lower = self._upright.box(left.value, top.value, right.value, bottom.value)
                if lower - upper < _THICKEST_RULE and end > start:
                    yield Rule(start, end, (upper + lower) / 2)


def _joined_rules(pieces: Iterable[Rule]) -> tuple[Rule, ...]:
    """Returns rules with their pieces put together, from the top down."""
    found: list[Rule] = []
    for piece in sorted(pieces, key=lambda piece: (round(piece.y), piece.left)):
        last = found[-1] if found else None
        if last and abs(piece.y - last.y) < 1 and piece.left < last.right + _BETWEEN_PIECES:
            found[-1] = Rule(last.left, max(last.right, piece.right), last.y)
        else:
            found.append(piece)
    return tuple(found)


class _Turning:
    """From the file's places (upwards from its origin) to a reader's (downwards from the top left corner)."""

    def __init__(self, turn: int, page: tuple[float, float, float, float]) -> None:
        self._cos, self._sin = (1, 0, -1, 0)[turn], (0, 1, 0, -1)[turn]
        self.is_upright = self._cos == 1
        self.left = self.top = 0.0
        left, bottom, right, top = page
        self.left, self.top, end, low = self.box(left, top, right, bottom)
        self.width, self.height = end - self.left, low - self.top

    def box(self, left: float, top: float, right: float, bottom: float) -> tuple[float, float, float, float]:
        """Returns left, top, right and bottom of a box as a reader sees it."""
        if self.is_upright:
            return left - self.left, -top - self.top, right - self.left, -bottom - self.top
        xs = [left * self._cos + bottom * self._sin, right * self._cos + top * self._sin]
        ys = [left * self._sin - bottom * self._cos, right * self._sin - top * self._cos]
        return min(xs) - self.left, min(ys) - self.top, max(xs) - self.left, max(ys) - self.top

    def y(self, x: float, y: float) -> float:
        """Returns how far down a point is."""
        return x * self._sin - y * self._cos - self.top


def quarter(angle: float) -> int:
    """Returns an angle (radians) in quarters of a circle, 0 to 3; -1 where it is aslant.

    >>> quarter(0.0), quarter(1.5708), quarter(0.7)
    (0, 1, -1)
    """
    turns = angle / (math.pi / 2)
    return round(turns) % 4 if abs(turns - round(turns)) < 0.05 else -1


class _Glyphs(dict[int, str | None]):
    """What the codes of characters print, each looked up once: "" for white space, None for what is not a character."""

    def __missing__(self, code: int) -> str | None:
        blank = code in _BLANK or (not _is_unknown(code) and chr(code).isspace())
        glyph = self[code] = "" if blank else None if _is_unknown(code) else chr(code)
        return glyph


@dataclass(frozen=True, slots=True)
class _LibraryFunctions:
    """What is asked of the library for each character and for each thing drawn.

    Called without the conversion of each argument and without handing the lock of the interpreter to another thread,
    which takes longer than the functions themselves.
    """

    code: Any
    box: Any
    origin: Any
    angle: Any
    drawn: Any
    kind: Any


@lru_cache(maxsize=1)
def _library_functions() -> _LibraryFunctions:
    from pypdfium2 import raw

    def direct(function: Any, returned: Any, *taken: Any) -> Any:
        return ctypes.PYFUNCTYPE(returned, *taken)(ctypes.cast(function, ctypes.c_void_p).value or 0)

    return _LibraryFunctions(
        direct(raw.FPDFText_GetUnicode, ctypes.c_uint),
        direct(raw.FPDFText_GetLooseCharBox, ctypes.c_int),
        direct(raw.FPDFText_GetCharOrigin, ctypes.c_int),
        direct(raw.FPDFText_GetCharAngle, ctypes.c_float),
        direct(raw.FPDFPage_GetObject, ctypes.c_void_p),
        direct(raw.FPDFPageObj_GetType, ctypes.c_int, ctypes.c_void_p),
    )


def _is_unknown(code: int) -> bool:
    """Whether a code stands for no character: none was found, it is no text, or of a private range."""
    if code in (0x02, 0xFFFE):  # what PDFium makes of a hyphen that divides a word
        return False
    return code < 0x20 or code == 0xFFFD or code > 0x10FFFF or 0xD800 <= code < 0xF900
