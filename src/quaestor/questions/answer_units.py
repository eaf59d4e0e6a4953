"""Kinds of answers: an amount of money, a price, a percentage, a count, a ratio, or words."""

from collections.abc import Mapping

from quaestor.core.quantity import Scale

KINDS = ("money", "price", "percent", "count", "ratio", "words")

_AMOUNTS = ("money", "price", "count", "ratio")
_HIGHEST_PRICE = 10_000
_RATIO_UNITS = frozenset({"times", "x", "ratio"})


UNKNOWN = ""
"""Kind of a number whose unit is unknown: anything but a percentage or words."""


def share_of_kind(kinds: Mapping[str, float], kind: str) -> float:
    """Return the probability of a kind; for `UNKNOWN`, that of all kinds that the number may have."""
    return kinds.get(kind, 0.0) if kind else sum(kinds.get(one, 0.0) for one in _AMOUNTS)


def kind_of_number(amount: float, scale: Scale, unit: str | None, *, in_table: bool = False) -> str:
    """Return the kind of a number: one of `KINDS`, or `UNKNOWN`.

    Args:
        amount: The value in ones of its unit.
        scale: The multiplier of the printed number.
        unit: A currency code, another unit, or None.
        in_table: Whether the number is in a table, where money often has no currency; in text it is then a count.

    >>> kind_of_number(1.52, Scale.ONE, "USD"), kind_of_number(2e6, Scale.MILLION, "USD")
    ('price', 'money')
    """
    if scale is Scale.PERCENT:
        return "percent"
    if unit in _RATIO_UNITS:
        return "ratio"
    if unit is not None and "/" in unit:
        return "price"
    if unit is not None and unit.isupper():
        return "price" if scale is Scale.ONE and abs(amount) < _HIGHEST_PRICE else "money"
    if unit is None and in_table:
        return UNKNOWN
    return "count"
