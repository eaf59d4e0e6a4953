"""A document of the places found, within a budget: what a solver reads of a whole filing."""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from quaestor.core.provenance import Source
from quaestor.documents.document import Block, Document, Paragraph, SectionHeading
from quaestor.documents.table import Table
from quaestor.retrieval.index import PlaceIndex
from quaestor.retrieval.place import Place

_LETTERS_A_TOKEN = 3.2
"""Of tables and sentences of filings, as tokenizers of today's models cut them: figures take more than words."""
_LEADING = 1


def tokens_of(block: Block) -> int:
    """Return about how many tokens a model reads of a block."""
    match block.content:
        case Table() as table:
            letters = sum(len(cell.text) + 2 for row in table.cells if any(cell.text for cell in row) for cell in row)
        case Paragraph(sentences=sentences):
            letters = sum(len(sentence.text) + 1 for sentence in sentences)
        case SectionHeading(text=text):
            letters = len(text)
    return math.ceil(letters / _LETTERS_A_TOKEN)


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
        places: The best first.
        budget_tokens: About how many tokens the excerpt may have.
        earlier_sources: Of the answers that the conversation still uses, the latest first.
        needed: Blocks without which the question cannot be answered, by their places; all of them, whatever their size.
        shorten: Leaves out of a block what is not asked for.
    """
    document = index.document
    if fits_excerpt(document, budget_tokens):
        return document
    kept: dict[int, Block] = {}
    spent = 0
    best = next((place.block for place in places if place.document == document.id), None)
    for order in (*needed, *_wanted(document, places, earlier_sources)):
        block = document.blocks[order]
        shown = block if order in needed or order == best else shorten(block)
        group = [
            one
            for one in (shown, *_around(document, block))
            if one.order not in kept or tokens_of(kept[one.order]) < tokens_of(one)
        ]
        cost = sum(tokens_of(one) - (tokens_of(kept[one.order]) if one.order in kept else 0) for one in group)
        if kept and order not in needed and spent + cost > budget_tokens:
            continue
        kept |= {one.order: one for one in group}
        spent += cost
    return document.excerpt(kept, kept)


def fits_excerpt(document: Document, budget_tokens: int) -> bool:
    """Whether a whole document is within the budget; no more of it is counted than that takes."""
    room = budget_tokens
    for block in document.blocks:
        room -= tokens_of(block)
        if room < 0:
            return False
    return True


def _wanted(document: Document, places: Sequence[Place], earlier: Iterable[Source]) -> Iterator[int]:
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
