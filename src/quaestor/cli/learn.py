"""`quaestor learn`: what runs teach those that come after, as files that a person reads before they are used."""

from pathlib import Path
from typing import Annotated

import typer

from quaestor.cli.options import ForceOption, RunsArgument, StoreOption, print_help_alone
from quaestor.cli.stored import output_file, read_store, store_uri

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
    from quaestor.application.tool_advice import tool_table, write_advice

    target = output_file(output, store, (), force=force)
    table = read_store(store, lambda opened: tool_table(opened, runs, store_uri(store)))
    lines = write_advice(table, target, f"--solver agent --advice {output.name}")
    print(f"{lines} line{'s' * (lines != 1)} of advice in {output}: review it, then use it with --advice {output}")
