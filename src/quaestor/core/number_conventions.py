"""Number conventions of documents: the decimal mark, the marks between thousands, the signs of a loss.

A document has one convention, which is detected from all of its cells, since `1.234` alone is ambiguous. Digits printed
in another convention are not read as a number, nor is any part of them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from quaestor.core.encoding_artifacts import mask_artifacts
from quaestor.core.patterns import lazy_regex

DECIMAL_POINT, DECIMAL_COMMA = ".", ","

NUMBER_LOOK = (
    r"(?:[0-9]{1,3}(?>(?:[ \u00a0\u2002-\u200a\u202f][0-9]{3})+)(?![0-9])(?:[.,][0-9]++)?"
    r"|[0-9]++(?>(?:[.,'\u2019\u00b4`][0-9]++)*)|[.,][0-9]++)(?:[eE][+-]?[0-9]{1,2}(?![0-9]))?"
)
"""The digits of a number in any convention, for finding tables before the convention is known."""

SIGN_LOOK = r"[-+\u2012-\u2015\u2212\uff0d\u25b2\u25b3\u25bc\u25bd]"
"""A sign before a number."""

END_LOOK = (
    r"(?:\.[-\u2013\u2014])?(?:\s?(?:[kKmMbBT]|[bm]n)(?![A-Za-z]))?"
    r"(?:\s?(?:[-\u2212](?![0-9])|[CcDd][Rr]\b\.?))?"
)
"""Missing decimals (`5.-`), a short scale, a minus, or a debit or credit mark right after a number."""


@dataclass(frozen=True, slots=True)
class NumberConvention:
    """Convention for printing numbers.

    Attributes:
        decimal: The decimal mark, a point or a comma.
        group: The mark between thousands: a comma, a point, an apostrophe or a space. Apostrophes are accepted in
            every convention, spaces only if `group` is a space.
        by_hundreds: Whether digits above thousands are grouped by hundreds, as in India (`1,28,205.40`).
        up_is_more: Whether triangles pointing up mark increases, as they do beside triangles pointing down. Otherwise
            a triangle is a minus, as in Japan.
        marks_credits: Whether `CR` after a number marks a credit, read as a minus, and `DR` a debit. False if the
            document counts in rupees, since `CR` then means crore.
        is_loose: Whether the text is from a benchmark; its damaged numbers are read as far as possible.
    """

    decimal: str = DECIMAL_POINT
    group: str = ","
    by_hundreds: bool = False
    up_is_more: bool = False
    marks_credits: bool = True
    is_loose: bool = False

    def __post_init__(self) -> None:
        """Validate the decimal mark."""
        if self.decimal not in (DECIMAL_POINT, DECIMAL_COMMA) or not isinstance(self.group, str):
            raise ValueError(f"{self.decimal!r} is not a decimal mark")

    @property
    def example(self) -> str:
        """A number as the document prints it."""
        whole = ("12", "34", "567") if self.by_hundreds else ("1", "234", "567")
        return self.group.join(whole) + self.decimal + "8"


ENGLISH = NumberConvention()
LOOSE = NumberConvention(is_loose=True)

_GROUPED = r"[1-9][0-9]{{0,2}}(?:([{group}])[0-9]{{3}}(?:\1[0-9]{{3}}){{0,9}})?(?:[{decimal}][0-9]+)?"
_HUNDREDS = r"[0-9]{1,2}(?:,[0-9]{2}){1,9},[0-9]{3}(?:\.[0-9]+)?"
_VALID = {
    DECIMAL_POINT: lazy_regex(
        rf"{_GROUPED.format(group=', ' + chr(39), decimal='.')}|[0-9]+(?:\.[0-9]+)?|\.[0-9]+|{_HUNDREDS}"
    ),
    DECIMAL_COMMA: lazy_regex(rf"{_GROUPED.format(group='. ' + chr(39), decimal=',')}|[0-9]+(?:,[0-9]+)?|,[0-9]+"),
}
_IN_ENGLISH = {
    DECIMAL_POINT: str.maketrans({"'": ",", " ": ","}),
    DECIMAL_COMMA: str.maketrans({"'": ",", " ": ",", ".": ",", ",": "."}),
}
_DIGITS = str.maketrans(dict.fromkeys("0123456789", "_"))
_ONE_TOKEN = r"[0-9.,](?:(?<=[0-9])|(?<![0-9].)(?=[0-9]))[0-9]*+(?>(?:[.,'][0-9]++)*)"
"""Digits with the marks between them; the pattern begins with a character set because such patterns match fastest."""
_TOKEN = lazy_regex(_ONE_TOKEN)
_SPACED_TOKEN = lazy_regex(rf"[0-9]{{1,3}}(?>(?: [0-9]{{3}})+)(?![0-9])(?>(?:[.,'][0-9]++)*)|{_ONE_TOKEN}")
_MIXED_FRACTION = lazy_regex(r"(?<![0-9.,'])[0-9][0-9.,']{0,20} [0-9]{1,2}/[0-9]{1,3}(?![0-9/])")
_VULGAR_FRACTION = lazy_regex(r"[0-9][0-9.,']{0,20} ?[\u00bc-\u00be\u2150-\u215e]")
_UP, _DOWN = "\u25b2\u25b3\u25b4\u25b5", "\u25bc\u25bd\u25be\u25bf"
_TRIANGLE = lazy_regex(rf"[{_UP}{_DOWN}](?=[ $€£¥(]{{0,4}}[0-9.,])")
_TRIANGLE_AFTER = lazy_regex(rf"(?<=[0-9%) ])[{_UP}{_DOWN}](?=\s*$)")
_ANGLE_BRACKETS = lazy_regex(r"(\s*)<([^<>]*)>(\s*)")
_SIDE = lazy_regex(r"(?<=[0-9)])\s{0,3}\(?(?:(cr)|dr)\b\.?\)?(?=\s*$)", re.IGNORECASE)


def in_english(masked: str, convention: NumberConvention, *, cell: bool) -> tuple[str, list[tuple[int, int]]]:
    """Return a text of the same length with its numbers printed as `1,234.5` and their signs as `-`.

    Digits that form no number in the document's convention are blanked.

    Args:
        cell: Whether the text is a table cell, in which more characters count as signs than in a sentence.

    Returns:
        The text, and the spans of digits that are not part of a number.
    """
    refused: list[tuple[int, int]] = []
    if convention.is_loose:
        return masked, refused
    if not masked.isascii():
        masked = _TRIANGLE.sub(lambda mark: " " if convention.up_is_more and mark[0] in _UP else "-", masked)
    if cell:
        masked = _cell_signs(masked, convention)

    def number(token: re.Match[str]) -> str:
        printed = token[0]
        if printed.isdigit():
            return printed
        if _VALID[convention.decimal].fullmatch(printed):
            return printed.translate(_IN_ENGLISH[convention.decimal])
        refused.append(token.span())
        return printed.translate(_DIGITS)

    def refuse(token: re.Match[str]) -> str:
        refused.append(token.span())
        return token[0].translate(_DIGITS)

    if not masked.isascii():
        masked = _VULGAR_FRACTION.sub(refuse, masked)
    if "/" in masked:
        masked = _MIXED_FRACTION.sub(refuse, masked)
    return (_SPACED_TOKEN if convention.group == " " else _TOKEN).sub(number, masked), refused


def _cell_signs(masked: str, convention: NumberConvention) -> str:
    """Replace the signs of a loss in a cell by minus signs or parentheses."""
    masked = masked.replace("-/-", "  -")  # Dutch
    if not masked.isascii():
        masked = _TRIANGLE_AFTER.sub(lambda mark: "-" if mark[0] in _DOWN else " ", masked)
    if angled := _ANGLE_BRACKETS.fullmatch(masked):
        return f"{angled[1]}({angled[2]}){angled[3]}"
    if convention.marks_credits and (side := _SIDE.search(masked)) and not _RUPEES.search(masked.lower()):
        sign = "-" if side[1] else " "
        masked = masked[: side.start()] + sign.ljust(side.end() - side.start()) + masked[side.end() :]
    return masked


# ---- Detect the convention of a document.

_AMOUNT = lazy_regex(r"[^0-9.,']{0,12}(?P<digits>[.,]?[0-9](?:[0-9.,' ]{0,40}[0-9])?)[^0-9]{0,12}")
_MONTH = lazy_regex(r"[0-9]{1,2}\.(?:19|20)[0-9]{2}")
_ONLY = {
    mark: lazy_regex(
        rf"[1-9][0-9]{{0,2}}(?:([{other}' ])[0-9]{{3}})(?:\1[0-9]{{3}}){{0,9}}[{mark}][0-9]+"
        rf"|[0-9]{{1,30}}[{mark}](?:[0-9]{{1,2}}|[0-9]{{4,}})|0[{mark}][0-9]+|[{mark}][0-9]+"
        rf"|[1-9][0-9]{{0,2}}(?:[{other}][0-9]{{3}}){{2,9}}"
    )
    for mark, other in ((DECIMAL_POINT, ","), (DECIMAL_COMMA, "."))
}
_BY_HUNDREDS = lazy_regex(_HUNDREDS)
_GROUP = lazy_regex(r"[1-9][0-9]{0,2}([.,' ])[0-9]{3}(?![0-9])")
_POINT_OR_GROUP = lazy_regex(r"[1-9][0-9]{0,2}\.[0-9]{3}")
_COMMA_OR_GROUP = lazy_regex(r"[1-9][0-9]{0,2},[0-9]{3}")
_HUNDREDS_PRINTED = lazy_regex("[1-9][0-9]{2}")
_YEAR = lazy_regex("(?:19|20)[0-9]{2}")
_IN_TEXT = {
    mark: lazy_regex(
        rf"(?<![0-9.,])(?:[1-9][0-9]{{0,2}}(?:[{other}' ][0-9]{{3}}){{1,5}}[{mark}][0-9]+"
        rf"|[0-9]{{1,3}}[{mark}][0-9]{{1,2}}\s?%)"
    )
    for mark, other in ((DECIMAL_POINT, ","), (DECIMAL_COMMA, "."))
}
_SPACED_IN_TEXT = lazy_regex(r"(?<![0-9.,])[1-9][0-9]{0,2}[\u00a0\u2009\u202f][0-9]{3}(?![0-9])")
_RUPEES = lazy_regex(r"[₹rilc](?:(?<=₹)|(?<=\br)(?:s|upees?)\b|(?<=\bi)nr\b|(?<=\bl)(?:akh|ac)s?\b|(?<=\bc)rores?\b)")
"""In lower case."""
_WORD = lazy_regex(r"[^\W\d_]+")
_ENGLISH_WORDS = frozenset("the of and for to with from by at as on is are was were its our year ended".split())
_WORDS_OF_DECIMAL_COMMA = frozenset(
    "und der das für von zum zur aus dem nach vor le les du et pour aux sur el los las del il gli di della delle dos"
    " das em het een voor och för av til og fra jahr ejercicio exercice esercizio exercício na oraz és sekä на"
    " по за".split()
)
_CHARACTERS_FOR_WORDS = 200_000


@dataclass(slots=True)
class _Evidence:
    """Evidence of the convention from cells."""

    only: Counter[str] = field(default_factory=Counter)
    groups: Counter[str] = field(default_factory=Counter)
    by_hundreds: int = 0
    open_points: int = 0
    """Numbers such as `1.234`."""
    long_whole: bool = False
    mixed_row: bool = False
    mixed_column: bool = False
    up: bool = False
    down: bool = False

    def take(self, table: Sequence[Sequence[str]]) -> None:
        """Count the evidence of a table's cells, without its labels."""
        open_columns: set[int] = set()
        whole_columns: set[int] = set()
        for row in table:
            opened, whole = set(), set()
            for column, text in enumerate(row):
                digits = self._digits(text)
                if digits is None:
                    continue
                if digits.isdigit():
                    if _HUNDREDS_PRINTED.fullmatch(digits):
                        whole.add(column)
                    self.long_whole |= len(digits) > 3 and not _YEAR.fullmatch(digits)
                elif self._count_evidence(digits):
                    opened.add(column)
            self.mixed_row |= bool(opened and whole)
            open_columns |= opened
            whole_columns |= whole
        self.mixed_column |= bool(open_columns & whole_columns)

    def _digits(self, text: str) -> str | None:
        """Return the digits, with the marks between them, of a cell that contains little more than one number."""
        if not text or len(text) > 60:
            return None
        if not text.isascii():
            text = mask_artifacts(text)
            self.up |= any(mark in text for mark in _UP)
            self.down |= any(mark in text for mark in _DOWN)
        found = _AMOUNT.fullmatch(text)
        return None if found is None or _MONTH.fullmatch(found["digits"]) else found["digits"]

    def _count_evidence(self, digits: str) -> bool:
        """Count the evidence of a number; return True if it is ambiguous (`1.234`)."""
        hundreds = _BY_HUNDREDS.fullmatch(digits) is not None
        comma = _ONLY[DECIMAL_COMMA].fullmatch(digits) is not None
        point = hundreds or _ONLY[DECIMAL_POINT].fullmatch(digits) or _COMMA_OR_GROUP.fullmatch(digits)
        self.by_hundreds += hundreds
        self.only[DECIMAL_COMMA] += comma
        self.only[DECIMAL_POINT] += not comma and bool(point)
        unsure = _POINT_OR_GROUP.fullmatch(digits) is not None
        self.open_points += unsure
        if not unsure and (group := _GROUP.match(digits)) and (comma or point or group[1] in "' "):
            self.groups[group[1]] += 1
        return unsure


