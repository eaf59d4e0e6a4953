"""The reference of all commands, generated from their `--help` and appended to docs/help.md on the site."""

import re
from collections.abc import Iterator

import typer
from typer.core import TyperCommand, TyperGroup

from quaestor.cli.app import make_app

_LESS = re.compile(r"<(?=[A-Za-z/])")
_TYPE = re.compile(r" <(?!.*\|)[^>]*>$")
"""The type of an argument, unless it lists choices: the name is enough."""


def command_reference() -> str:
    """Return Markdown with a section for each command, in the order of `quaestor --help`."""
    return "\n".join(_sections(typer.main.get_command(make_app(())), "quaestor", None))


def _sections(command: object, name: str, above: typer.Context | None) -> Iterator[str]:
    assert isinstance(command, TyperCommand | TyperGroup)
    context = typer.Context(command, info_name=name, parent=above)
    words = context.command_path
    yield f"{'#' * max(2, len(words.split()))} {words}\n"
    yield f"{_plain(command.help or '')}\n"
    yield f"```text\n{' '.join([words, *command.collect_usage_pieces(context)])}\n```\n"
    parameters = [p for p in command.get_params(context) if above is None or p.name != "help"]
    records = filter(None, (parameter.get_help_record(context) for parameter in parameters))
    yield from (f"- `{_TYPE.sub('', names)}`: {_plain(text)}" for names, text in records)
    yield ""
    if isinstance(command, TyperGroup):
        for inner, found in command.commands.items():
            yield from _sections(found, inner, context)


def _plain(text: str) -> str:
    """Unescape rich markup and put each paragraph on one line."""
    paragraphs = text.replace("\\[", "[").split("\n\n")
    return _LESS.sub(r"\\<", "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs))
