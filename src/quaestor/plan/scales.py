"""The one rule for percent, scale and unit: how the operands of an operation are scaled, and what the result counts.

Fixed before any reference answer is seen, by kind of use:

- A percentage that is looked up, given or in a formula stays as printed: `13.4 %` is 13.4 percent.
- Percentages added, subtracted, compared or averaged are points and stay percent: 13.4 % - 11.1 % is 2.3 percent.
  With a number without a sign they are points too, for the print leaves the sign to a header; with the constant
  one and with a ratio that was computed they are fractions: 1 - 11 % is 0.89.
- A percentage that is computed is a plain ratio: its fraction. So is a percentage divided by a percentage.
- A percentage in a product or a quotient with an amount is a fraction, and the result has the amount's scale:
  526.5 * 2.4 % is 12.636. So it is as base or exponent of a power. A constant of at most twelve is not an amount but
  counts times (twice, twelve months): the percentage stays percent. Divided by 100 it becomes its fraction.
- The row operations (`table_sum` and its like) take percentages as fractions, as the benchmark does.
- The scale of a number is known if the print states it ("2.2 billion") or else the labels and the caption of its
  table do ("( in millions )"); of those that count single things (per share, years, dollars), the scale
  is known to be one (`Dimension.in_ones`). Of every other number it is unknown.
- If a sum, a difference, a comparison or a ratio meets two known scales, the coarser is converted: 2.2 billion -
  500 million is 2200 - 500, in million. A number of unknown scale, and a plain one (a ratio, ones without a unit), is
  taken to count in the other's. Numbers that are known to count different things are taken as printed, but a sum, a
  difference, an average or an extreme of money and other things, of two currencies, or of a percentage and what is
  counted has no meaning and is refused.
- A product or quotient keeps what the scales multiply to, converting only if no scale has that name: 30 million
  dollars over 1.5 dollars a share is 20 million.
- A constant of a thousand, a million or a billion converts, and never changes the amount: 3.4 million * 1000 is 3400
  thousand, 20,743 thousand / 1000 is 20.743 million. It is a plain factor only if no scale is known, or none has the
  name; but a number of unknown scale over a million or a billion is in million or billion, for so one converts what
  counts in ones.
- A count times a price is money, and money over a count is money for one.
- A number of a list is compared as it would be with the others alone, and keeps the scale that it is printed in: of
  2.2 billion and 500 million, above 1 billion, there is 2.2 billion. "More than 3 %" is three points among
  percentages and 0.03 among ratios; "more than 5,000,000", stated in ones, is five among millions.
- Labels and captions can be wrong about a number, and their reader can be. `as_printed` sets a known scale aside: the
  number counts as one of unknown scale and unit does, and the formula and the answer state what was ignored.

A conversion is a shift by powers of ten, so it is exact; formulas show it, and program text writes it as a step of its
own.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

from quaestor.core.currencies import is_currency
from quaestor.core.patterns import lazy_regex
from quaestor.core.quantity import Scale
from quaestor.errors import ProgramError

_SCALES = {scale.exponent: scale for scale in Scale if scale is not Scale.PERCENT}
_EVERYWHERE = frozenset({0, 3, 6, 9})
"""The powers of ten that a result is named by; by another (lakh, crore, trillion) only where an operand has it."""
_CONVERTERS = {Decimal(1000): 3, Decimal(1_000_000): 6, Decimal(1_000_000_000): 9}
_SURELY_CONVERTS = 6
_MOST_TIMES = 12
_POINTS = frozenset({"points", "percentage points", "basis points", "times"})
"""What is counted in ratios, as percentages are."""
_SINGLE = "single things"


@dataclass(frozen=True, slots=True)
class Dimension:
    """What an operand counts, without its value.

    Attributes:
        in_ones: True if `Scale.ONE` is stated: single dollars, shares, years.
    """

    scale: Scale = Scale.ONE
    unit: str | None = None
    constant: Decimal | None = None
    in_ones: bool = False

    @property
    def percent(self) -> bool:
        """True for a percentage that is not yet a fraction."""
        return self.scale is Scale.PERCENT

    @property
    def known(self) -> bool:
        """True if the multiplier of one unit is stated: ones, thousand, million or billion."""
        return self.in_ones or self.scale not in (Scale.ONE, Scale.PERCENT)

    @property
    def scale_word(self) -> str:
        """The scale in one word, for readers: `million`, `percent`, `one`; `unknown` if not stated."""
        return "unknown" if self.scale is Scale.ONE and not self.in_ones and self.constant is None else self.scale.value

    @property
    def money(self) -> bool:
        """True if a currency is counted."""
        return is_currency(self.unit)

    @property
    def plain(self) -> bool:
        """True for a plain number, such as a ratio that was computed."""
        return self.in_ones and self.unit is None

    @property
    def factor(self) -> int:
        """The power of ten that a constant converts by: 3 of a thousand, 0 of what converts nothing."""
        return 0 if self.constant is None or self.known else _CONVERTERS.get(self.constant, 0)

    @property
    def exponent(self) -> int:
        """The power of ten of one unit of the value."""
        return self.scale.exponent


@dataclass(frozen=True, slots=True)
class OperandScaling:
    """How an operation takes its operands.

    Attributes:
        shifts: For each operand the power of ten that it is multiplied by first: 0 as printed, -2 a percentage as a
            fraction, 3 from billion to million.
    """

    shifts: tuple[int, ...]
    scale: Scale = Scale.ONE
    unit: str | None = None
    in_ones: bool = False

    @property
    def counts(self) -> Dimension:
        """What the result counts."""
        return Dimension(self.scale, self.unit, in_ones=self.in_ones)


def shift_decimal(value: Decimal, shift: int) -> Decimal:
    """Return the value times ten to the power of `shift`, exact in every decimal context."""
    sign, digits, exponent = value.as_tuple()
    return Decimal((sign, digits, exponent + shift)) if shift and isinstance(exponent, int) else value


def unchanged(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the reading of the identity: as it is."""
    return OperandScaling((0,), kinds[0].scale, kinds[0].unit, kinds[0].in_ones)


