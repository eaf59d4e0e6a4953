"""`quaestor runs prompts`: the whole exchange of a turn with its model."""

from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.inspection import ConversationArgument, print_json, read_store
from quaestor.cli.options import JsonOption, RunArgument, StoreOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from quaestor.llm.reading import Said
    from quaestor.store.base import RunStore
    from quaestor.store.records import PromptRecord


def prompts(
    run: RunArgument,
    conversation: ConversationArgument,
    number: Annotated[int, typer.Argument(metavar="TURN", min=0, help="Its place in the conversation, from 0.")],
    raw: Annotated[bool, typer.Option("--raw", help="Print the bodies word for word.")] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Show every request of a turn to its model, and every reply. What an earlier request said is not repeated."""
    from rich.console import Console

    from quaestor.cli.playing import find_run
    from quaestor.core import serial

    async def read(opened: "RunStore") -> "Sequence[PromptRecord]":
        record = await find_run(opened, run)
        found = await opened.prompts(record.id, conversation, number)
        if not found:
            # A turn that was not played asks nothing either: let the store say so.
            await opened.turn(record.id, conversation, number)
        return found

    found = read_store(store, read)
    if json:
        print_json([serial.dump(prompt) for prompt in found])
    elif not found:
        print("no model was asked in this turn")
    else:
        _show(Console(highlight=False), found, raw)


def _show(console: "Console", prompts: "Sequence[PromptRecord]", raw: bool) -> None:
    from rich.markup import escape

    from quaestor.llm.reading import Said, read_reply, read_request
    from quaestor.llm.usage import Usage

    known: tuple[Said, ...] = ()
    for prompt in prompts:
        milliseconds = (prompt.finished - prompt.started).total_seconds() * 1000
        heading = f"{prompt.number + 1}. {prompt.phase or 'request'}, {prompt.model}"
        console.print(f"[bold]{escape(heading)}[/]", soft_wrap=True)
        used = Usage.of_counts(prompt.usage)
        console.print(f"[dim]{milliseconds:.0f} ms, {used.tokens:,} tokens[/]")
        request = (Said("request", prompt.prompt),) if raw else read_request(prompt.prompt)
        same = 0
        while same < min(len(known), len(request)) and known[same] == request[same]:
            same += 1
        if same:
            console.print(f"[dim]({same} piece{'s' * (same != 1)} as before)[/]")
        _pieces(console, "->", request[same:])
        if prompt.response is not None:
            _pieces(console, "<-", (Said("reply", prompt.response),) if raw else read_reply(prompt.response))
        if prompt.error:
            console.print(f"   [red]{escape(prompt.error)}[/]", soft_wrap=True)
        known = request
        console.print()


def _pieces(console: "Console", arrow: str, pieces: "Sequence[Said]") -> None:
    from rich.markup import escape

    for piece in pieces:
        text = "\n     ".join(escape(piece.text).splitlines())
        console.print(f"{arrow} [dim]{escape(piece.who)}:[/] {text}", soft_wrap=True)
