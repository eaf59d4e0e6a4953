"""Selection of the part of a document that each turn is shown, and construction of its graph."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from quaestor.conversation.turn import Memory, Turn
from quaestor.core.serial import Triple
from quaestor.documents.document import Document
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.questions.question import Question
from quaestor.readers.cache import ByteCache
from quaestor.retrieval.document_parts import SentenceQuery, find_paragraphs_with_words, fits_excerpt, section_parts
from quaestor.solvers.base import Excerpt, Excerpts, Query, Search, WidenedExcerpt

if TYPE_CHECKING:
    from quaestor.evaluation.knowledge import GraphProvider
    from quaestor.evaluation.place_finder import PlaceFinder
    from quaestor.retrieval.index import PlaceIndex

_SMALL = 200
"""Maximum number of cells and sentences of a page that is processed in less than a millisecond."""


@dataclass(frozen=True, slots=True)
class SelectedContext:
    """The part of a document that a turn is shown."""

    excerpt: Excerpt
    graph: KnowledgeGraph
    search: Search | None = None


class PlaceExcerpts:
    """The `Excerpts` of one document; its index is loaded when the first question needs it."""

    def __init__(
        self, document: Document, most: int, find_index: "Callable[[], PlaceIndex]", cache: ByteCache | None = None
    ) -> None:
        self._document, self._most, self._find_index, self.cache = document, most, find_index, cache

    @classmethod
    def of_file(cls, document: Document, most: int, cache: ByteCache | None = None) -> "PlaceExcerpts":
        """Return the excerpts of a file's document."""

        def find_index() -> "PlaceIndex":
            from quaestor.retrieval.index import load_index

            return load_index(document, cache)

        return cls(document, most, find_index, cache)

    def over(self, document: Document) -> "PlaceExcerpts":
        """Return the excerpts of a copy of the document with corrected numbers: its labels and places are the same."""
        return PlaceExcerpts(document, self._most, lambda: replace(self._find_index(), document=document))

    @cached_property
    def is_long(self) -> bool:
        """Whether the document has more tokens than an excerpt may have."""
        return not fits_excerpt(self._document, self._most)

    def select(self, question: Question, memory: Memory) -> Excerpt:
        """Return the excerpt that a question is answered from, as `PlaceFinder.select`."""
        return self._finder.select(question, memory)

    def search(self, query: str, shown: Document) -> Excerpt:
        """Return the shown part of the document extended by places that match a query, as `PlaceFinder.search`."""
        return self._finder.search(query, shown)

    @cached_property
    def _finder(self) -> "PlaceFinder":
        from quaestor.evaluation.place_finder import PlaceFinder

        return PlaceFinder(self._find_index(), self._most)


class ContextSelector:
    """Selects the part of the document that each turn of a conversation is shown."""

    def __init__(
        self, document: Document, graphs: "GraphProvider", excerpts: Excerpts | None, stored: Sequence[Triple] | None
    ) -> None:
        self._document, self._graphs, self._excerpts, self._stored = document, graphs, excerpts, stored
        self._shown_blocks: set[int] = set()

    @property
    def is_small(self) -> bool:
        """Whether the document is a page that is processed in less than a millisecond."""
        if self._excerpts is not None:
            return False
        cells = sum(len(table.rows) * len(table.columns) for table in self._document.tables)
        return cells + len(self._document.sentences) <= _SMALL

    def select(self, question: Question, memory: Memory, *, whole: bool = False) -> SelectedContext:
        """Return the context for a question."""
        if self._excerpts is None:
            return SelectedContext(Excerpt(self._document), self._whole())
        if whole:
            empty = self._document.excerpt(())
            return SelectedContext(Excerpt(empty), self._graphs.graph(empty), self._search)
        excerpt = self._excerpts.select(question, memory)
        search = self._search if excerpt.document.whole is not None else None
        return SelectedContext(excerpt, self._graph_of(excerpt.document), search)

    def remember(self, turns: Sequence[Turn]) -> None:
        """Count the sources of earlier answers as shown: the graph includes them."""
        if self._excerpts is not None:
            sources = (source for turn in turns for source in turn.answer.sources)
            self._shown_blocks.update(self._document.block(source).order for source in sources)

    def graph(self) -> KnowledgeGraph | None:
        """Return the graph of everything shown so far (for a page, the whole page); None if nothing was shown."""
        if self._excerpts is None or len(self._shown_blocks) == len(self._document.blocks):
            return self._whole()
        return self._graphs.graph(self._document.excerpt(self._shown_blocks)) if self._shown_blocks else None

    def _graph_of(self, document: Document) -> KnowledgeGraph:
        graph = self._graphs.graph(document)
        self._shown_blocks.update(block.order for block in document.blocks)
        return graph

    def _whole(self) -> KnowledgeGraph:
        return self._graphs.graph(self._document, self._stored)

    def _search(self, query: Query, shown: Document) -> WidenedExcerpt:
        assert self._excerpts is not None
        if not isinstance(query, str):
            part: Sequence[int] = ()
            if isinstance(query, SentenceQuery):
                part = find_paragraphs_with_words(self._document, query)
            elif isinstance(query, tuple):
                part = sorted({self._document.block(source).order for source in query})
            elif 0 < query.part <= len(parts := section_parts(self._document, query.heading)):
                part = parts[query.part - 1]
            shown = self._document.excerpt({*part, *(block.order for block in shown.blocks)})
            return WidenedExcerpt(
                Excerpt(shown), self._graph_of(shown), [self._document.blocks[order] for order in part]
            )
        found = self._excerpts.search(query, shown)
        blocks = {block.order: block for block in found.document.blocks}
        ranked = sorted(found.weights.keys() & blocks.keys(), key=lambda order: (-found.weights[order], order))
        return WidenedExcerpt(found, self._graph_of(found.document), [blocks[order] for order in ranked])
