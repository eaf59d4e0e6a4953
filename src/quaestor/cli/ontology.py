"""`quaestor ontology`: type-level knowledge of a corpus, built, shown, compared and explained."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quaestor.cli.options import (
    AcceptOption,
    LimitOption,
    MaxCostOption,
    MaxRequestsOption,
    MaxTokensOption,
    ModelOption,
    OntologyOption,
    ProposalsOption,
    RecordOption,
    ReplayOption,
    StoreOption,
)

if TYPE_CHECKING:
    from quaestor.llm.models import Connection
    from quaestor.ontology.ontology import Ontology
    from quaestor.ontology.proposal import Proposal

ontology = typer.Typer(no_args_is_help=True, help="Build, show and compare ontologies.")

_MOST_SHOWN = 40
_Named = Annotated[str, typer.Argument(metavar="ONTOLOGY", help="A Turtle file, or a digest of the store's.")]


@ontology.command("build")
def build(
    datasets: Annotated[list[Path], typer.Argument(metavar="DATASET...", help="ConvFinQA files.")],
    limit: LimitOption = None,
    output: Annotated[
        Path | None, typer.Option("--output", help="Write it as Turtle to this file.", metavar="FILE.ttl")
    ] = None,
    store: StoreOption = None,
    model: ModelOption = None,
    proposals: ProposalsOption = None,
    accept: AcceptOption = None,
    record: RecordOption = None,
    replay: ReplayOption = None,
    max_requests: MaxRequestsOption = None,
    max_tokens: MaxTokensOption = None,
    max_cost: MaxCostOption = None,
) -> None:
    """Build the frozen ontology of datasets, from tables and texts only, and print its digest.

    It is kept in the store, unless it is only written to a file. With --model, a model proposes types, properties and
    merges for what the rules leave unclear; they are taken in at once, or written for review with --proposals.
    """
    from quaestor.cli.access import Tapes
    from quaestor.cli.knowing import documents_of
    from quaestor.cli.proposals import gather
    from quaestor.datasets.formats import read_dataset
    from quaestor.errors import InputError
    from quaestor.ontology.builder import build_ontology
    from quaestor.ontology.extract import RuleExtractor
    from quaestor.ontology.proposals import ReviewedExtractor
    from quaestor.settings import load_settings
    from quaestor.store.base import open_store

    documents = [document for path in datasets for document in documents_of(read_dataset(path, limit)).values()]
    limits = {"max_requests": max_requests, "max_tokens": max_tokens, "max_cost": max_cost}
    settings = load_settings({"store": store, "model": model, **limits})

    async def ask(connection: "Connection") -> "tuple[Proposal, ...]":
        from quaestor.ontology.proposing import propose

        return await propose(documents, connection)

    accepted = gather(settings, model is not None, proposals, accept, documents, ask, Tapes(record, replay))
    if accepted is None:
        return
    built = build_ontology(documents, [RuleExtractor(), ReviewedExtractor(accepted)])
    if output is not None:
        try:
            output.write_text(built.to_turtle(), encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot write {output}: {error.strerror}") from error
    if output is None or store is not None:

        async def keep() -> None:
            async with open_store(settings.store) as opened:
                await opened.save_ontology(built.digest, built.triples)

        asyncio.run(keep())
    for name, count in built.statistics().items():
        print(f"{name + ':':<34}{count}")
    print(f"{'digest:':<34}{built.digest}")


@ontology.command("show")
def show(
    type_: Annotated[
        str | None, typer.Argument(metavar="[TYPE]", help="Show the properties of this type.", show_default=False)
    ] = None,
    ontology: OntologyOption = None,
    store: StoreOption = None,
) -> None:
    """Show the types of an ontology (by default that of the latest run), or the properties of one type."""
    found = _read(ontology, store)
    if type_ is None:
        _show_types(found)
    else:
        _show_properties(found, type_)


@ontology.command("diff")
def diff(before: _Named, after: _Named, store: StoreOption = None) -> None:
    """Show what changes from one ontology to another."""
    from quaestor.ontology.diff import diff as compare

    changes = compare(_read(before, store), _read(after, store))
    if changes.empty:
        print("they say the same")
    for kind in ("classes", "properties", "labels"):
        for sign, how in (("-", "removed"), ("+", "added")):
            for name in getattr(changes, f"{kind}_{how}"):
                print(f"{sign} {_ONE[kind]} {name}")
    for moved in changes.labels_moved:
        print(f"~ label {moved.label}: {moved.before} -> {moved.after}")


@ontology.command("why")
def why(
    label: Annotated[str, typer.Argument(metavar="LABEL")],
    other: Annotated[str, typer.Argument(metavar="OTHER")],
    ontology: OntologyOption = None,
    store: StoreOption = None,
) -> None:
    """Say why two labels are one property, or why not."""
    explanation = _read(ontology, store).why(label, other)
    print(f"{'one property' if explanation.same else 'not one property'}: {explanation.reason}")
    for step in explanation.steps:
        print(f"  {step.variant!r} is {step.into!r} ({step.rule}, {step.score:.2f})")


_ONE = {"classes": "type", "properties": "property", "labels": "label"}


def _read(name: str | None, store: str | None) -> "Ontology":
    from quaestor.cli.knowing import find_ontology, latest_ontology
    from quaestor.settings import load_settings
    from quaestor.store.base import open_store

    uri = load_settings({"store": store}).store
    if name is not None:
        return asyncio.run(find_ontology(name, uri))

    async def latest() -> "Ontology":
        async with open_store(uri, create=False) as opened:
            return await latest_ontology(opened)

    return asyncio.run(latest())


def _show_types(found: "Ontology") -> None:
    from rich.console import Console
    from rich.table import Table as Grid

    grid = Grid("type", "documents", "properties", "words for it", title=f"{found.digest[:12]}", title_justify="left")
    seen = sorted(found.classes, key=lambda c: (-len(c.documents), c.name))
    for kind in seen:
        if kind.documents:
            properties = found.properties_of(kind.name)
            grid.add_row(kind.name, str(len(kind.documents)), str(len(properties)), ", ".join(kind.cues[:4]))
    for column in grid.columns[1:3]:
        column.justify = "right"
    console = Console(highlight=False)
    console.print(grid)
    if unseen := [kind.name for kind in seen if not kind.documents]:
        console.print(f"{len(unseen)} types without a table: {', '.join(unseen)}", soft_wrap=True)


def _show_properties(found: "Ontology", name: str) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table as Grid

    kind = found.class_named(name)
    properties = found.properties_of(kind.name)
    title = f"{kind.name}: {kind.label}; {len(properties)} properties in {len(kind.documents)} documents"
    grid = Grid("property", "labels", "range", "lines", "documents", title=title, title_justify="left")
    for item in properties[:_MOST_SHOWN]:
        labels = "\n".join(escape(label) for label in (item.label, *item.variants))
        grid.add_row(item.name, labels, item.range, str(item.lines), str(len(item.documents)))
    for column in grid.columns[3:]:
        column.justify = "right"
    grid.columns[0].overflow = "fold"
    console = Console(highlight=False)
    console.print(grid)
    if len(properties) > _MOST_SHOWN:
        console.print(f"and {len(properties) - _MOST_SHOWN} less frequent ones")
