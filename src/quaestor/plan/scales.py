"""The one rule for percent, scale and unit: how the operands of an operation are taken, and what the result counts.

Fixed before any reference answer is seen, by kind of use:

- A percentage that is looked up stays as printed: `13.4 %` is 13.4 percent.
- Percentages added, subtracted, compared or averaged are points and stay percent: 13.4 % - 11.1 % is 2.3 percent.
  Beside a number without a sign they are points too, for the print leaves the sign to a header; beside the constant
  one they are fractions: 1 - 11 % is 0.89.
- A percentage divided by a percentage is a plain ratio.
- A percentage in a product or a quotient with an amount is a fraction, and the result has the amount's scale:
  526.5 * 2.4 % is 12.636. So it is as base or exponent of a power. A constant of at most twelve is no amount but
  counts times (twice, twelve months): the percentage stays percent. Divided by 100 it becomes its fraction.
- The row operations (`table_sum` and its like) take percentages as fractions, as the benchmark does.
- `Scale.ONE` means that the print says no scale. Where a sum, difference or comparison meets two scales that the
  numbers themselves say, the coarser is converted: 2.2 billion - 500 million is 2200 - 500, in million. A number
  that says none is taken to count in the other's scale. Captions of tables play no part: the benchmark computes
  with numbers as printed.
- A product or quotient keeps what the scales multiply to, converting only where no scale has that name. A constant
  of a thousand, a million or a billion converts: 2.2 billion * 1000 is 2200 million.

A conversion is a shift by powers of ten, so it is exact, and program text writes it as a step of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from quaestor.core.quantity import Scale

_EXPONENTS = {Scale.ONE: 0, Scale.PERCENT: -2, Scale.THOUSAND: 3, Scale.MILLION: 6, Scale.BILLION: 9}
_SCALES = {0: Scale.ONE, 3: Scale.THOUSAND, 6: Scale.MILLION, 9: Scale.BILLION}
_CONVERTERS = {Decimal(1000): 3, Decimal(1_000_000): 6, Decimal(1_000_000_000): 9}
_MOST_TIMES = 12


@dataclass(frozen=True, slots=True)
class Dimension:
    """What an operand counts, apart from its value.

    Attributes:
        scale: What one unit of it stands for; `Scale.ONE` where nothing is said.
        unit: What is counted, or None.
        constant: The value, where the operand is a constant that stands in no document.
    """

    scale: Scale = Scale.ONE
    unit: str | None = None
    constant: Decimal | None = None

    @property
    def percent(self) -> bool:
        """True for a percentage that is not yet a fraction."""
        return self.scale is Scale.PERCENT

    @property
    def explicit(self) -> bool:
        """True where the number itself says thousand, million or billion."""
        return self.scale not in (Scale.ONE, Scale.PERCENT)

    @property
    def exponent(self) -> int:
        """The power of ten that one unit of the value stands for."""
        return _EXPONENTS[self.scale]


@dataclass(frozen=True, slots=True)
class OperandScaling:
    """How an operation takes its operands.

    Attributes:
        shifts: For each operand the power of ten that it is multiplied by first: 0 as printed, -2 a percentage as a
            fraction, 3 from billion to million.
        scale: The result's scale.
        unit: The result's unit, or None.
    """

    shifts: tuple[int, ...]
    scale: Scale = Scale.ONE
    unit: str | None = None


def shift_decimal(value: Decimal, shift: int) -> Decimal:
    """Returns the value times ten to the power of `shift`, exact in every decimal context."""
    sign, digits, exponent = value.as_tuple()
    return Decimal((sign, digits, exponent + shift)) if shift and isinstance(exponent, int) else value


def unchanged(kinds: Sequence[Dimension]) -> OperandScaling:
    """Returns the reading of the identity: as it is."""
    return OperandScaling((0,), kinds[0].scale, kinds[0].unit)


def linear(kinds: Sequence[Dimension]) -> OperandScaling:
    """Returns the reading of sums, differences, averages and extremes."""
    unit = _common_unit(kinds)
    if any(kind.percent for kind in kinds):
        others = [kind for kind in kinds if not kind.percent]
        if others and all(kind.constant == 1 for kind in others):
            return OperandScaling(_fractions(kinds), Scale.ONE, unit)
        scale = Scale.ONE if any(kind.explicit for kind in others) else Scale.PERCENT
        return OperandScaling((0,) * len(kinds), scale, unit)
    explicit = [kind.exponent for kind in kinds if kind.explicit]
    finest = min(explicit, default=0)
    return OperandScaling(tuple(k.exponent - finest if k.explicit else 0 for k in kinds), _SCALES[finest], unit)


def comparison(kinds: Sequence[Dimension]) -> OperandScaling:
    """Returns the reading of a yes/no comparison: a common scale, and nothing counted."""
    return OperandScaling(linear(kinds).shifts)


def ratio(kinds: Sequence[Dimension]) -> OperandScaling:
    """Returns the reading of part over whole and of relative change: a plain ratio of like numbers."""
    if sum(kind.percent for kind in kinds) == 1:
        return divide(kinds)
    return OperandScaling(linear(kinds).shifts)


def multiply(kinds: Sequence[Dimension]) -> OperandScaling:
    """Returns the reading of a product of two."""
    left, right = kinds
    units = [kind.unit for kind in kinds if kind.unit]
    unit = units[0] if len(units) == 1 else None
    if left.percent and right.percent:
        return OperandScaling((-2, -2))
    if left.percent or right.percent:
        amount = right if left.percent else left
        if amount.constant is not None and abs(amount.constant) <= _MOST_TIMES:
            return OperandScaling((0, 0), Scale.PERCENT, unit)
        return OperandScaling(_fractions(kinds), amount.scale, amount.unit)
    for scaled, factor in ((left, right), (right, left)):
        converted = scaled.exponent - _CONVERTERS.get(factor.constant or Decimal(0), 0)
        if scaled.explicit and factor.constant is not None and converted in _SCALES:
            return OperandScaling((0, 0), _SCALES[converted], unit)
    together = left.exponent + right.exponent
    if together in _SCALES:
        return OperandScaling((0, 0), _SCALES[together], unit)
    return OperandScaling((0, right.exponent), left.scale, unit)


def divide(kinds: Sequence[Dimension]) -> OperandScaling:
    """Returns the reading of a quotient."""
    left, right = kinds
    if right.percent:
        return OperandScaling((0, 0)) if left.percent else OperandScaling((0, -2), left.scale, left.unit)
    if left.percent:
        return _percent_over(right)
    if right.constant is not None:
        converted = left.exponent + _CONVERTERS.get(right.constant, 0)
        named = left.explicit and converted in _SCALES
        return OperandScaling((0, 0), _SCALES[converted] if named else left.scale, left.unit)
    apart = left.exponent - right.exponent
    if None not in (left.unit, right.unit) and left.unit != right.unit and apart in _SCALES:
        return OperandScaling((0, 0), _SCALES[apart])
    return OperandScaling(linear(kinds).shifts)


def power(kinds: Sequence[Dimension]) -> OperandScaling:
    """Returns the reading of a power: base and exponent in units."""
    return OperandScaling(tuple(kind.exponent for kind in kinds))


def row(kinds: Sequence[Dimension]) -> OperandScaling:
    """Returns the reading of the numbers of a table row: percentages are fractions there."""
    if any(kind.percent for kind in kinds):
        return OperandScaling(_fractions(kinds))
    return linear(kinds)


def _percent_over(divisor: Dimension) -> OperandScaling:
    """Returns the reading of a percentage over something that is none."""
    if divisor.constant == 100:
        return OperandScaling((0, 0))
    if divisor.constant is not None and abs(divisor.constant) <= _MOST_TIMES:
        return OperandScaling((0, 0), Scale.PERCENT)
    return OperandScaling((-2, 0))


def _fractions(kinds: Sequence[Dimension]) -> tuple[int, ...]:
    return tuple(-2 if kind.percent else 0 for kind in kinds)


def _common_unit(kinds: Sequence[Dimension]) -> str | None:
    units = {kind.unit for kind in kinds if kind.unit is not None}
    return units.pop() if len(units) == 1 else None
