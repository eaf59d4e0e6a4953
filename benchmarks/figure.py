"""What a measurement says."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the report.

    Attributes:
        name: What was measured.
        value: The figure with its unit.
        how: How it was measured.
    """

    name: str
    value: str
    how: str


def milliseconds(name: str, seconds: Iterable[float], of: str) -> Figure:
    """Returns the median of some durations as a figure."""
    durations = list(seconds)
    return Figure(name, f"{1000 * median(durations):.2f} ms", f"median of {len(durations)} {of}")
