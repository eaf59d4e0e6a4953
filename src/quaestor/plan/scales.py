"""Rules for percentages, scales and units: how an operation scales its operands, and the scale and unit of its result.

The rules depend only on the use of a number, never on reference answers:

- A percentage that is looked up, given or in a formula stays as printed: `13.4 %` is 13.4 percent.
- Percentages that are added, subtracted, compared or averaged are points and stay percent: 13.4 % - 11.1 % is 2.3
  percent. The same applies together with a number without a percent sign, since the sign may be in a header. Together
  with the constant one or a computed ratio they are fractions: 1 - 11 % is 0.89.
- A computed percentage is a plain ratio, i.e. a fraction. So is a percentage divided by a percentage.
- A percentage in a product or quotient with an amount is a fraction, and the result has the amount's scale: 526.5 *
  2.4 % is 12.636. It is also a fraction as base or exponent of a power. A constant of at most twelve is a count (twice,
  twelve months), not an amount: the percentage stays percent. Divided by 100 it becomes a fraction.
- The row operations (`table_sum` and the like) take percentages as fractions, as the benchmark does.
- The scale of a number is known if it is printed beside it ("2.2 billion") or given by the labels or the caption of its
  table ("( in millions )"). For numbers of single things (per share, years, dollars) it is known to be one
  (`Dimension.in_ones`). Otherwise it is unknown.
- If a sum, a difference, a comparison or a ratio has operands of two known scales, the coarser is converted: 2.2
  billion - 500 million is 2200 - 500, in million. A number of unknown scale, or a plain number (a ratio, ones without a
  unit), is assumed to have the scale of the other operand. Numbers known to have different units are taken as printed,
  but a sum, a difference, an average or an extreme of money and other things, of two currencies, or of a percentage and
  a number with a unit is an error.
- A product or quotient has the product or quotient of the scales, and converts only if that scale has no name: 30
  million dollars over 1.5 dollars per share is 20 million.
- A constant of a thousand, a million or a billion converts and never changes the amount: 3.4 million * 1000 is 3400
  thousand, 20,743 thousand / 1000 is 20.743 million. It is a plain factor if no scale is known or the resulting scale
  has no name; but a number of unknown scale over a million or a billion is in million or billion, since ones are
  converted this way.
- A count times a price is money, and money over a count is money per item.
- Each number of a list is compared as it would be on its own, and keeps its printed scale: of 2.2 billion and 500
  million, 2.2 billion is above 1 billion. "More than 3 %" means three points among percentages and 0.03 among ratios;
  "more than 5,000,000", given in ones, means five among millions.
- Labels and captions can be wrong or misread. `as_printed` ignores a known scale: the number is treated as one of
  unknown scale and unit, and the formula and the answer state what was ignored.

A conversion is an exact shift by powers of ten. Formulas show it, and program text has a separate step for it.
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
"""Powers of ten that any result may have as scale; others (lakh, crore, trillion) only if an operand has them."""
_CONVERTERS = {Decimal(1000): 3, Decimal(1_000_000): 6, Decimal(1_000_000_000): 9}
_SURELY_CONVERTS = 6
_MOST_TIMES = 12
_POINTS = frozenset({"points", "percentage points", "basis points", "times"})
"""Units of ratios, which may be mixed with percentages."""
_SINGLE = "single things"


@dataclass(frozen=True, slots=True)
class Dimension:
    """Scale and unit of an operand, without its value.

    Attributes:
        in_ones: Whether the scale is known to be one: single dollars, shares, years.
    """

    scale: Scale = Scale.ONE
    unit: str | None = None
    constant: Decimal | None = None
    in_ones: bool = False

    @property
    def percent(self) -> bool:
        """Whether the operand is a percentage that is not yet a fraction."""
        return self.scale is Scale.PERCENT

    @property
    def known(self) -> bool:
        """Whether the scale is known: one, thousand, million, ..."""
        return self.in_ones or self.scale not in (Scale.ONE, Scale.PERCENT)

    @property
    def scale_word(self) -> str:
        """The scale as a word: `million`, `percent`, `one` or `unknown`."""
        return "unknown" if self.scale is Scale.ONE and not self.in_ones and self.constant is None else self.scale.value

    @property
    def money(self) -> bool:
        """Whether the unit is a currency."""
        return is_currency(self.unit)

    @property
    def plain(self) -> bool:
        """Whether the operand is a plain number, such as a computed ratio."""
        return self.in_ones and self.unit is None

    @property
    def factor(self) -> int:
        """The power of ten of a converting constant: 3 for a thousand; 0 if the operand converts nothing."""
        return 0 if self.constant is None or self.known else _CONVERTERS.get(self.constant, 0)

    @property
    def exponent(self) -> int:
        """The power of ten of the scale."""
        return self.scale.exponent


@dataclass(frozen=True, slots=True)
class OperandScaling:
    """Scaling of an operation's operands, with the scale and unit of its result.

    Attributes:
        shifts: For each operand the power of ten that it is multiplied by first: 0 for as printed, -2 for a percentage
            as a fraction, 3 for billion to million.
    """

    shifts: tuple[int, ...]
    scale: Scale = Scale.ONE
    unit: str | None = None
    in_ones: bool = False

    @property
    def counts(self) -> Dimension:
        """The scale and unit of the result."""
        return Dimension(self.scale, self.unit, in_ones=self.in_ones)


def shift_decimal(value: Decimal, shift: int) -> Decimal:
    """Return the value times ten to the power of `shift`, exactly in any decimal context."""
    sign, digits, exponent = value.as_tuple()
    return Decimal((sign, digits, exponent + shift)) if shift and isinstance(exponent, int) else value


def unchanged(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the scaling of the identity."""
    return OperandScaling((0,), kinds[0].scale, kinds[0].unit, kinds[0].in_ones)


