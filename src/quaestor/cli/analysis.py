"""`quaestor audit`, `metrics`, `compare`, `report` and `calibrate`: judge, compare and report stored runs."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.options import (
    AuditOption,
    DatasetArgument,
    ForceOption,
    JsonOption,
    LabelledOption,
    OutputOptions,
    RunArgument,
    RunsArgument,
    StoreOption,
    with_options,
)
from quaestor.cli.printing import announce, make_console, print_json, print_rows
from quaestor.cli.stored import labelled_file, output_file, store_uri, use_store
from quaestor.errors import InputError

if TYPE_CHECKING:
    from quaestor.application.comparison import RunsCompared, ShownTurn
    from quaestor.store.base import RunStore


@with_options
def audit_command(
    run: RunArgument,
    dataset: DatasetArgument,
    results: OutputOptions,
    audit: Annotated[
        Path | None,
        typer.Option(
            "--audit", help="Entries that are already settled: a file with one entry per line.", metavar="FILE.jsonl"
        ),
    ] = None,
    others: Annotated[
        list[str] | None,
        typer.Option(
            "--beside",
            help="Another run of the same file; turns that both runs answer alike are listed first. Can be repeated.",
            metavar="RUN",
        ),
    ] = None,
    store: StoreOption = None,
) -> None:
    """List turns whose reference answers may be wrong; with an audit, also score the run against it.

    Lists the turns whose answers differ from their references, most confident first.
    """
    from quaestor.application.judged_runs import audit_run
    from quaestor.application.resolve import dataset_path
    from quaestor.cli.render_runs import show_audited, show_candidates
    from quaestor.core import serial
    from quaestor.scoring.audits import read_audit

    path, uri = dataset_path(dataset), store_uri(store)
    output = output_file(results.output, store, (path, audit), force=results.force) if results.output else None
    settled = read_audit(audit) if audit else None
    found = asyncio.run(audit_run(uri, run, path, settled, others or ()))
    if output:
        output.write_json_lines(map(serial.dump, found.candidates))
    if results.json:
        audited = {"audited": found.score} if found.score else {}
        print_json({"run": found.run, **audited, "candidates": found.candidates})
        return
    console = make_console()
    if found.score:
        show_audited(console, found.score)
    show_candidates(console, found.candidates)


def metrics_command(
    run: RunArgument,
    dataset: LabelledOption = None,
    audit: AuditOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Score a run under every published scoring rule, and show how many verdicts change.

    Papers differ in when they count an answer as correct (docs/evaluation.md describes the rules); the first row is the
    benchmark's own rule. With an audit of the references, the last row applies that rule to the audited references.
    """
    from quaestor.application.judged_runs import run_conventions
    from quaestor.cli.render_runs import FIGURE_HEADS, figure_cells
    from quaestor.core import serial
    from quaestor.scoring.audits import read_audit

    settled, file = read_audit(audit) if audit else None, labelled_file(dataset)
    found = use_store(store, lambda opened: run_conventions(opened, run, file, settled))
    if json:
        figures = [{**serial.dump(figure), "value": figure.right.value} for figure in found.figures]
        output: dict[str, object] = {"run": found.run.id, "dataset": found.run.dataset, "metrics": figures}
        if found.audited:
            output["audited"] = {**serial.dump(found.audited), "value": found.audited.right.value}
        print_json(output)
        return
    rows: list[tuple[str, ...]] = []
    for figure in (*found.figures, *([found.audited] if found.audited else [])):
        turned = (f"+{figure.gained}" if figure.gained else "", f"-{figure.lost}" if figure.lost else "")
        rows += [()] if figure is found.audited else []
        rows.append((figure.rule, *figure_cells(figure.right), *turned))
    heads = ("an answer is correct if it", *FIGURE_HEADS, "now correct", "now wrong")
    interval = FIGURE_HEADS[-1]
    print_rows(make_console(), heads, rows, title=found.run.id, unbroken=(interval,), spare=(interval, "of"))


