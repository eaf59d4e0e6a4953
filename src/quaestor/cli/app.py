"""The commands under their names, and the options of `quaestor` itself."""

import os
import sys
from typing import Annotated

import typer

from quaestor.cli.ask import ask_command, pages
from quaestor.cli.audit import audit_command
from quaestor.cli.calibrate import calibrate_command
from quaestor.cli.chat import chat_command
from quaestor.cli.check import check_command
from quaestor.cli.compare import compare_command
from quaestor.cli.demo import demo
from quaestor.cli.export import export_command
from quaestor.cli.failures import DEBUG
from quaestor.cli.find import find_command
from quaestor.cli.kg import kg
from quaestor.cli.learn import learn
from quaestor.cli.mcp import mcp_command
from quaestor.cli.metrics import metrics_command
from quaestor.cli.models import models
from quaestor.cli.ontology import ontology
from quaestor.cli.read import read_command
from quaestor.cli.report import report_command
from quaestor.cli.run import eval_command, run_command, score_command
from quaestor.cli.runs import runs
from quaestor.cli.serve import serve_command
from quaestor.cli.show import show_command
from quaestor.cli.store import store_commands
from quaestor.cli.train import crossvalidate_command, train_command
from quaestor.cli.train_filings import train_filings_command
from quaestor.settings import misspelt_variables

_FIRST_LINES = """\
quaestor demo                  try it on the bundled sample pages
quaestor ask FILE              list what you can ask about a filing (HTML, PDF, XLSX)
quaestor ask FILE "QUESTION"   answer a question, with the source of each number
quaestor chat FILE             ask one question after another
quaestor serve FILE            ask in a browser
quaestor --help                list all commands"""
"""Printed if no command is given."""

app = typer.Typer(
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"quaestor {version('quaestor')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
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


app.command("demo")(demo)
app.command("ask")(ask_command)
app.command("chat")(chat_command)
app.command("serve")(serve_command)
app.command("mcp")(mcp_command)
app.command("read")(read_command)
app.command("pages")(pages)
app.command("show")(show_command)
app.command("export")(export_command)
app.command("find")(find_command)
app.command("eval")(eval_command)
app.command("run")(run_command)
app.command("score")(score_command)
app.command("audit")(audit_command)
app.command("metrics")(metrics_command)
app.command("compare")(compare_command)
app.command("report")(report_command)
app.command("calibrate")(calibrate_command)
app.command("check")(check_command)
app.command("train")(train_command)
app.command("crossvalidate")(crossvalidate_command)
app.command("train-filings")(train_filings_command)
app.add_typer(runs, name="runs")
app.add_typer(store_commands, name="store")
app.add_typer(ontology, name="ontology")
app.add_typer(kg, name="kg")
app.add_typer(learn, name="learn")
app.add_typer(models, name="models")
