"""Words of a page -> lines, each in chunks that stand apart, in reading order; columns of text one after the other.

What a chunk is (a label, a number) is decided elsewhere.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import median

from quaestor.core.patterns import lazy_regex
from quaestor.readers.pdf.text_columns import text_columns
from quaestor.readers.pdf.words import Word, mark_raised

_OVERLAP = 0.5
"""How much of a word's height has to be beside a line for it to be on that line."""
_APART = 0.9
"""The gap between two words, in sizes of their font, that sets chunks apart."""
_APART_NUMBERS = 0.4
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
    """Words of a line that stand together.

    Attributes:
        words: Left to right.
    """

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
    """What is on one line, or on one line of one column of text.

    Attributes:
        chunks: Left to right, at least one.
    """

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
    def top(self) -> float:
        """Where it begins, from the top of the page."""
        return min(word.top for word in self.words)

    @cached_property
    def bottom(self) -> float:
        """Where it ends."""
        return max(word.bottom for word in self.words)

    @cached_property
    def is_bold(self) -> bool:
        """Whether all its words are, those without a letter or digit aside."""
        return all(word.bold for word in self.words if any(map(str.isalnum, word.text)))

    @cached_property
    def is_italic(self) -> bool:
        """Whether all its words are, likewise."""
        return all(word.italic for word in self.words if any(map(str.isalnum, word.text)))


def lines_of(words: Iterable[Word]) -> list[TextLine]:
    """Return the lines that words make, from the top down.

    Where the page sets its text in columns, the first column's lines come before the second's.
    """
    rows = _rows(word for word in words if word.text.strip())
    parts = text_columns(rows)
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
            beside = (lower if lower < bottom else bottom) - (upper if upper > top else top)
            if beside > 0 and beside >= share * min(lower - upper, bottom - top):
                best, share = place, beside / min(lower - upper, bottom - top)
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
        if _stand_apart(before, word) or _begins_cell(words, place):
            chunks.append([word])
        else:
            chunks[-1].append(word)
    found = (Chunk(tuple(words)) for chunk in chunks if (words := _without_leader(chunk)))
    return TextLine(tuple(found) or (Chunk(tuple(row)),))


def _stand_apart(before: Word, word: Word) -> bool:
    size = min(before.size, word.size) if not (before.raised or word.raised) else max(before.size, word.size)
    letters = before.text.isalpha() and word.text.isalpha()
    return word.left - before.right > (_APART if letters else _least_gap(before, word)) * size


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
        return _APART_NUMBERS
    is_date = _MONTH_DAY.fullmatch(before.text) and _WHOLE_YEAR.fullmatch(word.text)
    return _APART_NUMBERS if numbers and not is_date else _APART


def _begins_cell(words: Sequence[Word], place: int) -> bool:
    """Whether a word is a currency sign that stands apart from its number, as it does in cells alone."""
    word, following = words[place], words[place + 1] if place + 1 < len(words) else None
    return (
        following is not None
        and word.text in _SIGNS
        and following.left - word.right > _APART_NUMBERS * word.size
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
