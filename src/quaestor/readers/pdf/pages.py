"""Reads the pages of a PDF file as lines of text and drawn rules, with PDFium.

PDFium must not be called by two threads at once.
"""

import ctypes
import math
import re
import threading
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from quaestor.errors import DatasetError
from quaestor.readers.pdf.lines import Characters, Font, TextLine, find_lines, join_characters

PAGES_AT_MOST = 20_000
CHARACTERS_AT_MOST = 2_500_000
"""The rest of a longer file is left out with a warning; a large filing has 300 pages and 1,000,000 characters."""
_CHARACTERS_OF_A_PAGE = 60_000
_DRAWN_AT_MOST = 4_000
_SIZE_OF_A_BOX = 0.88
"""Font size relative to the height of the box of a character."""
_FLAG_ITALIC, _FLAG_BOLD = 1 << 6, 1 << 18
_LONGEST_NAME = 200
_BOLD_NAME = re.compile(rb"bold|black|heavy|demi", re.IGNORECASE)
_ITALIC_NAME = re.compile(rb"ital|obliq", re.IGNORECASE)
_PASSWORD_ERROR = 4
_SAMPLED = 60
_THICKEST_RULE = 2.5
_BETWEEN_PIECES = 1.6
"""Limit in points for gaps between the pieces of one rule, which may be drawn cell by cell or dotted."""
_BLANK = frozenset({0x20, 0x0D, 0x0A, 0x09, 0xA0})

_one_at_a_time = threading.RLock()


@dataclass(frozen=True, slots=True)
class Rule:
    """Horizontal line; coordinates as in `Word`."""

    left: float
    right: float
    y: float


@dataclass(frozen=True, slots=True)
class Page:
    """Content of a page.

    Attributes:
        lines: From top to bottom, one column of text after the other.
        rules: Horizontal lines; empty for a page without tables, which does not need them.
        unknown: Number of characters without Unicode value; they are left out of the lines.
        cut: Whether text was left out because there is too much.
    """

    number: int
    lines: tuple[TextLine, ...]
    rules: tuple[Rule, ...] = ()
    characters: int = 0
    unknown: int = 0
    cut: bool = False


@dataclass(frozen=True, slots=True)
class PageFailure:
    """A page that cannot be read."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class UnreadPages:
    """Pages that are not read because the file is larger than any report."""

    first: int
    last: int


@contextmanager
def open_pdf(path: Path, data: bytes) -> Iterator["PdfFile"]:
    """Open a file; other threads cannot read PDF files meanwhile.

    Raises:
        DatasetError: The file cannot be opened: it needs a password, or is damaged.
    """
    with _one_at_a_time, closing(_open(path, data)) as document:
        yield PdfFile(document)


class PdfFile:
    """An open PDF file."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self.page_count = len(document)

    def pages(self, first: int = 0, step: int = 1) -> Iterator[Page | PageFailure]:
        """Yield every `step`-th page from index `first`, up to the limits of pages and characters."""
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
    with closing(document[index]) as page, closing(page.get_textpage()) as text:
        return _TextReader(page, text).read(index + 1)


