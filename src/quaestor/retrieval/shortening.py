"""A table cut down to the rows that a question is about, and those that sum up.

What is asked for is the retrieval's; whoever lacks a row searches for it.
"""

import re
from collections.abc import Collection
from dataclasses import replace

from quaestor.documents.document import Block
from quaestor.documents.table import Table
from quaestor.retrieval.index import PlaceIndex
from quaestor.retrieval.matching import match_lines
from quaestor.retrieval.retrieval_query import RetrievalQuery

_FEW = 8
"""Rows of a table that is shown whole."""
_AS_LIKELY = 0.3
"""The share of the best row's score that a row needs."""
_SUM = re.compile(r"(?:sub)?total|net\b", re.IGNORECASE)


def shorten_table(index: PlaceIndex, wanted: RetrievalQuery, block: Block, kept: Collection[int] = ()) -> Block:
    """Return a block; of a long table the rows that are asked for with their headings, and sums.

    A table without such a row stays as it is, and so does one whose rows are periods.

    Args:
        kept: Rows that stay whatever is asked for.
    """
    table = block.content
    if not isinstance(table, Table) or table.orientation == "rows" or len(table.rows) - table.header_rows <= _FEW:
        return block
    named = {
        line: name for (at, line), name in index.words.of_properties(wanted.properties).items() if at == block.order
    }
    matches = match_lines(wanted, index.terms(block.order), named, index.roles.get(block.order))
    asked = [match for match in matches if match.same_line or not match.line.terms.isdisjoint(wanted.weights)]
    if not asked:
        return block
    rows = {match.line.place for match in asked if match.score >= _AS_LIKELY * matches[0].score}.union(kept)
    for place, row in enumerate(table.rows):
        if (not row.label or _SUM.match(row.label)) and _has_numbers(table, place):
            rows.add(place)
    over = {level for place in rows for level in table.rows[place].levels[:-1]}
    heads = {place for place, row in enumerate(table.rows) if row.label in over and not _has_numbers(table, place)}
    return replace(block, content=table.with_rows(rows | heads))


def _has_numbers(table: Table, row: int) -> bool:
    return any(cell.quantities for cell in table.cells[row][1:])
