"""`quaestor ontology` and `kg`: the type-level knowledge of a corpus, and the knowledge graphs of pages."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.options import (
    DatasetsArgument,
    ForceOption,
    JsonOption,
    LimitOption,
    OntologyOption,
    OntologyOptions,
    PageArgument,
    SpreadOptions,
    StoreOption,
    command_group,
    with_options,
)
from quaestor.cli.printing import (
    announce,
    count_noun,
    make_console,
    print_grid,
    print_json,
    print_rows,
    read_named,
    warn_of_default_policy,
)
from quaestor.cli.stored import output_file, use_store
from quaestor.errors import SettingsError
from quaestor.settings import FILE, Settings, load_settings

if TYPE_CHECKING:
    from quaestor.application.files import OutputFile
    from quaestor.application.resolve import DocumentInCorpus
    from quaestor.graph.knowledge_graph import KnowledgeGraph
    from quaestor.ontology.ontology import Ontology, Proposal
    from quaestor.store.base import RunStore

ontology = command_group("Build, show and compare ontologies.")

_MOST_SHOWN = 40
_OntologyName = Annotated[
    str, typer.Argument(metavar="ONTOLOGY", help="A Turtle file, or the digest of an ontology in the store.")
]


@ontology.command("build")
def build_ontology_command(
    datasets: DatasetsArgument,
    limit: LimitOption = None,
    output: Annotated[
        Path | None, typer.Option("--output", help="Write the ontology to this file as Turtle.", metavar="FILE.ttl")
    ] = None,
    force: ForceOption = False,
    store: StoreOption = None,
) -> None:
    """Build a frozen ontology from the tables and texts of datasets, and print its digest.

    The ontology is saved in the store, unless only --output is given.
    """
    from quaestor.application.ontology_service import build_corpus_ontology
    from quaestor.application.resolve import dataset_path

    paths = [dataset_path(name) for name in datasets]
    target = output_file(output, store, paths, force=force) if output else None
    kept = output is None or store is not None
    with announce("reading tables and texts"):
        built = asyncio.run(build_corpus_ontology(paths, load_settings({"store": store}), limit, target, keep=kept))
    for name, count in built.statistics().items():
        print(f"{name + ':':<34}{count}")
    print(f"{'digest:':<34}{built.digest}")


@ontology.command("show")
def show_ontology_command(
    type_: Annotated[
        str | None, typer.Argument(metavar="[TYPE]", help="Show the properties of this type.", show_default=False)
    ] = None,
    ontology: OntologyOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Show the types of an ontology, or the properties of one type.

    Defaults to the configured ontology, or that of the latest run.
    """
    from quaestor.application.graph_query import ontology_object

    found = _read(ontology, store)
    if json:
        print_json(ontology_object(found, type_))
    elif type_ is None:
        _show_types(found)
    else:
        _show_properties(found, type_)


@ontology.command("list")
def list_command(store: StoreOption = None, json: JsonOption = False) -> None:
    """List the ontologies in the store, and mark the default."""
    from quaestor.application.ontology_service import list_ontologies
    from quaestor.store.base import display_uri

    settings = load_settings({"store": store})
    ontologies = asyncio.run(list_ontologies(settings))
    if json:
        print_json(ontologies)
        return
    if not ontologies:
        print(f"{display_uri(settings.store)} has no ontologies yet")
    else:
        rows = []
        for item in ontologies:
            since, mark = item.created.astimezone().isoformat(" ", "minutes"), "default" if item.default else ""
            counts = (item.triples, item.graphs, item.runs)
            rows.append((item.digest[:12], since.partition("+")[0], *map(str, counts), mark))
        heads = ("ontology", "saved", "triples", "graphs", "runs", "")
        print_rows(make_console(), heads, rows, words=(0, 1, 5), unbroken=())
    if not any(item.default for item in ontologies):
        print(f"default: {settings.ontology or 'own'}")


@ontology.command("use")
def use_command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="ONTOLOGY",
            help=(
                "A Turtle file, or the digest of an ontology in the store (a prefix is enough); `own` builds one "
                "from each file."
            ),
        ),
    ],
    store: StoreOption = None,
) -> None:
    """Set the default ontology, by a line in quaestor.toml in the current directory."""
    from quaestor.application.ontology_service import use_ontology

    written = asyncio.run(use_ontology(name, load_settings({"store": store})))
    print(f"{FILE}: ontology = {written}")


@ontology.command("diff")
def diff_command(
    before: _OntologyName, after: _OntologyName, store: StoreOption = None, json: JsonOption = False
) -> None:
    """Show the differences between two ontologies."""
    from quaestor.ontology.ontology import diff_ontologies

    changes = diff_ontologies(_read(before, store), _read(after, store))
    if json:
        print_json(changes)
        return
    if changes.empty:
        print("no differences")
    for kind in ("classes", "properties", "labels"):
        for sign, how in (("-", "removed"), ("+", "added")):
            for name in getattr(changes, f"{kind}_{how}"):
                print(f"{sign} {_ONE[kind]} {name}")
    for moved in changes.labels_moved:
        print(f"~ label {moved.label}: {moved.before} -> {moved.after}")


