"""Ontologies and the graphs of pages, built as a person asks for them, and kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quaestor.application.file_cache import file_cache, reading_limits
from quaestor.application.files import OutputFile
from quaestor.application.ontologies import make_graph_provider
from quaestor.application.resolve import DocumentInCorpus, documents_of, read_pages
from quaestor.application.run_service import spread
from quaestor.core.serial import Triple
from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.evaluation.frozen import FrozenGraphs, graph_key
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.graph.knowledge_graph import KnowledgeGraph, Policy
from quaestor.ontology.builder import build_ontology
from quaestor.ontology.ontology import Ontology
from quaestor.settings import Settings
from quaestor.store.base import open_store


@dataclass(frozen=True, slots=True)
class FrozenFile:
    """The graphs of a file that are kept.

    Attributes:
        ontology: The digest of the ontology that they are built with.
        policy: What became of labels that it does not have.
        built: How many of them were not there before.
        minted: How many lines the ontology has no property for.
    """

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
    """Return the frozen ontology of datasets, from their tables and texts only."""
    if output is not None:
        output.require_free()
    cache, limits = file_cache(settings), reading_limits(settings)
    read = [read_dataset(path, limit, cache, limits) for path in datasets]
    built = build_ontology(document for dataset in read for document in documents_of(dataset).values())
    if output is not None:
        output.write(built.to_turtle())
    if keep:
        async with open_store(settings.store) as opened:
            await opened.save_ontology(built.digest, built.triples)
    return built


async def build_page_graph(page: DocumentInCorpus, settings: Settings) -> KnowledgeGraph:
    """Return the graph of a page, and freeze it in the store."""
    graphs = await make_graph_provider(page.corpus, settings)
    graph, ontology = graphs.graph(page.document), graphs.ontology
    async with open_store(settings.store) as opened:
        await opened.save_ontology(ontology.digest, ontology.triples)
        await opened.freeze_graph(graph_key(page.document, ontology.digest), graph.triples())
    return graph


async def freeze_graphs(name: str, settings: Settings, limit: int | None = None, *, anew: bool = False) -> FrozenFile:
    """Build the graphs of all pages of a file and keep them, for runs to take as they are.

    Args:
        name: The file, or `DATASET#ID` for one of its pages.
        limit: Only the pages of the first so many conversations; a run with that limit has the same own ontology.
        anew: Whether graphs that are there already are built again.
    """
    pages = read_pages(name, limit, file_cache(settings), reading_limits(settings))
    graphs = await make_graph_provider(pages[0].corpus if pages else (), settings)
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

        async def freeze(document: Document, made: tuple[tuple[Triple, ...], int]) -> None:
            nonlocal minted
            await opened.freeze_graph(graph_key(document, digest), made[0])
            minted += made[1]

        await spread(_GraphMaker(graphs), waiting, freeze, settings)
        built = len(waiting)
    return FrozenFile(name, digest, graphs.policy, len(pages), built, minted)


@dataclass(frozen=True, slots=True)
class _GraphMaker:
    """Makes graphs of pages, here or elsewhere."""

    graphs: GraphProvider

    async def __call__(self, document: Document, /, *_shared: object) -> tuple[tuple[Triple, ...], int]:
        """Return the graph of a page as triples, and how many lines the ontology has no property for."""
        graph = self.graphs.graph(document)
        return graph.triples(), len(graph.minted)


async def read_page_graph(page: DocumentInCorpus, settings: Settings) -> KnowledgeGraph:
    """Return the graph of a page."""
    return (await make_graph_provider(page.corpus, settings)).graph(page.document)
