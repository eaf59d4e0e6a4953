"""`quaestor report`: runs as one page for a browser, or as Markdown for a pull request."""

from pathlib import Path
from typing import Annotated

import typer

from quaestor.cli.audit import AuditOption
from quaestor.cli.compare import LabelledOption
from quaestor.cli.options import ForceOption, RunsArgument, StoreOption
from quaestor.cli.stored import output_file, read_store


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
    from quaestor.application.report.data import read_report
    from quaestor.application.report.page import report_page
    from quaestor.application.report.tables import report_markdown
    from quaestor.application.resolve import dataset_path
    from quaestor.cli.printing import announce
    from quaestor.errors import InputError
    from quaestor.scoring.audits import read_audit
    from quaestor.settings import load_settings

    uri = load_settings({"store": store}).store
    file = dataset_path(dataset) if dataset else None
    if output is None and not markdown:
        raise InputError("missing file name: use --output FILE.html, or --markdown")
    written = output_file(output, store, (file, audit), force=force) if output else None
    settled = read_audit(audit) if audit else None
    with announce("scoring the runs"):
        report = read_store(store, lambda opened: read_report(opened, runs, uri, file, settled))
    text = report_markdown(report) if markdown else report_page(report)
    if written is None:
        print(text, end="")
    else:
        written.write(text)
        print(f"wrote {len(text.encode()) / 1_000_000:.2f} MB to {output}")
