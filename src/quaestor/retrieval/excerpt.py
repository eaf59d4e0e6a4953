"""Makes the excerpt of a long document: the places found, within a budget."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from quaestor.core.provenance import Source
from quaestor.documents.document import Block, Document, Paragraph, SectionHeading
from quaestor.documents.table import Table
from quaestor.retrieval.document_parts import fits_excerpt, tokens_of
from quaestor.retrieval.index import PlaceIndex
from quaestor.retrieval.matching import LineMatch, match_lines
from quaestor.retrieval.place import Place
from quaestor.retrieval.retrieval_query import RetrievalQuery

_LEADING = 1


def excerpt_for(
    index: PlaceIndex,
    places: Sequence[Place],
    budget_tokens: int,
    earlier_sources: Iterable[Source] = (),
    needed: Collection[int] = (),
    shorten: Callable[[Block], Block] = lambda block: block,
) -> Document:
    """Return the blocks of the places of a document, with their headings and the sentences that lead to them.

    A document that is within the budget is returned itself, the identical object. Else the best place is in the
    excerpt whatever its size, then what earlier answers come from, the latest first, then the other places, each
    where the budget still has room for all that belongs to it. What is needed is in it before all else. Of what leads
    to a table the sentences before it are shown, of a place that is neither needed nor the best what `shorten` leaves.

    Args:
        index: Of the document; places and sources of others are left out.
        budget_tokens: About how many tokens the excerpt may have.
        earlier_sources: Of the answers that the conversation still uses, the latest first.
        needed: Blocks without which the question cannot be answered, by their places; all of them, whatever their size.
        shorten: Leaves out of a block what is not asked for.
    """
    document = index.document
    if fits_excerpt(document, budget_tokens):
        return document
    chosen: dict[int, Block] = {}
    spent = 0
    best = next((place.block for place in places if place.document == document.id), None)
    for order in (*needed, *_wanted_blocks(document, places, earlier_sources)):
        block = document.blocks[order]
        shown = block if order in needed or order == best else shorten(block)
        group = [
            one
            for one in (shown, *_around(document, block))
            if one.order not in chosen or tokens_of(chosen[one.order]) < tokens_of(one)
        ]
        cost = sum(tokens_of(one) - (tokens_of(chosen[one.order]) if one.order in chosen else 0) for one in group)
        if chosen and order not in needed and spent + cost > budget_tokens:
            continue
        chosen |= {one.order: one for one in group}
        spent += cost
    return document.excerpt(chosen, chosen)


def _wanted_blocks(document: Document, places: Sequence[Place], earlier: Iterable[Source]) -> Iterator[int]:
    """Yield the blocks that matter, the first first."""
    here = [place.block for place in places if place.document == document.id]
    yield from here[:1]
    for source in earlier:
        if source.document == document.id:
            try:
                yield document.block(source).order
            except LookupError:  # a source of a file that was another one when the conversation began
                continue
    yield from here[1:]


def _around(document: Document, block: Block) -> list[Block]:
    """Return the heading over a block, and of a table the sentences that lead to it."""
    blocks: list[Block] = []
    if isinstance(block.content, Table):
        lead = {(s.section, s.index) for s in document.lead_of(block.content)[-_LEADING:]}
        for before in reversed(document.blocks[: block.order]):
            if isinstance(before.content, SectionHeading):
                break
            if isinstance(before.content, Paragraph) and (
                leading := tuple(s for s in before.content.sentences if (s.section, s.index) in lead)
            ):
                blocks.append(replace(before, content=Paragraph(leading)))
    for before in reversed(document.blocks[: block.order + 1]):
        if before.section != block.section:
            break
        if isinstance(before.content, SectionHeading):
            blocks.append(before)
            break
    return blocks


# Blocks cut down to what a question is about: rows of tables with those that sum up, sentences with the one before.
#
# A solver that needs the rest can search for it.

_FEW_ROWS, _FEW_SENTENCES = 8, 4
"""Rows and sentences of a block that is shown whole."""
_AS_LIKELY = 0.3
"""The share of the best line's score that a line needs."""
_SUM = re.compile(r"(?:sub)?total|net\b", re.IGNORECASE)


def shorten_block(index: PlaceIndex, wanted: RetrievalQuery, block: Block, fixed: Collection[int] = ()) -> Block:
    """Return a block; of a long table or passage what is asked for.

    Of a table it is rows with their headings, and sums; one without such a row stays as it is, and so does one whose
    rows are periods. Of a passage it is sentences, each with the one before.

    Args:
        fixed: Rows that stay whatever is asked for.
    """
    match block.content:
        case Table() as table if table.orientation != "rows" and len(table.rows) - table.header_rows > _FEW_ROWS:
            return _shorten_table(index, wanted, block, table, fixed)
        case Paragraph(sentences=sentences) if len(sentences) > _FEW_SENTENCES:
            likely = {match.line.place for match in _likely_lines(index, wanted, block, {})}
            shown = tuple(one for at, one in enumerate(sentences) if at in likely or at + 1 in likely)
            return replace(block, content=Paragraph(shown)) if shown else block
    return block


def _likely_lines(index: PlaceIndex, wanted: RetrievalQuery, block: Block, named: Mapping[int, str]) -> list[LineMatch]:
    """Return the lines of a block that have words of what is asked for and fit about as well as its best one."""
    matches = match_lines(wanted, index.terms(block.order), named, index.roles.get(block.order))
    asked = [match for match in matches if match.same_line or not match.line.terms.isdisjoint(wanted.weights)]
    return [match for match in asked if match.score >= _AS_LIKELY * matches[0].score]


def _shorten_table(
    index: PlaceIndex, wanted: RetrievalQuery, block: Block, table: Table, fixed: Collection[int]
) -> Block:
    named = {
        line: name for (at, line), name in index.words.of_properties(wanted.properties).items() if at == block.order
    }
    likely = _likely_lines(index, wanted, block, named)
    if not likely:
        return block
    rows = {match.line.place for match in likely}.union(fixed)
    for place, row in enumerate(table.rows):
        if (not row.label or _SUM.match(row.label)) and _has_numbers(table, place):
            rows.add(place)
    over = {level for place in rows for level in table.rows[place].levels[:-1]}
    heads = {place for place, row in enumerate(table.rows) if row.label in over and not _has_numbers(table, place)}
    return replace(block, content=table.with_rows(rows | heads))


def _has_numbers(table: Table, row: int) -> bool:
    return any(cell.quantities for cell in table.cells[row][1:])
