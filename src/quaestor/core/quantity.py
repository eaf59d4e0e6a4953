"""A number as a document prints it.

Owns the value, its scale and its unit. Refuses to guess: what the print does not say is `Scale.ONE` or `None`,
and captions such as "in millions" belong to the table, not to the number.
"""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class Scale(StrEnum):
    """What one unit of the printed value stands for."""

    ONE = "one"
    THOUSAND = "thousand"
    MILLION = "million"
    BILLION = "billion"
    PERCENT = "percent"

    @property
    def factor(self) -> Decimal:
        """The number that the printed value is multiplied by to get units."""
        return _FACTORS[self]


_FACTORS = {
    Scale.ONE: Decimal(1),
    Scale.THOUSAND: Decimal(1_000),
    Scale.MILLION: Decimal(1_000_000),
    Scale.BILLION: Decimal(1_000_000_000),
    Scale.PERCENT: Decimal("0.01"),
}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as printed: signed, exact, not multiplied by its scale.

    Units: `value` is in units of `scale`; `unit` names what is counted ("USD", "shares", "years") where the
        print says it.

    Attributes:
        value: The printed number with its sign: `( 435 )` is -435, `13.7 %` is 13.7.
        scale: What the print beside the number says: `$ 2.7 billion` is `Scale.BILLION`.
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