def find_convention(
    tables: Iterable[Sequence[Sequence[str]]],
    texts: Sequence[str] = (),
    *,
    decimal: str | None = None,
    usual: str = DECIMAL_POINT,
) -> NumberConvention:
    """Return the number convention of a document.

    If its cells are ambiguous, its sentences decide, then adjacent cells (`870` and `1.020` have the same unit), then
    its language.

    Args:
        tables: The cells of each table, without labels; a cell is empty if its number is already known.
        texts: The sentences, headings and labels of the document.
        decimal: The decimal mark, if the file itself states it.
        usual: The decimal mark to assume if all numbers are ambiguous (`1.234`).

    >>> find_convention([[["1.234", "12,5"]]]).decimal
    ','
    """
    seen = _Evidence()
    for table in tables:
        seen.take(table)
    decimal = decimal or _decimal(seen, texts, usual)
    possible = {group: count for group, count in seen.groups.items() if group != decimal}
    if not possible and any(_SPACED_IN_TEXT.search(text) for text in texts if not text.isascii()):
        possible = {" ": 1}
    group = max(possible, key=possible.__getitem__) if possible else "." if decimal == DECIMAL_COMMA else ","
    return NumberConvention(
        decimal,
        group,
        by_hundreds=seen.by_hundreds > 0 and group == ",",
        up_is_more=seen.up and seen.down,
        marks_credits=not any(_RUPEES.search(text.lower()) for text in texts),
    )


