"""A page without some of its lines: the rows, columns and sentences that an answer rests on, removed."""

from collections.abc import Iterable

from quaestor.core.provenance import CellRef
from quaestor.documents.assembly import ParagraphPart, SectionPart, TablePart, assemble
from quaestor.documents.document import Document, Paragraph
from quaestor.documents.repairs import RepairKind
from quaestor.documents.table import Table
from quaestor.solvers.embedded.page import NumberMatrix

Part = SectionPart | ParagraphPart | TablePart
Lines = frozenset[tuple[str, int, int]]
"""Rows (`row`, table, row), columns (`column`, table, column) and sentences (section, its index, 0) of a page."""


def lines_with(leaves: Iterable[int], page: NumberMatrix) -> Lines:
    """Returns the lines that numbers of a page are in: a row of a table, a column of one that is turned, a sentence.

    Args:
        leaves: The numbers.
        page: All numbers of the page.
    """
    return frozenset(_line(leaf, page) for leaf in leaves)


def _line(place: int, page: NumberMatrix) -> tuple[str, int, int]:
    leaf = page.leaves[place]
    if not isinstance(leaf.source, CellRef):
        return leaf.source.section, leaf.source.sentence, 0
    of_table = (x for x in page.leaves if x.table == leaf.table)
    upright = all(isinstance(x.source, CellRef) and x.line == x.source.row for x in of_table)
    return ("row" if upright else "column"), leaf.table, leaf.line


def without_lines(document: Document, lines: Lines) -> Document:
    """Return a benchmark's page without some of its lines, as if it had been printed so."""
    parts: list[Part] = []
    section = ""
    for block in document.blocks:
        if block.section != section:
            section = block.section
            parts.append(SectionPart(section))
        content = block.content
        if isinstance(content, Paragraph):
            sentences = tuple(s.text for s in content.sentences if (s.section, s.index, 0) not in lines)
            parts.append(ParagraphPart(sentences))
        elif isinstance(content, Table):
            parts.append(TablePart(_grid(content, lines), caption=content.caption))
    repairs = (cell.repair for table in document.tables for row in table.cells for cell in row)
    lost_dashes = any(repair is not None and repair.kind is RepairKind.DASH_AS_YEAR for repair in repairs)
    return assemble(document.id, parts, lost_dashes=lost_dashes, convention=document.convention)


def _grid(table: Table, lines: Lines) -> list[list[str]]:
    rows: Iterable[int] = (row for row in range(len(table.cells)) if ("row", table.index, row) not in lines)
    columns = [c for c in range(len(table.columns)) if ("column", table.index, c) not in lines]
    return [[table.cells[row][column].text for column in columns] for row in rows]
