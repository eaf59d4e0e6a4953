"""What a store can do for its own upkeep: tell whether it is whole, and give back room that nobody uses."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found of a store.

    Attributes:
        problems: What is not as it was written, a line each; none if the store is whole.
        contents: How many contents it has, each of them read.
        unused: How many of them nothing refers to.
    """

    problems: tuple[str, ...]
    contents: int
    unused: int


@dataclass(frozen=True, slots=True)
class VacuumResult:
    """What was given back.

    Attributes:
        contents: How many contents went that nothing referred to.
        left: How many documents of runs that are gone went.
        before: Bytes of the file before; None of a server, which keeps its own house.
        after: Bytes of the file after.
    """

    contents: int
    left: int = 0
    before: int | None = None
    after: int | None = None


@runtime_checkable
class StoreUpkeep(Protocol):
    """What a RunStore may do besides: both of ours do, a store of another package need not."""

    async def check(self) -> Checked:
        """Read all that can be broken, and return what is."""
        ...

    async def vacuum(self) -> VacuumResult:
        """Take away what nothing refers to, and makes a file as small as it can be."""
        ...
