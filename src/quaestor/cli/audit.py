"""`quaestor audit`: a run judged by references as they are and as they were settled, and what to read again."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.options import DatasetArgument, OutputOptions, RunArgument, StoreOption, with_options
from quaestor.cli.stored import output_file

if TYPE_CHECKING:
    from rich.console import Console

    from quaestor.scoring.audits import AuditCandidate, AuditedScore

AuditOption = Annotated[
    Path | None,
    typer.Option(
        "--audit", help="Audit of the reference answers: a file with one entry per line.", metavar="FILE.jsonl"
    ),
]

_SHOWN = 20


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
    from quaestor.application.files import json_line
    from quaestor.application.judged_runs import audit_run
    from quaestor.application.resolve import dataset_path
    from quaestor.cli.printing import make_console, print_json
    from quaestor.core import serial
    from quaestor.scoring.audits import AuditCandidate, read_audit
    from quaestor.settings import load_settings

    path, uri = dataset_path(dataset), load_settings({"store": store}).store
    output = output_file(results.output, store, (path, audit), force=results.force) if results.output else None
    settled = read_audit(audit) if audit else None
    found = asyncio.run(audit_run(uri, run, path, settled, others or ()))
    if output:
        output.write("".join(json_line(serial.dump(candidate)) for candidate in found.candidates))
    if results.json:
        print_json(
            {
                "run": found.run,
                **({"audited": serial.dump(found.score)} if found.score else {}),
                "candidates": serial.dump(found.candidates, tuple[AuditCandidate, ...]),
            }
        )
        return
    console = make_console()
    if found.score:
        show_audited(console, found.score)
    _show_candidates(console, found.candidates)


def show_audited(console: "Console", score: "AuditedScore") -> None:
    """Print raw and audited accuracy, and the disputed turns by verdict."""
    from quaestor.cli.printing import print_rows
    from quaestor.cli.results import FIGURE_HEADS, figure_cells

    rows = [
        ("by original references", *figure_cells(score.raw)),
        ("by audited references", *figure_cells(score.audited)),
    ]
    print_rows(console, ("execution accuracy", *FIGURE_HEADS), rows, title="Audit", unbroken=())
    disputed = []
    for share in score.shares:
        name = str(share.verdict).replace("_", " ") if share.verdict else "matching a wrong reference"
        disputed.append((name, str(share.turns), str(share.raw), str(share.audited)))
    heads = ("disputed references", "turns", "correct by reference", "correct by audit")
    print_rows(console, heads, disputed, unbroken=())
    console.print(f"{score.audit}: {score.entries} turns reviewed by two readers; Cohen's kappa {score.kappa:.2f}")


def _show_candidates(console: "Console", candidates: "tuple[AuditCandidate, ...]") -> None:
    from quaestor.cli.printing import print_rows

    if not candidates:
        console.print("every turn that differs from its reference is already settled")
        return
    rows = []
    for one in candidates[:_SHOWN]:
        sure = "" if one.confidence is None else f"{100 * one.confidence:.0f} %"
        rows.append(
            (one.conversation, str(one.turn + 1), one.answer, one.program or "", one.reference, sure, str(one.beside))
        )
    heads = ("conversation", "turn", "answer", "program", "reference", "sure", "same in other runs")
    print_rows(console, heads, rows, words=(0, 3, 4), unbroken=())
    rest = len(candidates) - _SHOWN
    more = f"; showing {_SHOWN}, use --output to write all" if rest > 0 else ""
    console.print(f"{len(candidates)} turns differ from their references and are not settled{more}")