def _decimal(seen: _Evidence, texts: Sequence[str], usual: str) -> str:
    comma, point = seen.only[DECIMAL_COMMA], seen.only[DECIMAL_POINT]
    if comma == point:
        comma, point = (
            sum(1 for text in texts for _ in _IN_TEXT[mark].finditer(text)) for mark in (DECIMAL_COMMA, DECIMAL_POINT)
        )
    if comma != point:
        return DECIMAL_COMMA if comma > point else DECIMAL_POINT
    if not seen.open_points:
        return DECIMAL_POINT
    counts = seen.mixed_row and seen.mixed_column and not seen.long_whole
    if counts or (usual == DECIMAL_COMMA and seen.open_points > 1) or _is_of_decimal_comma(texts):
        return DECIMAL_COMMA
    return DECIMAL_POINT


def _is_of_decimal_comma(texts: Sequence[str]) -> bool:
    """Whether the most common words of a text are of a language with decimal commas."""
    left, english, other = _CHARACTERS_FOR_WORDS, 0, 0
    for text in texts:
        for word in map(str.casefold, _WORD.findall(text[:left])):
            english += word in _ENGLISH_WORDS
            other += word in _WORDS_OF_DECIMAL_COMMA
        left -= len(text)
        if left <= 0:
            break
    return other > english + 1
