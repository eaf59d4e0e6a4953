"""A fuzzing target: its name and the function that reads an input."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

Reads = Callable[[bytes], None]
"""Read one input. Intended errors of the program are caught; any other exception is a crash."""


@dataclass(frozen=True)
class Target:
    """An entry point of the program that takes untrusted input.

    Attributes:
        name: Also the name of its file of seeds.
        opened: Return the function that reads an input; called once, with its own folder, in the process that fuzzes.
        share: Inputs per thousand of a whole run; fast targets get more.
        words: Tokens of its language, which a fuzzer inserts into inputs.
    """

    name: str
    opened: Callable[[Path], Reads]
    share: int
    words: Sequence[str] = ()
