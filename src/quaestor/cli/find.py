"""`quaestor find`: list the places in a file that may answer a question."""

from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.options import CacheOption, JsonOption, StoreOption
from quaestor.cli.printing import make_console, print_json, show_reading, warn_of_losses
from quaestor.errors import InputError, QuestionError
from quaestor.settings import load_settings

if TYPE_CHECKING:
    from rich.console import Console

    from quaestor.retrieval.place import Place


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
    from quaestor.application.file_cache import file_cache, reading_limits
    from quaestor.application.replies import place_reply
    from quaestor.application.resolve import read_files, split_arguments
    from quaestor.questions.question import read_question
    from quaestor.retrieval.finding import find_places
    from quaestor.retrieval.index import load_index
    from quaestor.retrieval.retrieval_query import FindingContext

    settings = load_settings({"store": store, "cache": cache})
    files, questions = split_arguments(asked_about)
    if not questions:
        raise InputError("missing question: write it in quotes after the file")
    if not questions[-1].strip():
        raise QuestionError("the question is empty: ask something, such as 'what were net sales in 2024?'")
    *earlier, question = map(read_question, questions)
    documents = file_cache(settings)
    with show_reading(["the file"]):
        document = read_files(files, documents, reading_limits(settings)).document
        warn_of_losses(document)
        index = load_index(document, None if document.is_page else documents)
        places = find_places(index, question, FindingContext(tuple(earlier)), top)
    if json:
        print_json([place_reply(place) for place in places])
        return
    console = make_console()
    if not places:
        console.print("Nothing found: no table or sentence contains a key word of the question.")
        console.print("Try the words that the report uses, such as 'net sales' or 'capital expenditures'.")
        return
    for number, place in enumerate(places, start=1):
        _show(console, number, place)


def _show(console: "Console", number: int, place: "Place") -> None:
    from rich.markup import escape
    from rich.padding import Padding
    from rich.text import Text

    where = f"page {place.page}, " if place.page is not None else ""
    title = place.title or (f"table {place.table}" if place.table is not None else "passage")
    console.print(f"[bold]{number}. {escape(title)}[/]")
    lines = [f"{where}{place.kind}, score {place.score:.2f}"]
    if len(place.section) > 1:
        lines.append("in " + " > ".join(place.section[:-1]))
    lines += [f"| {line}" for line in place.text.splitlines()]
    lines.append("because: " + "; ".join(map(str, place.why)))
    for line in lines:
        console.print(Padding(Text(line), (0, 0, 0, 3), expand=False))
