"""What runs say of tools, on a terminal."""

from rich.console import Console
from rich.table import Table as Grid

from quaestor.application.tool_advice import ToolTable
from quaestor.cli.printing import print_grid


def show_tool_table(console: Console, table: ToolTable) -> None:
    """Prints the calls of each tool, which tools were used for what, and why calls were refused."""
    grid = Grid("tool", "calls", "refused", "mean ms")
    for name, count in table.tools.items():
        grid.add_row(name, str(count.calls), str(count.refused), f"{1000 * count.mean_seconds:.2f}")
    _print(console, grid, 1)
    grid = Grid("requested", "tools used", "turns", "calls", "refused", "correct")
    for use in table.uses:
        counts = (use.turns, use.calls, use.refused)
        grid.add_row(use.asked, ", ".join(use.tools) or "none", *map(str, counts), _right(use.right, use.judged))
    _print(console, grid, 2)
    if table.refusals:
        grid = Grid("tool", "reason for refusal", "calls", "turns correct")
        for found in table.refusals:
            grid.add_row(found.tool, found.reason, str(found.calls), _right(found.right, found.judged))
        _print(console, grid, 2)
    if table.judged < table.turns:
        print(f"{table.turns - table.judged} of {table.turns} turns are not scored: run `quaestor score RUN DATASET`")


def _right(right: int, judged: int) -> str:
    return f"{right} of {judged}" if judged else ""


def _print(console: Console, grid: Grid, words: int) -> None:
    for column in grid.columns[words:]:
        column.justify = "right"
    print_grid(console, grid)
