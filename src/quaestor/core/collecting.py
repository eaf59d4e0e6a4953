"""How often Python looks for cycles of objects that nobody holds any more."""

import gc

_BETWEEN = 50_000
"""New objects between two looks, where Python has 700: what a turn makes is gone when it ends, with few cycles."""


def collect_seldom() -> None:
    """Lets this process look for cycles seldom: for programs that own their process, not for a library's caller."""
    gc.set_threshold(_BETWEEN)
