"""`quaestor read`, `show` and `find`: how files were parsed, a page as it was read, and where to look in a file."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.failures import print_failure
from quaestor.cli.options import CacheOption, JsonOption, SpreadOptions, StoreOption, with_options
from quaestor.cli.printing import make_console, print_json, read_named, show_reading, warn_of_losses
from quaestor.cli.stored import use_store
from quaestor.core.visible import visible_name
from quaestor.errors import InputError, QuaestorError, QuestionError
from quaestor.settings import Settings, load_settings

if TYPE_CHECKING:
    from quaestor.conversation.turn import Turn
    from quaestor.documents.document import Document


@with_options
def read_command(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="HTML, PDF, XLSX, CSV, Markdown or text files, optionally compressed as .gz.",
            show_default=False,
        ),
    ],
    spread: SpreadOptions,
    table: Annotated[
        int | None, typer.Option("--table", min=0, help="Show the cells of this table.", metavar="N")
    ] = None,
    store: StoreOption = None,
    cache: CacheOption = None,
    json: JsonOption = False,
) -> None:
    """Show how files were parsed: sections, tables with roles, headings, scales and periods, and what was not read.

    A file that cannot be read is reported in one line; the others are still shown.
    """
    from quaestor.application.file_cache import file_cache, reading_limits
    from quaestor.application.outline import outline_of, table_content, table_of
    from quaestor.cli.render_documents import show_outline, show_table
    from quaestor.datasets.formats import read_document

    settings = load_settings({"store": store, "cache": cache, **spread.settings})
    if len(files) > 1 or settings.engine == "ray":
        if table is not None:
            raise InputError("--table needs a single file")
        _show_several(files, settings, json=json)
        return
    with show_reading([str(files[0])]):
        document = read_document(files[0], file_cache(settings), reading_limits(settings))
    if table is not None:
        chosen = table_of(document, table)
        if json:
            print_json(table_content(document, chosen))
        else:
            show_table(make_console(), document, chosen)
        return
    if json:
        print_json(outline_of(document))
    else:
        show_outline(make_console(), document)


def _show_several(files: list[Path], settings: Settings, *, json: bool) -> None:
    from quaestor.application.file_cache import file_cache
    from quaestor.application.outline import outline_of
    from quaestor.application.read_service import read_several
    from quaestor.cli.render_documents import show_outline

    console, outlines, codes = make_console(), list[object](), list[int]()

    def show(file: Path, result: "Document | QuaestorError") -> None:
        if isinstance(result, QuaestorError):
            codes.append(print_failure(result))
            outlines.append({"document": visible_name(str(file)), "error": str(result)})
        elif json:
            outlines.append(outline_of(result))
        else:
            show_outline(console, result)

    asyncio.run(read_several(files, settings, file_cache(settings), show))
    if json:
        print_json(outlines)
    if codes:
        raise typer.Exit(max(codes))


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
    from quaestor.cli.render_documents import show_document
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


def find_command(
    asked_about: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE... QUESTION...",
            help=(
                "One or more filings, or a page of a dataset as DATASET#PAGE, followed by the question. Earlier "
                "questions, if any, are the conversation that it continues."
            ),
        ),
    ],
    top: Annotated[int, typer.Option("--top", min=1, help="Maximum number of passages.", metavar="N")] = 5,
    store: StoreOption = None,
    cache: CacheOption = None,
    json: JsonOption = False,
) -> None:
    """Find the tables and passages that may answer a question, with page, section, score and reasons."""
    from quaestor.application.file_cache import file_cache, reading_limits, search_document
    from quaestor.application.replies import place_reply
    from quaestor.application.resolve import read_files, split_arguments
    from quaestor.cli.render_documents import show_place

    settings = load_settings({"store": store, "cache": cache})
    files, questions = split_arguments(asked_about)
    if not questions:
        raise InputError("missing question: write it in quotes after the file")
    if not questions[-1].strip():
        raise QuestionError("the question is empty: ask something, such as 'what were net sales in 2024?'")
    documents = file_cache(settings)
    with show_reading(["the file"]):
        document = read_files(files, documents, reading_limits(settings)).document
        warn_of_losses(document)
        places = search_document(document, questions, top, documents)
    if json:
        print_json([place_reply(place) for place in places])
        return
    console = make_console()
    if not places:
        console.print("Nothing found: no table or sentence contains a key word of the question.")
        console.print("Try the words that the report uses, such as 'net sales' or 'capital expenditures'.")
        return
    for number, place in enumerate(places, start=1):
        show_place(console, number, place)