def as_printed(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the reading of a number whose scale and unit are ignored: of unknown ones; a percentage stays one."""
    return OperandScaling((0,), Scale.PERCENT if kinds[0].percent else Scale.ONE)


def linear(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the reading of sums, differences, averages and extremes."""
    unit = _common_unit(kinds)
    if any(kind.percent for kind in kinds):
        others = [kind for kind in kinds if not kind.percent]
        if others and all(kind.constant == 1 or kind.plain for kind in others):
            return _plain(_fractions(kinds))
        scale = Scale.ONE if any(kind.known for kind in others) else Scale.PERCENT
        return OperandScaling((0,) * len(kinds), scale, unit)
    # A plain number among amounts is a factor or a ratio, which no scale of theirs is meant to meet.
    scaled = [kind.known and not kind.plain for kind in kinds]
    if not any(scaled):
        return OperandScaling((0,) * len(kinds), Scale.ONE, unit, all(kind.known for kind in kinds))
    known = [kind.exponent for kind, meets in zip(kinds, scaled, strict=True) if meets]
    if len({kind.unit for kind in kinds} - {None}) > 1:
        alike = len(set(known)) == 1 and all(scaled)
        return _named((0,) * len(kinds), known[0] if alike else None, unit)
    finest = min(known)
    shifts = (kind.exponent - finest if meets else 0 for kind, meets in zip(kinds, scaled, strict=True))
    return _named(tuple(shifts), finest, unit)


def mixes_units(kinds: Sequence[Dimension]) -> bool:
    """Return whether numbers count things that have no sum: money and shares, dollars and percent."""
    units = {kind.unit for kind in kinds if kind.unit is not None and not kind.percent} - _POINTS
    if any(kind.percent for kind in kinds):
        return bool(units)
    return len(units) > 1 and any(map(is_currency, units))


def comparison(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the reading of a yes/no comparison: a common scale, and nothing counted."""
    return _plain(linear(kinds).shifts)


def threshold(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the reading of the numbers of a list and of the one that each is compared with, which comes last."""
    *cells, limit = kinds
    if limit.constant is not None and limit.in_ones and not all(kind.percent for kind in cells):
        # Stated in full, "$ 5,000,000": it meets their scale as an amount of the page would.
        limit = Dimension(unit=_common_unit(cells) or _SINGLE, in_ones=True)
    elif limit.known and not limit.plain:
        # Single things without a name are amounts here, not ratios: "more than 5 million" of 3,200,000 and 5,500,000.
        cells = [replace(kind, unit=limit.unit or _SINGLE) if kind.plain else kind for kind in cells]
    return _plain(linear((*cells, limit)).shifts)


def placed(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the reading of the numbers of a list and of a place in their order, which comes last."""
    return _plain((*linear(kinds[:-1]).shifts, 0))


def counting(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the reading of how many entries there are, and of which there are: none of their numbers counts."""
    return _plain((0,) * len(kinds))


def ratio(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the reading of part over whole and of relative change: a plain ratio of like numbers."""
    if sum(kind.percent for kind in kinds) == 1:
        return divide(kinds)
    return _plain(linear(kinds).shifts)


def multiply(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the reading of a product of two."""
    left, right = kinds
    unit = _product_unit(left, right)
    if left.percent and right.percent:
        return _plain((-2, -2))
    if left.percent or right.percent:
        share, amount = (left, right) if left.percent else (right, left)
        if amount.constant is not None and abs(amount.constant) <= _MOST_TIMES:
            return OperandScaling((0, 0), Scale.PERCENT, share.unit)
        return OperandScaling(_fractions(kinds), amount.scale, amount.unit, amount.in_ones)
    for scaled, factor in ((left, right), (right, left)):
        converted = scaled.exponent - factor.factor
        if scaled.known and factor.factor and _has_name(converted, kinds):
            return _named((0, 0), converted, unit)
    together = left.exponent + right.exponent
    in_ones = any(kind.in_ones for kind in kinds) and all(kind.in_ones or kind.constant is not None for kind in kinds)
    if _has_name(together, kinds):
        return OperandScaling((0, 0), _SCALES[together], unit, in_ones and not together)
    return OperandScaling((0, right.exponent), left.scale, unit)


def divide(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the reading of a quotient."""
    left, right = kinds
    if right.percent:
        return _plain((0, 0)) if left.percent else OperandScaling((0, -2), left.scale, left.unit, left.in_ones)
    if left.percent:
        return _percent_over(right)
    if right.constant is not None and not right.known:
        converted = left.exponent + right.factor
        surely = right.factor >= _SURELY_CONVERTS and left.constant is None
        named = (left.known or surely) and _has_name(converted, kinds)
        return _named((0, 0), converted, left.unit) if named else OperandScaling((0, 0), left.scale, left.unit)
    difference = left.exponent - right.exponent
    if left.known and right.in_ones and difference > 0 and _has_name(difference, kinds):
        return OperandScaling((0, 0), _SCALES[difference], left.unit if left.money and not right.money else None)
    if None not in (left.unit, right.unit) and left.unit != right.unit and _has_name(difference, kinds):
        unit = left.unit if left.money and not right.money else None
        return OperandScaling((0, 0), _SCALES[difference], unit, left.known and right.known and not difference)
    return _plain(linear(kinds).shifts)


def power(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the reading of a power: base and exponent in units."""
    return _plain(tuple(kind.exponent for kind in kinds))


def row(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the reading of the numbers of a table row: percentages are fractions there."""
    if any(kind.percent for kind in kinds):
        return OperandScaling(_fractions(kinds))
    return linear(kinds)


def _has_name(exponent: int, kinds: Sequence[Dimension]) -> bool:
    """Return whether a product or quotient of some operands can be called by a power of ten."""
    return exponent in _EVERYWHERE or exponent in (kind.exponent for kind in kinds if not kind.percent)


def _named(shifts: tuple[int, ...], exponent: int | None, unit: str | None) -> OperandScaling:
    """Return a result of a known power of ten; None if it is unknown."""
    return OperandScaling(shifts, _SCALES[exponent or 0], unit, exponent == 0)


def _plain(shifts: tuple[int, ...]) -> OperandScaling:
    """Return a result that is a plain number: a ratio of like things, yes or no."""
    return OperandScaling(shifts, in_ones=True)


def _percent_over(divisor: Dimension) -> OperandScaling:
    """Return the reading of a percentage over something that is none."""
    if divisor.constant == 100:
        return _plain((0, 0))
    if divisor.constant is not None and abs(divisor.constant) <= _MOST_TIMES:
        return OperandScaling((0, 0), Scale.PERCENT)
    return OperandScaling((-2, 0))


def _fractions(kinds: Sequence[Dimension]) -> tuple[int, ...]:
    return tuple(-2 if kind.percent else 0 for kind in kinds)


def _common_unit(kinds: Sequence[Dimension]) -> str | None:
    units = {kind.unit for kind in kinds if kind.unit is not None}
    return units.pop() if len(units) == 1 else None


def _product_unit(left: Dimension, right: Dimension) -> str | None:
    """Return what a product counts: a count times a price is money."""
    if left.money != right.money:
        return left.unit if left.money else right.unit
    units = [kind.unit for kind in (left, right) if kind.unit]
    return units[0] if len(units) == 1 else None


# Numbers as program text writes them: `206588`, `-435`, `.5`, `27%`, `const_m1`, `const_1000000`.
#
# Commas are dropped; a percentage is a fraction.


LONGEST = 200
"""The most characters of a literal, enough for every number that a register can hold."""

_COUNTED = 12
"""Whole numbers up to here count something: years, terms of an average, months."""

_CONVERTS = frozenset(Decimal(10) ** power for power in (2, 3, 4, 5, 6, 9, 12))
"""What converts: percent, basis points, thousands to trillions. Ten million has no name, so it is a fact of a page."""

_NAMED = frozenset(Decimal(n) for n in (-1, *range(1, 11), 12, *(10**k for k in (2, 3, 4, 5, 6, 9))))
"""What program text writes as `const_100`."""

_NUMBER = lazy_regex(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,2})?", re.ASCII)


def needs_no_source(value: Decimal) -> bool:
    """Return whether a number may be in a plan without a place on a page: a small count, or a conversion.

    The one rule for all solvers and checks. Below zero only minus one is such a number, for it turns a sign; a loss of
    five is a fact. What a question states is for them to add.

    >>> [needs_no_source(Decimal(n)) for n in ("11", "-1", "-5", "0.5", "1000000", "10000000", "365")]
    [True, True, False, False, True, False, False]
    """
    return value == -1 or value in _CONVERTS or (0 <= value <= _COUNTED and value == value.to_integral_value())


@lru_cache(maxsize=4096)
def read_literal(text: str) -> Decimal:
    """Return the value of a literal of program text: `27%` is 0.27, `const_m1` is -1, `1,234` is 1234.

    Raises:
        ProgramError: It is not one.

    Source: ConvFinQA's reading of arguments. It also takes `nan`, `inf` and digits with underscores; we do not.
    """
    if len(text) > LONGEST:
        raise ProgramError(text, 0, f"a number of {len(text)} characters, more than {LONGEST}")
    digits = text.strip()
    if digits == "const_m1":
        return Decimal(-1)
    percent = digits.endswith("%")
    digits = digits.removesuffix("%").rstrip() if percent else digits.removeprefix("const_")
    digits = digits.replace(",", "")
    if not _NUMBER.fullmatch(digits):
        raise ProgramError(text, 0, "not a number")
    value = Decimal(digits)
    return shift_decimal(value, -2) if percent else value


def write_literal(value: Decimal) -> str:
    """Return how program text writes a constant: `const_100`, `const_m1`, `0.27`."""
    if value not in _NAMED:
        return format(value, "f")
    return "const_m1" if value < 0 else f"const_{value.to_integral_value():f}"
