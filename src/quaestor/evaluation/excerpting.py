"""What each turn of a conversation is shown of its document, and the graph of all that was shown."""

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
from quaestor.retrieval.document_parts import SentenceQuery, blocks_saying, fits_excerpt, section_parts
from quaestor.solvers.base import Excerpt, Excerpts, Query, Search, WidenedExcerpt

if TYPE_CHECKING:
    from quaestor.evaluation.knowledge import GraphProvider
    from quaestor.evaluation.places import PlaceFinder
    from quaestor.retrieval.index import PlaceIndex

_LITTLE = 200
"""Cells and sentences of a page that is gone through in less than a millisecond."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a turn is shown.

    Attributes:
        excerpt: The page, or a part of a long document.
        search: Finds more of a long document; None if all of it is shown.
    """

    excerpt: Excerpt
    graph: KnowledgeGraph
    search: Search | None = None


class PlaceExcerpts:
    """The `Excerpts` of one document, whose index is found when a question is answered from a part of it."""

    def __init__(self, document: Document, most: int, find_index: "Callable[[], PlaceIndex]") -> None:
        """Take the document.

        Args:
            most: About how many tokens an excerpt may have; a document that has no more is shown whole.
            find_index: Returns the index of the document.
        """
        self._document, self._most, self._find_index = document, most, find_index

    @classmethod
    def of_file(cls, document: Document, most: int, cache: ByteCache | None = None) -> "PlaceExcerpts":
        """Return those of a file's document.

        Args:
            cache: Where its index is kept; None to keep it in this process alone.
        """

        def find_index() -> "PlaceIndex":
            from quaestor.retrieval.keeping import load_index

            return load_index(document, cache)

        return cls(document, most, find_index)

    def over(self, document: Document) -> "PlaceExcerpts":
        """Return the same of the document with other numbers: what its lines are called, and where, is as it was."""
        return PlaceExcerpts(document, self._most, lambda: replace(self._find_index(), document=document))

    @cached_property
    def is_long(self) -> bool:
        """Whether the document has more tokens than an excerpt may have."""
        return not fits_excerpt(self._document, self._most)

    def of(self, question: Question, memory: Memory) -> Excerpt:
        """Return what a question is answered from, as `PlaceFinder.of`."""
        return self._finder.of(question, memory)

    def search(self, query: str, shown: Document) -> Excerpt:
        """Return what is shown with the places that fit a query, as `PlaceFinder.search`."""
        return self._finder.search(query, shown)

    @cached_property
    def _finder(self) -> "PlaceFinder":
        from quaestor.evaluation.places import PlaceFinder

        return PlaceFinder(self._find_index(), self._most)


class ContextSelector:
    """What a conversation is shown of its document, turn by turn."""

    def __init__(
        self, document: Document, graphs: "GraphProvider", excerpts: Excerpts | None, stored: Sequence[Triple] | None
    ) -> None:
        """Take what is asked about.

        Args:
            document: The page, or a long document.
            excerpts: Finds the parts of a long document; None shows all of it in each turn.
            stored: The graph of the page, where it is frozen.
        """
        self._document, self._graphs, self._excerpts, self._stored = document, graphs, excerpts, stored
        self._used: set[int] = set()

    @property
    def little(self) -> bool:
        """Whether what is shown is a page that is gone through in less than a millisecond."""
        if self._excerpts is not None:
            return False
        cells = sum(len(table.rows) * len(table.columns) for table in self._document.tables)
        return cells + len(self._document.sentences) <= _LITTLE

    def of(self, question: Question, memory: Memory, *, whole: bool = False) -> Shown:
        """Return what a question is answered from.

        Args:
            memory: The turns before.
            whole: Whether the solver reads the whole of a long document; then no part of it is looked for.

        Raises:
            GapError: Under `strict`, where the ontology has no property for a label.
            GraphError: The frozen graph is none.
        """
        if self._excerpts is None:
            return Shown(Excerpt(self._document), self._whole())
        if whole:
            nothing = self._document.excerpt(())
            return Shown(Excerpt(nothing), self._graphs.graph(nothing), self._search)
        excerpt = self._excerpts.of(question, memory)
        search = self._search if excerpt.document.whole is not None else None
        return Shown(excerpt, self._graph_of(excerpt.document), search)

    def remember(self, turns: Sequence[Turn]) -> None:
        """Take what answers of before are in for shown: the graph is of that too."""
        if self._excerpts is not None:
            sources = (source for turn in turns for source in turn.answer.sources)
            self._used.update(self._document.block(source).order for source in sources)

    def graph(self) -> KnowledgeGraph | None:
        """Return the graph of all that was shown so far; of a page, of all of it. None if nothing was shown.

        Raises:
            GapError: Under `strict`, where the ontology has no property for a label.
            GraphError: The frozen graph is none.
        """
        if self._excerpts is None or len(self._used) == len(self._document.blocks):
            return self._whole()
        return self._graphs.graph(self._document.excerpt(self._used)) if self._used else None

    def _graph_of(self, document: Document) -> KnowledgeGraph:
        graph = self._graphs.graph(document)
        self._used.update(block.order for block in document.blocks)
        return graph

    def _whole(self) -> KnowledgeGraph:
        return self._graphs.graph(self._document, self._stored)

    def _search(self, query: Query, shown: Document) -> WidenedExcerpt:
        assert self._excerpts is not None
        if not isinstance(query, str):
            part: Sequence[int] = ()
            if isinstance(query, SentenceQuery):
                part = blocks_saying(self._document, query)
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