def as_printed(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the scaling of a number whose scale and unit are ignored, except that a percentage stays one."""
    return OperandScaling((0,), Scale.PERCENT if kinds[0].percent else Scale.ONE)


def linear(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the scaling of sums, differences, averages and extremes."""
    unit = _common_unit(kinds)
    if any(kind.percent for kind in kinds):
        others = [kind for kind in kinds if not kind.percent]
        if others and all(kind.constant == 1 or kind.plain for kind in others):
            return _plain(_fractions(kinds))
        scale = Scale.ONE if any(kind.known for kind in others) else Scale.PERCENT
        return OperandScaling((0,) * len(kinds), scale, unit)
    # A plain number among amounts is a factor or a ratio, to which their scale does not apply.
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
    """Return whether the units of numbers cannot be added: money and shares, dollars and percent."""
    units = {kind.unit for kind in kinds if kind.unit is not None and not kind.percent} - _POINTS
    if any(kind.percent for kind in kinds):
        return bool(units)
    return len(units) > 1 and any(map(is_currency, units))


def comparison(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the scaling of a yes/no comparison: a common scale, and a result without a unit."""
    return _plain(linear(kinds).shifts)


def threshold(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the scaling of the numbers of a list and of the limit, which comes last."""
    *cells, limit = kinds
    if limit.constant is not None and limit.in_ones and not all(kind.percent for kind in cells):
        # Written in full, "$ 5,000,000": it is converted to their scale, as an amount of the page would be.
        limit = Dimension(unit=_common_unit(cells) or _SINGLE, in_ones=True)
    elif limit.known and not limit.plain:
        # Ones without a unit are amounts here, not ratios: "more than 5 million" of 3,200,000 and 5,500,000.
        cells = [replace(kind, unit=limit.unit or _SINGLE) if kind.plain else kind for kind in cells]
    return _plain(linear((*cells, limit)).shifts)


def placed(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the scaling of the numbers of a list and of a rank, which comes last."""
    return _plain((*linear(kinds[:-1]).shifts, 0))


def counting(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the scaling of operations that ignore the numbers of entries, such as counting."""
    return _plain((0,) * len(kinds))


def ratio(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the scaling of shares and relative changes, whose result is a plain ratio."""
    if sum(kind.percent for kind in kinds) == 1:
        return divide(kinds)
    return _plain(linear(kinds).shifts)


def multiply(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the scaling of a product."""
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
    """Return the scaling of a quotient."""
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
    """Return the scaling of a power: base and exponent in units."""
    return _plain(tuple(kind.exponent for kind in kinds))


def row(kinds: Sequence[Dimension]) -> OperandScaling:
    """Return the scaling of the numbers of a table row, in which percentages are fractions."""
    if any(kind.percent for kind in kinds):
        return OperandScaling(_fractions(kinds))
    return linear(kinds)


def _has_name(exponent: int, kinds: Sequence[Dimension]) -> bool:
    """Return whether a product or quotient of the operands may have a power of ten as its scale."""
    return exponent in _EVERYWHERE or exponent in (kind.exponent for kind in kinds if not kind.percent)


def _named(shifts: tuple[int, ...], exponent: int | None, unit: str | None) -> OperandScaling:
    """Return the scaling with a result of a known power of ten, or of unknown scale for None."""
    return OperandScaling(shifts, _SCALES[exponent or 0], unit, exponent == 0)


def _plain(shifts: tuple[int, ...]) -> OperandScaling:
    """Return the scaling with a plain number as result: a ratio, yes or no."""
    return OperandScaling(shifts, in_ones=True)


def _percent_over(divisor: Dimension) -> OperandScaling:
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
    """Return the unit of a product: a count times a price is money."""
    if left.money != right.money:
        return left.unit if left.money else right.unit
    units = [kind.unit for kind in (left, right) if kind.unit]
    return units[0] if len(units) == 1 else None


# ---- Literals of program text: `206588`, `-435`, `.5`, `27%`, `const_m1`, `const_1000000`.
#
# Commas are dropped; a percentage is a fraction.


LONGEST = 200
"""Maximum length of a literal, enough for all numbers in the range of plans."""

_COUNTED = 12
"""Whole numbers up to this one are counts: of years, terms of an average, months."""

_CONVERTS = frozenset(Decimal(10) ** power for power in (2, 3, 4, 5, 6, 9, 12))
"""Conversion factors: percent, basis points, thousands to trillions; not ten million, which has no name."""

_NAMED = frozenset(Decimal(n) for n in (-1, *range(1, 11), 12, *(10**k for k in (2, 3, 4, 5, 6, 9))))
"""Numbers that program text writes as `const_100`."""

_NUMBER = lazy_regex(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,2})?", re.ASCII)


def needs_no_source(value: Decimal) -> bool:
    """Return whether a plan may use a number without a source: a small count or a conversion factor.

    All solvers and checks use this rule. Minus one is the only such negative number, since it changes a sign; a loss of
    five is a fact. Callers also allow the numbers of the question.

    >>> [needs_no_source(Decimal(n)) for n in ("11", "-1", "-5", "0.5", "1000000", "10000000", "365")]
    [True, True, False, False, True, False, False]
    """
    return value == -1 or value in _CONVERTS or (0 <= value <= _COUNTED and value == value.to_integral_value())


@lru_cache(maxsize=4096)
def read_literal(text: str) -> Decimal:
    """Return the value of a literal of program text: `27%` is 0.27, `const_m1` is -1, `1,234` is 1234.

    Follows ConvFinQA, but does not accept `nan`, `inf` and digits with underscores.
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
    """Return the program text of a constant: `const_100`, `const_m1`, `0.27`."""
    if value not in _NAMED:
        return format(value, "f")
    return "const_m1" if value < 0 else f"const_{value.to_integral_value():f}"
