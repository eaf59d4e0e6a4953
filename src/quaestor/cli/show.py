"""`quaestor show`: print a page as it was read, with the sources of a run's answers marked."""

from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.options import CacheOption, StoreOption
from quaestor.cli.printing import make_console, read_named
from quaestor.cli.stored import use_store
from quaestor.errors import InputError
from quaestor.settings import load_settings

if TYPE_CHECKING:
    from quaestor.conversation.turn import Turn


def show_command(
    page: Annotated[
        str,
        typer.Argument(
            metavar="FILE[#PAGE]", help="A file, or a page of a dataset as DATASET#PAGE.", show_default=False
        ),
    ],
    run: Annotated[
        str | None,
        typer.Option(
            "--run", help="Mark the sources of the answers in this run; `latest` is the last one.", metavar="RUN"
        ),
    ] = None,
    turn: Annotated[
        int | None, typer.Option("--turn", min=1, help="Mark only the sources of this turn.", metavar="N")
    ] = None,
    store: StoreOption = None,
    cache: CacheOption = None,
) -> None:
    """Print a page with its text and tables. The sources of answers are shown in brackets."""
    from quaestor.application.stored_turns import answers_about
    from quaestor.cli.render import show_document
    from quaestor.conversation.display import show_correction, show_number

    if turn is not None and run is None:
        raise InputError("--turn requires --run")
    settings = load_settings({"store": store, "cache": cache})
    document = read_named([page], settings).document
    turns: list[tuple[int, Turn]] = []
    if run is not None:
        named, read = run, document
        document, turns = use_store(settings.store, lambda opened: answers_about(opened, named, read))
    if turn is not None:
        turns = [(place, answered) for place, answered in turns if place == turn - 1]
        if not turns:
            raise InputError(f"the run has no turn {turn} about {document.id}")
    marked = frozenset(source for _, answered in turns for source in answered.answer.sources)
    if marked and not document.is_page:
        # Of a long file, show only the parts that contain sources; the rest can be read in its own viewer.
        document = document.excerpt(document.block(source).order for source in marked)
    console = make_console()
    show_document(console, document, marked)
    for place, answered in turns:
        text = show_correction(answered.answer)
        note = f"  ({text})" if text is not None else ""
        console.print(
            f"{place + 1}. {answered.question}  {show_number(answered.answer)}{note}", markup=False, soft_wrap=True
        )
