"""What a turn over a long document is played on: an excerpt of it, and the search for more of it.

A page is played whole, and has neither.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from quaestor.conversation.turn import Memory
from quaestor.documents.document import Block, Document
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.questions.question import Question
from quaestor.retrieval.sections import Reading
from quaestor.retrieval.sentence_search import SentenceQuery


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The part of a document that a question is likely about.

    Attributes:
        document: The blocks that were taken, as `Document.excerpt` gives them; a short document whole.
        weights: How likely an answer is in a block, by the block's place: the log of it beside the likeliest, which
            has 0. Of a block that is not named nothing is known. Empty where the document is taken whole.
        meant: The questions, this one and those before it, that are misspelled or name the company: by how they are
            asked, what the document would have them say.
    """

    document: Document
    weights: Mapping[int, float] = field(default_factory=dict)
    meant: Mapping[str, str] = field(default_factory=dict)


class Excerpts(Protocol):
    """Finds the parts of one document that questions are about."""

    @property
    def is_long(self) -> bool:
        """Whether the document is too long to be shown whole."""
        ...

    def of(self, question: Question, memory: Memory) -> Excerpt:
        """Return what a question is answered from, with the blocks that earlier answers were taken from.

        Args:
            memory: The turns before.
        """
        ...

    def search(self, query: str, shown: Document) -> Excerpt:
        """Return what is shown with the places that fit a query added to it.

        Args:
            query: Words, as a solver gives them.
            shown: An excerpt, all of which stays.
        """
        ...


@dataclass(frozen=True, slots=True)
class WidenedExcerpt:
    """An excerpt that a search has added to.

    Attributes:
        excerpt: All that is shown now.
        found: The blocks that fit the query, those among them that were shown before too, the likeliest first; those of
            a section in their order.
    """

    excerpt: Excerpt
    graph: KnowledgeGraph
    found: Sequence[Block]


Query = str | Reading | SentenceQuery
"""What is looked for: places that words name, a section, or sentences that have words."""

Search = Callable[[Query, Document], WidenedExcerpt]
"""Widens what is shown by what is found."""
