"""The figures of a scored run on a terminal."""

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table as Grid

from quaestor.cli.printing import print_grid
from quaestor.scoring.bootstrap import ENOUGH_GROUPS, Proportion
from quaestor.scoring.calibration import CalibrationReport
from quaestor.scoring.cause import Cause
from quaestor.scoring.figures import Score
from quaestor.scoring.scorers import FILINGS, SCORERS

BREAKDOWN_TITLES = {
    "turn": "by turn",
    "operation": "by operation",
    "origin": "by origin of the operands",
    "conversation": "by kind of conversation",
    "answer": "by kind of answer",
    "source": "by source of the answer",
    "form": "by target",
    "answer and source": "by kind and source",
}


def show_score(console: Console, score: Score) -> None:
    """Print the figures, each with its denominator and interval, and the breakdowns."""
    grid = Grid("", "correct", "of", "%", "95 % interval", title="Score", title_justify="left")
    for name, figure in score.results.items():
        grid.add_row(SCORERS[name].title, *figure_cells(figure))
    _align(grid)
    print_grid(console, grid)
    if score.unanswered:
        counted = "" if score.measures == FILINGS else ", counted as wrong"
        console.print(f"turns without an answer{counted}: {score.unanswered}")
    if score.certainty:
        console.print(certainty_line(score.certainty))
    if score.causes:
        show_causes(console, score.causes)
    right, beside = score.measures.right, score.measures.beside
    short = SCORERS[beside].title.removesuffix(" accuracy")
    grid = Grid(SCORERS[right].title, "correct", "of", "%", "95 % interval", f"{short} %")
    for breakdown in score.breakdowns:
        grid.add_section()
        grid.add_row(f"[bold]{BREAKDOWN_TITLES.get(breakdown.by, breakdown.by)}[/]")
        for group in breakdown.groups:
            grid.add_row(group.name, *figure_cells(group.figures[right]), _percent(group.figures[beside].value))
    _align(grid)
    print_grid(console, grid, spare=(f"{short} %", "of"))


def show_causes(console: Console, causes: Mapping[Cause, int]) -> None:
    """Print how many turns are wrong for which cause."""
    grid = Grid("wrong turns by cause", "turns", "%")
    total = sum(causes.values())
    for cause, turns in causes.items():
        grid.add_row(cause, str(turns), _percent(turns / total))
    _align(grid)
    print_grid(console, grid)


def certainty_line(found: CalibrationReport) -> str:
    """Return how far the confidences of a run's answers can be believed, in one line."""
    given, half = found.given, found.surest_half
    return (
        f"confidence: {_percent(given.value)} % of {given.total} answers are correct, {_percent(half.value)} % of "
        f"the most confident half; calibration error {found.error:.3f}"
    )


def show_coverage(console: Console, found: CalibrationReport) -> None:
    """Print how far confidences can be believed, and what is right where only the surest answers are given."""
    console.print(certainty_line(found))
    grid = Grid("answered, %", "minimum confidence", "of these correct, %")
    for point in found.coverage:
        grid.add_row(_percent(point.share), f"{point.threshold:.2f}", _percent(point.accuracy))
    _align(grid)
    print_grid(console, grid)


def figure_cells(figure: Proportion) -> tuple[str, str, str, str]:
    """Return numerator, denominator, percent and interval as text; empty if there is nothing to show."""
    if not figure.total:
        return "", "0", "", ""
    interval = f"{_percent(figure.low)} to {_percent(figure.high)}" if figure.pages >= ENOUGH_GROUPS else ""
    right = str(figure.correct) if isinstance(figure.correct, int) else f"{figure.correct:.2f}"
    return right, str(figure.total), _percent(figure.value), interval


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _align(grid: Grid) -> None:
    for column in grid.columns[1:]:
        column.justify = "right"
        column.no_wrap = True
