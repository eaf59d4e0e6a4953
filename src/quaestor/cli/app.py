"""The `quaestor` command with its global options, and the table of its subcommands."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from quaestor.cli.failures import DEBUG
from quaestor.settings import misspelt_variables

_FIRST_LINES = """\
quaestor demo                  try it on the bundled sample pages
quaestor ask FILE              list what you can ask about a filing (HTML, PDF, XLSX)
quaestor ask FILE "QUESTION"   answer a question, with the source of each number
quaestor chat FILE             ask one question after another
quaestor serve FILE            ask in a browser
quaestor --help                list all commands"""
"""Printed if no command is given."""

_COMMANDS = {
    "demo": "demo:demo",
    "ask": "ask:ask_command",
    "chat": "chat:chat_command",
    "serve": "serve:serve_command",
    "mcp": "serve:mcp_command",
    "read": "read:read_command",
    "pages": "ask:pages",
    "show": "read:show_command",
    "export": "runs:export_command",
    "find": "read:find_command",
    "eval": "run:eval_command",
    "run": "run:run_command",
    "score": "run:score_command",
    "audit": "analysis:audit_command",
    "metrics": "analysis:metrics_command",
    "compare": "analysis:compare_command",
    "report": "analysis:report_command",
    "calibrate": "analysis:calibrate_command",
    "check": "check:check_command",
    "train": "train:train_command",
    "crossvalidate": "train:crossvalidate_command",
    "train-filings": "train:train_filings_command",
    "runs": "runs:runs",
    "store": "store:store_commands",
    "ontology": "ontology:ontology",
    "kg": "ontology:kg",
    "learn": "train:learn",
    "models": "models:models",
}
"""The commands as `module:name` in this package, in the order of the help."""


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"quaestor {version('quaestor')}")
        raise typer.Exit


def _root(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show full tracebacks.", envvar=DEBUG)] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Answer questions about financial reports, and show the source of every number."""
    if debug:
        os.environ[DEBUG] = "1"
    for warning in misspelt_variables(os.environ):
        print(f"quaestor: {warning}", file=sys.stderr)
    if context.invoked_subcommand is None:
        print(_FIRST_LINES)
        raise typer.Exit


def make_app(arguments: Sequence[str]) -> typer.Typer:
    """Return the typer app with the command named in the arguments, or with all commands.

    Only these commands are imported.
    """
    app = typer.Typer(pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]})
    app.callback(invoke_without_command=True)(_root)
    named = next((argument for argument in arguments if not argument.startswith("-")), "")
    for name in [named] if named in _COMMANDS else _COMMANDS:
        module, _, attribute = _COMMANDS[name].partition(":")
        command = getattr(import_module(f"quaestor.cli.{module}"), attribute)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)
    return app
