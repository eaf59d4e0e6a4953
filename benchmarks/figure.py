"""A measured figure."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from rich.console import Console
from rich.table import Table


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


def print_figures(figures: Iterable[Figure]) -> None:
    """Print figures as a table."""
    table = Table("figure", "", "how")
    table.columns[1].justify = "right"
    for figure in figures:
        table.add_row(figure.name, figure.value, figure.how)
    Console(highlight=False).print(table)
