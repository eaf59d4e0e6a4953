"""Ontologies and the graphs of single pages, built as a person asks for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.application.files import OutputFile
from quaestor.application.proposals import CollectedProposals, ProposalRequest, collect_proposals
from quaestor.application.resolve import CorpusPage, documents_of, find_knowledge
from quaestor.datasets.formats import read_dataset
from quaestor.errors import SettingsError
from quaestor.graph.builder import build_graph
from quaestor.graph.knowledge_graph import KnowledgeGraph, Policy
from quaestor.ontology.builder import build_ontology
from quaestor.ontology.extract import RuleExtractor
from quaestor.ontology.ontology import Ontology
from quaestor.ontology.proposal import Proposal
from quaestor.ontology.proposals import ReviewedExtractor, with_labels
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
    documents = [document for path in datasets for document in documents_of(read_dataset(path, limit)).values()]

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


async def build_page_graph(
    page: CorpusPage, request: ProposalRequest, ontology: str | None = None, policy: Policy | None = None
) -> BuiltGraph:
    """Returns the graph of a page, with the properties that are proposed for lines without one.

    Args:
        page: The page.
        request: Where proposals come from.
        ontology: A Turtle file or a digest; by default that of the dataset's own documents.
        policy: What becomes of labels that it does not have; by default they become properties.

    Raises:
        SettingsError: Options do not fit each other.
        InputError: There is no such ontology, or proposals are not borne out.
        OutageError: The model cannot be asked.
        GapError: The ontology does not have a label, and the policy is `strict`.
    """
    if policy == "strict" and (request.model_named or request.accept):
        raise SettingsError("proposals belong to the policy 'extend': 'strict' takes the ontology as it is")
    knowledge = await find_knowledge(page.corpus, ontology, policy, request.settings.store)

    async def ask(connection: "Connection") -> tuple[Proposal, ...]:
        from quaestor.ontology.proposing import propose_lines

        return await propose_lines(page.document, knowledge.ontology, connection)

    collected = await collect_proposals(request, [page.document], ask)
    if collected.in_review:
        return BuiltGraph(collected, None)
    extended = with_labels(knowledge.ontology, collected.proposals)
    return BuiltGraph(collected, build_graph(page.document, extended, knowledge.policy))


async def read_page_graph(page: CorpusPage, ontology: str | None, policy: Policy | None, store: str) -> KnowledgeGraph:
    """Returns the graph of a page.

    Args:
        page: The page.
        ontology: A Turtle file or a digest; by default that of the dataset's own documents.
        policy: What becomes of labels that it does not have; by default they become properties.
        store: The store's URI, which is opened only for a digest.

    Raises:
        InputError: There is no such ontology.
        GapError: The ontology does not have a label, and the policy is `strict`.
    """
    return (await find_knowledge(page.corpus, ontology, policy, store)).graph(page.document)
