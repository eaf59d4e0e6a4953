"""How often Python looks for cycles of objects that nobody holds any more."""

import gc


def collect_seldom() -> None:
    """Let this process look for cycles seldom: for programs that own their process, not for a library's caller."""
    # What a turn makes is gone when it ends, with few cycles; Python would look after 700 new objects.
    gc.set_threshold(50_000)
