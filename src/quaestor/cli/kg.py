"""`quaestor kg`: the knowledge graph of one page, built, shown and queried."""

from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.options import (
    AcceptOption,
    JsonOption,
    ModelOption,
    OntologyOption,
    PageArgument,
    PolicyOption,
    ProposalsOption,
    RecordOption,
    ReplayOption,
    StoreOption,
)

if TYPE_CHECKING:
    from quaestor.graph.knowledge_graph import KnowledgeGraph, Policy
    from quaestor.llm.models import Connection
    from quaestor.ontology.proposal import Proposal

kg = typer.Typer(no_args_is_help=True, help="Build, show and query the knowledge graph of a page.")

_LONGEST_TERM = 100


@kg.command("build")
def build(
    page: PageArgument,
    ontology: OntologyOption = None,
    policy: PolicyOption = None,
    store: StoreOption = None,
    model: ModelOption = None,
    proposals: ProposalsOption = None,
    accept: AcceptOption = None,
    record: RecordOption = None,
    replay: ReplayOption = None,
) -> None:
    """Build the graph of a page, and show what its tables and lines were taken for, and why.

    With --model, a model proposes the property of each line that the ontology has none for; the proposals are taken
    in at once, or written for review with --proposals.
    """
    from rich.console import Console

    from quaestor.cli.access import Tapes
    from quaestor.cli.graphs import show_reading, show_statistics
    from quaestor.cli.knowing import find_page, knowledge_for
    from quaestor.cli.proposals import gather
    from quaestor.errors import SettingsError
    from quaestor.graph.builder import build_graph
    from quaestor.ontology.proposals import with_labels
    from quaestor.settings import load_settings

    if policy == "strict" and (model or accept):
        raise SettingsError("proposals belong to the policy 'extend': 'strict' takes the ontology as it is")
    dataset, document = find_page(page)
    settings = load_settings({"store": store, "model": model})
    knowledge = knowledge_for(dataset, ontology, policy, settings.store)

    async def ask(connection: "Connection") -> "tuple[Proposal, ...]":
        from quaestor.ontology.proposing import propose_lines

        return await propose_lines(document, knowledge.ontology, connection)

    accepted = gather(settings, model is not None, proposals, accept, [document], ask, Tapes(record, replay))
    if accepted is None:
        return
    graph = build_graph(document, with_labels(knowledge.ontology, accepted), knowledge.policy)
    console = Console(highlight=False)
    show_reading(console, graph)
    show_statistics(console, graph)


@kg.command("show")
def show(
    page: PageArgument,
    turtle: Annotated[bool, typer.Option("--turtle", help="Print all triples as Turtle.")] = False,
    ontology: OntologyOption = None,
    policy: PolicyOption = None,
    store: StoreOption = None,
) -> None:
    """Show the instances of a page with their values, and the numbers of its text."""
    from rich.console import Console

    from quaestor.cli.graphs import show_facts

    graph = _graph(page, ontology, policy, store)
    if turtle:
        print(graph.to_turtle(), end="")
    else:
        show_facts(Console(highlight=False), graph)


@kg.command("query")
def query(
    page: PageArgument,
    sparql: Annotated[str, typer.Argument(metavar="SPARQL", help="A SELECT or ASK query; all prefixes are known.")],
    ontology: OntologyOption = None,
    policy: PolicyOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Answer a SPARQL query on the graph of a page."""
    import json as encoder

    graph = _graph(page, ontology, policy, store)
    if _asks(sparql):
        answer = graph.ask(sparql)
        print(encoder.dumps(answer) if json else ("yes" if answer else "no"))
        return
    rows = [{name: _term(value) for name, value in row.items()} for row in graph.select(sparql)]
    if json:
        print(encoder.dumps(rows, indent=2, ensure_ascii=False))
    else:
        _show_rows(rows)


def _graph(page: str, ontology: str | None, policy: "Policy | None", store: str | None) -> "KnowledgeGraph":
    from quaestor.cli.knowing import find_page, knowledge_for
    from quaestor.settings import load_settings

    dataset, document = find_page(page)
    return knowledge_for(dataset, ontology, policy, load_settings({"store": store}).store).graph(document)


def _asks(sparql: str) -> bool:
    import re

    # What stands before the first of the two words is prefixes and comments; the guard reads it all again.
    plain = re.sub(r"<[^>]*>|#[^\n]*", " ", sparql)
    form = re.search(r"\b(select|ask)\b", plain, re.IGNORECASE)
    return form is not None and form[1].casefold() == "ask"


def _term(value: object) -> str:
    return "" if value is None else str(value)


def _show_rows(rows: list[dict[str, str]]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as Grid

    console = Console(highlight=False)
    if not rows:
        console.print("no rows")
        return
    grid = Grid(*dict.fromkeys(name for row in rows for name in row))
    for row in rows:
        cells = (row.get(str(column.header), "") for column in grid.columns)
        grid.add_row(*(escape(text if len(text) <= _LONGEST_TERM else text[:_LONGEST_TERM] + "...") for text in cells))
    console.print(grid)
    console.print(f"{len(rows)} row{'s' * (len(rows) != 1)}")
