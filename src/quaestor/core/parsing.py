"""Numbers as financial pages print them, read into exact decimals.

Owns the forms: signs and accounting parentheses (`$ -435 ( 435 )`, `( 0.4 ) % (  % )`), doubled parentheses, percent,
currencies, scale words, footnotes, several numbers in one place, debris. Refuses to guess: a scale that only a
caption names is not here, years and dates in text are periods, and `note 5` or `s&p 500` is a name.

Two readings differ. In a cell every number counts, a bare year too, and lone parentheses are a minus. In running
text years are periods, `( 3 )` is an enumeration, and `( $ 9.1 billion )` or `( 3.2 % )` is an aside, not a minus.
"""

import re
from functools import lru_cache

from quaestor.core.encoding_artifacts import mask_artifacts, normalize_text
from quaestor.core.number_forms import DIGITS_AT_MOST, NUMBER, START, QuantitySpan, decimal, read_number
from quaestor.core.periods import find_periods
from quaestor.core.quantity import Quantity, Scale
from quaestor.errors import QuantityError

__all__ = ["QuantitySpan", "clean_label", "find_quantities", "parse_cell", "parse_quantity"]

_SIMPLE_CELL = re.compile(
    rf"(?P<currency>\$)?\s?(?P<minus>-)?(?P<number>{NUMBER})(?:\s?(?P<percent>%))?(?:\s\(\s(?P<echo>{NUMBER})\s?%?\s?\))?"
)
_GLUED_ABSENCE = re.compile(r"(?:nm|n/a)(?=[0-9.$-])")
_RANGE_BETWEEN = re.compile(r"\s?(?:-|to|/)\s?", re.IGNORECASE)


def parse_quantity(text: str, where: str | None = None) -> Quantity:
    """Returns the first number of a cell.

    >>> parse_quantity("$ -435 ( 435 )").value
    Decimal('-435')

    Args:
        text: The cell as printed.
        where: The place to name in an error ("AAPL/2009, table 0, row 3, column 2").

    Raises:
        QuantityError: There is no number that could be read; the reason says why.
    """
    quantities = parse_cell(text)
    if not quantities:
        raise QuantityError(text, _why_not(text), where)
    return quantities[0]


@lru_cache(maxsize=65536)
def parse_cell(text: str) -> tuple[Quantity, ...]:
    """Returns all numbers of a cell, left to right; none for labels, dates, dashes, empty cells and `n/a`.

    A cell that is nothing but a year is a number: only its table can tell what it is.
    """
    stripped = text.strip()
    simple = _SIMPLE_CELL.fullmatch(stripped) if len(stripped) <= 2 * DIGITS_AT_MOST else None
    if simple and len(simple["number"]) <= DIGITS_AT_MOST and simple["echo"] in (None, simple["number"]):
        whole = simple["number"].partition(".")[0]
        if not (simple["percent"] and len(whole) > 4):  # 221219.1% is debris
            value = decimal(simple["number"])
            scale = Scale.PERCENT if simple["percent"] else Scale.ONE
            return (
                Quantity(-value if simple["minus"] else value, scale, "USD" if simple["currency"] else None, stripped),
            )
    if not re.search("[0-9]", text):
        return ()
    masked = _GLUED_ABSENCE.sub(lambda found: " " * len(found[0]), mask_artifacts(text))
    return tuple(span.quantity for span in _scan(text, masked, cell=True))


@lru_cache(maxsize=16384)
def find_quantities(text: str) -> tuple[QuantitySpan, ...]:
    """Returns the numbers in running text with their spans, left to right; years and dates are periods instead.

    >>> [(span.quantity.text, span.start) for span in find_quantities("rose 4.02% ( 4.02 % ) to $ 91 million in 2008")]
    [('4.02% ( 4.02 % )', 5), ('$ 91 million', 25)]
    """
    if not re.search("[0-9]", text):
        return ()
    return tuple(_scan(text, mask_artifacts(text), cell=False))


def _scan(text: str, masked: str, *, cell: bool) -> list[QuantitySpan]:
    """Returns the quantities of a masked text."""
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
            spans.append(span)
    return spans


def _share_scale(spans: list[QuantitySpan], span: QuantitySpan, masked: str) -> None:
    """Gives the number before a range's end what only the end prints: "5 to 10 %" is 5 % and 10 %."""
    if not spans or span.quantity.scale is Scale.ONE:
        return
    before = spans[-1]
    old, new = before.quantity, span.quantity
    if old.scale is not Scale.ONE or not _RANGE_BETWEEN.fullmatch(masked, before.end, span.start):
        return
    if old.unit is None or new.unit is None or old.unit == new.unit:
        shared = Quantity(old.value, new.scale, old.unit or new.unit, old.text)
        spans[-1] = QuantitySpan(shared, before.start, before.end)


def _why_not(text: str) -> str:
    """Returns the reason why a text holds no number."""
    stripped = text.strip()
    if not stripped:
        return "the text is empty"
    if not re.search("[0-9]", stripped):
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


_ECHO = re.compile(rf"(?<![0-9.,])(-?)((?>{NUMBER}))(\s?%)?\s\(\s{{0,6}}-?\2\s?%?\s?\)")
_EMPTY_ECHO = re.compile(r"%\s\(\s{0,3}%\s\)")
_FOOTNOTE = re.compile(r"(?<=\S)(?<!column)\s?(?:\(\s?(?:[0-9]{1,2}|[a-z]{1,2})\s?\)|\[[0-9a-z]\])(?=[\s:,;.]|$)")
_FUSED_FOOTNOTE = re.compile(r"(?<=[a-z]{4})[1-9](?=$|\s?[(:,])")
_SPACED = (
    (re.compile(r"(?<!\s)\s++([,.;:)%\]])"), r"\1"),
    (re.compile(r"([(\[])\s+"), r"\1"),
    (re.compile(r"\$\s+(?=[0-9.])"), "$"),
    (re.compile(r"\bu\.\s?s\b\.?"), "u.s."),
    (re.compile(r"(?<=\b[0-9])(?=[a-z]{4})|(?<=[0-9]{2})(?=[a-z]{4})"), " "),
    (re.compile(r"\s{2,}"), " "),
)


@lru_cache(maxsize=16384)
def clean_label(text: str) -> str:
    """Returns a label for people and for matching.

    Debris is mended, doubled parentheses and footnote marks are gone, punctuation stands where people set it.

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
