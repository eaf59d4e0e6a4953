"""Figures of compared runs in words, the same on a terminal, on a page and in Markdown."""

from string import ascii_uppercase

from quaestor.scoring.bootstrap import ShareDifference

ENOUGH_GROUPS = 5
"""Of fewer pages or companies no interval is told: resampling one or two gives one that is far too narrow."""


def letter(place: int) -> str:
    """Returns the short name of a run: A, B, ... Z, A1.

    >>> letter(0), letter(27)
    ('A', 'B1')
    """
    return ascii_uppercase[place % 26] + (str(place // 26) if place >= 26 else "")


def points(share: float) -> str:
    """Returns a difference of shares in percentage points, with its sign."""
    return f"{100 * share:+.1f}"


def interval(found: ShareDifference) -> str:
    """Returns an interval in percentage points; nothing where too little was drawn from."""
    return f"{points(found.low)} to {points(found.high)}" if found.groups >= ENOUGH_GROUPS else ""


def p_value(p: float) -> str:
    """Returns a p for people: three digits, a small one with its power of ten.

    >>> p_value(0.0421), p_value(3.06e-56), p_value(1.0)
    ('0.042', '3.1e-56', '1.000')
    """
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1e}"
