"""`search_document`: find more of a long document, which the other tools can then read.

The turn owns the search itself and the excerpt that it extends.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from quaestor.core.words import SMALL_WORDS, search_words
from quaestor.documents.document import Block, Document, SectionHeading
from quaestor.documents.table import Table
from quaestor.retrieval.document_parts import Reading, section_parts
from quaestor.solvers.base import Query, WidenedExcerpt
from quaestor.solvers.tools.messages import Refusal, Success
from quaestor.solvers.tools.page import nearest

SEARCH = "search_document"
"""Name of the tool, which is offered if only an excerpt of a document is shown."""

SEARCH_DESCRIPTION = (
    "Find tables, rows and passages that are not shown, or read a section whole; the other tools read them then."
)

_MOST_ROWS = 12
_MOST_TEXT = 600
"""Limits of row labels and of characters in a passage; those that match the query come first."""
_MOST_ROWS_READ = 80


@dataclass(frozen=True, slots=True)
class PlaceFound:
    """A table or a passage found by a search.

    Attributes:
        table: The index of a table, as in the filters of `query_kg`; else None.
        type: The type of a table, as in `entityType`; else None.
        rows: The labels of a table's rows; if a section is read, the rows as printed.
        text: Whole sentences of a passage.
        cut: What is not shown, and how to read it; "" if everything is shown.
    """

    section: str
    page: int | None = None
    table: int | None = None
    type: str | None = None
    title: str = ""
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    text: str = ""
    cut: str = ""


@dataclass(frozen=True, slots=True)
class PlacesFound(Success):
    """Result of `search_document`.

    Attributes:
        places: The matches; for a section its whole content, in order.
        cut: What remains to be read of a section, or "".
    """

    places: tuple[PlaceFound, ...]
    cut: str = ""


Searching = Callable[[Query], WidenedExcerpt]
"""Function that searches the document of a turn, or reads a section of it."""


def format_places(found: WidenedExcerpt, query: str) -> PlacesFound | Refusal:
    """Format the results of a search."""
    types = {table.index: table.name for table in found.graph.tables}
    wanted = {word for word in search_words(query) if word not in SMALL_WORDS}
    places = tuple(_place(block, found.excerpt.document, types, wanted) for block in found.found)
    return PlacesFound(places) if places else Refusal("Nothing of the document fits", "Use words that labels print")


def section_read(found: WidenedExcerpt, reading: Reading) -> PlacesFound | Refusal:
    """Format the content of a section."""
    whole = found.excerpt.document.whole or found.excerpt.document
    parts = len(section_parts(whole, reading.heading))
    if not found.found:
        titles = dict.fromkeys(section.title for section in whole.sections if section.title)
        near = nearest(reading.heading, titles)
        fault = f"It has {parts} parts" if parts else f"No heading reads '{reading.heading}'"
        return Refusal(fault, "Give a heading as printed, or a query", near)
    types = {table.index: table.name for table in found.graph.tables}
    blocks = [block for block in found.found if not isinstance(block.content, SectionHeading)]
    left = f"part {reading.part} of {parts}: read on with part {reading.part + 1}" if reading.part < parts else ""
    return PlacesFound(tuple(_place(block, found.excerpt.document, types) for block in blocks), left)


def _place(
    block: Block, document: Document, types: dict[int, str], wanted: Collection[str] | None = None
) -> PlaceFound:
    """Describe a block: the parts that share the most words with a query or, without one, all of it as printed."""
    section = " > ".join(next(s.path for s in document.sections if s.id == block.section))
    if not isinstance(block.content, Table):
        sentences = [sentence.text for sentence in getattr(block.content, "sentences", ())]
        text, cut = (" ".join(sentences), "") if wanted is None else _passage(sentences, wanted)
        return PlaceFound(section, block.page, text=text, cut=cut)
    table = block.content
    rows, cut = _format_rows(table) if wanted is None else _labels(table, wanted)
    columns = dict.fromkeys(" ".join(dict.fromkeys(c.levels)) or c.label for c in table.columns[1:])
    return PlaceFound(
        section,
        block.page,
        table.index,
        types.get(table.index),
        table.title,
        rows,
        tuple(column for column in columns if column),
        cut=cut,
    )


def _passage(sentences: Sequence[str], wanted: Collection[str]) -> tuple[str, str]:
    """Return whole sentences around the best match for some words, and a note on those left out."""
    first = max(range(len(sentences)), key=lambda at: _count_shared(sentences[at], wanted), default=0)
    last, room = first, _MOST_TEXT - sum(map(len, sentences[first : first + 1]))
    # The previous sentence often names the subject.
    for at in (first - 1, *range(first + 1, len(sentences)), *range(first - 2, -1, -1)):
        if not 0 <= at < len(sentences):
            continue
        room -= len(sentences[at])
        if room < 0:
            break
        first, last = min(first, at), max(last, at)
    left = len(sentences) - (last + 1 - first)
    return " ".join(sentences[first : last + 1]).strip(), f"{left} more sentences: read its section" if left > 0 else ""


def _labels(table: Table, wanted: Collection[str]) -> tuple[tuple[str, ...], str]:
    """Return the row labels that share the most words with a query, and a note on those left out."""
    rows = list(dict.fromkeys(header.label for header in table.rows[table.header_rows :] if header.label))
    best = sorted(rows, key=lambda label: -_count_shared(label, wanted))[:_MOST_ROWS]
    left = len(rows) - len(best)
    shown = tuple(label for label in rows if label in best)
    return shown, f"{left} more rows: read its section, or use query_kg" if left else ""


def _format_rows(table: Table) -> tuple[tuple[str, ...], str]:
    """Return the rows of a table as printed, and a note on those left out."""
    rows = [" | ".join(filter(None, (cell.text.strip() for cell in row))) for row in table.cells[table.header_rows :]]
    rows = [row for row in rows if row]
    left = len(rows) - _MOST_ROWS_READ
    return tuple(rows[:_MOST_ROWS_READ]), f"{left} more rows: use query_kg" if left > 0 else ""


def _count_shared(text: str, wanted: Collection[str]) -> int:
    return sum(word in wanted for word in search_words(text))
