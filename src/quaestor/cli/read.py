"""`quaestor read`, `show` and `find`: how files were parsed, a page as it was read, and where to look in a file."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from quaestor.cli.failures import print_failure
from quaestor.cli.options import CacheOption, JsonOption, SpreadOptions, StoreOption, with_options
from quaestor.cli.printing import (
    count_noun,
    make_console,
    print_grid,
    print_json,
    read_named,
    show_reading,
    warn_of_losses,
)
from quaestor.cli.stored import use_store
from quaestor.core.visible import visible_name
from quaestor.errors import InputError, QuaestorError, QuestionError
from quaestor.settings import Settings, load_settings

if TYPE_CHECKING:
    from quaestor.conversation.turn import Turn
    from quaestor.documents.document import Document
    from quaestor.documents.table import Table
    from quaestor.retrieval.place import Place

_MOST_WARNINGS = 20
_MOST_HEADINGS = 8


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
            _show_table(make_console(), document, chosen)
        return
    if json:
        print_json(outline_of(document))
    else:
        _show_outline(make_console(), document)


def _show_several(files: list[Path], settings: Settings, *, json: bool) -> None:
    from quaestor.application.file_cache import file_cache
    from quaestor.application.outline import outline_of
    from quaestor.application.read_service import read_several

    console, outlines, codes = make_console(), list[object](), list[int]()

    def show(file: Path, result: "Document | QuaestorError") -> None:
        if isinstance(result, QuaestorError):
            codes.append(print_failure(result))
            outlines.append({"document": visible_name(str(file)), "error": str(result)})
        elif json:
            outlines.append(outline_of(result))
        else:
            _show_outline(console, result)

    asyncio.run(read_several(files, settings, file_cache(settings), show))
    if json:
        print_json(outlines)
    if codes:
        raise typer.Exit(max(codes))


def _show_outline(console: Console, document: "Document") -> None:
    from quaestor.core.number_conventions import ENGLISH
    from quaestor.documents.document import SectionHeading
    from quaestor.documents.health import document_health, health_words
    from quaestor.documents.repairs import show_warning
    from quaestor.documents.table import Table

    console.print(f"[bold]{escape(document.id)}[/]")
    pages = max((block.page or 0 for block in document.blocks), default=0)
    counts = [
        *([count_noun(pages, "page")] if pages else []),
        count_noun(len(document.sections), "section"),
        count_noun(len(document.tables), "table"),
        count_noun(len(document.sentences), "sentence"),
    ]
    console.print(", ".join(counts))
    health = document_health(document)
    if document.tables and document.convention.example != ENGLISH.example:
        console.print(f"numbers are printed as {escape(document.convention.example)}")
    console.print(health_words(health), style="green" if health.is_good else "yellow")
    level, levels = 0, {section.id: section.level for section in document.sections}
    for block in document.blocks:
        if isinstance(block.content, SectionHeading):
            level = levels[block.section]
            where = f" [dim](page {block.page})[/]" if block.page else ""
            text = escape(" ".join(block.content.text.split()))
            console.print(Padding(f"{text}{where}", (0, 0, 0, 2 * level - 2), expand=False))
        elif isinstance(block.content, Table):
            line = f"[bold]table {block.content.index}[/] {_about(document, block.content)}"
            console.print(Padding(line, (0, 0, 0, 2 * level), expand=False))
    if document.warnings:
        console.print(f"{count_noun(len(document.warnings), 'warning')}:", style="yellow")
    for warning in document.warnings[:_MOST_WARNINGS]:
        console.print(Padding(escape(show_warning(warning)), (0, 0, 0, 2), expand=False))
    if len(document.warnings) > _MOST_WARNINGS:
        console.print(f"  ... and {len(document.warnings) - _MOST_WARNINGS} more (use --json to list all)")


def _about(document: "Document", table: "Table") -> str:
    """Return a line with a table's role, title, size, scale, page, columns and periods, and what was not understood."""
    from quaestor.documents.health import health_doubts, table_health
    from quaestor.documents.shown import describe_units, role_words

    block = document.block(table.cells[0][0].ref)
    headings = [" ".join(column.label.split())[:40] for column in table.columns[1:] if column.label]
    shown = " | ".join(headings[:_MOST_HEADINGS]) + (" | ..." if len(headings) > _MOST_HEADINGS else "")
    facts = [
        table.title,
        role_words(table),
        count_noun(len(table.rows) - table.header_rows, "row"),
        describe_units(table),
        f"page {block.page}" if block.page else "",
        shown,
        _periods(table),
    ]
    line = escape("; ".join(filter(None, facts)))
    return "; ".join((line, *(f"[yellow]{escape(doubt)}[/]" for doubt in health_doubts(table, table_health(table)))))


def _periods(table: "Table") -> str:
    """Return the periods of the columns if the headings print them differently; else ""."""
    from quaestor.graph.facts import period_code

    codes = [period_code(column.period) if column.period else "-" for column in table.columns[1:]]
    printed = [" ".join(column.label.split()) for column in table.columns[1:]]
    if not any(column.period for column in table.columns) or codes == printed:
        return ""
    return "periods " + ", ".join(codes[:_MOST_HEADINGS]) + (", ..." if len(codes) > _MOST_HEADINGS else "")


def _show_table(console: Console, document: "Document", table: "Table") -> None:
    from quaestor.documents.health import health_doubts, table_health
    from quaestor.documents.shown import describe_units
    from quaestor.graph.facts import period_code

    block = document.block(table.cells[0][0].ref)
    console.print(f"[bold]table {table.index}[/] {escape(table.title)}".rstrip())
    for name, text in (
        ("section", " > ".join(document.section_of(table).path)),
        ("page", str(block.page or "")),
        ("place", block.anchor or ""),
        ("caption", table.caption),
        ("role", table.role.value),
        ("scale", describe_units(table)),
        ("periods", ", ".join(period_code(c.period) if c.period else "-" for c in table.columns[1:])),
    ):
        if text:
            console.print(f"[dim]{name}:[/] {escape(text)}")
    for doubt in health_doubts(table, table_health(table)):
        console.print(escape(doubt), style="yellow")
    grid = Grid(show_header=table.header_rows > 0)
    for number, column in enumerate(table.columns):
        head = "\n".join(dict.fromkeys(row[number].text for row in table.cells[: table.header_rows]))
        grid.add_column(escape(head) or escape(column.label), justify="right" if number else "left")
    for row in table.cells[table.header_rows :]:
        grid.add_row(*(escape(cell.text) for cell in row))
    print_grid(console, grid)


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
        _show_place(console, number, place)


def _show_place(console: Console, number: int, place: "Place") -> None:
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
