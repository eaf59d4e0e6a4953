"""`quaestor chat`: a conversation about files or a page, in the terminal or with one piped question per line."""

import sys
from asyncio import Runner
from typing import Annotated

import typer

from quaestor.cli.options import AskOptions, ForceOption, with_options
from quaestor.cli.printing import make_console, read_named, warn_of_default_policy, warn_of_losses


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
    from quaestor.cli.chat_commands import ChatLine, run_chat

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
            failed = run_chat(context, settings)
        finally:
            runner.run(chat.close())
            if chat.unkept:
                print(f"quaestor: part of the conversation was not saved: {chat.unkept}", file=sys.stderr)
    if failed:
        raise typer.Exit(2)
