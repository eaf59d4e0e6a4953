"""What a run knows of pages besides the pages: a frozen ontology, and what becomes of labels that it does not have.

Tables and texts only; no question comes near it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from quaestor.core.caching import BoundedCache
from quaestor.core.computing import compute
from quaestor.core.serial import Triple
from quaestor.datasets.dataset import Dataset
from quaestor.documents.document import Document
from quaestor.evaluation.context_selection import PlaceExcerpts
from quaestor.evaluation.spec import RunSpec
from quaestor.graph.builder import build_graph, require_no_gaps
from quaestor.graph.knowledge_graph import KnowledgeGraph, Policy
from quaestor.graph.writing import graph_from_triples
from quaestor.ontology.ontology import Ontology
from quaestor.ontology.turtle import ontology_from_triples
from quaestor.settings import EXCERPT_TOKENS
from quaestor.store.base import RunStore

if TYPE_CHECKING:
    from quaestor.evaluation.frozen import FrozenGraphs

_PAGE, _PAGES = 2_500, 20_000
"""Up to eight graphs are kept, for conversations of one page mostly follow each other; of documents with more numbers
than `_PAGE` fewer, so that those of `_PAGES` numbers are kept in all."""


def _numbers(graph: KnowledgeGraph) -> int:
    return max(_PAGE, len(graph.observations) + len(graph.mentions))


class GraphProvider:
    """A frozen ontology and a policy, and the graphs that are built with them. It survives pickling, without graphs."""

    def __init__(
        self,
        ontology: Ontology,
        policy: Policy,
        frozen: "FrozenGraphs | None" = None,
        excerpt_tokens: int = EXCERPT_TOKENS,
    ) -> None:
        """Take what graphs are built with, and those that need not be built.

        Args:
            ontology: What properties and classes are known.
            policy: What becomes of a label that it does not have.
            frozen: The graphs that a store has; only in the process that has opened it.
            excerpt_tokens: About how many tokens of a long document a question is answered from.
        """
        self.ontology: Ontology = ontology
        self.policy: Policy = policy
        self.frozen = frozen
        self._excerpt_tokens = excerpt_tokens
        self._graphs = BoundedCache[tuple[str, str], KnowledgeGraph](_PAGES, _numbers)

    @classmethod
    def of(cls, documents: Iterable[Document], policy: Policy = "strict") -> "GraphProvider":
        """Return what documents say themselves."""
        from quaestor.ontology.builder import build_ontology

        return cls(build_ontology(documents), policy)

    def __reduce__(self) -> tuple[type["GraphProvider"], tuple[Ontology, Policy, None, int]]:
        # Of the ontology what graphs are built by: its indexes are quickly made again, and cannot travel.
        return GraphProvider, (self.ontology.without_documents(), self.policy, None, self._excerpt_tokens)

    def without_documents(self) -> "GraphProvider":
        """Return one that gives the same graphs, and does not know where each class and property was seen."""
        return GraphProvider(self.ontology.without_documents(), self.policy, self.frozen, self._excerpt_tokens)

    def excerpts(self, document: Document) -> PlaceExcerpts | None:
        """Return what finds the parts of a document that questions are about; None of a page, which is read whole."""
        if document.is_page or document.refusal is not None:
            return None
        return PlaceExcerpts.of_file(document, self._excerpt_tokens)

    async def stored(self, document: Document) -> tuple[Triple, ...] | None:
        """Return the frozen graph of a page as triples, or None if it has to be built.

        Raises:
            StoreError: The store cannot be read.
        """
        return None if self.frozen is None else await self.frozen.triples(document)

    def graph(self, document: Document, stored: Sequence[Triple] | None = None) -> KnowledgeGraph:
        """Return the graph of a page.

        Args:
            stored: Its graph, where it is frozen; then it is not built.

        Raises:
            GapError: Under `strict`, where the ontology has no property for a label.
            GraphError: What is stored is not a graph.
        """
        return self._graphs.get((document.id, document.digest), lambda: self._make(document, stored))

    def _make(self, document: Document, stored: Sequence[Triple] | None) -> KnowledgeGraph:
        if stored is None:
            return build_graph(document, self.ontology, self.policy)
        graph = graph_from_triples(stored, f"the frozen graph of {document.id}")
        if self.policy == "strict":
            require_no_gaps(document.id, graph.lines)
        return graph


async def resolve_ontology(
    spec: RunSpec, dataset: Dataset, store: RunStore, ontology: Ontology | None = None
) -> tuple[RunSpec, GraphProvider]:
    """Return the spec with the digest of its ontology, and the knowledge of the run. Writes nothing.

    Args:
        spec: What is to be run. Without an ontology it gets that of the dataset's own documents: the same documents
            always give the same one.
        store: Has the spec's ontology under its digest.
        ontology: The spec's ontology, where it need not be loaded.

    Raises:
        StoreError: The store does not have the spec's ontology.
        OntologyError: What the store has is none.
    """
    from quaestor.evaluation.frozen import FrozenGraphs
    from quaestor.ontology.builder import build_ontology

    if ontology is None and spec.ontology is None:
        ontology = await compute(build_ontology, dataset.documents())
    if ontology is None:
        assert spec.ontology is not None
        triples = await store.load_ontology(spec.ontology)
        ontology = await compute(ontology_from_triples, triples, f"the ontology {spec.ontology[:12]}")
    # The digest reads all of its triples.
    digest = await compute(lambda: ontology.digest)
    frozen, tokens = await FrozenGraphs.of(store, digest), spec.excerpt_tokens or EXCERPT_TOKENS
    return replace(spec, ontology=digest), GraphProvider(ontology, spec.policy, frozen, tokens)
