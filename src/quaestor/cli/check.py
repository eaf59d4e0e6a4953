"""`quaestor check`: check a dataset before running it, or how accurately a filing was read."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from quaestor.cli.options import DatasetArgument, JsonOption
from quaestor.cli.printing import count_noun, make_console, print_grid, print_json, print_rows
from quaestor.errors import UnlabelledError
from quaestor.settings import load_settings

if TYPE_CHECKING:
    from quaestor.scoring.check import CheckReport
    from quaestor.scoring.tag_check import TagCheck

_EXAMPLES = 3


def check_command(
    dataset: DatasetArgument,
    every: Annotated[
        bool, typer.Option("--all", help="List all findings instead of the first few of each kind.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Check a dataset: read every page, execute every reference program, and report problems.

    For an inline XBRL filing, compares the tagged numbers with what was read without the tags.
    """
    import sys

    from quaestor.application.file_cache import reading_limits
    from quaestor.application.read_service import check_filing, filing_check_object
    from quaestor.application.resolve import dataset_path
    from quaestor.datasets.formats import read_dataset
    from quaestor.readers.content import read_content
    from quaestor.readers.registry import reader_names
    from quaestor.scoring.check import check_dataset
    from quaestor.scoring.gold import read_gold

    path, limits = dataset_path(dataset), reading_limits(load_settings())
    if (filing := check_filing(read_content(path), limits)) is not None:
        if json:
            print_json(filing_check_object(filing))
        else:
            _show_filing(make_console(), filing, every)
        return
    pages = read_dataset(path, limits=limits)
    try:
        gold = {} if pages.format in reader_names() else read_gold(path)
    except UnlabelledError:
        gold = {}
    report = check_dataset(pages, gold)
    if json:
        print_json(report)
        return
    for warning in pages.warnings:
        print(warning, file=sys.stderr)
    stated = any(turn.stated for turns in gold.values() for turn in turns)
    _show(make_console(), report, every, stated)


def _show(console: Console, report: "CheckReport", every: bool, stated: bool) -> None:
    from quaestor.scoring.check import FindingKind

    counts = ((report.conversations, "conversation"), (report.turns, "question"), (report.documents, "page"))
    console.print(f"{', '.join(count_noun(*count) for count in counts)}: all read without errors")
    if report.programs:
        computed = "derivations" if stated else "programs"
        console.print(f"{report.agreeing} of {report.programs} {computed} reproduce their answers")
    else:
        console.print("the file has no reference answers, so only the documents were checked")
    grid = Grid("finding", "count", "where", show_lines=True)
    grid.columns[1].justify = "right"
    for kind in FindingKind:
        findings = [finding for finding in report.findings if finding.kind is kind]
        if not findings:
            continue
        shown = findings if every else findings[:_EXAMPLES]
        lines = [
            f"{finding.conversation}{'' if finding.turn is None else f', turn {finding.turn + 1}'}: {finding.detail}"
            for finding in shown
        ]
        if len(findings) > len(shown):
            lines.append(f"... and {len(findings) - len(shown)} more (use --all to list them)")
        grid.add_row(kind.value, str(len(findings)), escape("\n".join(lines)))
    if grid.rows:
        print_grid(console, grid)


_FIRST_DIFFERENT = 10


def _show_filing(console: Console, check: "TagCheck", every: bool) -> None:
    from quaestor.scoring.tag_check import FIGURES

    facts, names = check.all["facts"], FIGURES[1:-1]
    console.print(f"{facts} tagged numbers, compared with what was read without the tags")
    rows = []
    for where, counts in (("tables", check.tables), ("text", check.text), ("all", check.all)):
        total = counts["facts"]
        shares = (f"{100 * counts[name] / total:.1f} %" if total else "-" for name in names)
        rows.append((where, str(total), *shares))
    print_rows(console, ("in", "facts", *(name.replace("_", " ") for name in names)), rows, unbroken=())
    negated = facts - check.all["sign_agrees"]
    console.print(f"{negated} are printed with the opposite sign of their tag, as their labels are negated")
    shown = check.different if every else check.different[:_FIRST_DIFFERENT]
    for found in shown:
        line = f"{found.place}: {found.printed} read as {found.read}, tagged {found.tagged} ({', '.join(found.wrong)})"
        console.print(escape(line))
    if len(check.different) > len(shown):
        console.print(f"... and {len(check.different) - len(shown)} more (use --all to list them)")
