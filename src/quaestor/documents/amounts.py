"""Scales and units that captions give for the amounts of a table: dollars in millions, shares in thousands.

Captions of single rows and columns are read in `captions`.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from quaestor.core.currencies import is_currency
from quaestor.core.quantity import LARGE_SCALES, Quantity, Scale, scale_called
from quaestor.core.words import STOP_WORDS, search_words
from quaestor.documents.document import Sentence
from quaestor.documents.table import Cell, Table
from quaestor.documents.unit_phrases import (
    SCALE_WORD,
    currency_named,
    ends_with_phrase,
    find_currency_phrase,
    find_unit_phrase,
    is_unit_line,
)

_SCALED = re.compile(
    rf"(?P<what>\b(?:shares?|units|options|awards)\b[^,;()]{{0,40}}?)?(?P<word>\b(?:100\smillions?|{SCALE_WORD})(?![A-Za-z])|(?<![0-9.,])000)",
    re.I,
)
_WITH_SHARES = re.compile(r"\b(?:dollars?|amounts|\$)\s+(?:and|,)\s+s?$", re.IGNORECASE)
_EXCEPT = re.compile(r"\bexcept(?:ing)?\b|\bother than\b|\bexcluding\b", re.IGNORECASE)
_PER = re.compile(r"\bper[\s-]+(?:[a-z]+[\s-]+)?(?:shares?|units?)\b|\bper[\s-][a-z]+", re.IGNORECASE)
_SHARES = re.compile(r"\bshares?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Amounts:
    """Scale and unit that a caption gives; None for what it does not mention.

    Attributes:
        scale: Scale of amounts of money and of everything the caption does not except.
        shares: Scale of numbers of shares.
    """

    scale: Scale | None = None
    unit: str | None = None
    shares: Scale | None = None


@lru_cache(maxsize=4096)
def read_amounts(text: str) -> Amounts:
    """Parse a caption.

    >>> read_amounts("(In millions, except number of shares, which are in thousands, and per-share amounts)").shares
    <Scale.THOUSAND: 'thousand'>
    """
    main, *excepted = _EXCEPT.split(text[:600], maxsplit=1)
    scale = shares = None
    phrase = find_unit_phrase(main)
    for found in _SCALED.finditer(main):
        named = scale_called(found["word"])
        both = found["what"] and _WITH_SHARES.search(main, 0, found.start() + 1)
        if found["what"]:
            shares = shares or named
        if both or not found["what"]:
            scale = scale or named
    if scale and shares is None:
        shares = scale
        exception = _PER.sub(" ", excepted[0]) if excepted else ""
        if _SHARES.search(exception):
            word = re.search("thousand|million", exception, re.IGNORECASE)
            shares = scale_called(word[0]) if word else Scale.ONE
    if phrase is not None:
        return Amounts(scale or (None if shares else phrase.scale), phrase.currency or currency_named(main), shares)
    alone = find_currency_phrase(main)
    in_ones = alone is not None and scale is None and "in " in main[alone.start : alone.end].casefold()
    return Amounts(Scale.ONE if in_ones else scale, alone.currency if alone else currency_named(main), shares)


@lru_cache(maxsize=4096)
def scales_by_currency(caption: str) -> dict[str | None, Scale]:
    """Return the scales of a caption for several currencies; empty if it names only one.

    >>> [str(scale) for scale in scales_by_currency("(millions of won, thousands of U.S. dollars)").values()]
    ['million', 'thousand']
    """
    found: dict[str | None, Scale] = {}
    rest = caption[:300]
    while phrase := find_unit_phrase(rest):
        if phrase.currency and phrase.scale:
            found.setdefault(phrase.currency, phrase.scale)
        rest = rest[phrase.end :]
    return found if len(found) > 1 else {}


def is_amounts_line(text: str) -> bool:
    """Whether a line is only a caption ("(Dollars in millions, except per share data)")."""
    return len(text) > 1 and is_unit_line(text)


_LEADS = re.compile(
    r"\(((?:[^()]|\([^()]{0,40}\)){0,200}\b(?:thousands|millions|billions)\b(?:[^()]|\([^()]{0,40}\)){0,200})\)", re.I
)
_ENDS = re.compile(
    r"(?:\b(?:dollars|amounts|shares|\$)\s+)?\bin\s+(?:thousands|millions|billions)\b[^.:0-9]{0,160}[\s.:]*$", re.I
)


_NUMBER_BEFORE = re.compile(r"(?<![0-9])(?!(?:19|20)[0-9]{2}\s?$)[0-9][0-9.,]{0,20}\s?$")
_DEFAULT = re.compile(
    r"\bunless\s(?:otherwise|where)\b|\b(?:except|unless)\s(?:as|where|when|if)?\s?(?:otherwise\s)?(?:stated|noted|indicated)\b"
    r"|\b(?:all|tabular)\s(?:[a-z]+\s){0,3}(?:amounts|figures|numbers|values)\b"
    r"|\b(?:amounts|figures|numbers|values|statements|tables|information|report)\b[^.;]{0,120}?\b(?:presented|expressed"
    r"|stated|reported|shown|given|rounded|prepared|are|is)\s(?:off\s|up\s)?(?:in|to)\b"
    r"|\b(?:presentation|reporting)\scurrency\b"
)
"""Matched against lower-case text."""
_LONGEST_DEFAULT = 500


def amounts_in_text(text: str) -> Amounts:
    """Parse the caption in a title or in the sentence before a table: in brackets, or at its end."""
    if found := _LEADS.search(text) or _ENDS.search(text):
        return read_amounts(found[0])
    phrase = find_unit_phrase(text) if len(text) < _LONGEST_DEFAULT else None
    if phrase is None or not ends_with_phrase(text, phrase) or _NUMBER_BEFORE.search(text, 0, phrase.start):
        return Amounts()
    return Amounts(phrase.scale, phrase.currency, phrase.scale)


@lru_cache(maxsize=16384)
def default_amounts(sentence: str) -> Amounts:
    """Parse a sentence that gives the scale or currency of all amounts of a document.

    >>> default_amounts("Amounts are presented in thousands of euros unless otherwise stated.").unit
    'EUR'
    """
    if len(sentence) > _LONGEST_DEFAULT or not _DEFAULT.search(sentence.lower()):
        return Amounts()
    phrase = find_unit_phrase(sentence)
    if phrase is None or _NUMBER_BEFORE.search(sentence, 0, phrase.start):
        alone = find_currency_phrase(sentence)
        return Amounts(None, alone.currency if alone else None)
    amounts = read_amounts(sentence[phrase.start :])
    return Amounts(phrase.scale, phrase.currency or amounts.unit, amounts.shares)


def caption_within(line: str) -> str:
    """Return the caption that a page header consists of or ends with in brackets, or ""."""
    if is_amounts_line(line):
        return line
    inner = line[line.rfind("(") :] if line.rstrip().endswith(")") else ""
    return inner if inner and is_amounts_line(inner) else ""


# Scale of a table without one, derived from sentences that repeat its numbers.
#
# If a sentence has "Cash provided by operations was $45.0 million" and the table "Cash provided by operating activities
# | 45,007", the table is in thousands. The evidence is sufficient if sentence and row share a word, the numbers are too
# long to agree by chance, several agree, and no number of the page indicates another scale.

_TRIED = (Scale.ONE, Scale.THOUSAND, Scale.MILLION, Scale.BILLION)
_DIGITS = 3
"""Minimal number of digits, because shorter numbers agree by chance."""
_EVIDENCE = 2
"""Minimal number of agreeing numbers."""
_SAME = 8
"""Maximal number of cells with the same number; more frequent numbers are ignored as evidence."""


@dataclass(frozen=True, slots=True)
class _Amount:
    """A number of the table without its sign, with the words of its row and its position."""

    value: float
    words: frozenset[str]
    place: tuple[int, int]


def scale_of_sentences(table: Table, sentences: Iterable[Sentence]) -> Scale | None:
    """Return the scale that sentences indicate for a table; None if the table has one or evidence is lacking."""
    heads = (*table.rows, *table.columns)
    if table.scale is not None or any(head.scale in LARGE_SCALES for head in heads):
        return None
    amounts = sorted(_find_amounts(table), key=lambda amount: amount.value)
    values = [amount.value for amount in amounts]
    found: dict[Scale, set[tuple[int, int]]] = {scale: set() for scale in _TRIED}
    for sentence in sentences:
        words = None
        for mention in sentence.mentions:
            if not _is_amount(mention.quantity, in_text=True):
                continue
            words = _words(sentence.text) if words is None else words
            for scale in _TRIED:
                low, high = _rounding_bounds(mention.quantity, scale)
                nearest = amounts[bisect_left(values, low) : bisect_right(values, high)]
                if len(nearest) <= _SAME:
                    found[scale].update(amount.place for amount in nearest if amount.words & words)
    counts = Counter({scale: len(places) for scale, places in found.items() if places})
    if len(counts) != 1:
        return None
    ((scale, count),) = counts.items()
    return scale if count >= _EVIDENCE and scale in LARGE_SCALES else None


def _find_amounts(table: Table) -> Iterator[_Amount]:
    for header, row in zip(table.rows[table.header_rows :], table.cells[table.header_rows :], strict=True):
        words = _words(" ".join((*header.levels, header.label)))
        for cell in row[1:]:
            if (number := _single_amount(cell)) is not None and header.scale is None and words:
                yield _Amount(abs(float(number.value)), words, (cell.ref.row, cell.ref.column))


def _single_amount(cell: Cell) -> Quantity | None:
    numbers = cell.quantities
    return numbers[0] if len(numbers) == 1 and _is_amount(numbers[0], in_text=False) else None


def _is_amount(number: Quantity, *, in_text: bool) -> bool:
    """Whether a number may be an amount of money with enough digits: with a scale in text, without one in a cell."""
    scaled = number.scale in LARGE_SCALES if in_text else number.scale is Scale.ONE
    money = number.unit is None or is_currency(number.unit)
    return scaled and money and len(number.value.as_tuple().digits) >= _DIGITS


def _rounding_bounds(stated: Quantity, scale: Scale) -> tuple[float, float]:
    """Return the bounds of cell values at a scale that agree with a number of a sentence after rounding."""
    exponent = stated.value.as_tuple().exponent
    half = 0.5 * 10.0 ** (exponent if isinstance(exponent, int) else 0)
    times = float(stated.scale.factor / scale.factor)
    value = abs(float(stated.value))
    return (value - half) * times, (value + half) * times


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in search_words(text.lower()) if word not in STOP_WORDS and word[0].isalpha())
