"""What is fuzzed: a name, and what reads an input."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

Reads = Callable[[bytes], None]
"""Reads one input. What the program refuses on purpose is caught in it; what it raises is a crash."""


@dataclass(frozen=True)
class Target:
    """A door of the program through which input comes that nobody has checked.

    Attributes:
        name: Also of its folder of seeds.
        opened: Gives what reads an input; called once, with a folder of its own, in the process that fuzzes.
        share: How many of a thousand inputs of a whole run it gets: more where it is fast.
        words: Pieces of its language, which a fuzzer puts into inputs.
    """

    name: str
    opened: Callable[[Path], Reads]
    share: int
    words: Sequence[str] = ()
