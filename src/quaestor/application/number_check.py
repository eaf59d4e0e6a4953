"""Finds a number in a document, and tells how it must be read: as printed, in another scale, rounded.

Computes nothing: a number that is derived from others is not found.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from quaestor.core.answer_value import amount_words
from quaestor.core.number_conventions import NumberConvention
from quaestor.core.parsing import find_quantities, parse_cell
from quaestor.core.periods import find_periods
from quaestor.core.provenance import SentenceRef, Source
from quaestor.core.quantity import Quantity, Scale
from quaestor.documents.document import Document
from quaestor.documents.table import Table
from quaestor.errors import QuantityError
from quaestor.plan.operations import rounds_to
from quaestor.plan.scales import Dimension, shift_decimal
from quaestor.plan.steps import counted

LONGEST = 80
"""The maximum number of characters in a number to look for."""

MOST_MATCHES = 50

Step = Literal["in_its_scale", "as_fraction", "rounded", "without_sign", "in_heading"]
"""A difference between a number as given and as printed in the document."""

_WORDS: dict[Step, str] = {
    "in_its_scale": "in the scale stated by the document",
    "as_fraction": "as a percentage written as a fraction, or the reverse",
    "rounded": "rounded to the digits given",
    "without_sign": "with the opposite sign",
    "in_heading": "in a heading or a name, not as an amount",
}
_DISTANCES: dict[Step, int] = {"in_its_scale": 1, "as_fraction": 2, "rounded": 3, "without_sign": 4, "in_heading": 5}
_MOST_NEAREST = 3
_LARGEST_DIFFERENCE = Decimal("0.1")
_PERCENT_DIGITS = -2


@dataclass(frozen=True, slots=True)
class NumberMatch:
    """A place with a number, and the steps from the printed number to it."""

    source: Source
    printed: str
    steps: tuple[Step, ...]

    @property
    def reading(self) -> str:
        """The steps in words."""
        return "; ".join(_WORDS[step] for step in self.steps) or "as printed"

    @property
    def distance(self) -> int:
        """The distance of the printed number from the one looked for; smaller is closer."""
        return sum(_DISTANCES[step] for step in self.steps)


@dataclass(frozen=True, slots=True)
class NumberCheck:
    """The result of looking for a number.

    Attributes:
        matches: The places, closest readings first, then in the order of the document; limited to the number requested.
        nearest: If it was not found, the numbers within a tenth of it, as printed.
    """

    looked_for: Quantity
    matches: tuple[NumberMatch, ...]
    count: int
    nearest: tuple[NumberMatch, ...] = ()

    @property
    def words(self) -> str:
        """The number that was looked for, in words: `5.3 million USD`."""
        return amount_words(self.looked_for.value, self.looked_for.scale, self.looked_for.unit)


@dataclass(frozen=True, slots=True)
class _PrintedNumber:
    source: Source
    quantity: Quantity
    counts: Dimension
    heading: bool = False

    def shown(self, document: Document) -> str:
        if isinstance(self.source, SentenceRef):
            return document.sentence(self.source).text[self.source.start : self.source.end]
        return " ".join(document.cell(self.source).text.split())


def check_number(document: Document, text: str, most: int = 10) -> NumberCheck:
    """Find the places with a number in a document, and how each must be read to give it.

    A bare number is looked for as it is printed, and in every scale of the document: `5,300,000` is found where a table
    in thousands prints `5,300`. A number with a scale or unit is found only where these agree.

    Args:
        text: The number as a table or a text would print it: `5,300`, `$ 5.3 million`, `(435)`, `14.1 %`, `2024`.
    """
    wanted = _read(text)
    numbers = list(_numbers(document))
    best: dict[Source, NumberMatch] = {}
    for one in numbers:
        if (steps := _steps(wanted, one)) is None:
            continue
        match = NumberMatch(one.source, one.shown(document), steps)
        if match.source not in best or match.distance < best[match.source].distance:
            best[match.source] = match
    unique = sorted(best.values(), key=lambda match: match.distance)
    near = () if unique else tuple(_nearest(wanted, numbers, document))
    return NumberCheck(wanted, tuple(unique[: min(most, MOST_MATCHES)]), len(unique), near)


def _read(text: str) -> Quantity:
    typed = " ".join(text.split())
    if len(typed) > LONGEST:
        raise QuantityError(typed, f"a number may have at most {LONGEST} characters, not {len(typed)}")
    found = parse_cell(typed)
    # The number may be followed by its unit: 5.3 million shares.
    rest = typed.replace(found[0].text, "", 1).strip() if len(found) == 1 else ""
    if len(found) != 1 or (any(map(str.isalnum, rest)) and rest != found[0].unit):
        what = "it is not a number" if not found else "it contains more than a number"
        raise QuantityError(typed, f"{what}: use a number as printed in tables, such as 5,300, (435) or 14.1 %")
    return replace(found[0], text=typed)


def _numbers(document: Document) -> Iterator[_PrintedNumber]:
    """Yield every number in the bodies and headings of tables, and in sentences."""
    for table in document.tables:
        for cell in table.body():
            scale = table.scale_at(cell.ref.row, cell.ref.column)
            unit = table.unit_at(cell.ref.row, cell.ref.column)
            for quantity in cell.quantities:
                yield _PrintedNumber(cell.ref, quantity, counted(quantity, scale, unit))
        yield from _headings(table, document.convention)
    for sentence in document.sentences:
        for mention in sentence.mentions:
            yield _PrintedNumber(mention.ref, mention.quantity, counted(mention.quantity, None, None))
        for period, start, end in sentence.periods:
            ref = SentenceRef(document.id, sentence.section, sentence.index, start, end)
            year = Quantity(Decimal(period.year), text=str(period.year))
            yield _PrintedNumber(ref, year, Dimension(), heading=True)


def _headings(table: Table, convention: NumberConvention) -> Iterator[_PrintedNumber]:
    body = {cell.ref for cell in table.body()}
    for row in table.cells:
        for cell in row:
            if cell.ref in body or not any(map(str.isdigit, cell.text)):
                continue
            for span in find_quantities(cell.text, convention):
                yield _PrintedNumber(cell.ref, span.quantity, Dimension(), heading=True)
            for mention in find_periods(cell.text):
                year = Quantity(Decimal(mention.period.year), text=str(mention.period.year))
                yield _PrintedNumber(cell.ref, year, Dimension(), heading=True)


def _steps(wanted: Quantity, printed: _PrintedNumber) -> tuple[Step, ...] | None:
    """Return the steps from a printed number to the wanted one, or None if they do not match."""
    counts = printed.counts
    if wanted.unit and counts.unit and wanted.unit != counts.unit:
        return None
    if printed.heading:
        return ("in_heading",) if wanted == replace(printed.quantity, unit=wanted.unit, text=wanted.text) else None
    readings = tuple(_readings(wanted, printed))
    for exact in (True, False):
        for known, steps in readings:
            for signed in (True, False):
                claimed = wanted.value if signed else -wanted.value
                if claimed == known if exact else rounds_to(known, claimed):
                    rounded: tuple[Step, ...] = () if exact else ("rounded",)
                    sign_changed: tuple[Step, ...] = () if signed or not known else ("without_sign",)
                    return (*steps, *rounded, *sign_changed)
    return None


def _readings(wanted: Quantity, printed: _PrintedNumber) -> Iterator[tuple[Decimal, tuple[Step, ...]]]:
    """Yield the values of a printed number in the scale of the wanted one, with their steps, the simplest first."""
    value, scale = printed.quantity.value, printed.counts.scale
    if scale is Scale.PERCENT:
        if wanted.scale is Scale.PERCENT:
            yield value, ()
        elif wanted.scale is Scale.ONE and wanted.unit is None:
            yield value, ()
            yield shift_decimal(value, _PERCENT_DIGITS), ("as_fraction",)
        return
    if wanted.scale is Scale.PERCENT:
        if printed.counts.unit is None and scale is Scale.ONE and abs(value) < 1:
            yield shift_decimal(value, -_PERCENT_DIGITS), ("as_fraction",)
        return
    if wanted.scale in (Scale.ONE, printed.quantity.scale):
        yield value, ()
    if wanted.scale is not printed.quantity.scale or scale is not printed.quantity.scale:
        yield shift_decimal(value, scale.factor.adjusted() - wanted.scale.factor.adjusted()), ("in_its_scale",)


def _nearest(wanted: Quantity, numbers: Sequence[_PrintedNumber], document: Document) -> Iterator[NumberMatch]:
    if not wanted.value:
        return
    found: dict[Source, tuple[Decimal, _PrintedNumber]] = {}
    for one in numbers:
        if one.heading or (wanted.unit and one.counts.unit and wanted.unit != one.counts.unit):
            continue
        for known, _ in _readings(wanted, one):
            distance = abs(abs(known) - abs(wanted.value)) / abs(wanted.value)
            if distance <= _LARGEST_DIFFERENCE and distance < found.get(one.source, (_LARGEST_DIFFERENCE + 1, one))[0]:
                found[one.source] = distance, one
    for _, one in sorted(found.values(), key=lambda pair: pair[0])[:_MOST_NEAREST]:
        yield NumberMatch(one.source, one.shown(document), ())
