"""`quaestor export`: questions and answers of a run as a workbook, CSV, JSON, Markdown or a page for a browser."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.options import ForceOption, RunArgument, StoreOption

if TYPE_CHECKING:
    from quaestor.exports.conversation import ExportedConversation


def export_command(
    run: RunArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.", metavar="FILE")],
    conversation: Annotated[
        list[str] | None,
        typer.Option(
            "--conversation", help="Only this one, by its id or the id of its page; may be given again.", metavar="ID"
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format", help="xlsx, csv, json, markdown or html; by default as the file is named.", metavar="NAME"
        ),
    ] = None,
    force: ForceOption = False,
    store: StoreOption = None,
) -> None:
    """Write questions and answers of a run to a file; in a workbook every answer is a live formula over its sources."""
    from quaestor.application.exporting import format_of, read_conversations, write_export
    from quaestor.application.files import OutputFile
    from quaestor.application.resolve import store_file
    from quaestor.settings import load_settings
    from quaestor.store.base import open_store

    uri = load_settings({"store": store}).store
    kept = store_file(uri)
    target = OutputFile(output, [kept] if kept else [], force)
    chosen = format_of(target, format)
    target.require_free()

    async def read() -> "tuple[ExportedConversation, ...]":
        async with open_store(uri, create=False) as opened:
            return await read_conversations(opened, run, conversation or ())

    found = asyncio.run(read())
    write_export(target, chosen, found)
    count = sum(len(one.turns) for one in found)
    print(f"{count} question{'s' * (count != 1)} in {output}")
