"""A number as a document prints it.

Refuses to guess: what the print lacks is `Scale.ONE` or `None`, and captions such as "in millions" belong to the
table, not to the number.
"""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class Scale(StrEnum):
    """The size of one unit of the printed value."""

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
        """The number that the printed value is multiplied by to get units."""
        return Decimal(1).scaleb(self.exponent)

    @property
    def exponent(self) -> int:
        """The power of ten that the printed value is multiplied by."""
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
"""Those of amounts that are not printed out: thousands and more."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as printed: signed, exact, not multiplied by its scale.

    Units: `value` is in units of `scale`; `unit` names what is counted ("USD", "shares", "years") where the
        print has it.

    Attributes:
        value: The printed number with its sign: `( 435 )` is -435, `13.7 %` is 13.7.
        scale: What the print next to the number states: `$ 2.7 billion` is `Scale.BILLION`.
        unit: A currency code or a counted noun, or None.
        text: The characters that were read, so that a person finds them again.
    """

    value: Decimal
    scale: Scale = Scale.ONE
    unit: str | None = None
    text: str = ""

    @property
    def number(self) -> Decimal:
        """The value in units: 2.7 billion is 2700000000, 13.7 percent is 0.137."""
        return self.value * self.scale.factor
