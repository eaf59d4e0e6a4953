"""Ontologies and the graphs of pages, built as a person asks for them, and kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.application.file_cache import file_cache, reading_limits
from quaestor.application.files import OutputFile
from quaestor.application.ontologies import find_knowledge, find_ontology
from quaestor.application.proposals import CollectedProposals, ProposalRequest, collect_proposals
from quaestor.application.resolve import CorpusPage, documents_of, find_pages
from quaestor.application.spreading import spread
from quaestor.core.triples import Triple
from quaestor.datasets.formats import read_dataset
from quaestor.documents.document import Document
from quaestor.errors import SettingsError
from quaestor.evaluation.frozen import FrozenGraphs, graph_key
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.graph.builder import build_graph
from quaestor.graph.knowledge_graph import KnowledgeGraph, Policy
from quaestor.ontology.builder import build_ontology
from quaestor.ontology.extract import RuleExtractor
from quaestor.ontology.ontology import Ontology
from quaestor.ontology.proposal import Proposal
from quaestor.ontology.proposals import ReviewedExtractor, read_proposals, with_labels, with_properties
from quaestor.settings import Settings
from quaestor.store.base import open_store

if TYPE_CHECKING:  # without a model, no HTTP client is loaded
    from quaestor.llm.models import Connection


@dataclass(frozen=True, slots=True)
class BuiltOntology:
    """An ontology, and what was proposed for it.

    Attributes:
        collected: The proposals.
        ontology: The ontology; None where the proposals were written for review first.
    """

    collected: CollectedProposals
    ontology: Ontology | None


@dataclass(frozen=True, slots=True)
class BuiltGraph:
    """A page's graph, and what was proposed for it.

    Attributes:
        collected: The proposals.
        graph: The graph; None where the proposals were written for review first.
    """

    collected: CollectedProposals
    graph: KnowledgeGraph | None


@dataclass(frozen=True, slots=True)
class FrozenFile:
    """The graphs of a file that are kept.

    Attributes:
        name: The file, as given.
        ontology: The digest of the ontology that they are built with.
        policy: What became of labels that it does not have.
        pages: How many graphs there are.
        built: How many of them were not there before.
        minted: How many lines the ontology has no property for.
    """

    name: str
    ontology: str
    policy: Policy
    pages: int
    built: int
    minted: int


@dataclass(frozen=True, slots=True)
class RefinedOntology:
    """An ontology with what was proposed for it.

    Attributes:
        ontology: The ontology.
        accepted: How many proposals the file accepts.
        taken: How many of them said anything new.
    """

    ontology: Ontology
    accepted: int
    taken: int


async def build_corpus_ontology(
    datasets: Sequence[Path],
    request: ProposalRequest,
    limit: int | None = None,
    output: OutputFile | None = None,
    *,
    keep: bool = True,
) -> BuiltOntology:
    """Returns the frozen ontology of datasets, from their tables and texts only.

    Args:
        datasets: The files.
        request: Where proposals come from.
        limit: Only the first so many conversations of each.
        output: Where to write it as Turtle.
        keep: Whether to keep it in the store of the settings.

    Raises:
        DatasetError: A file cannot be read.
        SettingsError: Options do not fit each other.
        InputError: The file cannot be written, or proposals are not borne out.
        OutageError: The model cannot be asked.
    """
    if output is not None:
        output.require_free()
    cache = file_cache(request.settings)
    limits = reading_limits(request.settings)
    read = [read_dataset(path, limit, cache, limits) for path in datasets]
    documents = [document for dataset in read for document in documents_of(dataset).values()]

    async def ask(connection: "Connection") -> tuple[Proposal, ...]:
        from quaestor.ontology.proposing import propose

        return await propose(documents, connection)

    collected = await collect_proposals(request, documents, ask)
    if collected.in_review:
        return BuiltOntology(collected, None)
    built = build_ontology(documents, [RuleExtractor(), ReviewedExtractor(collected.proposals)])
    if output is not None:
        output.write(built.to_turtle())
    if keep:
        async with open_store(request.settings.store) as opened:
            await opened.save_ontology(built.digest, built.triples)
    return BuiltOntology(collected, built)


async def accept_refinements(settings: Settings, accept: Path, output: OutputFile | None = None) -> RefinedOntology:
    """Returns an ontology with what was proposed for it and accepted, and keeps it in the store.

    Args:
        settings: The ontology that is to be refined, and the store.
        accept: A file of proposals that was reviewed.
        output: Where to write it as Turtle besides.

    Raises:
        InputError: There is no such ontology, or a file cannot be read or written.
        StoreError: The store cannot be written.
    """
    if output is not None:
        output.require_free()
    before, proposals = await find_ontology(str(settings.ontology), settings.store), read_proposals(accept)
    # Properties first, so that a synonym of one of them finds it.
    refined = with_labels(with_properties(before, proposals), proposals)
    if output is not None:
        output.write(refined.to_turtle())
    async with open_store(settings.store) as opened:
        await opened.save_ontology(refined.digest, refined.triples)
    return RefinedOntology(refined, len(proposals), len(refined.proposals) - len(before.proposals))


async def build_page_graph(page: CorpusPage, request: ProposalRequest) -> BuiltGraph:
    """Returns the graph of a page, with the properties that are proposed for lines without one, and freezes it.

    Args:
        page: The page.
        request: Where proposals come from; its settings have the ontology, the policy and the store.

    Raises:
        SettingsError: Options do not fit each other.
        InputError: There is no such ontology, or proposals are not borne out.
        OutageError: The model cannot be asked.
        GapError: The ontology does not have a label, and the policy is `strict`.
        StoreError: The store cannot be written.
    """
    settings = request.settings
    if settings.policy == "strict" and (request.model_named or request.accept):
        raise SettingsError("proposals need the policy 'extend': 'strict' uses the ontology unchanged")
    knowledge = await find_knowledge(page.corpus, settings)

    async def ask(connection: "Connection") -> tuple[Proposal, ...]:
        from quaestor.ontology.proposing import propose_lines

        return await propose_lines(page.document, knowledge.ontology, connection)

    collected = await collect_proposals(request, [page.document], ask)
    if collected.in_review:
        return BuiltGraph(collected, None)
    extended = with_labels(knowledge.ontology, collected.proposals)
    graph = build_graph(page.document, extended, knowledge.policy)
    async with open_store(settings.store) as opened:
        await opened.save_ontology(extended.digest, extended.triples)
        await opened.freeze_graph(graph_key(page.document, extended.digest), graph.triples())
    return BuiltGraph(collected, graph)


async def freeze_graphs(name: str, settings: Settings, limit: int | None = None, *, anew: bool = False) -> FrozenFile:
    """Builds the graphs of all pages of a file and keeps them, for runs to take as they are.

    Args:
        name: The file, or `DATASET#ID` for one of its pages.
        settings: Ontology, policy and store in force.
        limit: Only the pages of the first so many conversations; a run with that limit has the same own ontology.
        anew: Whether graphs that are there already are built again.

    Raises:
        InputError: There is no such file or ontology.
        DatasetError: The file cannot be read.
        GapError: The ontology does not have a label of a page, and the policy is `strict`.
        StoreError: The store cannot be written.
    """
    pages = find_pages(name, limit, file_cache(settings), reading_limits(settings))
    knowledge = await find_knowledge(pages[0].corpus if pages else (), settings)
    digest, built, minted = knowledge.ontology.digest, 0, 0
    async with open_store(settings.store) as opened:
        await opened.save_ontology(digest, knowledge.ontology.triples)
        there = await FrozenGraphs.of(opened, digest)
        waiting = []
        for page in pages:
            if anew or not there.has(page.document):
                waiting.append(page.document)
            else:
                minted += len(knowledge.graph(page.document, await there.triples(page.document)).minted)

        async def freeze(document: Document, made: tuple[tuple[Triple, ...], int]) -> None:
            nonlocal minted
            await opened.freeze_graph(graph_key(document, digest), made[0])
            minted += made[1]

        await spread(_GraphMaker(knowledge), waiting, freeze, settings)
        built = len(waiting)
    return FrozenFile(name, digest, knowledge.policy, len(pages), built, minted)


@dataclass(frozen=True, slots=True)
class _GraphMaker:
    """Makes graphs of pages, here or elsewhere."""

    knowledge: GraphProvider

    async def __call__(self, document: Document, /, *_shared: object) -> tuple[tuple[Triple, ...], int]:
        """Returns the graph of a page as triples, and how many lines the ontology has no property for."""
        graph = self.knowledge.graph(document)
        return graph.triples(), len(graph.minted)


async def read_page_graph(page: CorpusPage, settings: Settings) -> KnowledgeGraph:
    """Returns the graph of a page.

    Args:
        page: The page.
        settings: Ontology and policy in force, and the store, which is opened only for a digest.

    Raises:
        InputError: There is no such ontology.
        GapError: The ontology does not have a label, and the policy is `strict`.
    """
    return (await find_knowledge(page.corpus, settings)).graph(page.document)
