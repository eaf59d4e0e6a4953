"""`quaestor export`: write questions and answers of a run as a workbook, CSV, JSON, Markdown, HTML or Inspect log."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.options import ForceOption, RunArgument, StoreOption
from quaestor.cli.stored import use_store
from quaestor.errors import InputError
from quaestor.extras import require_extra
from quaestor.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quaestor.application.files import OutputFile


def export_command(
    run: RunArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write.", metavar="FILE")],
    conversation: Annotated[
        list[str] | None,
        typer.Option(
            "--conversation",
            help="Export only this conversation, or the conversations of this page. Can be repeated.",
            metavar="ID",
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help=(
                "xlsx, csv, json, markdown, html, or inspect for an Inspect AI log (.eval). By default chosen by "
                "the file extension."
            ),
            metavar="NAME",
        ),
    ] = None,
    dataset: Annotated[
        Path | None,
        typer.Option("--dataset", help="For an Inspect log: the labelled file, if it has moved.", metavar="FILE"),
    ] = None,
    force: ForceOption = False,
    store: StoreOption = None,
) -> None:
    """Export questions and answers of a run. In a workbook, every answer is a live formula over its sources."""
    from quaestor.application.exporting import files_of_run, format_of, is_inspect_log, read_conversations, write_export
    from quaestor.application.files import OutputFile
    from quaestor.application.resolve import store_file

    stored = store_file(load_settings({"store": store}).store)
    read_too = use_store(store, lambda opened: files_of_run(opened, run, output))
    target = OutputFile(output, [*(path for path in (stored, dataset) if path), *read_too], force)
    if is_inspect_log(target, format):
        _export_log(target, run, conversation or (), dataset, store)
        return
    if dataset is not None:
        raise InputError("--dataset applies only to Inspect logs: remove it, or use --format inspect")
    chosen = format_of(target, format)
    target.require_free()

    found = use_store(store, lambda opened: read_conversations(opened, run, conversation or ()))
    write_export(target, chosen, found)
    count = sum(len(one.turns) for one in found)
    print(f"wrote {count} question{'s' * (count != 1)} to {output}")


def _export_log(
    target: "OutputFile", run: str, names: "Sequence[str]", dataset: Path | None, store: str | None
) -> None:
    """Write an Inspect log, and warn if it has no scores."""
    from quaestor.application.inspect_log.log import read_logged_run, write_inspect_log

    require_extra("inspect", "writing an Inspect log")
    target.require_free()

    logged = use_store(store, lambda opened: read_logged_run(opened, run, names, dataset))
    write_inspect_log(target, logged)
    if not logged.scored:
        print(
            "the log has no scores: the run is incomplete, or its labelled file was not found (name it with --dataset)",
            file=sys.stderr,
        )
    count = len(logged.conversations)
    print(f"wrote {count} sample{'s' * (count != 1)} to {target.path}")
