"""Numbers as a document prints them.

A scale or unit that is not printed next to the number is `Scale.ONE` or None; captions such as "in millions" belong to
the table, not to the number.
"""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class Scale(StrEnum):
    """Multiplier of a printed value."""

    ONE = "one"
    THOUSAND = "thousand"
    TEN_THOUSAND = "ten thousand"
    LAKH = "lakh"
    MILLION = "million"
    CRORE = "crore"
    HUNDRED_MILLION = "hundred million"
    BILLION = "billion"
    TRILLION = "trillion"
    PERCENT = "percent"

    @property
    def factor(self) -> Decimal:
        """The factor from the printed value to units."""
        return Decimal(1).scaleb(self.exponent)

    @property
    def exponent(self) -> int:
        """The factor as a power of ten."""
        return _EXPONENTS[self]


_EXPONENTS = {
    Scale.ONE: 0,
    Scale.THOUSAND: 3,
    Scale.TEN_THOUSAND: 4,
    Scale.LAKH: 5,
    Scale.MILLION: 6,
    Scale.CRORE: 7,
    Scale.HUNDRED_MILLION: 8,
    Scale.BILLION: 9,
    Scale.TRILLION: 12,
    Scale.PERCENT: -2,
}
LARGE_SCALES = frozenset(scale for scale, exponent in _EXPONENTS.items() if exponent > 0)
"""Scales of a thousand or more."""
SINGLE_UNITS = frozenset({"cents", "pence", "basis points", "percentage points", "points", "times"})
"""Units of prices and ratios; numbers printed with them are never in the thousands or millions of their table."""
UNSCALED_UNITS = SINGLE_UNITS | {"years", "months", "weeks", "days", "hours", "square feet"}
"""These and other units whose numbers are given in full: "6.0 years", "198,000 square feet"."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """Exact printed number with its sign, not multiplied by its scale.

    Attributes:
        value: The printed number in units of `scale`: `( 435 )` is -435, `13.7 %` is 13.7.
        scale: The scale printed next to the number: `$ 2.7 billion` is `Scale.BILLION`.
        unit: The printed currency (as its code) or counted noun ("USD", "shares", "years"), or None.
        text: The printed characters of the number.
    """

    value: Decimal
    scale: Scale = Scale.ONE
    unit: str | None = None
    text: str = ""

    @property
    def number(self) -> Decimal:
        """The value in units: 2.7 billion is 2700000000, 13.7 percent is 0.137."""
        return self.value * self.scale.factor
