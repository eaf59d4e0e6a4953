"""The graphs of pages in a store, built once and frozen, so that runs need not build them again.

A run with frozen graphs and one that builds them have the same answers.
"""

from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import version

from quaestor.core.serial import Triple
from quaestor.datasets.dataset import ListedPage
from quaestor.documents.document import Document
from quaestor.store.base import RunStore
from quaestor.store.records import GraphKey


def graph_key(document: Document | ListedPage, ontology: str) -> GraphKey:
    """Return the key of the stored graph of a page, built by this version with an ontology."""
    return GraphKey(document.id, document.digest, ontology, _this_version())


@lru_cache(maxsize=1)
def _this_version() -> str:
    return version("quaestor")  # read from a file each time


class FrozenGraphs:
    """The graphs in a store that were built with one ontology, in the process that has opened the store."""

    def __init__(self, store: RunStore, ontology: str, keys: Iterable[GraphKey]) -> None:
        self._store, self._ontology, self._keys = store, ontology, frozenset(keys)

    @classmethod
    async def of(cls, store: RunStore, ontology: str) -> "FrozenGraphs":
        """Return the frozen graphs of an ontology.

        Raises:
            StoreError: The store cannot be read.
        """
        return cls(store, ontology, await store.frozen_graphs(ontology))

    def has(self, document: Document | ListedPage) -> bool:
        """Return whether the store has the graph of a page."""
        return graph_key(document, self._ontology) in self._keys

    async def triples(self, document: Document) -> tuple[Triple, ...] | None:
        """Return the graph of a page, or None if it has to be built.

        Raises:
            StoreError: The store cannot be read.
        """
        return await self._store.frozen_graph(graph_key(document, self._ontology)) if self.has(document) else None
