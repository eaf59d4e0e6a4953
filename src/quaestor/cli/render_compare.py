"""Comparisons of runs and simulated cascades on a terminal; cascades as JSON."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from quaestor.application.comparison import Agreement, PairReport, RunsCompared, ShownTurn, SideOfTurn
from quaestor.application.simulated_cascade import SimulatedCascade
from quaestor.cli.printing import print_grid, print_rows
from quaestor.cli.results import FIGURE_HEADS, figure_cells
from quaestor.scoring.bootstrap import ENOUGH_GROUPS, ShareDifference, percent
from quaestor.scoring.paired import format_interval, format_points, p_value, paired_cells
from quaestor.scoring.scorers import SCORERS
from quaestor.scoring.turn_frame import breakdown_title


def show_comparison(console: Console, found: RunsCompared) -> None:
    """Print the accuracy of each run, and the comparison of each pair."""
    letters = found.letters
    title = SCORERS[found.scorer].title
    rows = [(letters[run.id], run.id, *figure_cells(right)) for run, right in zip(found.runs, found.right, strict=True)]
    heads, title = ("", "run", *FIGURE_HEADS), title[0].upper() + title[1:]
    print_rows(console, heads, rows, title=title, words=2, spare=("of", FIGURE_HEADS[-1]))
    if found.judged.basis == "kept scores":
        console.print("based on saved scores; the labelled file was not read", style="dim")
    if len(found.pairs) == 1:
        _show_pair(console, found.pairs[0], letters)
        return
    pair_heads = ("", "only 1st", "only 2nd", "difference", "95 % by page", "by company", "p", "p, Holm")
    print_rows(console, pair_heads, found.rows, spare=("by company", "p", "95 % by page"))


def _show_pair(console: Console, pair: PairReport, letters: Mapping[str, str]) -> None:
    one, other, figures = letters[pair.first], letters[pair.second], pair.figures
    page, company = figures.by_page, figures.by_company
    unjudged = f"; not judged in one run: {pair.unjudged}" if pair.unjudged else ""
    lines = [
        f"correct only in {one}: {figures.wins}; only in {other}: {figures.losses}; in both: {figures.both}; in "
        f"neither: {figures.neither}{unjudged}",
        f"{one} - {other}: {format_points(page.value)} points{_intervals(page, company)}",
        f"exact McNemar test: p = {p_value(figures.p)}",
        *_agreement_lines(pair.agreement, one, other),
    ]
    for line in lines:
        console.print(line)
    heads = ("", "turns", f"{one} %", f"{other} %", f"only {one}", f"only {other}", f"{one} - {other}", "95 % by page")
    rows: list[tuple[str, ...]] = []
    for by, groups in pair.breakdowns.items():
        rows.append((breakdown_title(by),))
        for name, found in groups.items():
            shares = (percent(right / found.turns) for right in (found.first, found.second))
            rows.append((name, str(found.turns), *shares, *paired_cells(found)))
    print_rows(console, (*heads, "by company", "p"), rows, spare=("by company", *heads[4:6], "95 % by page"))


def _intervals(page: ShareDifference, company: ShareDifference) -> str:
    ways = [
        f"{format_interval(of)} by {name}" for name, of in (("page", page), ("company", company)) if format_interval(of)
    ]
    return f", 95 % interval {', '.join(ways)}" if ways else f" (fewer than {ENOUGH_GROUPS} pages, so no interval)"


def _agreement_lines(found: Agreement, one: str, other: str) -> list[str]:
    def right(first: int, second: int, total: int) -> str:
        if not total:
            return ""
        return f"; correct there: {one} {100 * first / total:.1f} %, {other} {100 * second / total:.1f} %"

    return [
        f"same answer: {found.same}{right(found.first_right, found.second_right, found.same)}",
        "different answer: "
        f"{found.different}{right(found.first_right_apart, found.second_right_apart, found.different)}",
    ]


def show_differences(console: Console, found: RunsCompared, pair: PairReport, turns: Sequence[ShownTurn]) -> None:
    """Print the turns that only one of two runs answered correctly, with answers, plans and sources."""
    one, other = found.letters[pair.first], found.letters[pair.second]
    for turn in turns:
        console.print(
            f"\n[bold]{escape(turn.conversation)}, turn {turn.turn + 1}:[/] {escape(turn.question)}", soft_wrap=True
        )
        if turn.reference is not None:
            program = f"   {turn.reference_program}" if turn.reference_program else ""
            console.print(f"  reference: {turn.reference}{program}", style="dim", markup=False, soft_wrap=True)
        for name, side in zip((one, other), turn.sides, strict=True):
            _show_side(console, name, side)
    console.print(f"\n{len(turns)} turns are correct in only one of {one} and {other}")


def _show_side(console: Console, name: str, side: SideOfTurn) -> None:
    verdict = "[green]right[/]" if side.right else "[red]wrong[/]"
    words = side.shown if side.number is None else f"{side.shown}  ({side.number})"
    console.print(f"  {name} {verdict}  {escape(words)}", soft_wrap=True)
    plan = side.program or side.formula
    details = [
        f"by {plan}" if plan else "",
        *side.sources,
        "" if side.number is None or side.verified else "unverified",
    ]
    for line in (*details, side.reason or ""):
        if line:
            console.print(f"      {line}", style="dim", markup=False, soft_wrap=True)


def show_cascade(console: Console, found: SimulatedCascade) -> None:
    """Print the accuracy and cost of a cascade of two runs by threshold."""
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
    grid.columns = [column for column in grid.columns if any(column.cells)]  # imported answers have no cost
    print_grid(console, grid, spare=("of", "tokens", "95 % interval", "US dollars"))
    how = (
        "the first run's solver answered again, given the second run's answers"
        if found.replayed
        else "each turn as answered in its own run"
    )
    console.print(f"highest accuracy at {found.best.threshold:g}, selected on these same turns; {how}", style="dim")


def cascade_object(found: SimulatedCascade) -> dict[str, object]:
    """Return the fields of a simulated cascade for JSON; shares are fractions of 1."""
    return {
        "first": found.first.id,
        "second": found.second.id,
        "first_right": found.first_right,
        "second_right": found.second_right,
        "points": [
            {
                "threshold": point.threshold,
                "passed": point.passed,
                "share": point.share,
                "right": point.right,
                "accuracy": point.right.value,
                "usage": dict(point.usage.counts()),
            }
            for point in found.points
        ],
        "best": found.best.threshold,
        "replayed": found.replayed,
    }
