"""`quaestor kg`: build, freeze, show and query the knowledge graphs of pages."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.options import (
    ForceOption,
    JsonOption,
    LimitOption,
    OntologyOptions,
    PageArgument,
    SpreadOptions,
    print_help_alone,
    with_options,
)
from quaestor.cli.printing import (
    announce,
    count_noun,
    make_console,
    print_grid,
    print_json,
    read_named,
    warn_of_default_policy,
)
from quaestor.settings import Settings, load_settings

if TYPE_CHECKING:
    from quaestor.application.resolve import DocumentInCorpus
    from quaestor.graph.knowledge_graph import KnowledgeGraph

kg = typer.Typer(
    help="Build, show and query knowledge graphs of pages.", invoke_without_command=True, callback=print_help_alone
)

_LONGEST_TERM = 100


@kg.command("build")
@with_options
def build_graph_command(
    pages: Annotated[
        list[str],
        typer.Argument(metavar="FILE|DATASET#PAGE", help="Files (all their pages) or single pages."),
    ],
    reading: OntologyOptions,
    spread: SpreadOptions,
    limit: LimitOption = None,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Build the graphs of pages and freeze them in the store, where runs use them.

    For a single page, shows how its tables and lines were classified, and why. --force rebuilds frozen graphs.
    """
    from quaestor.application.file_cache import file_cache, reading_limits
    from quaestor.application.resolve import read_pages

    settings = load_settings({**reading.settings, **spread.settings})
    found = read_pages(pages[0], limit, file_cache(settings), reading_limits(settings)) if len(pages) == 1 else ()
    if len(found) == 1:
        _build_one(found[0], settings, json=json)
    else:
        _freeze(pages, settings, limit, anew=force, json=json)
    warn_of_default_policy(settings)


def _freeze(pages: list[str], settings: Settings, limit: int | None, *, anew: bool, json: bool) -> None:
    from quaestor.application.ontology_service import freeze_graphs

    frozen = []
    for name in pages:
        with announce(f"building the graphs of {name}"):
            frozen.append(asyncio.run(freeze_graphs(name, settings, limit, anew=anew)))
    if json:
        print_json(frozen)
        return
    for file in frozen:
        before = f", {file.pages - file.built} already frozen" if file.built < file.pages else ""
        print(f"{file.name}: {file.pages} graphs, {file.built} built{before}")
        print(f"  ontology {file.ontology}, policy {file.policy}, {file.minted} lines not covered by the ontology")


def _build_one(page: "DocumentInCorpus", settings: Settings, *, json: bool) -> None:
    from quaestor.application.graph_query import graph_object
    from quaestor.application.ontology_service import build_page_graph
    from quaestor.cli.render import show_reading, show_statistics

    graph = asyncio.run(build_page_graph(page, settings, freeze=True))
    if json:
        print_json(graph_object(graph))
        return
    console = make_console()
    show_reading(console, graph)
    show_statistics(console, graph)


@kg.command("show")
@with_options
def show_graph_command(
    page: PageArgument,
    reading: OntologyOptions,
    turtle: Annotated[bool, typer.Option("--turtle", help="Print all triples as Turtle.")] = False,
    json: JsonOption = False,
) -> None:
    """Show the instances in a page's graph with their values, and the numbers in its text."""
    from quaestor.application.graph_query import graph_object
    from quaestor.cli.render import show_facts

    graph = _graph(page, reading)
    if turtle:
        print(graph.to_turtle(), end="")
    elif json:
        print_json(graph_object(graph))
    else:
        show_facts(make_console(), graph)


@kg.command("query")
@with_options
def query_graph_command(
    page: PageArgument,
    sparql: Annotated[
        str, typer.Argument(metavar="SPARQL", help="A SELECT or ASK query; all prefixes are predefined.")
    ],
    reading: OntologyOptions,
    json: JsonOption = False,
) -> None:
    """Run a SPARQL query on the graph of a page."""
    from quaestor.application.graph_query import query_graph
    from quaestor.graph.sparql import Limits

    found = query_graph(_graph(page, reading), sparql, Limits())
    rows = [["" if value is None else str(value) for value in row] for row in found.rows]
    if json:
        objects = [dict(zip(found.columns, row, strict=True)) for row in rows]
        print_json(objects if found.answer is None else found.answer)
        return
    if found.answer is None:
        _show_rows(found.columns, rows)
    else:
        print("yes" if found.answer else "no")
    for line in found.empty:
        print(line)


def _graph(page: str, reading: OntologyOptions) -> "KnowledgeGraph":
    from quaestor.application.ontology_service import build_page_graph

    settings = reading.load()
    graph = asyncio.run(build_page_graph(read_named([page], settings), settings))
    warn_of_default_policy(settings)
    return graph


def _show_rows(columns: Sequence[str], rows: list[list[str]]) -> None:
    from rich.markup import escape
    from rich.table import Table as Grid

    console = make_console()
    if not rows:
        console.print("no rows")
        return
    grid = Grid(*columns)
    for row in rows:
        grid.add_row(*(escape(text if len(text) <= _LONGEST_TERM else text[:_LONGEST_TERM] + "...") for text in row))
    print_grid(console, grid)
    console.print(count_noun(len(rows), "row"))