class _TextReader:
    """Reads one page.

    Each library function is called for all characters in turn, because a report has a million of them.
    """

    def __init__(self, page: Any, text: Any) -> None:
        self._functions = _library_functions()
        self._page, self._text = (ctypes.cast(part.raw, ctypes.c_void_p) for part in (page, text))
        self._characters_printed = text.count_chars()
        self._characters_read = min(self._characters_printed, _CHARACTERS_OF_A_PAGE)
        self._turn = self._main_turn()
        self._upright = _Rotation(self._turn, page.get_bbox())
        self._name, self._flags = ctypes.create_string_buffer(_LONGEST_NAME), ctypes.c_int()

    def read(self, number: int) -> Page:
        glyphs = [*map(_glyph, map(self._functions.code, repeat(self._text), range(self._characters_read)))]
        places = [place for place, glyph in enumerate(glyphs) if glyph]
        words = join_characters(self._characters("".join(glyphs), places), lambda at: self._font(places[at]))
        lines = tuple(find_lines(words))
        has_cells = any(len(line.chunks) > 1 for line in lines)
        return Page(
            number,
            lines,
            _join_rules(self._rules()) if has_cells else (),
            self._characters_read,
            self._characters_read - len(places),
            self._characters_read < self._characters_printed,
        )

    def _main_turn(self) -> int:
        """Return the main rotation of the text in quarter turns, from a sample."""
        step = max(1, self._characters_read // _SAMPLED)
        turns = Counter(self._turn_of(place) for place in range(0, self._characters_read, step))
        return max(turns, key=lambda turn: (turn >= 0, turns[turn]), default=0) if turns else 0

    def _turn_of(self, place: int) -> int:
        return quarter(-self._functions.angle(self._text, place))  # the library measures clockwise

    def _characters(self, text: str, places: list[int]) -> Characters:
        """Return the characters with the given indices on the page."""
        lefts, tops, rights, bottoms = self._upright.boxes(*self._boxes(places))
        x, y = ctypes.c_double(), ctypes.c_double()
        to_x, to_y = ctypes.byref(x), ctypes.byref(y)
        lines: list[float] = []
        sizes: list[float] = []
        line = size = upper = lower = 0.0
        for place, character, top, bottom in zip(places, text, tops, bottoms, strict=True):
            # Characters with equal upper and lower edges are on one line.
            if (top != upper or bottom != lower) and character != " ":
                upper, lower = top, bottom
                self._functions.origin(self._text, place, to_x, to_y)
                line, size = self._upright.y(x.value, y.value), max((bottom - top) * _SIZE_OF_A_BOX, 0.1)
            lines.append(line)
            sizes.append(size)
        return Characters(text, lefts, rights, lines, sizes)

    def _boxes(self, places: list[int]) -> Iterator[list[float]]:
        """Yield the left, upper, right and lower edges of the boxes of characters."""
        boxes = (ctypes.c_float * (4 * len(places)))()
        to_boxes = map(ctypes.byref, repeat(boxes), range(0, ctypes.sizeof(boxes), 16))
        deque(map(self._functions.box, repeat(self._text), places, to_boxes), maxlen=0)
        edges = boxes[:]
        return (edges[first::4] for first in range(4))

    def _font(self, place: int) -> Font | None:
        """Return the font of a character; None if its rotation differs from that of the page."""
        if self._turn_of(place) != self._turn:
            return None
        length = self._functions.font(self._text, place, self._name, _LONGEST_NAME, ctypes.byref(self._flags))
        return _font(self._name.value if 0 < length <= _LONGEST_NAME else b"", self._flags.value)

    def _rules(self) -> Iterator[Rule]:
        from pypdfium2 import raw

        functions = self._functions
        edges = left, bottom, right, top = tuple(ctypes.c_float() for _ in range(4))
        to_edges = [*map(ctypes.byref, edges)]
        count = min(functions.drawn_count(self._page), _DRAWN_AT_MOST)
        everything = [*map(functions.drawn, repeat(self._page), range(count))]
        for drawn, kind in zip(everything, map(functions.kind, everything), strict=True):
            if kind == raw.FPDF_PAGEOBJ_PATH and functions.bounds(drawn, *to_edges):
                start, upper, end, lower = self._upright.box(left.value, top.value, right.value, bottom.value)
                if lower - upper < _THICKEST_RULE and end > start:
                    yield Rule(start, end, (upper + lower) / 2)


def _join_rules(pieces: Iterable[Rule]) -> tuple[Rule, ...]:
    """Return rules, joined from their pieces, from top to bottom."""
    found: list[Rule] = []
    for piece in sorted(pieces, key=lambda piece: (round(piece.y), piece.left)):
        last = found[-1] if found else None
        if last and abs(piece.y - last.y) < 1 and piece.left < last.right + _BETWEEN_PIECES:
            found[-1] = Rule(last.left, max(last.right, piece.right), last.y)
        else:
            found.append(piece)
    return tuple(found)


class _Rotation:
    """Converts coordinates of the file (upwards) to those of the reader (downwards from the top left corner)."""

    def __init__(self, turn: int, page: tuple[float, float, float, float]) -> None:
        self._cos, self._sin = (1, 0, -1, 0)[turn], (0, 1, 0, -1)[turn]
        self.is_upright = self._cos == 1
        self.left = self.top = 0.0
        left, bottom, right, top = page
        self.left, self.top, *_ = self.box(left, top, right, bottom)

    def box(self, left: float, top: float, right: float, bottom: float) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom of a box in the reader's coordinates."""
        if self.is_upright:
            return left - self.left, -top - self.top, right - self.left, -bottom - self.top
        xs = [left * self._cos + bottom * self._sin, right * self._cos + top * self._sin]
        ys = [left * self._sin - bottom * self._cos, right * self._sin - top * self._cos]
        return min(xs) - self.left, min(ys) - self.top, max(xs) - self.left, max(ys) - self.top

    def boxes(self, *edges: Sequence[float]) -> Iterable[Sequence[float]]:
        """Return the left, upper, right and lower edges of boxes in the reader's coordinates."""
        if not self.is_upright:
            return zip(*map(self.box, *edges), strict=True) if edges[0] else edges
        lefts, tops, rights, bottoms = edges
        over, above = self.left, self.top
        return (
            [left - over for left in lefts],
            [-top - above for top in tops],
            [right - over for right in rights],
            [-bottom - above for bottom in bottoms],
        )

    def y(self, x: float, y: float) -> float:
        """Return the distance of a point from the top."""
        return x * self._sin - y * self._cos - self.top


@lru_cache(maxsize=1024)
def quarter(angle: float) -> int:
    """Return an angle (radians) in quarter turns, 0 to 3; -1 if it is oblique.

    >>> quarter(0.0), quarter(1.5708), quarter(0.7)
    (0, 1, -1)
    """
    turns = angle / (math.pi / 2)
    return round(turns) % 4 if abs(turns - round(turns)) < 0.05 else -1


@lru_cache(maxsize=4096)
def _glyph(code: int) -> str:
    """Return the character for a code: " " for white space, "" if it is unknown."""
    if code in _BLANK or (not _is_unknown(code) and chr(code).isspace()):
        return " "
    return "" if _is_unknown(code) else chr(code)


@lru_cache(maxsize=1024)
def _font(name: bytes, flags: int) -> Font:
    return Font(
        bool(_BOLD_NAME.search(name) or flags & _FLAG_BOLD), bool(_ITALIC_NAME.search(name) or flags & _FLAG_ITALIC)
    )


@lru_cache(maxsize=1)
def _library_functions() -> SimpleNamespace:
    """Return the functions of the library that are called for each character, word or drawn object.

    They are called without argument conversion and without releasing the interpreter lock, both of which take longer
    than the functions themselves.
    """
    from pypdfium2 import raw

    def direct(function: Any, returned: Any, *arguments: Any) -> Any:
        return ctypes.PYFUNCTYPE(returned, *arguments)(ctypes.cast(function, ctypes.c_void_p).value or 0)

    return SimpleNamespace(
        code=direct(raw.FPDFText_GetUnicode, ctypes.c_uint),
        box=direct(raw.FPDFText_GetLooseCharBox, ctypes.c_int),
        origin=direct(raw.FPDFText_GetCharOrigin, ctypes.c_int),
        angle=direct(raw.FPDFText_GetCharAngle, ctypes.c_float),
        font=direct(raw.FPDFText_GetFontInfo, ctypes.c_ulong),
        drawn_count=direct(raw.FPDFPage_CountObjects, ctypes.c_int),
        drawn=direct(raw.FPDFPage_GetObject, ctypes.c_void_p),
        kind=direct(raw.FPDFPageObj_GetType, ctypes.c_int, ctypes.c_void_p),
        bounds=direct(raw.FPDFPageObj_GetBounds, ctypes.c_int, ctypes.c_void_p),
    )


def _is_unknown(code: int) -> bool:
    """Whether a code is not a character: missing, not valid text, or in a private range."""
    if code in (0x02, 0xFFFE):  # PDFium's codes for a hyphen at the end of a line
        return False
    return code < 0x20 or code == 0xFFFD or code > 0x10FFFF or 0xD800 <= code < 0xF900
