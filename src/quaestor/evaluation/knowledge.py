"""What a run knows of pages besides the pages: a frozen ontology, and what becomes of labels that it does not have.

Owns how a run comes by its ontology: one that the store has by its digest, or one of the dataset's own documents.
Tables and texts only; no question comes near it.
"""

from collections.abc import Iterable
from dataclasses import replace

from quaestor.core.caching import BoundedCache
from quaestor.core.computing import compute
from quaestor.datasets.dataset import Dataset
from quaestor.documents.document import Document
from quaestor.evaluation.spec import RunSpec
from quaestor.graph.builder import build_graph
from quaestor.graph.knowledge_graph import KnowledgeGraph, Policy
from quaestor.ontology.builder import build_ontology
from quaestor.ontology.ontology import Ontology
from quaestor.ontology.turtle import ontology_from_triples
from quaestor.store.base import RunStore

_PAGE, _PAGES = 2_500, 20_000
"""Up to eight graphs are kept, for conversations of one page mostly follow each other; of documents with more numbers
than `_PAGE` fewer, so that those of `_PAGES` numbers are kept in all."""


def _numbers(graph: KnowledgeGraph) -> int:
    return max(_PAGE, len(graph.observations) + len(graph.mentions))


class GraphProvider:
    """A frozen ontology and a policy, and the graphs that are built with them. It survives pickling, without them."""

    def __init__(self, ontology: Ontology, policy: Policy) -> None:
        self.ontology, self.policy = ontology, policy
        self._graphs = BoundedCache[tuple[str, str], KnowledgeGraph](_PAGES, _numbers)

    @classmethod
    def of(cls, documents: Iterable[Document], policy: Policy = "strict") -> "GraphProvider":
        """Returns what documents say themselves."""
        return cls(build_ontology(documents), policy)

    def __reduce__(self) -> tuple[type["GraphProvider"], tuple[Ontology, Policy]]:
        # Of the ontology only what it is: its indexes are quickly made again, and cannot travel.
        return GraphProvider, (replace(self.ontology), self.policy)

    def graph(self, document: Document) -> KnowledgeGraph:
        """Returns the graph of a page.

        Raises:
            GapError: Under `strict`, where the ontology has no property for a label.
        """
        key = (document.id, document.digest)
        return self._graphs.get(key, lambda: build_graph(document, self.ontology, self.policy))


async def resolve_ontology(
    spec: RunSpec, dataset: Dataset, store: RunStore, ontology: Ontology | None = None
) -> tuple[RunSpec, GraphProvider]:
    """Returns the spec with the digest of its ontology, and the knowledge of the run. Writes nothing.

    Args:
        spec: What is to be run. Without an ontology it gets that of the dataset's own documents: the same documents
            always give the same one.
        dataset: What is asked.
        store: Has the spec's ontology under its digest.
        ontology: The spec's ontology, where it need not be loaded.

    Raises:
        StoreError: The store does not have the spec's ontology.
        OntologyError: What the store has is none.
    """
    if ontology is None and spec.ontology is None:
        documents = {conversation.document.id: conversation.document for conversation in dataset.conversations}
        ontology = await compute(build_ontology, documents.values())
    if ontology is None:
        assert spec.ontology is not None
        triples = await store.load_ontology(spec.ontology)
        ontology = await compute(ontology_from_triples, triples, f"the ontology {spec.ontology[:12]}")
    # The digest reads all of its triples.
    return replace(spec, ontology=await compute(lambda: ontology.digest)), GraphProvider(ontology, spec.policy)
