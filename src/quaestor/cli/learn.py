"""`quaestor learn`: what runs teach those that come after, as files that a person reads before they are used."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from quaestor.cli.options import ForceOption, RunsArgument, StoreOption, print_help_alone

learn = typer.Typer(
    help="Learn advice from runs, for review and for later runs.",
    invoke_without_command=True,
    callback=print_help_alone,
)


@learn.command("tools")
def learn_tools_command(
    runs: RunsArgument,
    output: Annotated[Path, typer.Option("--output", help="File to write.", metavar="FILE")] = Path("advice.txt"),
    force: ForceOption = False,
    store: StoreOption = None,
) -> None:
    """Draft advice for the agent solver from runs: which tools suit which questions, and why calls were refused.

    The advice contains kinds of questions, tools, rates and reasons, but no answers, numbers or questions of the runs.
    Review and edit it, then use it with --solver agent --advice FILE.
    """
    from quaestor.application.files import OutputFile
    from quaestor.application.resolve import store_file
    from quaestor.application.tool_advice import ToolTable, tool_table, write_advice
    from quaestor.settings import load_settings
    from quaestor.store.base import open_store

    uri = load_settings({"store": store}).store
    kept = store_file(uri)

    async def read() -> ToolTable:
        async with open_store(uri, create=False) as opened:
            return await tool_table(opened, runs, uri)

    target = OutputFile(output, [kept] if kept else [], force)
    lines = write_advice(asyncio.run(read()), target, f"--solver agent --advice {output.name}")
    print(f"{lines} line{'s' * (lines != 1)} of advice in {output}: review it, then use it with --advice {output}")
