"""`quaestor kg`: the knowledge graph of one page, built, shown and queried."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.groups import OntologyOptions, ProposerOptions, print_help_alone, with_options
from quaestor.cli.options import AcceptOption, ForceOption, JsonOption, PageArgument, ProposalsOption

if TYPE_CHECKING:
    from quaestor.graph.knowledge_graph import KnowledgeGraph

kg = typer.Typer(
    help="Build, show and query the knowledge graph of a page.", invoke_without_command=True, callback=print_help_alone
)

_LONGEST_TERM = 100
_MOST_EMPTY = 20


@kg.command("build")
@with_options
def build_graph_command(
    page: PageArgument,
    reading: OntologyOptions,
    proposer: ProposerOptions,
    proposals: ProposalsOption = None,
    force: ForceOption = False,
    accept: AcceptOption = None,
    json: JsonOption = False,
) -> None:
    """Build the graph of a page, and show what its tables and lines were taken for, and why.

    With --model, a model proposes the property of each line that the ontology has none for; the proposals are taken
    in at once, or written for review with --proposals.
    """
    from quaestor.application.graph_objects import graph_object
    from quaestor.application.ontology_service import build_page_graph
    from quaestor.application.resolve import find_page, page_file
    from quaestor.cli.printing import make_console, print_json
    from quaestor.cli.proposals import proposal_request, show_proposals
    from quaestor.cli.render import show_reading, show_statistics
    from quaestor.settings import load_settings

    settings = load_settings({"store": reading.store, "model": proposer.model})
    request = proposal_request(settings, proposer, proposals, accept, [page_file(page)], force=force)
    built = asyncio.run(build_page_graph(find_page(page), request, reading.ontology, reading.policy))
    show_proposals(built.collected, proposals, quiet=json)
    if built.graph is None:
        return
    if json:
        print_json(graph_object(built.graph))
        return
    console = make_console()
    show_reading(console, built.graph)
    show_statistics(console, built.graph)


@kg.command("show")
@with_options
def show_graph_command(
    page: PageArgument,
    reading: OntologyOptions,
    turtle: Annotated[bool, typer.Option("--turtle", help="Print all triples as Turtle.")] = False,
    json: JsonOption = False,
) -> None:
    """Show the instances of a page with their values, and the numbers of its text."""
    from quaestor.application.graph_objects import graph_object
    from quaestor.cli.printing import make_console, print_json
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
    sparql: Annotated[str, typer.Argument(metavar="SPARQL", help="A SELECT or ASK query; all prefixes are known.")],
    reading: OntologyOptions,
    json: JsonOption = False,
) -> None:
    """Answer a SPARQL query on the graph of a page."""
    from quaestor.cli.printing import print_json
    from quaestor.graph.empty import empty_cells_named, show_empty

    graph = _graph(page, reading)
    asks = _asks(sparql)
    if asks:
        answer = graph.ask(sparql)
        if json:
            print_json(answer)
        else:
            print("yes" if answer else "no")
    else:
        rows = [{name: _term(value) for name, value in row.items()} for row in graph.select(sparql)]
        if json:
            print_json(rows)
        else:
            _show_rows(rows)
    if not json:
        for cell in empty_cells_named(graph, sparql, "ASK" if asks else "SELECT")[:_MOST_EMPTY]:
            print(show_empty(cell))


def _graph(page: str, reading: OntologyOptions) -> "KnowledgeGraph":
    from quaestor.application.ontology_service import read_page_graph
    from quaestor.application.resolve import find_page
    from quaestor.settings import load_settings

    uri = load_settings({"store": reading.store}).store
    return asyncio.run(read_page_graph(find_page(page), reading.ontology, reading.policy, uri))


def _asks(sparql: str) -> bool:
    import re

    # What stands before the first of the two words is prefixes and comments; the guard reads it all again.
    plain = re.sub(r"<[^>]*>|#[^\n]*", " ", sparql)
    form = re.search(r"\b(select|ask)\b", plain, re.IGNORECASE)
    return form is not None and form[1].casefold() == "ask"


def _term(value: object) -> str:
    return "" if value is None else str(value)


def _show_rows(rows: list[dict[str, str]]) -> None:
    from rich.markup import escape
    from rich.table import Table as Grid

    from quaestor.cli.printing import make_console, print_grid

    console = make_console()
    if not rows:
        console.print("no rows")
        return
    grid = Grid(*dict.fromkeys(name for row in rows for name in row))
    for row in rows:
        cells = (row.get(str(column.header), "") for column in grid.columns)
        grid.add_row(*(escape(text if len(text) <= _LONGEST_TERM else text[:_LONGEST_TERM] + "...") for text in cells))
    print_grid(console, grid)
    console.print(f"{len(rows)} row{'s' * (len(rows) != 1)}")
