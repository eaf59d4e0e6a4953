"""`quaestor show`: a page as it was read, with the cells and words marked that the answers of a run rest on."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.options import CacheOption, StoreOption

if TYPE_CHECKING:
    from quaestor.store.records import TurnRecord


def show_command(
    page: Annotated[
        str,
        typer.Argument(
            metavar="FILE[#PAGE]", help="A file, or a page of a dataset as DATASET#PAGE.", show_default=False
        ),
    ],
    run: Annotated[
        str | None,
        typer.Option("--run", help="Mark what the answers of this run rest on; `latest` is the last.", metavar="RUN"),
    ] = None,
    turn: Annotated[
        int | None, typer.Option("--turn", min=1, help="Only what this answer of the run rests on.", metavar="N")
    ] = None,
    store: StoreOption = None,
    cache: CacheOption = None,
) -> None:
    """Print a page: its text and tables, with the cells and words in brackets that answers used."""
    from quaestor.application.file_cache import file_cache
    from quaestor.application.resolve import find_page
    from quaestor.cli.printing import make_console, shown_reading
    from quaestor.cli.render_page import show_document
    from quaestor.conversation.answer import Answer
    from quaestor.conversation.display import show_number
    from quaestor.core import serial
    from quaestor.errors import InputError
    from quaestor.settings import load_settings

    if turn is not None and run is None:
        raise InputError("--turn is a turn of a run: name the run by --run")
    settings = load_settings({"store": store, "cache": cache})
    with shown_reading([page]):
        document = find_page(page, file_cache(settings)).document
    turns = asyncio.run(_turns(settings.store, run, document.id)) if run is not None else ()
    if turn is not None:
        turns = tuple(kept for kept in turns if kept.index == turn - 1)
        if not turns:
            raise InputError(f"the run has no turn {turn} about {document.id}")
    answers = [serial.load(Answer, kept.answer) for kept in turns]
    marked = frozenset(source for answer in answers for source in answer.sources)
    if marked and not document.is_page:
        # Of a long file the parts that answers stand in: all of it is what its own viewer shows.
        document = document.excerpt(document.block(source).order for source in marked)
    console = make_console()
    show_document(console, document, marked)
    for kept, answer in zip(turns, answers, strict=True):
        console.print(f"{kept.index + 1}. {kept.question}  {show_number(answer)}", markup=False)


async def _turns(store: str, run: str, document: str) -> "tuple[TurnRecord, ...]":
    from quaestor.application.stored_turns import turns_about
    from quaestor.store.base import open_store

    async with open_store(store, create=False) as opened:
        return await turns_about(opened, run, document)
