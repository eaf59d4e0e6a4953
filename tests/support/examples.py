"""Scale the number of Hypothesis examples of a test to the active profile."""

from hypothesis import settings

_DEFAULT = 100
"""Hypothesis' default number of examples."""


def share(whole: int) -> int:
    """Return `whole`, scaled as the active profile scales the default."""
    return max(1, whole * settings().max_examples // _DEFAULT)
