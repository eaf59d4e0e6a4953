"""The cells of a row put together: `$`, `(`, `)`, `%` and footnote marks that are in cells of their own.

A cell keeps the columns that it covers in the file, from the first of its parts to the last one.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from quaestor.core.number_conventions import END_LOOK, NUMBER_LOOK, SIGN_LOOK
from quaestor.core.parsing import is_money
from quaestor.core.periods import parse_period
from quaestor.readers.html.blocks import RawCell, RawTable
from quaestor.readers.html.inline import InlineTag
from quaestor.readers.html.styles import Style

COLUMNS_AT_MOST = 400
"""Of a file's table; what stands farther right is put into the last one."""


@dataclass(frozen=True, slots=True)
class Item:
    """A printed cell and the columns of the file that it covers.

    Attributes:
        text: As printed, what belongs to a number joined to it.
        end: The column after the last one.
        is_value: Whether it is a number or a dash, and no year.
        is_year: Whether it is a year and no more.
        heading: Whether the file says that it is one (`th`).
        linked: Whether it is a link within the file.
        is_mark: Whether it is a raised footnote mark, of what is printed before it.
    """

    text: str
    start: int
    end: int
    marks: tuple[InlineTag, ...]
    look: Style
    is_value: bool
    is_year: bool
    heading: bool = False
    linked: bool = False
    rows: int = 1
    is_mark: bool = False

    @property
    def width(self) -> int:
        """How many columns of the file it covers."""
        return self.end - self.start

    def covers(self, start: int, end: int) -> bool:
        """Whether it is in some of the columns from `start` to `end`."""
        return self.start < end and start < self.end