@ontology.command("refine")
def refine_command(
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RUN]...", help="Runs to learn from: ids, unique prefixes, or `latest`."),
    ] = None,
    ontology: OntologyOption = None,
    proposals: Annotated[
        Path, typer.Option("--proposals", help="File to write the proposals to.", metavar="FILE.json")
    ] = Path("proposals.json"),
    accept: Annotated[
        Path | None, typer.Option("--accept", help="Apply the accepted proposals from this file.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            help="With --accept: also write the refined ontology to this file as Turtle.",
            metavar="FILE.ttl",
        ),
    ] = None,
    force: ForceOption = False,
    store: StoreOption = None,
) -> None:
    """Propose synonyms and properties that runs were missing; after your review, apply them with --accept.

    Uses the graphs and tool calls of the runs, and no reference answers. The refined ontology is saved in the store
    under a digest of its own.
    """
    from quaestor.application.ontologies import is_set
    from quaestor.application.refinement import accept_refinements

    settings = load_settings({"ontology": ontology, "store": store})
    if not is_set(settings):
        raise SettingsError("choose the ontology to refine with --ontology")
    if bool(runs) == (accept is not None):
        raise SettingsError("name runs to learn from, or use --accept with a reviewed file")
    if accept is None:
        _propose(runs or [], settings, output_file(proposals, store, [settings.ontology], force=force))
        return
    target = output_file(output, store, [settings.ontology, accept], force=force) if output else None
    refined = asyncio.run(accept_refinements(settings, accept, target))
    print(f"applied {refined.applied} of {refined.accepted} accepted proposals")
    if not refined.accepted:
        print(f'no accepted proposals: set "accept" to true in {accept} for those to apply')
    print(f"digest: {refined.ontology.digest}")


def _propose(runs: list[str], settings: Settings, output: "OutputFile") -> None:
    from quaestor.application.ontologies import find_ontology
    from quaestor.application.refinement import propose_refinements, write_proposals

    async def propose(opened: "RunStore") -> "tuple[Proposal, ...]":
        return await propose_refinements(opened, runs, await find_ontology(str(settings.ontology), opened))

    found = use_store(settings.store, propose)
    for proposal in found:
        print(f"{proposal.words}: {proposal.reason}")
    if not found:
        print("the runs used nothing that this ontology is missing")
        return
    with output.replacing() as path:
        write_proposals(path, found)
    print(f'wrote {len(found)} proposals to {output.path}: set "accept" to true for those to apply,')
    print("then use the file with --accept")


@ontology.command("why")
def why_command(
    label: Annotated[str, typer.Argument(metavar="LABEL")],
    other: Annotated[str, typer.Argument(metavar="OTHER")],
    ontology: OntologyOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Explain whether two labels are the same property."""
    explanation = _read(ontology, store).explain(label, other)
    if json:
        print_json(explanation)
        return
    print(f"{'same property' if explanation.same else 'different properties'}: {explanation.reason}")
    for step in explanation.steps:
        print(f"  {step.variant!r} matches {step.into!r} ({step.rule}, {step.score:.2f})")


_ONE = {"classes": "type", "properties": "property", "labels": "label"}


def _read(name: str | None, store: str | None) -> "Ontology":
    from quaestor.application.ontologies import ontology_or_latest

    return asyncio.run(ontology_or_latest(load_settings({"ontology": name, "store": store})))


def _show_types(found: "Ontology") -> None:
    rows = []
    seen = sorted(found.classes, key=lambda c: (-len(c.documents), c.name))
    for kind in seen:
        if kind.documents:
            properties = found.properties_of(kind.name)
            rows.append((kind.name, str(len(kind.documents)), str(len(properties)), ", ".join(kind.cues[:4])))
    console, heads = make_console(), ("type", "documents", "properties", "labels")
    print_rows(console, heads, rows, title=found.digest[:12], words=(0, 3), unbroken=())
    if unseen := [kind.name for kind in seen if not kind.documents]:
        console.print(f"{len(unseen)} types without a table: {', '.join(unseen)}", soft_wrap=True)


def _show_properties(found: "Ontology", name: str) -> None:
    from rich.markup import escape

    kind = found.class_named(name)
    properties = found.properties_of(kind.name)
    title = f"{kind.name}: {kind.label}; {len(properties)} properties in {len(kind.documents)} documents"
    rows = []
    for item in properties[:_MOST_SHOWN]:
        labels = "\n".join(escape(label) for label in (item.label, *item.variants))
        rows.append((item.name, labels, item.range, str(item.lines), str(len(item.documents))))
    console, heads = make_console(), ("property", "labels", "range", "lines", "documents")
    print_rows(console, heads, rows, title=title, words=3, unbroken=())
    if len(properties) > _MOST_SHOWN:
        console.print(f"and {len(properties) - _MOST_SHOWN} less frequent properties")


kg = command_group("Build, show and query knowledge graphs of pages.")

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
