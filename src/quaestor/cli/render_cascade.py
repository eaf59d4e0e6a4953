"""A simulated cascade on a terminal and as JSON."""

from pydantic import JsonValue
from rich.console import Console
from rich.table import Table as Grid

from quaestor.application.simulated_cascade import CascadePoint, SimulatedCascade
from quaestor.cli.printing import print_grid
from quaestor.cli.results import figure_cells
from quaestor.core import serial


def show_cascade(console: Console, found: SimulatedCascade) -> None:
    """Prints accuracy and cost of a cascade of two runs, by threshold."""
    title = f"{found.first.id}, falling back to {found.second.id} when uncertain"
    grid = Grid("threshold", "passed on", "correct", "of", "%", "95 % interval", "tokens", "US dollars")
    grid.title, grid.title_justify = title, "left"
    for column in grid.columns:
        column.justify = "right"
        column.no_wrap = column.header in ("passed on", "95 % interval")
    for name, right in (("1st only", found.first_right), ("2nd only", found.second_right)):
        grid.add_row(name, "", *figure_cells(right), "", "")
    grid.add_section()
    used = any(point.usage.tokens for point in found.points)
    for point in found.points:
        cost = "" if point.usage.cost is None else f"{point.usage.cost:.4f}"
        passed = f"{point.passed} ({100 * point.share:.1f} %)"
        row = (
            f"{point.threshold:g}",
            passed,
            *figure_cells(point.right),
            f"{point.usage.tokens:,}" if used else "",
            cost,
        )
        grid.add_row(*row, style="bold" if point == found.best else None)
    grid.columns = [column for column in grid.columns if any(column.cells)]  # nobody says what imported answers cost
    print_grid(console, grid, spare=("of", "tokens", "95 % interval", "US dollars"))
    how = (
        "the first run's solver answered again, given the second run's answers"
        if found.replayed
        else "each turn as answered in its own run"
    )
    console.print(f"highest accuracy at {found.best.threshold:g}, selected on these same turns; {how}", style="dim")


def cascade_object(found: SimulatedCascade) -> JsonValue:
    """Returns a simulated cascade as JSON. Units: shares are fractions of 1."""
    return {
        "first": found.first.id,
        "second": found.second.id,
        "first_right": serial.dump(found.first_right),
        "second_right": serial.dump(found.second_right),
        "points": [_point(point) for point in found.points],
        "best": found.best.threshold,
        "replayed": found.replayed,
    }


def _point(point: CascadePoint) -> JsonValue:
    return {
        "threshold": point.threshold,
        "passed": point.passed,
        "share": point.share,
        "right": serial.dump(point.right),
        "accuracy": point.right.value,
        "usage": dict(point.usage.counts()),
    }