_CURRENCY = r"(?:u\.?s\.?\s?\$|hk\$|nt\$|[acr]\$|[$€£¥₩₹])"
_VALUE = re.compile(
    rf"(?:[(\[<]|{SIGN_LOOK})?\s?{_CURRENCY}?\s?(?:[(\[]|{SIGN_LOOK})?\s?{NUMBER_LOOK}{END_LOOK}"
    r"\s?[)\]>]?\s?(?:%|x|bps|pts|bp)?\s?[)\]]?\s?%?"
    r"(?:\s?(?:\([0-9a-z]{1,2}\)|[*†‡]+))*",
    re.IGNORECASE,
)
_DASH = re.compile(
    rf"{_CURRENCY}?\s?[-\u2010-\u2015\u2212_]{{1,4}}\s?%?|\(\s?[-\u2010-\u2015\u2212]+\s?\)|n/?[am]\.?|\*+", re.I
)
_YEAR = re.compile(r"(?:19|20)[0-9]{2}(?:\s?(?:\([0-9a-z]{1,2}\)|\[[0-9a-z]{1,2}\]|[*†‡¹²³⁰⁴-⁹])){0,4}", re.IGNORECASE)
"""With the footnote marks that headings have."""
_OPENS = re.compile(rf"(?:{_CURRENCY}|\(|\[|\s)+|{SIGN_LOOK}", re.IGNORECASE)
_CLOSES = re.compile(
    r"[)\]]{0,4}\s?%?\s?[)\]]{0,4}|\)?\s?(?:x|bps|pts|bp|pp|basis points)|[)\]]?\s?(?:\([0-9a-z]{1,2}\)|[*†‡]+)\s?",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(r"[)\]]?\s?(?:\([0-9a-z]{1,2}\)|[*†‡]+)\s?", re.IGNORECASE)

_GAP = 2
"""Empty columns of the file, of signs that other rows print, between something and its raised footnote mark."""

_IN_BRACKETS = re.compile(r"\([0-9]{1,2}\)")
"""What may be a negative number or a footnote mark."""


@lru_cache(maxsize=8192)
def prints_value(text: str) -> bool:
    """Whether a cell prints a number or a dash and nothing else; a year, with or without a mark, is none."""
    if len(text) > 60:
        return False
    plain = text.strip()
    return (
        bool(_VALUE.fullmatch(plain) or _DASH.fullmatch(plain) or is_money(plain))
        and not _YEAR.fullmatch(plain)
        and parse_period(plain) is None
    )


def rows_of(table: RawTable) -> list[list[Item]]:
    """Return the printed cells of each row, from left to right, empty ones left out.

    A label that spans several rows is in the first of them; a number that does, too.
    """
    held: dict[int, int] = {}  # column -> how many rows below are still covered by a cell above
    rows = []
    for raw in table.rows:
        placed, held = _place(raw, held)
        rows.append(placed)
    own = _columns_of_their_own(rows)
    return [_joined(row, own) for row in rows]


def _columns_of_their_own(rows: Sequence[Sequence[Item]]) -> frozenset[int]:
    """Return the columns of the file in which more cells have words or numbers than signs of the number before them.

    In such a column "(12)" is a number; in a column that holds nothing but signs it is a footnote mark.
    """
    cells: Counter[int] = Counter()
    if not any(_IN_BRACKETS.fullmatch(item.text) for row in rows for item in row):
        return frozenset()
    for row in rows:
        for item in row:
            if not (_IN_BRACKETS.fullmatch(item.text) or _OPENS.fullmatch(item.text)):
                cells[item.start] += -1 if _CLOSES.fullmatch(item.text) else 1
    return frozenset(column for column, more in cells.items() if more > 0)


def _place(raw: Sequence[RawCell], held: dict[int, int]) -> tuple[list[Item], dict[int, int]]:
    """Return the cells of a row in their columns, and the columns that cells of it cover in the rows below."""
    column, items = 0, []
    below = {place: left - 1 for place, left in held.items() if left > 1}
    for cell in raw:
        while held and column in held:
            column += 1
        start = min(column, COLUMNS_AT_MOST)
        end = min(start + cell.columns, COLUMNS_AT_MOST + 1)
        column = start + cell.columns
        if cell.rows > 1:
            below |= dict.fromkeys(range(start, end), cell.rows - 1)
        text = cell.text.strip()
        if text:
            items.append(
                Item(
                    text,
                    start,
                    end,
                    cell.marks,
                    cell.look,
                    prints_value(text),
                    _YEAR.fullmatch(text) is not None,
                    cell.heading,
                    cell.linked,
                    cell.rows,
                    cell.is_mark,
                )
            )
    return items, below


def _joined(items: Iterable[Item], own: frozenset[int]) -> list[Item]:
    """Return a row's cells with those that belong to one number put together."""
    found: list[Item] = []
    opening: Item | None = None
    for item in items:
        joins = opening is not None and (item.is_value or item.is_year or _begins_number(item.text))
        if opening is not None and not joins:
            found.append(opening)
        one = _join(opening, item) if opening is not None and joins else item
        opening = None
        if _OPENS.fullmatch(one.text) and not one.is_value:
            opening = one
        elif found and _closes(found[-1], one, own):
            footnote = _FOOTNOTE.fullmatch(one.text) and not one.text.startswith((")", "]"))
            space = " " if one.is_mark or footnote else ""
            found[-1] = _join(found[-1], one, space)
        else:
            found.append(one)
    return found if opening is None else [*found, opening]


def _closes(number: Item, item: Item, own: frozenset[int]) -> bool:
    """Whether a cell holds what belongs to the number in the cell right before it: `)`, `%`, a footnote mark."""
    if item.is_mark:
        return item.start <= number.end + _GAP
    if item.start > number.end or not (number.is_value or _begins_number(number.text)):
        return False
    if item.start in own and _IN_BRACKETS.fullmatch(item.text):
        return False
    return _CLOSES.fullmatch(item.text) is not None and not (number.is_value and item.width > 1 and item.is_value)


_BEGINS = re.compile(rf"[(\[]?\s?{_CURRENCY}?\s?(?:[(\[]|{SIGN_LOOK})?\s?{NUMBER_LOOK}", re.IGNORECASE)


def _begins_number(text: str) -> bool:
    """Whether a cell prints a number that something may still belong to ("(1,234", "5 years")."""
    return len(text) < 40 and _BEGINS.match(text) is not None and not re.search(r"[a-z]{3}", text, re.IGNORECASE)


def _join(first: Item, second: Item, space: str = "") -> Item:
    """Return two cells as one, the tags of the second where it stands now."""
    text = first.text + space + second.text
    if second.is_mark:
        return replace(first, text=text, end=second.end)
    shift = len(text) - len(second.text)
    marks = (*first.marks, *(InlineTag(mark.element, mark.start + shift, mark.end + shift) for mark in second.marks))
    year = second.is_year and not first.text.strip("( [")
    return replace(
        second,
        text=text,
        start=first.start,
        end=second.end,
        marks=marks,
        look=second.look if second.is_value else first.look,
        is_value=prints_value(text),
        is_year=year,
    )
