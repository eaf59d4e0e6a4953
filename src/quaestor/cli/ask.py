"""`quaestor ask`: answer questions about files or a page. `quaestor pages`: list the pages of a file."""

import asyncio
import shlex
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.options import (
    AskOptions,
    CacheOption,
    DatasetArgument,
    ForceOption,
    JsonOption,
    StoreOption,
    TracesOption,
    trace_options,
    with_options,
)
from quaestor.cli.printing import (
    make_console,
    print_json,
    read_named,
    show_reading,
    warn_of_default_policy,
    warn_of_losses,
)
from quaestor.core.visible import visible
from quaestor.settings import load_settings

if TYPE_CHECKING:
    from quaestor.application.ask_service import AskRequest
    from quaestor.application.resolve import DocumentInCorpus

_STDIN = "-"
_MOST_LINES = 15


@with_options
def ask_command(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE... QUESTION...",
            help=(
                "One or more filings (HTML, PDF, XLSX, CSV, text), or a page of a dataset as DATASET#PAGE, "
                "followed by the questions in order. Use - to read questions from stdin, one per line. Without a "
                "question, lists what you can ask."
            ),
        ),
    ],
    options: AskOptions,
    traces: TracesOption = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Answer questions about filings or a page, with the formula and sources of each answer. Saves them as a run."""
    from quaestor.application.ask_service import answer_questions
    from quaestor.application.resolve import split_arguments

    files, questions = split_arguments(arguments)
    if questions == (_STDIN,):
        questions = tuple(line.strip() for line in sys.stdin if line.strip())
    settings = options.load()
    used_files = options.used_files(settings, files)
    run_ids: list[str] = []
    request = options.request(
        settings,
        cassette=options.cassette(used_files, force=force),
        traces=trace_options(traces, used_files, force=force),
        on_start=run_ids.append,
    )
    page = read_named(files, settings)
    warn_of_losses(page.document)
    if not questions:
        _show_examples(page, request, " ".join(map(shlex.quote, files)), json=json)
        return
    try:
        result = asyncio.run(answer_questions(page, questions, request))
    except BaseException:
        for run in run_ids:
            print(f"run {run} contains the answers given before the interruption", file=sys.stderr)
        raise
    if result.unkept:
        print(f"quaestor: the answers were not saved: {result.unkept}", file=sys.stderr)
    elif result.run:
        print(f"run {result.run}", file=sys.stderr)
    warn_of_default_policy(settings)
    if json:
        from quaestor.application.replies import answer_objects

        print_json(answer_objects(result.turns, page.document, result.run))
        return
    from quaestor.cli.render import show_turn

    console = make_console()
    console.print(page.document.id, style="dim", markup=False)
    for number, turn in enumerate(result.turns, start=1):
        show_turn(console, number, turn, page.document)


def _show_examples(page: "DocumentInCorpus", request: "AskRequest", files: str, *, json: bool) -> None:
    from quaestor.application.askable import askable_object, find_askable
    from quaestor.application.resolve import require_askable

    require_askable(page.document)
    askable = asyncio.run(find_askable(page, request))
    if json:
        print_json(askable_object(page.document, askable))
        return
    console = make_console()
    console.print(page.document.id, style="dim", markup=False)
    width = max((len(line.label) for line in askable.lines[:_MOST_LINES]), default=0)
    for line in askable.lines[:_MOST_LINES]:
        console.print(f"  {line.label:<{width}}  {line.when}", markup=False)
    if len(askable.lines) > _MOST_LINES:
        console.print(f"  ... and {len(askable.lines) - _MOST_LINES} more (use --json to list all)")
    print("for example:" if askable.examples else "add a question in quotes after the file")
    for question in askable.examples:
        print(visible(f"  quaestor ask {files} {shlex.quote(question)}"))


def pages(
    dataset: DatasetArgument, store: StoreOption = None, cache: CacheOption = None, json: JsonOption = False
) -> None:
    """List the pages of a file, with the number of conversations about each."""
    from collections import Counter

    from quaestor.application.file_cache import file_cache, reading_limits
    from quaestor.application.resolve import dataset_path
    from quaestor.datasets.formats import read_dataset

    settings = load_settings({"store": store, "cache": cache})
    with show_reading([dataset]):
        path, cached, limits = dataset_path(dataset), file_cache(settings), reading_limits(settings)
        conversations = read_dataset(path, cache=cached, limits=limits).conversations
    counts = Counter(conversation.document.id for conversation in conversations)
    if json:
        print_json([{"page": page, "conversations": count} for page, count in counts.items()])
        return
    width = max(map(len, counts), default=0)
    for page, count in counts.items():
        print(f"{page:<{width}}  {count} conversation{'s' * (count != 1)}")
