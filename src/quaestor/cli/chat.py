"""`quaestor chat`: a conversation about files or a page, in the terminal or with one piped question per line."""

import sys
from asyncio import Runner
from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.options import AskOptions, ForceOption, with_options
from quaestor.cli.printing import make_console, read_named, warn_of_default_policy, warn_of_losses
from quaestor.cli.signals import has_received_sigterm
from quaestor.core.visible import visible
from quaestor.errors import InputError, QuaestorError, SettingsError
from quaestor.settings import Settings

if TYPE_CHECKING:
    from quaestor.application.chat_service import Chat
    from quaestor.cli.chat_commands import ChatLine

_HISTORY = "chat_history"
"""File next to the store with the history of typed lines."""

_MAX_ERROR_LENGTH = 400


@with_options
def chat_command(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="One or more filings (HTML, PDF, XLSX, CSV, text), or a page of a dataset as DATASET#PAGE.",
            show_default=False,
        ),
    ],
    options: AskOptions,
    resume: Annotated[
        str | None,
        typer.Option("--resume", help="Continue the conversation saved in this run.", metavar="RUN"),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Ask about filings or a page, one question after another. /help lists the commands; Ctrl-D quits.

    Questions can also be piped in, one per line. As with `ask`, questions and answers are saved as a run.
    """
    from quaestor.application.chat_service import Chat
    from quaestor.cli.chat_commands import ChatLine

    settings = options.load()
    used_files = options.used_files(settings, files)
    request = options.request(
        settings,
        cassette=options.cassette(used_files, force=force),
        on_start=lambda run: print(f"run {run}", file=sys.stderr, flush=True),
    )
    page = read_named(files, settings)
    warn_of_losses(page.document)
    warn_of_default_policy(settings)
    with Runner() as runner:
        chat = Chat(page, request)
        runner.run(chat.open(resume))
        recording = [options.record] if options.record else []
        context = ChatLine(chat, make_console(), runner, [*used_files, *recording], force)
        try:
            failed = _run_chat(context, settings)
        finally:
            runner.run(chat.close())
            if chat.unkept:
                print(f"quaestor: part of the conversation was not saved: {chat.unkept}", file=sys.stderr)
    if failed:
        raise typer.Exit(2)


def _run_chat(context: "ChatLine", settings: Settings) -> bool:
    """Answer questions until the input ends, and return whether a piped line failed."""
    from quaestor.application.resolve import store_file
    from quaestor.cli.chat_commands import completed_commands
    from quaestor.cli.typed_lines import completions, typed_lines

    at_terminal, file, failed = sys.stdin.isatty(), store_file(settings.store), False
    context.console.print(context.chat.document.id, style="dim", markup=False)
    _show(context, 0)
    commands, words = (completed_commands(), _completion_words(context.chat)) if at_terminal else ([], [])
    if at_terminal:
        context.console.print("Ask a question. /help lists the commands; Ctrl-D quits.", style="dim", markup=False)
    history = file.parent / _HISTORY if file is not None and settings.keep_asked else None
    with typed_lines("> ", history, lambda line: completions(line, commands, words)) as read:
        while True:
            try:
                if not _handle_line(read(), context):
                    return failed
            except KeyboardInterrupt:
                if not at_terminal or has_received_sigterm():
                    raise
                print("interrupted", file=sys.stderr)
            except QuaestorError as error:
                if not at_terminal and not isinstance(error, InputError | SettingsError):
                    raise
                failed = not at_terminal
                print(f"quaestor: {visible(' '.join(str(error).split()))[:_MAX_ERROR_LENGTH]}", file=sys.stderr)
            sys.stdout.flush()


def _handle_line(line: str | None, context: "ChatLine") -> bool:
    """Run a command or ask a question, and return whether the conversation continues."""
    from quaestor.cli.chat_commands import do_command

    if line is None:
        return False
    if line.startswith("/"):
        return do_command(line, context)
    if question := line.strip():
        before = len(context.chat.turns)
        context.runner.run(context.chat.ask(question))
        _show(context, before)
    return True


def _show(context: "ChatLine", first: int) -> None:
    """Print the turns from an index on."""
    from quaestor.cli.render import show_turn

    for number, turn in enumerate(context.chat.turns[first:], start=first + 1):
        show_turn(context.console, number, turn, context.chat.document)


def _completion_words(chat: "Chat") -> list[str]:
    """Return words for completion: line items of the document, and their years."""
    from quaestor.application.askable import askable_lines

    lines = list(askable_lines(chat.document))
    years = sorted({year for line in lines for year in line.years})
    return [*dict.fromkeys(line.label for line in lines), *map(str, years)]
