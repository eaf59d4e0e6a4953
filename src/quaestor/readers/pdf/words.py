"""Characters of a page with their places -> words."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from quaestor.core.patterns import lazy_regex

_GAP = 0.22
"""The space between two characters, in sizes of their font, that divides words where no space is printed."""
_RISE = 0.15
"""How far a character may stand off the line of its word, in sizes of its font."""
_RAISED_SIZE = 0.85
_TOUCHING_AMOUNTS = lazy_regex(r"(?:\([0-9][0-9.,]{2,20}\)){2,12}")
_TOUCHING_YEARS = lazy_regex(r"(?:(?:19|20)[0-9]{2}){2,12}")
_PLAIN = str.maketrans(
    {
        "\ufb00": "ff",
        "\ufb01": "fi",
        "\ufb02": "fl",
        "\ufb03": "ffi",
        "\ufb04": "ffl",
        "\ufb05": "st",
        "\ufb06": "st",
        "\u0002": "-",
        "\ufffe": "-",
        "\u00ad": "-",
        "\u2010": "-",
        "\u2011": "-",
    }
)


class Characters(NamedTuple):
    """The characters of a page in the order in which it prints them; of each attribute, one item is one character's.

    Places are in points, down and to the right from the page's top left corner.

    Attributes:
        text: All of them; white space is " ".
        rights: Where the next one would begin.
        lines: The line that each is on; as the sizes, any number for white space.
    """

    text: str
    lefts: Sequence[float]
    rights: Sequence[float]
    lines: Sequence[float]
    sizes: Sequence[float]


@dataclass(frozen=True, slots=True)
class Font:
    """What a font looks like."""

    bold: bool = False
    italic: bool = False


class Word(NamedTuple):
    """Characters that stand together; places as a character's.

    Attributes:
        text: As printed, ligatures taken apart.
        y: The line that it is on.
        bold: Whether its font is.
        italic: Whether its font is.
        raised: Whether it is a small one that stands higher than the words beside it, as footnote marks do.
    """

    text: str
    left: float
    right: float
    y: float
    size: float
    bold: bool = False
    italic: bool = False
    raised: bool = False

    @property
    def top(self) -> float:
        """Where its capital letters end."""
        return self.y - 0.72 * self.size

    @property
    def bottom(self) -> float:
        """Where its descenders end."""
        return self.y + 0.22 * self.size


def join_characters(characters: Characters, font_of: Callable[[int], Font | None]) -> Iterator[Word]:
    """Yield the words that characters make, in their order; several where cells touch ("(1,345)(1,900)", "20232022").

    Args:
        font_of: Returns what the font of the character at a place looks like; None leaves out the word it begins.
    """
    text, lefts, rights, lines, sizes = characters
    for start, end in _find_words(characters):
        place = start
        while place < end:
            cell = text[place:end]
            if length := _first_cell(cell):
                cell = cell[:length]
            behind = place + len(cell)
            if font := font_of(place):
                if not (cell.isascii() and cell.isprintable()):
                    cell = cell.translate(_PLAIN)
                right, size = max(rights[place:behind]), max(sizes[place:behind])
                yield Word(cell, lefts[place], right, lines[place], size, font.bold, font.italic)
            place = behind


def _find_words(characters: Characters) -> Iterator[tuple[int, int]]:
    """Yield the place of the first character of each word and the place behind its last one."""
    start = -1
    before_left = before_right = before_line = before_size = reach = 0.0
    for place, (character, left, right, line, size) in enumerate(zip(*characters, strict=True)):
        if character == " ":
            if start >= 0:
                yield start, place
            start = -1
            continue
        if start >= 0:
            larger = size if size > before_size else before_size
            step = abs(before_line - line)
            # On one line sizes may differ: small capitals do, and the letters of a ligature.
            if (
                before_left - 0.3 * larger <= left < reach + _GAP * larger
                and step < _RISE * larger
                and (step < 0.02 * larger or 0.8 < size / before_size < 1.25)
            ):
                reach = right if right > before_right else before_right  # the letters of a ligature have one place
            else:
                yield start, place
                start, reach = place, right
        else:
            start, reach = place, right
        before_left, before_right, before_line, before_size = left, right, line, size
    if start >= 0:
        yield start, len(characters.text)


def _first_cell(text: str) -> int:
    """Return where the first of several cells that touch ends, or 0 if a text is not such cells."""
    if ")(" in text:
        return text.index(")(") + 1 if _TOUCHING_AMOUNTS.fullmatch(text) else 0
    if len(text) < 8 or not text.isdigit() or not _TOUCHING_YEARS.fullmatch(text):
        return 0
    return 4 if abs(int(text[:4]) - int(text[4:8])) == 1 else 0


def mark_raised(words: list[Word]) -> list[Word]:
    """Return the words of one line, those marked as raised that are small and stand higher than the line.

    Shape: as many words as given, in their order.
    """
    if len(words) < 2:
        return words
    size = max(word.size for word in words)
    base = next(word.y for word in words if word.size == size)
    return [
        word._replace(raised=True) if word.size <= _RAISED_SIZE * size and word.y < base - 0.1 * size else word
        for word in words
    ]
