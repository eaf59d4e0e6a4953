"""`quaestor metrics`: one run by every convention, so that a figure of a paper can be placed."""

from quaestor.cli.audit import AuditOption
from quaestor.cli.compare import LabelledOption
from quaestor.cli.options import JsonOption, RunArgument, StoreOption
from quaestor.cli.stored import read_store


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
    from quaestor.application.resolve import dataset_path
    from quaestor.cli.printing import make_console, print_json, print_rows
    from quaestor.cli.results import FIGURE_HEADS, figure_cells
    from quaestor.core import serial
    from quaestor.scoring.audits import read_audit

    settled, file = read_audit(audit) if audit else None, dataset_path(dataset) if dataset else None
    found = read_store(store, lambda opened: run_conventions(opened, run, file, settled))
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
