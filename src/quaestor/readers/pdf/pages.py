"""A PDF file -> its pages as words and drawn rules, by way of PDFium.

Owns all contact with the library: opening, what its errors mean to a person, and one page at a time in memory. PDFium
must not be called by two threads at once.
"""

import ctypes
import math
import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quaestor.errors import DatasetError
from quaestor.readers.pdf.words import Character, Font, Word, join_characters

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
_SPACE = Character(" ", 0, 0, 0, 1)

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
        words: In the order in which the file has them.
        rules: The lines drawn from left to right.
        characters: How many it has.
        unknown: How many of them have no meaning in Unicode; they are in no word.
        cut: Whether words were left out, because there were too many.
    """

    number: int
    width: float
    height: float
    words: tuple[Word, ...]
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


def pages_of(path: Path, data: bytes) -> Iterator[Page | PageFailure | PagesLeft]:
    """Yields the pages of a file in their order, and last what is left out of a file that is too large.

    Raises:
        DatasetError: The file cannot be opened: it wants a password, or is broken.
    """
    import pypdfium2

    with _one_at_a_time:
        document = _open(path, data)
        try:
            count, characters = len(document), 0
            for index in range(count):
                if index >= PAGES_AT_MOST or characters > CHARACTERS_AT_MOST:
                    yield PagesLeft(index + 1, count)
                    return
                try:
                    page = _read_page(document, index)
                except (pypdfium2.PdfiumError, ValueError, OverflowError) as error:
                    yield PageFailure(index + 1, " ".join(str(error).split()))
                    continue
                characters += page.characters
                yield page
        finally:
            document.close()


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
        self._characters_printed = text.count_chars()
        self._taken = min(self._characters_printed, _CHARACTERS_OF_A_PAGE)
        self._turn = self._main_turn()
        self._upright = _Turning(self._turn, page.get_bbox())
        self._buffer = ctypes.create_string_buffer(200)
        self._flags = ctypes.c_int()
        self._fonts: dict[tuple[bytes, int], Font] = {}
        self._places: list[int] = []
        self._aslant: list[bool] = []
        self._unknown = 0

    def read(self, number: int) -> Page:
        words = list(join_characters(self._characters(), self._font))
        if any(self._aslant):
            words = [word for word, aslant in zip(words, self._aslant, strict=True) if not aslant]
        return Page(
            number,
            self._upright.width,
            self._upright.height,
            tuple(words),
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
        return quarter(-self._raw.FPDFText_GetCharAngle(self._text.raw, place))  # the library counts clockwise

    def _characters(self) -> Iterator[Character]:
        raw, text, turn = self._raw, self._text.raw, self._upright
        box, x, y = raw.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
        get_code, get_box, get_origin = (
            raw.FPDFText_GetUnicode,
            raw.FPDFText_GetLooseCharBox,
            raw.FPDFText_GetCharOrigin,
        )
        for place in range(self._taken):
            code = get_code(text, place)
            if code in _BLANK:
                self._places.append(place)
                yield _SPACE
            elif _is_unknown(code):
                self._unknown += 1
            else:
                get_box(text, place, box)
                get_origin(text, place, x, y)
                left, top, right, bottom = turn.box(box.left, box.top, box.right, box.bottom)
                self._places.append(place)
                size = max((bottom - top) * _SIZE_OF_A_BOX, 0.1)
                yield Character(chr(code), left, right, turn.y(x.value, y.value), size)

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
        raw, page = self._raw, self._page.raw
        left, bottom, right, top = (ctypes.c_float() for _ in range(4))
        for place in range(min(raw.FPDFPage_CountObjects(page), _DRAWN_AT_MOST)):
            drawn = raw.FPDFPage_GetObject(page, place)
            if raw.FPDFPageObj_GetType(drawn) == raw.FPDF_PAGEOBJ_PATH and raw.FPDFPageObj_GetBounds(
                drawn, left, bottom, right, top
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
        self._left = self._top = 0.0
        left, bottom, right, top = page
        self._left, self._top, end, low = self.box(left, top, right, bottom)
        self.width, self.height = end - self._left, low - self._top

    def box(self, left: float, top: float, right: float, bottom: float) -> tuple[float, float, float, float]:
        """Returns left, top, right and bottom of a box as a reader sees it."""
        if self._cos == 1:
            return left - self._left, -top - self._top, right - self._left, -bottom - self._top
        xs = [left * self._cos + bottom * self._sin, right * self._cos + top * self._sin]
        ys = [left * self._sin - bottom * self._cos, right * self._sin - top * self._cos]
        return min(xs) - self._left, min(ys) - self._top, max(xs) - self._left, max(ys) - self._top

    def y(self, x: float, y: float) -> float:
        """Returns how far down a point is."""
        return x * self._sin - y * self._cos - self._top


def quarter(angle: float) -> int:
    """Returns an angle (radians) in quarters of a circle, 0 to 3; -1 where it is aslant.

    >>> quarter(0.0), quarter(1.5708), quarter(0.7)
    (0, 1, -1)
    """
    turns = angle / (math.pi / 2)
    return round(turns) % 4 if abs(turns - round(turns)) < 0.05 else -1


def _is_unknown(code: int) -> bool:
    """Whether a code stands for no character: none was found, it is no text, or of a private range."""
    if code in (0x02, 0xFFFE):  # what PDFium makes of a hyphen that divides a word
        return False
    return code < 0x20 or code == 0xFFFD or code > 0x10FFFF or 0xD800 <= code < 0xF900
