"""Builds, stores and lists ontologies and graphs of pages, and sets the default ontology."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from quaestor.application.file_cache import file_cache, load_graphs, reading_limits
from quaestor.application.files import OutputFile
from quaestor.application.ontologies import OWN, find_ontology
from quaestor.application.resolve import DocumentInCorpus, read_pages
from quaestor.application.run_service import spread
from quaestor.core.serial import Triple
from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.errors import InputError, SettingsError
from quaestor.evaluation.knowledge import FrozenGraphs, GraphProvider, graph_key
from quaestor.graph.knowledge_graph import KnowledgeGraph, Policy
from quaestor.ontology.builder import build_ontology
from quaestor.ontology.ontology import Ontology
from quaestor.settings import FILE, Settings
from quaestor.store.base import open_store

_LINE = re.compile(r"^[ \t]*ontology[ \t]*=.*(?:\n|$)", re.MULTILINE)
_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FrozenFile:
    """The stored graphs of a file; `minted` counts their lines without a property in the ontology."""

    name: str
    ontology: str
    policy: Policy
    pages: int
    built: int
    minted: int


async def build_corpus_ontology(
    datasets: Sequence[Path],
    settings: Settings,
    limit: int | None = None,
    output: OutputFile | None = None,
    *,
    keep: bool = True,
) -> Ontology:
    """Build the frozen ontology of datasets, from their tables and texts only."""
    if output is not None:
        output.require_free()
    cache, limits = file_cache(settings), reading_limits(settings)
    read = [read_dataset(path, limit, cache, limits) for path in datasets]
    built = build_ontology(document for dataset in read for document in dataset.documents())
    if output is not None:
        output.write(built.to_turtle())
    if keep:
        async with open_store(settings.store) as opened:
            await opened.save_ontology(built.digest, built.triples)
    return built


async def build_page_graph(page: DocumentInCorpus, settings: Settings, *, freeze: bool = False) -> KnowledgeGraph:
    """Build the graph of a page, and freeze it in the store if wanted."""
    graphs = await load_graphs(page.corpus, settings)
    graph, ontology = graphs.graph(page.document), graphs.ontology
    if freeze:
        async with open_store(settings.store) as opened:
            await opened.save_ontology(ontology.digest, ontology.triples)
            await opened.freeze_graph(graph_key(page.document, ontology.digest), graph.triples())
    return graph


async def freeze_graphs(name: str, settings: Settings, limit: int | None = None, *, anew: bool = False) -> FrozenFile:
    """Build and store the graphs of the pages of a file, or of its first conversations, for runs to load."""
    pages = read_pages(name, limit, file_cache(settings), reading_limits(settings))
    graphs = await load_graphs(pages[0].corpus if pages else (), settings)
    digest, built, minted = graphs.ontology.digest, 0, 0
    async with open_store(settings.store) as opened:
        await opened.save_ontology(digest, graphs.ontology.triples)
        frozen = await FrozenGraphs.of(opened, digest)
        waiting = []
        for page in pages:
            if anew or not frozen.has(page.document):
                waiting.append(page.document)
            else:
                minted += len(graphs.graph(page.document, await frozen.triples(page.document)).minted)

        async def freeze(document: Document, graph: tuple[tuple[Triple, ...], int]) -> None:
            nonlocal minted
            await opened.freeze_graph(graph_key(document, digest), graph[0])
            minted += graph[1]

        await spread(_GraphBuilder(graphs), waiting, freeze, settings)
        built = len(waiting)
    return FrozenFile(name, digest, graphs.policy, len(pages), built, minted)


@dataclass(frozen=True, slots=True)
class _GraphBuilder:
    """Builds graphs of pages in any process."""

    graphs: GraphProvider

    async def __call__(self, document: Document, /, *_shared: object) -> tuple[tuple[Triple, ...], int]:
        """Return the graph of a page as triples, and the number of lines without a property in the ontology."""
        graph = self.graphs.graph(document)
        return graph.triples(), len(graph.minted)


@dataclass(frozen=True, slots=True)
class StoredOntology:
    """A stored ontology."""

    digest: str
    created: datetime
    triples: int
    graphs: int
    runs: int
    default: bool


async def list_ontologies(settings: Settings) -> tuple[StoredOntology, ...]:
    """Return the stored ontologies, the latest first."""
    async with open_store(settings.store, create=False) as opened:
        graphs = Counter(key.ontology for key in await opened.frozen_graphs())
        runs = Counter(run.spec.get("ontology") for run in await opened.runs())
        named, stored = settings.ontology or OWN, await opened.ontologies()
        # The settings may name a file whose ontology is also stored.
        chosen = named if named == OWN else (await find_ontology(named, opened)).digest
        return tuple(
            StoredOntology(o.digest, o.created, o.triples, graphs[o.digest], runs[o.digest], o.digest == chosen)
            for o in stored
        )


async def use_ontology(name: str, settings: Settings) -> str:
    """Set the ontology (a Turtle file, a digest or `own`) in the settings file, and return the value written."""
    written = name
    if name != OWN:
        found = await find_ontology(name, settings.store)
        written = name if Path(name).exists() else found.digest
    path = Path(FILE)
    before = _read(path)
    after = _with_line(before, written)
    if _parse(after, path) != _parse(before, path) | {"ontology": written}:
        raise SettingsError(
            f"cannot edit {path} without changing other lines: set ontology = {json.dumps(written)} in it yourself"
        )
    OutputFile(path, force=True).write(after)
    return written


def _with_line(text: str, value: str) -> str:
    """Set the ontology in a TOML text, above the first table."""
    line = f"ontology = {json.dumps(value, ensure_ascii=False)}\n"
    table = _TABLE.search(text)
    head, rest = (text[: table.start()], text[table.start() :]) if table else (text, "")
    if _LINE.search(head):
        return _LINE.sub(lambda _: line, head, count=1) + rest
    return line + text


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error


def _parse(text: str, path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from error
