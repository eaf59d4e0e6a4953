"""Knowledge of a run besides the pages: its frozen ontology, and the policy for labels missing in it.

It is built from tables and texts only, never from questions.
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
"""The cache has up to eight graphs, as conversations about the same page usually follow each other. A graph counts at
least `_PAGE` numbers, and a larger one as many as it has, up to `_PAGES` in total.
"""


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
        self.ontology: Ontology = ontology
        self.policy: Policy = policy
        self.frozen = frozen
        self._excerpt_tokens = excerpt_tokens
        self._graphs = BoundedCache[tuple[str, str], KnowledgeGraph](_PAGES, _numbers)

    @classmethod
    def of(cls, documents: Iterable[Document], policy: Policy = "strict") -> "GraphProvider":
        """Build an ontology from documents, for graphs of these documents."""
        from quaestor.ontology.builder import build_ontology

        return cls(build_ontology(documents), policy)

    def __reduce__(self) -> tuple[type["GraphProvider"], tuple[Ontology, Policy, None, int]]:
        # The ontology's indexes cannot be pickled, and are rebuilt quickly.
        return GraphProvider, (self.ontology.without_documents(), self.policy, None, self._excerpt_tokens)

    def without_documents(self) -> "GraphProvider":
        """Return a provider of the same graphs, without the documents in which each label was seen."""
        return GraphProvider(self.ontology.without_documents(), self.policy, self.frozen, self._excerpt_tokens)

    def excerpts(self, document: Document) -> PlaceExcerpts | None:
        """Return the excerpts of a document; None for a page, which is read whole."""
        if document.is_page or document.refusal is not None:
            return None
        return PlaceExcerpts.of_file(document, self._excerpt_tokens)

    async def stored(self, document: Document) -> tuple[Triple, ...] | None:
        """Return the frozen graph of a page as triples, or None if there is none."""
        return None if self.frozen is None else await self.frozen.triples(document)

    def graph(self, document: Document, stored: Sequence[Triple] | None = None) -> KnowledgeGraph:
        """Return the graph of a page."""
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
    """Return the key of a page's stored graph, for this version and an ontology."""
    return GraphKey(document.id, document.digest, ontology, package_version())


class FrozenGraphs:
    """The stored graphs built with one ontology, in the process that has opened the store."""

    def __init__(self, store: RunStore, ontology: str, keys: Iterable[GraphKey]) -> None:
        self._store, self._ontology, self._keys = store, ontology, frozenset(keys)

    @classmethod
    async def of(cls, store: RunStore, ontology: str) -> "FrozenGraphs":
        """Load the keys of the frozen graphs of an ontology."""
        return cls(store, ontology, await store.frozen_graphs(ontology))

    def has(self, document: Document | ListedPage) -> bool:
        """Return whether the store has the graph of a page."""
        return graph_key(document, self._ontology) in self._keys

    async def triples(self, document: Document) -> tuple[Triple, ...] | None:
        """Return the graph of a page, or None if it is not stored."""
        return await self._store.frozen_graph(graph_key(document, self._ontology)) if self.has(document) else None


async def resolve_ontology(
    spec: RunSpec, dataset: Dataset, store: RunStore, ontology: Ontology | None = None
) -> tuple[RunSpec, GraphProvider]:
    """Return the spec with the digest of its ontology, and the graphs of the run, without writing to the store."""
    from quaestor.ontology.builder import build_ontology

    if ontology is None:
        if spec.ontology is None:
            ontology = await compute(build_ontology, dataset.documents())
        else:
            triples = await store.load_ontology(spec.ontology)
            ontology = await compute(ontology_from_triples, triples, f"the ontology {spec.ontology[:12]}")
    # The digest is computed over all triples.
    digest = await compute(lambda: ontology.digest)
    frozen, tokens = await FrozenGraphs.of(store, digest), spec.excerpt_tokens or EXCERPT_TOKENS
    return replace(spec, ontology=digest), GraphProvider(ontology, spec.policy, frozen, tokens)
