"""Combines the characters of a page into words and lines, in reading order; lines consist of separate chunks.

Columns of text follow one another. Chunks are classified (label, number) in other modules.
"""

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from quaestor.core.patterns import lazy_regex

_GAP = 0.22
"""Gap between two characters that separates words if no space is printed, in font sizes."""
_RISE = 0.15
"""Limit for the vertical offset of a character from its word's baseline, in font sizes."""
_RAISED_SIZE = 0.85
_TOUCHING_AMOUNTS = lazy_regex(r"(?:\([0-9][0-9.,]{2,20}\)){2,12}")
_TOUCHING_YEARS = lazy_regex(r"(?:(?:19|20)[0-9]{2}){2,12}")
_PLAIN = str.maketrans(
    {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st", "\ufb06": "st"}
    | dict.fromkeys("\u0002\ufffe\u00ad\u2010\u2011", "-")
)
"""Splits ligatures and replaces PDFium's codes for hyphens."""


class Characters(NamedTuple):
    """Characters of a page in the order of the file, as one sequence for each attribute.

    Coordinates are in points, to the right and down from the top left corner of the page.

    Attributes:
        text: All characters; white space is " ".
        rights: Where the next character would begin.
        lines: Baseline of each character; for white space any number, as in `sizes`.
    """

    text: str
    lefts: Sequence[float]
    rights: Sequence[float]
    lines: Sequence[float]
    sizes: Sequence[float]


@dataclass(frozen=True, slots=True)
class Font:
    """Style of a font."""

    bold: bool = False
    italic: bool = False


class Word(NamedTuple):
    """Adjacent characters; coordinates as in `Characters`.

    Attributes:
        raised: Whether it is small and above the baseline of the words beside it, like a footnote mark.
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
        """Upper edge of capital letters."""
        return self.y - 0.72 * self.size

    @property
    def bottom(self) -> float:
        """Lower edge of descenders."""
        return self.y + 0.22 * self.size


def join_characters(characters: Characters, font_of: Callable[[int], Font | None]) -> Iterator[Word]:
    """Yield the words in order; cells without a gap become several words ("(1,345)(1,900)", "20232022").

    Args:
        font_of: Returns the font of the character at an index; None to leave out the word that begins there.
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
    """Yield start and end of each word in the characters."""
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
            # Sizes on one line may differ, e.g. for small capitals and the letters of a ligature.
            if (
                before_left - 0.3 * larger <= left < reach + _GAP * larger
                and step < _RISE * larger
                and (step < 0.02 * larger or 0.8 < size / before_size < 1.25)
            ):
                reach = right if right > before_right else before_right  # the letters of a ligature share a position
            else:
                yield start, place
                start, reach = place, right
        else:
            start, reach = place, right
        before_left, before_right, before_line, before_size = left, right, line, size
    if start >= 0:
        yield start, len(characters.text)


def _first_cell(text: str) -> int:
    """Return the length of the first of several cells without a gap, or 0 if the text is a single cell."""
    if ")(" in text:
        return text.index(")(") + 1 if _TOUCHING_AMOUNTS.fullmatch(text) else 0
    if len(text) < 8 or not text.isdigit() or not _TOUCHING_YEARS.fullmatch(text):
        return 0
    return 4 if abs(int(text[:4]) - int(text[4:8])) == 1 else 0


def mark_raised(words: list[Word]) -> list[Word]:
    """Return the words of a line, with small words above its baseline marked as raised.

    Shape: as many words as given, in the same order.
    """
    if len(words) < 2:
        return words
    size = max(word.size for word in words)
    base = next(word.y for word in words if word.size == size)
    return [
        word._replace(raised=True) if word.size <= _RAISED_SIZE * size and word.y < base - 0.1 * size else word
        for word in words
    ]


# Pages with columns of text.
#
# Unlike text columns, the columns of a table have numbers or few words beside a gap.

_LINES_AT_LEAST = 12
_WORDS_AT_LEAST = 3.5
"""Minimal average number of words per line on each side of the gap."""
_GAP_OF_COLUMNS = 0.9
"""Minimal width of the gap, in font sizes."""
_LETTERS = 0.75
"""Minimal share of words that begin with a letter; in tables most begin with digits or signs."""


def split_text_columns(rows: Sequence[Sequence[Word]]) -> list[list[Word]]:
    """Split a page: words above the columns, each column from left to right, words below.

    Args:
        rows: The words by line, from top to bottom, ignoring columns.
    """
    for start, end in _long_runs(rows):
        gap = _gap(rows[start:end])
        if gap is not None:
            inside = [word for row in rows[start:end] for word in row]
            left = [word for word in inside if word.right <= gap]
            right = [word for word in inside if word.right > gap]
            above = [word for row in rows[:start] for word in row]
            return [part for part in (above, left, right, *split_text_columns(rows[end:])) if part]
    return [[word for row in rows for word in row]] if rows else []


def _long_runs(rows: Sequence[Sequence[Word]]) -> Iterable[tuple[int, int]]:
    """Yield start and end of runs of lines that a vertical strip near the middle divides, longest first."""
    words = [word for row in rows for word in row]
    if len(rows) < _LINES_AT_LEAST or not words:
        return
    left, right = min(word.left for word in words), max(word.right for word in words)
    size = sorted(word.size for word in words)[len(words) // 2]
    strips = [left + (right - left) * part / 100 for part in range(35, 66, 3)]
    runs: set[tuple[int, int]] = set()
    starts = [0] * len(strips)
    for place, row in enumerate([*rows, None]):
        for strip in range(len(strips)) if row is None else _strips_entered(row, strips, 0.4 * size):
            if place - starts[strip] >= _LINES_AT_LEAST:
                runs.add((starts[strip], place))
            starts[strip] = place + 1
    yield from sorted(runs, key=lambda run: run[0] - run[1])


def _strips_entered(row: Sequence[Word], strips: Sequence[float], margin: float) -> set[int]:
    """Return the indices of the strips that a line's words overlap."""
    entered: set[int] = set()
    for word in row:
        entered.update(range(bisect_right(strips, word.left - margin), bisect_left(strips, word.right + margin)))
    return entered


def _gap(rows: Sequence[Sequence[Word]]) -> float | None:
    """Return the middle of the gap between two columns of text; None if the lines have no such columns."""
    words = [word for row in rows for word in row]
    size = sorted(word.size for word in words)[len(words) // 2]
    left, right = min(word.left for word in words), max(word.right for word in words)
    reach, best = left, None
    for word in sorted(words, key=lambda word: word.left):
        middle = (reach + word.left) / 2
        if word.left - reach > _GAP_OF_COLUMNS * size and 0.3 < (middle - left) / (right - left) < 0.7:
            best = middle
            break
        reach = max(reach, word.right)
    if best is None:
        return None
    halves = [word for word in words if word.right <= best], [word for word in words if word.right > best]
    return best if all(_is_running_text(half, len(rows)) for half in halves) else None


def _is_running_text(words: Sequence[Word], rows: int) -> bool:
    """Whether words are running text: many per line, mostly letters, and most lines about equally long."""
    letters = sum(word.text[0].isalpha() for word in words)
    if len(words) < _WORDS_AT_LEAST * rows or letters < _LETTERS * len(words):
        return False
    ends: dict[int, float] = {}
    for word in words:
        line = round(word.y / max(word.size, 1))
        ends[line] = max(ends.get(line, 0.0), word.right)
    left, reach = min(word.left for word in words), max(ends.values())
    return sum(end > left + 0.8 * (reach - left) for end in ends.values()) > 0.55 * len(ends)


_OVERLAP = 0.5
"""Minimal share of a word's height that must overlap with a line."""
_CHUNK_GAP = 0.9
"""Gap between two words that separates chunks, in font sizes."""
_NUMBER_GAP = 0.4
"""The same gap between two numbers, because a cell does not contain two of them."""
_MARK = lazy_regex(r"[0-9a-z]{1,2}")
_SPACE_BEHIND_MARK = lazy_regex(r"\) (?=[:;,.](?:\s|$))")
_LEADER = lazy_regex(r"[.·…_]{3,}|(?:\.\s?){3,}")
_NUMBER = lazy_regex(r"[($€£¥+\-\u2013—]*[0-9][0-9.,]*[)%]*|[($€£¥]*[—\u2013-]{1,2}[)%]*")
_WHOLE_AMOUNT = lazy_regex(
    r"[$€£¥]?\(?[$€£¥]?[-\u2013\u2212+]?[0-9]{1,3}(?:[.,'\u2019][0-9]{2,3}){1,6}\)?%?\)?|\([0-9]{3,15}\)"
    r"|\(?[-\u2013\u2212+]?[0-9]{1,3}(?:[.,][0-9]{1,2})?\)?%\)?"
)
"""A number that the next word cannot continue: it has separators, brackets or a percent sign."""
_CURRENCY = lazy_regex(r"(?:[A-Z]{1,2})?[$€£¥]\(?|\(|[$€£¥]?\([$€£¥]?")
_CLOSING = lazy_regex(r"\)?\s?%?\)?|\)")
_SIGNS = frozenset("$€£¥")
_FAR, _NEAR = 16.0, 2.5
"""Limits in font sizes for the gap between a currency sign and its number, and before a closing bracket."""
_WHOLE_YEAR = lazy_regex(r"(?:19|20)[0-9]{2}")
_MONTH_DAY = lazy_regex(r"[0-9]{1,2},")


@dataclass(frozen=True)
class Chunk:
    """Adjacent words of a line."""

    words: tuple[Word, ...]

    @cached_property
    def text(self) -> str:
        """Words separated by spaces, with raised footnote marks in brackets."""
        text = " ".join([f"({w.text})" if w.raised and _MARK.fullmatch(w.text) else w.text for w in self.words])
        return _SPACE_BEHIND_MARK.sub(")", text) if ") " in text else text

    @property
    def left(self) -> float:
        """Left edge."""
        return self.words[0].left

    @property
    def right(self) -> float:
        """Right edge."""
        return max(word.right for word in self.words)

    @property
    def center(self) -> float:
        """Horizontal middle."""
        return (self.left + self.right) / 2


@dataclass(frozen=True)
class TextLine:
    """A line of a page or of a column of text."""

    chunks: tuple[Chunk, ...]

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """All words from left to right."""
        return tuple(word for chunk in self.chunks for word in chunk.words)

    @cached_property
    def text(self) -> str:
        """Text of all chunks."""
        return " ".join([chunk.text for chunk in self.chunks])

    @property
    def left(self) -> float:
        """Left edge."""
        return self.chunks[0].left

    @cached_property
    def right(self) -> float:
        """Right edge."""
        return max(chunk.right for chunk in self.chunks)

    @cached_property
    def size(self) -> float:
        """Size of most of the letters."""
        letters = Counter[float]()
        for word in self.words:
            letters[round(word.size, 1)] += len(word.text)
        return max(letters, key=lambda size: (letters[size], size))

    @cached_property
    def y(self) -> float:
        """Baseline of the first word that is not raised."""
        return next((word.y for word in self.words if not word.raised), self.words[0].y)

    @cached_property
    def is_bold(self) -> bool:
        """Whether all words with a letter or digit are bold."""
        return all(word.bold for word in self.words if any(map(str.isalnum, word.text)))

    @cached_property
    def is_italic(self) -> bool:
        """Whether all words with a letter or digit are italic."""
        return all(word.italic for word in self.words if any(map(str.isalnum, word.text)))


def find_lines(words: Iterable[Word]) -> list[TextLine]:
    """Combine words into lines, from top to bottom.

    If the text is in columns, the lines of the first column come before those of the second.
    """
    rows = _rows(word for word in words if word.text.strip())
    parts = split_text_columns(rows)
    return [_line(row) for row in (rows if len(parts) < 2 else (row for part in parts for row in _rows(part)))]


def _rows(words: Iterable[Word]) -> list[list[Word]]:
    """Group words by line, from top to bottom, each line from left to right."""
    rows: list[list[Word]] = []
    bands: list[tuple[float, float, float]] = []
    for word in sorted(words, key=lambda word: (word.y, word.left)):
        top, bottom = word.top, word.bottom
        best, share = -1, _OVERLAP
        for place in range(len(rows) - 1, max(len(rows) - 6, -1), -1):
            upper, lower, _ = bands[place]
            overlap = (lower if lower < bottom else bottom) - (upper if upper > top else top)
            if overlap > 0 and overlap >= share * min(lower - upper, bottom - top):
                best, share = place, overlap / min(lower - upper, bottom - top)
        if best < 0:
            rows.append([word])
            bands.append((top, bottom, word.size))
        else:
            rows[best].append(word)
            if word.size > 1.2 * bands[best][2]:
                bands[best] = (top, bottom, word.size)
    order = sorted(range(len(rows)), key=lambda place: bands[place])
    return [sorted(rows[place], key=lambda word: word.left) for place in order]


def _line(row: list[Word]) -> TextLine:
    words = mark_raised(row)
    chunks: list[list[Word]] = [[words[0]]]
    for place, (before, word) in enumerate(pairwise(words), start=1):
        if _are_separate(before, word) or _begins_cell(words, place):
            chunks.append([word])
        else:
            chunks[-1].append(word)
    found = (Chunk(tuple(words)) for chunk in chunks if (words := _without_leader(chunk)))
    return TextLine(tuple(found) or (Chunk(tuple(row)),))


def _are_separate(before: Word, word: Word) -> bool:
    size = min(before.size, word.size) if not (before.raised or word.raised) else max(before.size, word.size)
    letters = before.text.isalpha() and word.text.isalpha()
    return word.left - before.right > (_CHUNK_GAP if letters else _least_gap(before, word)) * size


def _least_gap(before: Word, word: Word) -> float:
    """Return the minimal gap that separates two words, in font sizes."""
    after_number, number = _NUMBER.fullmatch(before.text), _NUMBER.fullmatch(word.text)
    numbers = after_number and number and not word.raised
    amounts = numbers and _WHOLE_AMOUNT.fullmatch(before.text) and _WHOLE_AMOUNT.fullmatch(word.text)
    if amounts or _LEADER.fullmatch(before.text) or _LEADER.fullmatch(word.text):
        return -math.inf
    if number and _CURRENCY.fullmatch(before.text):
        return _FAR
    if after_number and _CLOSING.fullmatch(word.text):
        return _NEAR
    if (after_number or before.text[-1] in "%)") and _CURRENCY.fullmatch(word.text) and word.text != "(":
        return _NUMBER_GAP
    is_date = _MONTH_DAY.fullmatch(before.text) and _WHOLE_YEAR.fullmatch(word.text)
    return _NUMBER_GAP if numbers and not is_date else _CHUNK_GAP


def _begins_cell(words: Sequence[Word], place: int) -> bool:
    """Whether a word is a currency sign with a gap before its number, which occurs only in cells."""
    word, following = words[place], words[place + 1] if place + 1 < len(words) else None
    return (
        following is not None
        and word.text in _SIGNS
        and following.left - word.right > _NUMBER_GAP * word.size
        and _NUMBER.fullmatch(following.text) is not None
    )


def _without_leader(words: list[Word]) -> list[Word]:
    """Return the words without leaders (dots between a label and its number)."""
    dots = sum(word.text == "." for word in words) > 2
    return [word for word in words if not (_LEADER.fullmatch(word.text) or (dots and word.text == "."))]


def usual_pitch(lines: Sequence[TextLine]) -> float:
    """Return the usual distance between lines, in points."""
    steps = [below.y - above.y for above, below in pairwise(lines)]
    close = [step for above, step in zip(lines, steps, strict=False) if 0.5 * above.size < step < 2 * above.size]
    return median(close) if close else 12.0
