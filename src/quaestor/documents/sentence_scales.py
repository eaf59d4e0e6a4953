"""Scales of amounts in sentences that print none: from captions, the sentence itself, and tables with the same amount.

Amounts with a scale, with cents or written out to the millions, and prices per share are unchanged.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from quaestor.core.currencies import is_currency
from quaestor.core.quantity import LARGE_SCALES, Quantity, Scale, scale_called
from quaestor.documents.amounts import Amounts
from quaestor.documents.document import Mention, Sentence
from quaestor.documents.table import Table

PER_ITEM = re.compile(
    r"\bpar\b|\beach\b(?=[\s)]*(?:$|[,;.|]))|\b(?:face|nominal) value|\bper[\s-]|\bstated value", re.IGNORECASE
)
"""Words around an amount of money that is not in the scale of a caption."""
WRITTEN_OUT = 1_000_000
"""Amounts in thousands or millions are not as large as this."""
_CENTS = -2
_NEAR = 16
"""Number of characters around an amount that are searched for what it is paid for."""
_DIGIT = re.compile(r"[0-9]")
_SCALE_BEFORE = re.compile(
    r"\((?:(?:dollars|amounts|\$)\s)?in\s(?P<word>thousands|millions|billions)\b[^()0-9]{0,40}\)"
    r"|\bin\s(?P<word2>thousands|millions|billions)\sof\s(?:u\.?s\.?\s)?dollars\b",
    re.IGNORECASE,
)
"""A scale before the amounts of a sentence: "were (in millions): 2022-$334.5; 2021-$377.6"."""
_TO = re.compile(r"\s?(?:to|[-\u2013\u2014])\s?", re.IGNORECASE)
_AND = re.compile(r"\s(?:and|or)\s", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s(?:approximately\s)?$", re.IGNORECASE)
_RESPECTIVELY = re.compile(r"[^.;]{0,80}\brespectively\b", re.IGNORECASE)
_MOST_OF_RANGE = 1000
_FARTHEST = 100
"""The larger end of a range is less than this many times the smaller one."""
_LEAST_DIGITS = 4
"""Minimal number of digits, because shorter numbers agree by chance."""


def with_section_scale(sentences: Sequence[Sentence], amounts: Amounts) -> tuple[Sentence, ...]:
    """Return sentences with amounts of money in the scale of the caption that applies to them."""
    scale = amounts.scale
    return tuple(_with_scale(sentence, scale) for sentence in sentences) if scale else tuple(sentences)


def with_scale_in_sentence(sentence: Sentence) -> Sentence:
    """Return a sentence with the scale that it prints once for several amounts of money.

    Before them: "were (in millions): $5 and $4"; or behind the last: "between $2.2 and $2.4 billion".
    """
    if len(sentence.mentions) > 1:
        sentence = _with_scale_of_ranges(sentence)
    found = _SCALE_BEFORE.search(sentence.text) if sentence.mentions else None
    scale = scale_called(found["word"] or found["word2"]) if found else None
    return _with_scale(sentence, scale, found.end()) if found and scale else sentence


def _with_scale(sentence: Sentence, scale: Scale, start: int = 0) -> Sentence:
    mentions = tuple(
        replace(mention, quantity=replace(mention.quantity, scale=scale))
        if mention.ref.start >= start and _is_amount(mention, sentence.text)
        else mention
        for mention in sentence.mentions
    )
    return replace(sentence, mentions=mentions) if mentions != sentence.mentions else sentence


def _is_amount(mention: Mention, text: str) -> bool:
    """Whether a number is an amount of money that may be in the scale of a caption."""
    quantity, start, end = mention.quantity, mention.ref.start, mention.ref.end
    if quantity.scale is not Scale.ONE or not quantity.unit or not is_currency(quantity.unit):
        return False
    if quantity.value.as_tuple().exponent == _CENTS or abs(quantity.value) >= WRITTEN_OUT:
        return False
    # "$4,700, or $37.25 per share": the words after the next number are about that one.
    after = _DIGIT.split(text[end : end + _NEAR], maxsplit=1)[0]
    return not PER_ITEM.search(f"{text[max(0, start - _NEAR) : start]}|{after}")


def _with_scale_of_ranges(sentence: Sentence) -> Sentence:
    mentions = list(sentence.mentions)
    for place in reversed(range(len(mentions) - 1)):
        first, last = mentions[place : place + 2]
        if last.quantity.scale in LARGE_SCALES and _are_range(first, last, sentence.text):
            mentions[place] = replace(first, quantity=replace(first.quantity, scale=last.quantity.scale))
            unit = last.quantity.unit or first.quantity.unit
            mentions[place + 1] = replace(last, quantity=replace(last.quantity, unit=unit))
    return replace(sentence, mentions=tuple(mentions)) if tuple(mentions) != sentence.mentions else sentence


def _are_range(first: Mention, last: Mention, text: str) -> bool:
    """Whether two amounts are the ends of a range or a list, of which only the last has its scale printed."""
    one, other = first.quantity, last.quantity
    if one.scale is not Scale.ONE or not is_currency(one.unit) or other.unit not in (one.unit, None):
        return False
    low, high = sorted((abs(one.value), abs(other.value)))
    if abs(one.value) >= _MOST_OF_RANGE or not low or high / low >= _FARTHEST:
        return False
    between = text[first.ref.end : last.ref.start]
    if _AND.fullmatch(between):
        listed = _RESPECTIVELY.match(text, last.ref.end) is not None
        return listed or _BETWEEN.search(text, 0, first.ref.start) is not None
    return _TO.fullmatch(between) is not None


def amounts_of_tables(tables: Iterable[Table]) -> Mapping[Decimal, Scale | None]:
    """Return the scale of each long number printed in tables; None if it is printed with several scales."""
    found: dict[Decimal, Scale | None] = {}
    for table in tables:
        for cell in () if table.is_too_large else table.body():
            number = cell.quantity
            if number is None or number.scale is not Scale.ONE or not _is_long(number):
                continue
            scale = table.scale_at(cell.ref.row, cell.ref.column) or Scale.ONE
            found[abs(number.value)] = scale if found.get(abs(number.value), scale) is scale else None
    return found


def with_scale_of_tables(sentence: Sentence, printed: Mapping[Decimal, Scale | None]) -> Sentence:
    """Return a sentence with the scale of the tables in which some of its amounts occur with the same digits.

    Args:
        printed: The scales of the numbers of tables (`amounts_of_tables`).
    """
    amounts = [mention.quantity for mention in sentence.mentions if _is_amount(mention, sentence.text)]
    scales = {printed[abs(q.value)] for q in amounts if _is_long(q) and abs(q.value) in printed}
    # "$433,000" is printed in full, as its neighbours are then.
    in_full = any(abs(q.value) >= _MOST_OF_RANGE and not q.value % _MOST_OF_RANGE for q in amounts)
    scale = scales.pop() if len(scales) == 1 and not in_full else None
    return _with_scale(sentence, scale) if scale in LARGE_SCALES and scale else sentence


def _is_long(number: Quantity) -> bool:
    """Whether a number has so many digits that it hardly occurs twice by chance."""
    return len(number.value.normalize().as_tuple().digits) >= _LEAST_DIGITS
