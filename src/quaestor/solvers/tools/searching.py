"""`search_document`: more places of a long document, which the other tools can read then.

Owns what is told of a place that was found. What is found and what is shown besides is the turn's.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from quaestor.documents.document import Block, Document
from quaestor.documents.table import Table
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.solvers.tools.replies import Refusal

SEARCH = "search_document"
"""The tool's name. It is offered where only a part of a document is shown."""

SEARCH_DESCRIPTION = (
    "Only a part of the document is shown. Find other tables and passages by words; the other tools read them then."
)

_MOST_ROWS = 40
_MOST_TEXT = 300


@dataclass(frozen=True, slots=True)
class PlaceFound:
    """A table or a passage that was found.

    Attributes:
        section: The headings over it.
        page: Its page, or None.
        table: Of a table its index, as `query_kg` takes it in filters; else None.
        type: Of a table its type, as `entityType` takes it; else None.
        title: What is printed over a table.
        rows: The labels of its rows.
        columns: The labels of its columns.
        text: Of a passage its text.
    """

    section: str
    page: int | None = None
    table: int | None = None
    type: str | None = None
    title: str = ""
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class PlacesFound:
    """The result of `search_document`."""

    success: Literal[True] = field(default=True, init=False)
    places: tuple[PlaceFound, ...]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search came to.

    Attributes:
        blocks: That fit, the likeliest first.
        document: All that is shown now.
        graph: Its graph.
    """

    blocks: Sequence[Block]
    document: Document
    graph: KnowledgeGraph


Searching = Callable[[str], SearchResult]
"""Searches the document of a turn."""


def places_found(found: SearchResult) -> PlacesFound | Refusal:
    """Returns what is told of a search."""
    types = {table.index: table.name for table in found.graph.tables}
    places = tuple(_place(block, found.document, types) for block in found.blocks)
    return PlacesFound(places) if places else Refusal("Nothing of the document fits", "Use words that labels print")


def _place(block: Block, document: Document, types: dict[int, str]) -> PlaceFound:
    section = " > ".join(next(s.path for s in document.sections if s.id == block.section))
    if not isinstance(block.content, Table):
        sentences = getattr(block.content, "sentences", ())
        return PlaceFound(section, block.page, text=" ".join(s.text for s in sentences)[:_MOST_TEXT])
    table = block.content
    rows = dict.fromkeys(header.label for header in table.rows[table.header_rows :] if header.label)
    columns = dict.fromkeys(" ".join(dict.fromkeys(c.levels)) or c.label for c in table.columns[1:])
    return PlaceFound(
        section,
        block.page,
        table.index,
        types.get(table.index),
        table.title,
        tuple(rows)[:_MOST_ROWS],
        tuple(column for column in columns if column),
    )