def compare_command(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUN RUN...", help="Run ids, unique prefixes, or `latest`.", show_default=False),
    ],
    dataset: LabelledOption = None,
    scorer: Annotated[
        str | None,
        typer.Option(
            "--scorer",
            help="Metric that decides whether a turn is correct; the benchmark's own by default.",
            metavar="NAME",
        ),
    ] = None,
    differences: Annotated[
        bool,
        typer.Option(
            "--differences", help="Show the turns that only one run answered correctly, with plans and sources."
        ),
    ] = False,
    cascade: Annotated[
        bool,
        typer.Option(
            "--cascade",
            help="For two runs: estimate a cascade that passes the first run's uncertain turns to the second.",
        ),
    ] = False,
    play: Annotated[
        bool,
        typer.Option(
            "--play",
            help=(
                "With --cascade: rerun the first run's solver on top of the second run's answers. Sends no model "
                "requests."
            ),
        ),
    ] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Compare runs of the same questions, turn by turn.

    Shows wins, losses and ties, the exact McNemar test, confidence intervals of the difference (resampled by page and
    by company), a split by turn, operation, origin and kind, and the agreement. With more than two runs, compares every
    pair. Verdicts come from the labelled file of the runs. If it is missing, or the runs have more than 1,000 scored
    conversations, the saved scores are used, which have no split by operation and origin (--dataset FILE reads the
    file).
    """
    if cascade:
        if differences or scorer is not None:
            raise typer.BadParameter("cannot be combined with --differences or --scorer", param_hint="--cascade")
        _show_cascade(runs, dataset, store, json=json, play=play)
        return
    if play:
        raise typer.BadParameter("requires --cascade", param_hint="--play")
    from quaestor.application.comparison import compare_stored, comparison_json, different_turns
    from quaestor.cli.render_runs import show_comparison, show_differences

    uri = store_uri(store)
    file = labelled_file(dataset)

    async def read(opened: "RunStore") -> "tuple[RunsCompared, list[tuple[ShownTurn, ...]]]":
        found = await compare_stored(opened, runs, uri, file, scorer)
        return found, [await different_turns(opened, found, pair) for pair in found.pairs] if differences else []

    found, turn_pairs = use_store(store, read)
    if json:
        print_json(comparison_json(found, turn_pairs))
        return
    console = make_console()
    show_comparison(console, found)
    for pair, turns in zip(found.pairs, turn_pairs, strict=False):
        show_differences(console, found, pair, turns)


def _show_cascade(runs: list[str], dataset: str | None, store: str | None, *, json: bool, play: bool) -> None:
    from quaestor.application.simulated_cascade import simulate_stored
    from quaestor.cli.render_runs import cascade_object, show_cascade

    file = labelled_file(dataset)
    found = use_store(store, lambda opened: simulate_stored(opened, runs, file, replay=play))
    if json:
        print_json(cascade_object(found))
    else:
        show_cascade(make_console(), found)


def report_command(
    runs: RunsArgument,
    output: Annotated[
        Path | None, typer.Option("--output", help="Write the report to this file.", metavar="FILE.html")
    ] = None,
    markdown: Annotated[
        bool,
        typer.Option("--markdown", help="Write Markdown for a pull request, without turns, instead of an HTML page."),
    ] = False,
    dataset: LabelledOption = None,
    audit: AuditOption = None,
    force: ForceOption = False,
    store: StoreOption = None,
) -> None:
    """Write a report on one or more runs: accuracy, comparison, confidence, time and cost, and every wrong turn.

    The page is a single file that needs no network and no scripts. Turns are judged by the labelled file of the runs
    or, if it is missing, by the saved scores. With an audit, the audited figures are shown next to the official ones.
    Comparing several runs needs the extra `compare`.
    """
    from quaestor.application.report.data import read_report, report_markdown
    from quaestor.application.report.page import report_page
    from quaestor.scoring.audits import read_audit

    uri = store_uri(store)
    file = labelled_file(dataset)
    if output is None and not markdown:
        raise InputError("missing file name: use --output FILE.html, or --markdown")
    written = output_file(output, store, (file, audit), force=force) if output else None
    settled = read_audit(audit) if audit else None
    with announce("scoring the runs"):
        report = use_store(store, lambda opened: read_report(opened, runs, uri, file, settled))
    text = report_markdown(report) if markdown else report_page(report)
    if written is None:
        print(text, end="")
    else:
        written.write(text)
        print(f"wrote {len(text.encode()) / 1_000_000:.2f} MB to {output}")


def calibrate_command(
    run: RunArgument,
    output: Annotated[
        Path, typer.Option("--output", help="File to write the calibration to.", metavar="FILE.json")
    ] = Path("calibration.json"),
    dataset: LabelledOption = None,
    force: ForceOption = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Learn how reliable a model's answers are from a run. Use the result with `--option calibration=FILE`.

    The run must use a solver that asks a model, with `--option measure=true`, on a labelled file. The printed figures
    are for answers whose confidence was learned from other companies.
    """
    from quaestor.application.training import calibrate_run, calibration_text
    from quaestor.cli.render_runs import show_coverage

    file = labelled_file(dataset)
    target = output_file(output, store, (file,), force=force)
    found = use_store(store, lambda opened: calibrate_run(opened, run, file))
    target.write(calibration_text(found))
    if json:
        print_json({"calibration": found.calibration, "report": found.report})
        return
    show_coverage(make_console(), found.report)
    print(f"calibration written to {output}")
