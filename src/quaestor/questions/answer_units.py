"""Kinds of answers: an amount of money, a price, a percentage, a count, a ratio, or words."""

from collections.abc import Mapping

from quaestor.core.quantity import Scale

KINDS = ("money", "price", "percent", "count", "ratio", "words")

_AMOUNTS = ("money", "price", "count", "ratio")
_HIGHEST_PRICE = 10_000
_RATIO_UNITS = frozenset({"times", "x", "ratio"})


UNKNOWN = ""
"""The kind of a number whose unit is not known: anything but a percentage or words."""


def share_of_kind(kinds: Mapping[str, float], kind: str) -> float:
    """Return the probability of a kind; of `UNKNOWN` that of all kinds that it may be."""
    return kinds.get(kind, 0.0) if kind else sum(kinds.get(one, 0.0) for one in _AMOUNTS)


def kind_of_number(amount: float, scale: Scale, unit: str | None, *, in_table: bool = False) -> str:
    """Return the kind of a number, as `KINDS` or `UNKNOWN`.

    Args:
        amount: Its value in ones of its unit.
        scale: What one unit of the print counts for.
        unit: A currency's code, another unit, or None.
        in_table: Whether it is of a table, whose money often has no currency; in a sentence such a number is a count.

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
