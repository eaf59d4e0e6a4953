"""Characters of a page with their places -> words.

Owns the value `Word`, and when two characters are one word's. Knows nothing of lines.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

_GAP = 0.22
"""The space between two characters, in sizes of their font, that divides words where no space is printed."""
_RISE = 0.15
"""How far a character may stand off the line of its word, in sizes of its font."""
_RAISED_SIZE = 0.85
_TOUCHING_AMOUNTS = re.compile(r"(?:\([0-9][0-9.,]{2,20}\)){2,12}")
_TOUCHING_YEARS = re.compile(r"(?:(?:19|20)[0-9]{2}){2,12}")
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


Character = tuple[str, float, float, float, float]
"""One printed character: its text, where it begins, where the next one would begin, the line that it stands on and the
size of its font. Places are in points, down and to the right from the page's top left corner. A plain tuple, as a
report has a million of them."""


@dataclass(frozen=True, slots=True)
class Font:
    """What a font looks like."""

    bold: bool = False
    italic: bool = False


@dataclass(frozen=True, slots=True)
class Word:
    """Characters that stand together; places as a character's.

    Attributes:
        text: As printed, ligatures taken apart.
        left: Where it begins.
        right: Where it ends.
        y: The line that it stands on.
        size: Of its font.
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


def join_characters(characters: Iterable[Character | None], fonts: Callable[[int], Font]) -> Iterator[Word]:
    """Yield the words that characters make, in the order of the characters.

    Args:
        characters: In the order in which the page prints them; None is white space.
        fonts: What the font of a character looks like, by the character's place in that order.
    """
    pending: list[Character] = []
    start = 0
    for place, character in enumerate(characters):
        if character is None:
            if pending:
                yield from _words(pending, start, fonts)
                pending = []
        elif not pending:
            start, pending = place, [character]
        elif _continues(pending, character):
            pending.append(character)
        else:
            yield from _words(pending, start, fonts)
            start, pending = place, [character]
    if pending:
        yield from _words(pending, start, fonts)


def _continues(pending: list[Character], character: Character) -> bool:
    _, before_left, right, before_y, before_size = pending[-1]
    _, left, _, y, size = character
    larger = size if size > before_size else before_size
    if len(pending) > 1 and pending[-2][2] > right:
        right = pending[-2][2]  # the letters of a ligature have one place
    if not before_left - 0.3 * larger <= left < right + _GAP * larger:
        return False
    step = abs(before_y - y)
    # On one line sizes may differ: small capitals do, and the letters of a ligature.
    return step < 0.02 * larger or (step < _RISE * larger and 0.8 < size / before_size < 1.25)


def _words(characters: list[Character], start: int, fonts: Callable[[int], Font]) -> Iterator[Word]:
    """Yield the word of some characters; two where cells touch ("(1,345)(1,900)", "20232022")."""
    cut = _first_cell("".join([character[0] for character in characters]))
    yield _word(characters[:cut] if cut else characters, fonts(start))
    if cut:
        yield from _words(characters[cut:], start + cut, fonts)


def _first_cell(text: str) -> int:
    """Return where the first of several cells that touch ends, or 0 if a text is not such cells."""
    if ")(" in text:
        return text.index(")(") + 1 if _TOUCHING_AMOUNTS.fullmatch(text) else 0
    if len(text) < 8 or not text.isdigit() or not _TOUCHING_YEARS.fullmatch(text):
        return 0
    return 4 if abs(int(text[:4]) - int(text[4:8])) == 1 else 0


def _word(characters: list[Character], font: Font) -> Word:
    texts, lefts, rights, lines, sizes = zip(*characters, strict=True)
    text = "".join(texts)
    if not (text.isascii() and text.isprintable()):
        text = text.translate(_PLAIN)
    return Word(text, lefts[0], max(rights), lines[0], max(sizes), font.bold, font.italic)


def mark_raised(words: list[Word]) -> list[Word]:
    """Returns the words of one line, those marked as raised that are small and stand higher than the line.

    Shape: as many words as given, in their order.
    """
    if len(words) < 2:
        return words
    size = max(word.size for word in words)
    base = next(word.y for word in words if word.size == size)
    return [
        replace(word, raised=True) if word.size <= _RAISED_SIZE * size and word.y < base - 0.1 * size else word
        for word in words
    ]
