"""Numbers as program text writes them: `206588`, `-435`, `.5`, `27%`, `const_m1`, `const_1000000`.

Commas are dropped; a percentage is a fraction.
"""

import re
from decimal import Decimal
from functools import lru_cache

from quaestor.errors import ProgramError
from quaestor.plan.scales import shift_decimal

LONGEST = 200
"""The most characters of a literal, enough for every number that a register can hold."""

_COUNTED = 12
"""Whole numbers up to here count something: years, terms of an average, months."""

_CONVERTS = frozenset(Decimal(10) ** power for power in (2, 3, 4, 5, 6, 9, 12))
"""What converts: percent, basis points, thousands to trillions. Ten million has no name, so it is a fact of a page."""

_NAMED = frozenset(Decimal(n) for n in (-1, *range(1, 11), 12, *(10**k for k in (2, 3, 4, 5, 6, 9))))
"""What program text writes as `const_100`."""

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,2})?", re.ASCII)


def needs_no_source(value: Decimal) -> bool:
    """Return whether a number may be in a plan without a place on a page: a small count, or a conversion.

    The one rule for all solvers and checks. Below zero only minus one is such a number, for it turns a sign; a loss of
    five is a fact. What a question says is for them to add.

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
