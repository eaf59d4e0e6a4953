"""What a run knows of pages besides the pages: a frozen ontology, and what becomes of labels that it does not have.

Tables and texts only; no question comes near it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from quaestor.core.caching import BoundedCache
from quaestor.core.computing import compute
from quaestor.core.serial import Triple
from quaestor.datasets.dataset import Dataset, ListedPage
from quaestor.documents.document import Document
from quaestor.evaluation.context_selection import PlaceExcerpts
from quaestor.evaluation.spec import RunSpec, package_version
from quaestor.graph.builder import build_graph, require_no_gaps
from quaestor.graph.knowledge_graph import KnowledgeGraph, Policy
from quaestor.ontology.ontology import Ontology
from quaestor.ontology.turtle import ontology_from_triples
from quaestor.settings import EXCERPT_TOKENS
from quaestor.store.base import RunStore
from quaestor.store.records import GraphKey

_PAGE, _PAGES = 2_500, 20_000
"""The cache has up to eight graphs, since conversations about one page mostly follow each other; fewer of documents
with more than `_PAGE` numbers, so that it has at most `_PAGES` numbers."""


def _numbers(graph: KnowledgeGraph) -> int:
    return max(_PAGE, len(graph.observations) + len(graph.mentions))


class GraphProvider:
    """Builds and caches the graphs of documents, with one ontology and policy. Pickled without graphs."""

    def __init__(
        self,
        ontology: Ontology,
        policy: Policy,
        frozen: "FrozenGraphs | None" = None,
        excerpt_tokens: int = EXCERPT_TOKENS,
    ) -> None:
        """Set the ontology and the policy.

        Args:
            policy: What is done with a label that it does not have.
            frozen: The graphs in a store; only in the process that has opened it.
            excerpt_tokens: About how many tokens of a long document a question is answered from.
        """
        self.ontology: Ontology = ontology
        self.policy: Policy = policy
        self.frozen = frozen
        self._excerpt_tokens = excerpt_tokens
        self._graphs = BoundedCache[tuple[str, str], KnowledgeGraph](_PAGES, _numbers)

    @classmethod
    def of(cls, documents: Iterable[Document], policy: Policy = "strict") -> "GraphProvider":
        """Return the graphs of documents with the ontology learned from them."""
        from quaestor.ontology.builder import build_ontology

        return cls(build_ontology(documents), policy)

    def __reduce__(self) -> tuple[type["GraphProvider"], tuple[Ontology, Policy, None, int]]:
        # The indexes of the ontology cannot be pickled, and are quickly made again.
        return GraphProvider, (self.ontology.without_documents(), self.policy, None, self._excerpt_tokens)

    def without_documents(self) -> "GraphProvider":
        """Return one that builds the same graphs, without the documents in which each label was seen."""
        return GraphProvider(self.ontology.without_documents(), self.policy, self.frozen, self._excerpt_tokens)

    def excerpts(self, document: Document) -> PlaceExcerpts | None:
        """Return the excerpts of a document; None for a page, which is read whole."""
        if document.is_page or document.refusal is not None:
            return None
        return PlaceExcerpts.of_file(document, self._excerpt_tokens)

    async def stored(self, document: Document) -> tuple[Triple, ...] | None:
        """Return the frozen graph of a page as triples, or None if it has to be built."""
        return None if self.frozen is None else await self.frozen.triples(document)

    def graph(self, document: Document, stored: Sequence[Triple] | None = None) -> KnowledgeGraph:
        """Return the graph of a page.

        Raises:
            GapError: The policy is `strict`, and the ontology has no property for a label.
            GraphError: The stored triples are not a graph.
        """
        return self._graphs.get((document.id, document.digest), lambda: self._make(document, stored))

    def _make(self, document: Document, stored: Sequence[Triple] | None) -> KnowledgeGraph:
        if stored is None:
            return build_graph(document, self.ontology, self.policy)
        from quaestor.graph.writing import graph_from_triples

        graph = graph_from_triples(stored, f"the frozen graph of {document.id}")
        if self.policy == "strict":
            require_no_gaps(document.id, graph.lines)
        return graph


def graph_key(document: Document | ListedPage, ontology: str) -> GraphKey:
    """Return the key of the stored graph of a page, built by this version with an ontology."""
    return GraphKey(document.id, document.digest, ontology, package_version())


class FrozenGraphs:
    """The graphs in a store that were built with one ontology, in the process that has opened the store."""

    def __init__(self, store: RunStore, ontology: str, keys: Iterable[GraphKey]) -> None:
        self._store, self._ontology, self._keys = store, ontology, frozenset(keys)

    @classmethod
    async def of(cls, store: RunStore, ontology: str) -> "FrozenGraphs":
        """Return the frozen graphs of an ontology."""
        return cls(store, ontology, await store.frozen_graphs(ontology))

    def has(self, document: Document | ListedPage) -> bool:
        """Return whether the store has the graph of a page."""
        return graph_key(document, self._ontology) in self._keys

    async def triples(self, document: Document) -> tuple[Triple, ...] | None:
        """Return the graph of a page, or None if it has to be built."""
        return await self._store.frozen_graph(graph_key(document, self._ontology)) if self.has(document) else None


async def resolve_ontology(
    spec: RunSpec, dataset: Dataset, store: RunStore, ontology: Ontology | None = None
) -> tuple[RunSpec, GraphProvider]:
    """Return the spec with the digest of its ontology, and the graphs of the run. Writes nothing."""
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
