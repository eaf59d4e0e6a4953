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

_SCALE_NAMES = {
    Scale.THOUSAND: "thousand thous 000 tsd tausend milliers miles milhares k t",
    Scale.MILLION: "million mill mil mio mln mn millionen millones milhões milioni m mm",
    Scale.BILLION: "billion bil bn bln mrd milliarde milliarden milliard miliardi b",
    Scale.TRILLION: "trillion tn trn",
    Scale.LAKH: "lakh lac",
    Scale.CRORE: "crore cr",
    Scale.TEN_THOUSAND: "tenthousand",
    Scale.HUNDRED_MILLION: "hundredmillion 100million",
}
"""Names and letters of scales in several languages, without spaces."""
_WORDS = {name: scale for scale, names in _SCALE_NAMES.items() for name in names.split()}
_SIGNS = {
    "千": Scale.THOUSAND, "万": Scale.TEN_THOUSAND, "萬": Scale.TEN_THOUSAND, "百万": Scale.MILLION,
    "百萬": Scale.MILLION, "億": Scale.HUNDRED_MILLION, "亿": Scale.HUNDRED_MILLION, "十億": Scale.BILLION,
    "十亿": Scale.BILLION, "兆": Scale.TRILLION, "천": Scale.THOUSAND, "백만": Scale.MILLION,
    "억": Scale.HUNDRED_MILLION, "십억": Scale.BILLION, "조": Scale.TRILLION,
}  # fmt: skip
SCALE_SIGN = "百万|百萬|十億|十亿|십억|백만|[千万萬億亿兆천억조]"
"""East Asian scales, which are between a number and its currency."""


def scale_called(word: str) -> Scale | None:
    """Return the scale for a name in any form.

    >>> [str(scale_called(word)) for word in ("Millions", "Mrd.", "'000", "crores", "億", "M")]
    ['million', 'billion', 'thousand', 'crore', 'hundred million', 'million']
    """
    plain = "".join(word.split()).strip(".'`\u2018\u2019")
    if scale := _SIGNS.get(plain):
        return scale
    plain = plain.casefold()
    if plain.startswith(("000", "1,000")):
        return Scale.MILLION if plain.endswith(",000,000") or plain == "000,000" else Scale.THOUSAND
    return _WORDS.get(plain) or _WORDS.get(plain.removesuffix("s"))


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
