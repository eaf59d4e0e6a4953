"""Parser of the numbers in table cells and running text, as exact decimals.

Scales that only a caption names are not applied here, and numbers in names (`note 5`, `s&p 500`) are ignored.

In a cell every number counts, even a bare year, and parentheses are a minus. In running text years are periods,
`( 3 )` is an enumeration, and `( $ 9.1 billion )` or `( 3.2 % )` is an aside, not a minus.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise

from quaestor.core.currencies import BEFORE_NUMBER, is_currency
from quaestor.core.encoding_artifacts import mask_artifacts, normalize_text
from quaestor.core.number_conventions import DECIMAL_POINT, ENGLISH, NumberConvention, in_english
from quaestor.core.number_forms import DIGITS_AT_MOST, NUMBER, START, QuantitySpan, decimal, read_number
from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import find_periods
from quaestor.core.quantity import LARGE_SCALES, Quantity, Scale
from quaestor.errors import QuantityError

__all__ = ["QuantitySpan", "clean_label", "find_quantities", "is_money", "parse_cell", "parse_quantity"]

_SIMPLE_CELL = lazy_regex(
    rf"(?P<currency>\$)?\s?(?P<minus>-)?(?P<number>{NUMBER})(?:\s?(?P<percent>%))?(?:\s\(\s(?P<echo>{NUMBER})\s?%?\s?\))?"
)
_GLUED_ABSENCE = lazy_regex(r"(?:nm|n/a)(?=[0-9.$-])")
_MARKED_DASH = lazy_regex("[$\u20ac\u00a3]?\\s?[\u2012-\u2015]\\s?\\([0-9]{1,2}\\)")
"""A long dash with a footnote mark."""
_DIGIT = lazy_regex("[0-9\uff10-\uff19]")
_THOUSANDS = lazy_regex(r"(?!\s?-?[0.])[^0-9().]{1,6}000s?")
"""The heading of amounts in thousands: "£000"."""
_WITH_FRACTION = lazy_regex(
    r"(?P<currency>\$)?\s?(?P<whole>[0-9]{1,4})[\s-](?P<over>[0-9]{1,2})/(?P<under>2|4|8|16|32|64)"
)
"""A price of a share before 2001: "17 1/4"."""
_WORDS = lazy_regex("[A-Za-z]{4}")
_SPACING = lazy_regex(r"[\s.,'/]+")
_MARK_OR_NAME = lazy_regex(r"[(\[]\s?[0-9]{1,2}\s?[)\]]|(?<=[A-Za-z])[0-9]+")
_LIKE_MONEY = lazy_regex(rf"[-+(\s]{{0,4}}(?:[0-9.]|{BEFORE_NUMBER})")
_EARLIER_PERIOD = lazy_regex(r"\s?\(\s?(?:[QH][1-4]\s)?(?:(?:19|20)[0-9]{2}|[FH]Y\s?[0-9]{2,4}):\s?")
_STATES = lazy_regex(
    r"\b(?:was|were|is|amounted|totall?ed|(?:in|de)creased|rose|fell|grew|declined|reached|came|improved)\b",
    re.IGNORECASE,
)
_NEAR = 80
_MOST_PERCENT = 1000
_MOST_SCALED = Decimal(1000)
_MINUS_WORD = lazy_regex(r"\b(?:was|were|is|to|of|at|from|an?)\s(?P<word>minus|negative)\s$", re.IGNORECASE)
"""Words for a minus, unlike those of "plus or minus 5 %" and "prime minus 5 %"."""
_LONGEST_MINUS = 16
_RANGE_BETWEEN = lazy_regex(r"\s?(?:-|to|/)\s?", re.IGNORECASE)


def parse_quantity(text: str, where: str | None = None) -> Quantity:
    """Return the first number of a cell.

    >>> parse_quantity("$ -435 ( 435 )").value
    Decimal('-435')

    Args:
        where: The location for error messages ("AAPL/2009, table 0, row 3, column 2").

    Raises:
        QuantityError: The text contains no number; the error gives the reason.
    """
    quantities = parse_cell(text)
    if not quantities:
        raise QuantityError(text, _why_not(text), where)
    return quantities[0]


@lru_cache(maxsize=65536)
def parse_cell(text: str, convention: NumberConvention = ENGLISH) -> tuple[Quantity, ...]:
    """Return all numbers of a cell, left to right; none for labels, dates, dashes, empty cells and `n/a`.

    A bare year counts as a number, since only its table can tell. A cell with digits that belong to no number, such as
    `1.2.3`, or `12 345` if spaces do not separate thousands, has none.
    """
    stripped = text.strip()
    if stripped.endswith(("000", "000s")) and _THOUSANDS.fullmatch(stripped):
        return ()
    plain = convention.decimal == DECIMAL_POINT and len(stripped) <= 2 * DIGITS_AT_MOST
    simple = _SIMPLE_CELL.fullmatch(stripped) if plain else None
    if simple and len(simple["number"]) <= DIGITS_AT_MOST and simple["echo"] in (None, simple["number"]):
        whole = simple["number"].partition(".")[0]
        if not (simple["percent"] and len(whole) > 4):  # 221219.1% contains an encoding artifact
            value = decimal(simple["number"])
            scale = Scale.PERCENT if simple["percent"] else Scale.ONE
            return (
                Quantity(-value if simple["minus"] else value, scale, "USD" if simple["currency"] else None, stripped),
            )
    if not _DIGIT.search(text) or _MARKED_DASH.fullmatch(stripped):
        return ()
    if "/" in stripped and not convention.is_loose and (found := _WITH_FRACTION.fullmatch(stripped)):
        part = Decimal(found["over"]) / Decimal(found["under"])
        unit = "USD" if found["currency"] else None
        return (Quantity(Decimal(found["whole"]) + part, Scale.ONE, unit, stripped),) if 0 < part < 1 else ()
    masked = _GLUED_ABSENCE.sub(lambda found: " " * len(found[0]), mask_artifacts(text))
    masked, refused = in_english(masked, convention, cell=True)
    spans, periods = _scan(text, masked, cell=True)
    if spans and not convention.is_loose and _has_other_digits(masked, spans, periods, refused):
        return ()
    return tuple(span.quantity for span in spans)


def _has_other_digits(
    masked: str, spans: Sequence[QuantitySpan], periods: Sequence[tuple[int, int]], refused: Sequence[tuple[int, int]]
) -> bool:
    """Whether a cell has digits outside of its numbers, periods, footnote marks and names ("A2")."""
    known = sorted([*((span.start, span.end) for span in spans), *periods])
    if any(not any(first <= start and end <= last for first, last in periods) for start, end in refused):
        return True
    if _WORDS.search(masked):
        return False
    if any(_may_be_parts(masked, before, after) for before, after in pairwise(spans)):
        return True
    between = [masked[end:start] for (_, end), (start, _) in pairwise([(0, 0), *known, (len(masked), len(masked))])]
    return any(re.search("[0-9]", _MARK_OR_NAME.sub("", text)) for text in between)


def _may_be_parts(masked: str, before: QuantitySpan, after: QuantitySpan) -> bool:
    """Return whether two numbers may be parts of one ("12 345"), with only spacing between them."""
    apart = not masked[before.end - 1].isdigit() or masked[after.start] == "("
    return not apart and _SPACING.fullmatch(masked, before.end, after.start) is not None


def is_money(text: str) -> bool:
    """Return whether a text is exactly one amount of money with its currency.

    >>> [is_money(text) for text in ("EUR 64.2m", "₹ 1,284 crore", "64.2", "EUR 5 notes")]
    [True, True, False, False]
    """
    found = parse_cell(text) if _LIKE_MONEY.match(text) else ()
    if len(found) != 1 or not is_currency(found[0].unit) or found[0].text != text.strip():
        return False
    return not text.rstrip().endswith(("'000", "\u2019000", " 000"))  # "CHF 000" is the heading of amounts in thousands


@lru_cache(maxsize=16384)
def find_quantities(text: str, convention: NumberConvention = ENGLISH) -> tuple[QuantitySpan, ...]:
    """Return the numbers in running text with their spans, left to right, without years and dates.

    >>> [(span.quantity.text, span.start) for span in find_quantities("rose 4.02% ( 4.02 % ) to $ 91 million in 2008")]
    [('4.02% ( 4.02 % )', 5), ('$ 91 million', 25)]
    """
    if not _DIGIT.search(text):
        return ()
    masked, _ = in_english(mask_artifacts(text), convention, cell=False)
    spans = _scan(text, masked, cell=False)[0]
    return tuple(spans if convention.is_loose else (_negate_after_word(span, text) for span in spans))


def _negate_after_word(span: QuantitySpan, text: str) -> QuantitySpan:
    """Return the number of a sentence with the minus that a word before it states ("was negative 3 %")."""
    word = _MINUS_WORD.search(text, max(0, span.start - _LONGEST_MINUS), span.start)
    if word is None or span.quantity.value < 0:
        return span
    start = word.start("word")
    return QuantitySpan(
        replace(span.quantity, value=-span.quantity.value, text=text[start : span.end]), start, span.end
    )


def _scan(text: str, masked: str, *, cell: bool) -> tuple[list[QuantitySpan], list[tuple[int, int]]]:
    """Return the quantities of a masked text, and the spans of its periods."""
    periods = [(mention.start, mention.end) for mention in find_periods(text)]
    if cell and not re.search("[A-Za-z]{2}", masked):  # "2022 ( 2 )" is a number, "due 2022" a label
        periods = [(start, end) for start, end in periods if end - start > 4]
    spans: list[QuantitySpan] = []
    position = 0
    while match := START.search(masked, position):
        start, end = match.span("number")
        inside = next((last for first, last in periods if first < end and start < last), None)
        span = None if inside is not None else read_number(text, masked, match, cell=cell)
        position = max(end, inside or 0) if span is None else max(span.end, end)
        if span is not None:
            _share_scale(spans, span, masked)
            spans.append(span if cell or not spans else _align_compared(spans, span, masked))
    return spans, periods


def _share_scale(spans: list[QuantitySpan], span: QuantitySpan, masked: str) -> None:
    """Apply the scale and unit of a range's end to its beginning: "5 to 10 %" is 5 % and 10 %.

    "$500,000 to $1 million" begins with an amount that is printed in full.
    """
    if not spans or span.quantity.scale is Scale.ONE:
        return
    before = spans[-1]
    old, new = before.quantity, span.quantity
    if old.scale is not Scale.ONE or not _RANGE_BETWEEN.fullmatch(masked, before.end, span.start):
        return
    in_full = new.scale in LARGE_SCALES and abs(old.value) > abs(new.value) and abs(old.value) > _MOST_SCALED
    if not in_full and (old.unit is None or new.unit is None or old.unit == new.unit):
        shared = Quantity(old.value, new.scale, old.unit or new.unit, old.text)
        spans[-1] = QuantitySpan(shared, before.start, before.end)


def _align_compared(spans: list[QuantitySpan], span: QuantitySpan, masked: str) -> QuantitySpan:
    """Return a number in brackets with the scale and unit of the amount before it, with which it is compared.

    "Sales were SEK 5,678 m (5,432)" states two positive amounts. A scale after the brackets applies to both. Without a
    verb it may be a line of a table, and dollars in brackets are negative.
    """
    before, printed = spans[-1].quantity, span.quantity
    between = masked[spans[-1].end : span.start]
    dated = _EARLIER_PERIOD.fullmatch(between)
    bracketed = between.isspace() and printed.text.startswith("(") and printed.unit is None and "$" not in before.text
    if not dated and not (bracketed and _STATES.search(masked, max(0, spans[-1].start - _NEAR), spans[-1].start)):
        return span
    if printed.unit not in (None, before.unit) or (
        before.scale is Scale.PERCENT and abs(printed.value) > _MOST_PERCENT
    ):
        return span
    if printed.scale is not Scale.ONE and before.scale is Scale.ONE and bracketed:
        spans[-1] = replace(spans[-1], quantity=replace(before, scale=printed.scale))
    value = printed.value if dated or "-" in masked[span.start : span.end] else abs(printed.value)
    scale = printed.scale if printed.scale is not Scale.ONE else before.scale
    return replace(span, quantity=replace(printed, value=value, scale=scale, unit=before.unit))


def _why_not(text: str) -> str:
    """Return the reason why a text contains no number."""
    stripped = text.strip()
    if not stripped:
        return "the text is empty"
    if not _DIGIT.search(stripped):
        dash = not re.search(r"[^\W_]", stripped)
        return "a dash means no value" if dash else "it contains no digits"
    letter = re.search(r"[0-9][.,]?([^\W\d_])[0-9.,]*[0-9]", stripped)
    if letter:
        return f"letter {letter[1]!r} among digits"
    if find_periods(text):
        return "it names a period, not an amount"
    if re.search(rf"[0-9.,]{{{DIGITS_AT_MOST + 1}}}", stripped):
        return f"it has more than {DIGITS_AT_MOST} digits"
    return "it does not contain a separate number"


_ECHO = lazy_regex(rf"(?<![0-9.,])(-?)((?>{NUMBER}))(\s?%)?\s\(\s{{0,6}}-?\2\s?%?\s?\)")
_EMPTY_ECHO = lazy_regex(r"%\s\(\s{0,3}%\s\)")
_FOOTNOTE = lazy_regex(r"(?<=\S)(?<!column)\s?(?:\(\s?(?:[0-9]{1,2}|[a-z]{1,2})\s?\)|\[[0-9a-z]\])(?=[\s:,;.]|$)")
_FUSED_FOOTNOTE = lazy_regex(r"(?<=[a-z]{4})[1-9](?=$|\s?[(:,])")
_SPACED = (
    (lazy_regex(r"(?<!\s)\s++([,.;:)%\]])"), r"\1"),
    (lazy_regex(r"([(\[])\s+"), r"\1"),
    (lazy_regex(r"\$\s+(?=[0-9.])"), "$"),
    (lazy_regex(r"\bu\.\s?s\b\.?"), "u.s."),
    (lazy_regex(r"(?<=\b[0-9])(?=[a-z]{4})|(?<=[0-9]{2})(?=[a-z]{4})"), " "),
    (lazy_regex(r"\s{2,}"), " "),
)


@lru_cache(maxsize=16384)
def clean_label(text: str) -> str:
    """Return a label for display and matching.

    Encoding artifacts are repaired, repeated numbers in parentheses and footnote marks removed, and the spaces around
    punctuation corrected.

    >>> clean_label("balance on 5.00% ( 5.00 % ) notes at company 2019s plan ( 1 ) :")
    "balance on 5.00% notes at company's plan"
    """
    label = normalize_text(text)
    label = _ECHO.sub(lambda found: found[1] + found[2] + (found[3] or "").strip(), label)
    label = _EMPTY_ECHO.sub("%", label)
    label = _FUSED_FOOTNOTE.sub("", _FOOTNOTE.sub("", label))
    for pattern, replacement in _SPACED:
        label = pattern.sub(replacement, label)
    return label.strip().rstrip("*:,; ").strip()
