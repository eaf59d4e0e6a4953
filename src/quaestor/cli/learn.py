"""`quaestor learn`: what runs teach those that come after, as files that a person reads before they are used."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from quaestor.cli.groups import print_help_alone
from quaestor.cli.options import ForceOption, RunsArgument, StoreOption

learn = typer.Typer(
    help="Draw advice from runs, for you to read and for later runs to use.",
    invoke_without_command=True,
    callback=print_help_alone,
)


@learn.command("tools")
def learn_tools_command(
    runs: RunsArgument,
    output: Annotated[Path, typer.Option("--output", help="Where to write it.", metavar="FILE")] = Path("advice.txt"),
    force: ForceOption = False,
    store: StoreOption = None,
) -> None:
    """Draft advice for the agent from runs: which tools suited which questions, and why calls were refused.

    It holds kinds of questions, tools, rates and reasons, and no answers, numbers of pages or wordings. Read and change
    it; --solver agent --advice FILE uses it.
    """
    from quaestor.application.files import OutputFile
    from quaestor.application.resolve import store_file
    from quaestor.application.tool_advice import write_advice
    from quaestor.application.tool_questions import ToolTable, tool_table
    from quaestor.settings import load_settings
    from quaestor.store.base import open_store

    uri = load_settings({"store": store}).store
    kept = store_file(uri)

    async def read() -> ToolTable:
        async with open_store(uri, create=False) as opened:
            return await tool_table(opened, runs, uri)

    target = OutputFile(output, [kept] if kept else [], force)
    lines = write_advice(asyncio.run(read()), target, f"--solver agent --advice {output.name}")
    print(f"{lines} line{'s' * (lines != 1)} of advice in {output}: read it, then give it with --advice {output}")
