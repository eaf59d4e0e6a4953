"""`quaestor metrics`: one run by every convention, so that a figure of a paper can be placed."""

import asyncio
from typing import TYPE_CHECKING

from quaestor.cli.audit import AuditOption
from quaestor.cli.compare import LabelledOption
from quaestor.cli.options import JsonOption, RunArgument, StoreOption

if TYPE_CHECKING:
    from quaestor.application.rescoring import RunConventions


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
    from rich.table import Table as Grid

    from quaestor.application.rescoring import run_conventions
    from quaestor.application.resolve import dataset_path
    from quaestor.cli.printing import make_console, print_grid, print_json
    from quaestor.cli.results import figure_cells
    from quaestor.core import serial
    from quaestor.scoring.audits import read_audit
    from quaestor.settings import load_settings
    from quaestor.store.base import open_store

    settled = read_audit(audit) if audit else None

    async def read() -> "RunConventions":
        async with open_store(load_settings({"store": store}).store, create=False) as opened:
            return await run_conventions(opened, run, dataset_path(dataset) if dataset else None, settled)

    found = asyncio.run(read())
    if json:
        figures = [{**serial.dump(figure), "value": figure.right.value} for figure in found.figures]
        told: dict[str, object] = {"run": found.run.id, "dataset": found.run.dataset, "metrics": figures}
        if found.audited:
            told["audited"] = {**serial.dump(found.audited), "value": found.audited.right.value}
        print_json(told)
        return
    heads = ("correct", "of", "%", "95 % interval", "now correct", "now wrong")
    grid = Grid("an answer is correct if it", *heads, title=found.run.id, title_justify="left")
    for figure in (*found.figures, *([found.audited] if found.audited else [])):
        if figure is found.audited:
            grid.add_section()
        turned = (f"+{figure.gained}" if figure.gained else "", f"-{figure.lost}" if figure.lost else "")
        grid.add_row(figure.rule, *figure_cells(figure.right), *turned)
    for column in grid.columns[1:]:
        column.justify = "right"
        column.no_wrap = column.header == "95 % interval"
    print_grid(make_console(), grid, spare=("95 % interval", "of"))
