"""What every `quaestor COMMAND --help` says, as one page: docs/help.md, which tests/snapshots holds to the commands."""

import re
from collections.abc import Iterator

import typer
from typer.core import TyperCommand, TyperGroup

from quaestor.cli.app import app

_PREFACE = """\
# The command line

What `quaestor COMMAND --help` says of every command. Exit codes: 0 done, 1 our mistake or a service that failed, 2 a
mistake in what was typed or read, 130 interrupted, 143 ended by SIGTERM. `quaestor --install-completion` makes the
tab key complete commands and options ([installation](installation.md#completion)).
"""
_LESS = re.compile(r"<(?=[A-Za-z/])")
_TYPE = re.compile(r" <(?!.*\|)[^>]*>$")
"""The type of an argument where it is no list of choices: its name says what it is."""


def help_page() -> str:
    """Returns the page, in the order in which `quaestor --help` lists the commands."""
    root = typer.main.get_command(app)
    return "\n".join([_PREFACE, *_told(root, "quaestor", None)])


def _told(command: object, name: str, above: typer.Context | None) -> Iterator[str]:
    assert isinstance(command, TyperCommand | TyperGroup)
    context = typer.Context(command, info_name=name, parent=above)
    words = context.command_path
    yield f"{'#' * max(2, len(words.split()))} {words}\n"
    yield f"{_plain(command.help or '')}\n"
    yield f"```text\n{' '.join([words, *command.collect_usage_pieces(context)])}\n```\n"
    parameters = [p for p in command.get_params(context) if above is None or p.name != "help"]
    records = filter(None, (parameter.get_help_record(context) for parameter in parameters))
    yield from (f"- `{_TYPE.sub('', names)}`: {_plain(told)}" for names, told in records)
    yield ""
    if isinstance(command, TyperGroup):
        for inner, found in command.commands.items():
            yield from _told(found, inner, context)


def _plain(text: str) -> str:
    """Without what rich would take for markup, on one line a paragraph."""
    paragraphs = text.replace("\\[", "[").split("\n\n")
    return _LESS.sub(r"\\<", "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs))
