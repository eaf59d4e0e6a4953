"""How many inputs a test draws that names a number of its own."""

from hypothesis import settings

_UNNAMED = 100
"""What a test draws that names none, where no profile says otherwise."""


def share(whole: int) -> int:
    """Returns the number of a test, or the share of it that the profile in force takes of all."""
    return max(1, whole * settings().max_examples // _UNNAMED)
