"""Builds the excerpt of a long document from the places found, within a token budget."""

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
    """Return an excerpt with the blocks of places, their headings and the sentences that lead to them.

    A document within the budget is returned unchanged, as the identical object. Otherwise needed blocks are included
    first, then the best place regardless of its size, the sources of earlier answers, latest first, and the other
    places, each if the budget still has room for it and its context. For tables, the sentence before them is included.
    Places that are neither needed nor the best are reduced by `shorten`.

    Args:
        index: Index of the document of the places; sources of other documents are ignored.
        earlier_sources: Sources of earlier answers that the conversation still uses, latest first.
        needed: Indices of blocks without which the question cannot be answered, included regardless of size.
    """
    document = index.document
    if fits_excerpt(document, budget_tokens):
        return document
    chosen: dict[int, Block] = {}
    spent = 0
    best = next((place.block for place in places), None)
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
    """Yield the indices of blocks to include, most important first."""
    here = [place.block for place in places]
    yield from here[:1]
    for source in earlier:
        if source.document == document.id:
            try:
                yield document.block(source).order
            except LookupError:  # the file has changed since the conversation began
                continue
    yield from here[1:]


def _around(document: Document, block: Block) -> list[Block]:
    """Return the heading above a block and, for a table, the sentences that lead to it."""
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


# Reduction of blocks to the parts relevant to a question: table rows and totals, sentences with the one before.
#
# A solver that needs the rest can search for it.

_FEW_ROWS, _FEW_SENTENCES = 8, 4
"""Number of rows or sentences of a block that is never shortened."""
_AS_LIKELY = 0.3
"""Minimal score of a line relative to the best one."""
_SUM = re.compile(r"(?:sub)?total|net\b", re.IGNORECASE)


def shorten_block(index: PlaceIndex, wanted: RetrievalQuery, block: Block, fixed: Collection[int] = ()) -> Block:
    """Reduce a long table or passage to the parts relevant to a question.

    Tables keep relevant rows with their headings, and totals. A table without a relevant row, or with periods as rows,
    is unchanged. Passages keep relevant sentences, each with the one before.
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
    """Return the lines of a block that share words with the query and score close to its best line."""
    matches = match_lines(wanted, index.terms(block.order), named, index.roles.get(block.order))
    relevant = [match for match in matches if match.same_line or not match.line.terms.isdisjoint(wanted.weights)]
    return [match for match in relevant if match.score >= _AS_LIKELY * matches[0].score]


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
