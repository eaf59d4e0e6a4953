"""Characters of a page with their places -> words -> lines, each in chunks that stand apart, in reading order.

Columns of text come one after the other. What a chunk is (a label, a number) is decided elsewhere.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import median
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
    {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st", "\ufb06": "st"}
    | dict.fromkeys("\u0002\ufffe\u00ad\u2010\u2011", "-")
)
"""Ligatures taken apart, and signs that PDFium makes of a hyphen."""


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


# Pages that set their text in columns -> the words of one column after the other.
#
# The gap between the columns of a table has numbers or few words beside it.

_LINES_AT_LEAST = 12
_WORDS_AT_LEAST = 3.5
"""How many words a line has on each side of the gap, on average."""
_GAP_OF_COLUMNS = 0.9
"""How wide the gap is at least, in sizes of the font."""
_LETTERS = 0.75
"""What part of the words begins with a letter: in tables most begin with digits and signs."""


def split_text_columns(rows: Sequence[Sequence[Word]]) -> list[list[Word]]:
    """Return the words of a page in parts: what is above columns, the columns from left to right, what is below.

    Args:
        rows: The words by line, from the top down, as if there were no columns.
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
    """Yield start and end of the runs of lines that one strip near the middle divides, the longest ones first."""
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
    """Return the places of the strips that the words of a line enter."""
    entered: set[int] = set()
    for word in row:
        entered.update(range(bisect_right(strips, word.left - margin), bisect_left(strips, word.right + margin)))
    return entered


def _gap(rows: Sequence[Sequence[Word]]) -> float | None:
    """Return the middle of the gap that divides lines into two columns of text, or None if they are not in columns."""
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
    """Whether words are lines of text: many a line, most of letters, and most lines about as long as the longest."""
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
"""How much of a word's height has to be beside a line for it to be on that line."""
_CHUNK_GAP = 0.9
"""The gap between two words, in sizes of their font, that sets chunks apart."""
_NUMBER_GAP = 0.4
"""The same between two numbers, which one cell does not print side by side."""
_MARK = lazy_regex(r"[0-9a-z]{1,2}")
_SPACE_BEHIND_MARK = lazy_regex(r"\) (?=[:;,.](?:\s|$))")
_LEADER = lazy_regex(r"[.·…_]{3,}|(?:\.\s?){3,}")
_NUMBER = lazy_regex(r"[($€£¥+\-\u2013—]*[0-9][0-9.,]*[)%]*|[($€£¥]*[—\u2013-]{1,2}[)%]*")
_WHOLE_AMOUNT = lazy_regex(
    r"[$€£¥]?\(?[$€£¥]?[-\u2013\u2212+]?[0-9]{1,3}(?:[.,'\u2019][0-9]{2,3}){1,6}\)?%?\)?|\([0-9]{3,15}\)"
    r"|\(?[-\u2013\u2212+]?[0-9]{1,3}(?:[.,][0-9]{1,2})?\)?%\)?"
)
"""A number that no other word continues: it has separators, brackets around it or a percent sign behind it."""
_CURRENCY = lazy_regex(r"(?:[A-Z]{1,2})?[$€£¥]\(?|\(|[$€£¥]?\([$€£¥]?")
_CLOSING = lazy_regex(r"\)?\s?%?\)?|\)")
_SIGNS = frozenset("$€£¥")
_FAR, _NEAR = 16.0, 2.5
"""How far, in sizes of the font, a currency sign is before its number and a closing bracket behind it."""
_WHOLE_YEAR = lazy_regex(r"(?:19|20)[0-9]{2}")
_MONTH_DAY = lazy_regex(r"[0-9]{1,2},")


@dataclass(frozen=True)
class Chunk:
    """Adjacent words of a line."""

    words: tuple[Word, ...]

    @cached_property
    def text(self) -> str:
        """The words with spaces between; footnote marks that are raised in brackets."""
        text = " ".join([f"({w.text})" if w.raised and _MARK.fullmatch(w.text) else w.text for w in self.words])
        return _SPACE_BEHIND_MARK.sub(")", text) if ") " in text else text

    @property
    def left(self) -> float:
        """Where it begins."""
        return self.words[0].left

    @property
    def right(self) -> float:
        """Where it ends."""
        return max(word.right for word in self.words)

    @property
    def center(self) -> float:
        """Its middle."""
        return (self.left + self.right) / 2


@dataclass(frozen=True)
class TextLine:
    """What is on one line, or on one line of one column of text."""

    chunks: tuple[Chunk, ...]

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """All its words, left to right."""
        return tuple(word for chunk in self.chunks for word in chunk.words)

    @cached_property
    def text(self) -> str:
        """All of it."""
        return " ".join([chunk.text for chunk in self.chunks])

    @property
    def left(self) -> float:
        """Where it begins."""
        return self.chunks[0].left

    @cached_property
    def right(self) -> float:
        """Where it ends."""
        return max(chunk.right for chunk in self.chunks)

    @cached_property
    def size(self) -> float:
        """The size of most of its letters."""
        letters: dict[float, int] = {}
        for word in self.words:
            letters[word.size] = letters.get(word.size, 0) + len(word.text)
        if len(letters) == 1:
            return round(self.words[0].size, 1)
        by_size: dict[float, int] = {}
        for exact, count in letters.items():
            size = round(exact, 1)
            by_size[size] = by_size.get(size, 0) + count
        return max(by_size, key=lambda size: (by_size[size], size))

    @cached_property
    def y(self) -> float:
        """The height of its first full-sized word."""
        return next((word.y for word in self.words if not word.raised), self.words[0].y)

    @cached_property
    def is_bold(self) -> bool:
        """Whether all its words are, those without a letter or digit aside."""
        return all(word.bold for word in self.words if any(map(str.isalnum, word.text)))

    @cached_property
    def is_italic(self) -> bool:
        """Whether all its words are, likewise."""
        return all(word.italic for word in self.words if any(map(str.isalnum, word.text)))


def find_lines(words: Iterable[Word]) -> list[TextLine]:
    """Return the lines that words make, from the top down.

    Where the page sets its text in columns, the first column's lines come before the second's.
    """
    rows = _rows(word for word in words if word.text.strip())
    parts = split_text_columns(rows)
    return [_line(row) for row in (rows if len(parts) < 2 else (row for part in parts for row in _rows(part)))]


def _rows(words: Iterable[Word]) -> list[list[Word]]:
    """Return the words by line, from the top down, each line's from left to right."""
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
    """Return the gap between two words, in sizes of their font, that sets them apart."""
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
    """Whether a word is a currency sign that stands apart from its number, as it does in cells alone."""
    word, following = words[place], words[place + 1] if place + 1 < len(words) else None
    return (
        following is not None
        and word.text in _SIGNS
        and following.left - word.right > _NUMBER_GAP * word.size
        and _NUMBER.fullmatch(following.text) is not None
    )


def _without_leader(words: list[Word]) -> list[Word]:
    """Return words without the dots that lead the eye from a label to its number."""
    dots = sum(word.text == "." for word in words) > 2
    return [word for word in words if not (_LEADER.fullmatch(word.text) or (dots and word.text == "."))]


def usual_pitch(lines: Sequence[TextLine]) -> float:
    """Return the usual distance from one line to the next, in points."""
    steps = [below.y - above.y for above, below in pairwise(lines)]
    close = [step for above, step in zip(lines, steps, strict=False) if 0.5 * above.size < step < 2 * above.size]
    return median(close) if close else 12.0
