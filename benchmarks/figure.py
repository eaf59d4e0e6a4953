"""A measured figure."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the report.

    Attributes:
        value: The figure with its unit.
    """

    name: str
    value: str
    how: str


def milliseconds(name: str, seconds: Iterable[float], of: str) -> Figure:
    """Return the median of some durations as a figure."""
    durations = list(seconds)
    return Figure(name, f"{1000 * median(durations):.2f} ms", f"median of {len(durations)} {of}")
