"""The scale of a table that prints none, from sentences that say its numbers in words.

"Cash provided by operations was $45.0 million" beside a line "Cash provided by operating activities | 45,007": the
table counts thousands. Owns when that is certain enough: the sentence and the line share a word, the numbers are too
long to agree by chance, several of them do, and none of the page speaks for another scale.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from quaestor.core.currencies import is_currency
from quaestor.core.quantity import LARGE_SCALES, Quantity, Scale
from quaestor.core.words import STOP_WORDS, search_words
from quaestor.documents.document import Sentence
from quaestor.documents.table import Cell, Table

_TRIED = (Scale.ONE, Scale.THOUSAND, Scale.MILLION, Scale.BILLION)
_DIGITS = 3
"""Numbers of fewer digits agree by chance."""
_EVIDENCE = 2
"""So many numbers have to agree."""
_SAME = 8
"""Where more cells than that hold one number it tells nothing."""


@dataclass(frozen=True, slots=True)
class _Amount:
    """A number of the table: without its sign, with the words of its line and its place."""

    value: float
    words: frozenset[str]
    place: tuple[int, int]


def scale_said(table: Table, sentences: Iterable[Sentence]) -> Scale | None:
    """Return the scale that sentences give a table's amounts; None if the table has one, or they do not tell.

    Args:
        table: As read from its labels.
    """
    heads = (*table.rows, *table.columns)
    if table.scale is not None or any(head.scale in LARGE_SCALES for head in heads):
        return None
    amounts = sorted(_amounts(table), key=lambda amount: amount.value)
    values = [amount.value for amount in amounts]
    found: dict[Scale, set[tuple[int, int]]] = {scale: set() for scale in _TRIED}
    for sentence in sentences:
        words = None
        for mention in sentence.mentions:
            if not _is_amount(mention.quantity, in_text=True):
                continue
            words = _words(sentence.text) if words is None else words
            for scale in _TRIED:
                low, high = _printed_as(mention.quantity, scale)
                meant = amounts[bisect_left(values, low) : bisect_right(values, high)]
                if len(meant) <= _SAME:
                    found[scale].update(amount.place for amount in meant if amount.words & words)
    told = Counter({scale: len(places) for scale, places in found.items() if places})
    if len(told) != 1:
        return None
    ((scale, count),) = told.items()
    return scale if count >= _EVIDENCE and scale in LARGE_SCALES else None


def _amounts(table: Table) -> Iterator[_Amount]:
    for header, row in zip(table.rows[table.header_rows :], table.cells[table.header_rows :], strict=True):
        words = _words(" ".join((*header.levels, header.label)))
        for cell in row[1:]:
            if (number := _single(cell)) is not None and header.scale is None and words:
                yield _Amount(abs(float(number.value)), words, (cell.ref.row, cell.ref.column))


def _single(cell: Cell) -> Quantity | None:
    numbers = cell.quantities
    return numbers[0] if len(numbers) == 1 and _is_amount(numbers[0], in_text=False) else None


def _is_amount(number: Quantity, *, in_text: bool) -> bool:
    """Whether a number can be an amount of money of enough digits: with a scale in a sentence, without in a cell."""
    scaled = number.scale in LARGE_SCALES if in_text else number.scale is Scale.ONE
    money = number.unit is None or is_currency(number.unit)
    return scaled and money and len(number.value.as_tuple().digits) >= _DIGITS


def _printed_as(said: Quantity, scale: Scale) -> tuple[float, float]:
    """Return between which numbers a cell of a scale is what a sentence says, rounded as the sentence rounds it."""
    exponent = said.value.as_tuple().exponent
    half = 0.5 * 10.0 ** (exponent if isinstance(exponent, int) else 0)
    times = float(said.scale.factor / scale.factor)
    value = abs(float(said.value))
    return (value - half) * times, (value + half) * times


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in search_words(text.lower()) if word not in STOP_WORDS and word[0].isalpha())
