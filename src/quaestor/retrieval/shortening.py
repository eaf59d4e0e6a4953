"""Blocks cut down to what a question is about: rows of tables with those that sum up, sentences with the one before.

What is asked for is the retrieval's; whoever lacks the rest searches for it.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from quaestor.documents.document import Block, Paragraph
from quaestor.documents.table import Table
from quaestor.retrieval.index import PlaceIndex
from quaestor.retrieval.matching import LineMatch, match_lines
from quaestor.retrieval.retrieval_query import RetrievalQuery

_FEW_ROWS, _FEW_SENTENCES = 8, 4
"""Rows and sentences of a block that is shown whole."""
_AS_LIKELY = 0.3
"""The share of the best line's score that a line needs."""
_SUM = re.compile(r"(?:sub)?total|net\b", re.IGNORECASE)


def shorten_block(index: PlaceIndex, wanted: RetrievalQuery, block: Block, kept: Collection[int] = ()) -> Block:
    """Return a block; of a long table or passage what is asked for.

    Of a table it is rows with their headings, and sums; one without such a row stays as it is, and so does one whose
    rows are periods. Of a passage it is sentences, each with the one before.

    Args:
        kept: Rows that stay whatever is asked for.
    """
    match block.content:
        case Table() as table if table.orientation != "rows" and len(table.rows) - table.header_rows > _FEW_ROWS:
            return _shorten_table(index, wanted, block, table, kept)
        case Paragraph(sentences=sentences) if len(sentences) > _FEW_SENTENCES:
            likely = {match.line.place for match in _likely(index, wanted, block, {})}
            shown = tuple(one for at, one in enumerate(sentences) if at in likely or at + 1 in likely)
            return replace(block, content=Paragraph(shown)) if shown else block
    return block


def _likely(index: PlaceIndex, wanted: RetrievalQuery, block: Block, named: Mapping[int, str]) -> list[LineMatch]:
    """Return the lines of a block that have words of what is asked for and fit about as well as its best one."""
    matches = match_lines(wanted, index.terms(block.order), named, index.roles.get(block.order))
    asked = [match for match in matches if match.same_line or not match.line.terms.isdisjoint(wanted.weights)]
    return [match for match in asked if match.score >= _AS_LIKELY * matches[0].score]


def _shorten_table(
    index: PlaceIndex, wanted: RetrievalQuery, block: Block, table: Table, kept: Collection[int]
) -> Block:
    named = {
        line: name for (at, line), name in index.words.of_properties(wanted.properties).items() if at == block.order
    }
    likely = _likely(index, wanted, block, named)
    if not likely:
        return block
    rows = {match.line.place for match in likely}.union(kept)
    for place, row in enumerate(table.rows):
        if (not row.label or _SUM.match(row.label)) and _has_numbers(table, place):
            rows.add(place)
    over = {level for place in rows for level in table.rows[place].levels[:-1]}
    heads = {place for place, row in enumerate(table.rows) if row.label in over and not _has_numbers(table, place)}
    return replace(block, content=table.with_rows(rows | heads))


def _has_numbers(table: Table, row: int) -> bool:
    return any(cell.quantities for cell in table.cells[row][1:])
