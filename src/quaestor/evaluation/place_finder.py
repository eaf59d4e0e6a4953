"""Finds the parts of a long document that a question is about, by its index."""

import math
from collections.abc import Callable, Iterator, Sequence

from quaestor.conversation.turn import Memory
from quaestor.core.provenance import CellRef, SentenceRef
from quaestor.documents.document import Block, Document, Paragraph
from quaestor.documents.table import MOST_CELLS_ASKED, Table
from quaestor.errors import InputError
from quaestor.questions.question import Question, read_question
from quaestor.questions.words_asked import words_asked
from quaestor.retrieval.auditor import asks_for_auditor, auditor_of
from quaestor.retrieval.document_parts import fits_excerpt, tokens_of
from quaestor.retrieval.excerpt import excerpt_for, shorten_block
from quaestor.retrieval.finding import earlier_blocks, find_places
from quaestor.retrieval.index import PlaceIndex
from quaestor.retrieval.place import Place
from quaestor.retrieval.question_texts import search_question
from quaestor.retrieval.retrieval_query import FindingContext, parse_retrieval_query
from quaestor.retrieval.statements import needed_statements
from quaestor.solvers.base import Excerpt

_PLACES = 6
_SEARCHED, _NEW = 3, 3
"""How many places a question is answered from; how many a search finds, and how many it shows besides."""
_LIKELY, _LARGE = 0.7, 500
"""The share of the best score that a place needs of more than so many tokens."""
_MOST_AFTER_TABLE = 400
"""Tokens of the passages behind a table."""
_LEAST = 0.01
_STATEMENT = 0.15


class PlaceFinder:
    """Finds the parts of one document by its index."""

    def __init__(self, index: PlaceIndex, most: int) -> None:
        """Set the index and the size."""
        self._index, self._most = index, most

    def select(self, question: Question, memory: Memory) -> Excerpt:
        """Return the places of a question and those of earlier answers; if nothing fits, the statements."""
        sources = tuple(answer.sources for answer in memory.answers)
        found = search_question(self._index, question.text, memory.questions, sources, _PLACES)
        question, context, normalized = found.question, found.context, found.normalized
        places = self._askable(found.places)
        needed = (*found.needed, *self._of_last_answer(question, context), *self._auditor(question))
        if found.places and not places:
            self._refuse(found.places)
        earlier = [source for of_turn in reversed(sources) for source in of_turn]
        if not places and not earlier and not needed:
            return Excerpt(self._statements(), normalized=normalized)
        shown = excerpt_for(
            self._index, self._worth(places), self._most, earlier, needed, self._shortening(question, context)
        )
        return Excerpt(shown, self._weights(places), normalized)

    def _shortening(self, question: Question, context: FindingContext) -> Callable[[Block], Block]:
        """Return what leaves out of a block what is not asked for, but reasons and what answers are from."""
        wanted = parse_retrieval_query(self._index, question, context)
        sources = [source for of_turn in context.sources for source in of_turn]
        rows = {(source.table, source.row) for source in sources if isinstance(source, CellRef)}
        sections = {source.section for source in sources if isinstance(source, SentenceRef)}
        asks_why = words_asked(question.lowered) in ("cause", "ground")

        def shorten(block: Block) -> Block:
            if isinstance(block.content, Table):
                selected = [row for table, row in rows if table == block.content.index]
                return shorten_block(self._index, wanted, block, selected)
            return block if asks_why or block.section in sections else shorten_block(self._index, wanted, block)

        return shorten

    def _of_last_answer(self, question: Question, context: FindingContext) -> list[int]:
        """What the last answer with a source is from, and of a table why it is so: what is asked next is about it."""
        turns = earlier_blocks(self._index, context)
        last = [self._index.document.blocks[order] for order, ago in turns.items() if ago == min(turns.values())]
        blocks = [b for b in last if not (isinstance(b.content, Table) and b.content.is_too_large)]
        if words_asked(question.lowered) in ("cause", "ground"):
            blocks += [after for block in blocks for after in self._passages_after(block)]
        return [block.order for block in blocks]

    def _passages_after(self, block: Block) -> Iterator[Block]:
        """Yield the passages that follow a table at once: they say why its numbers moved."""
        room = _MOST_AFTER_TABLE
        for after in self._index.document.blocks[block.order + 1 :] if isinstance(block.content, Table) else ():
            room -= tokens_of(after)
            if room < 0 or after.section != block.section or not isinstance(after.content, Paragraph):
                break
            yield after

    def _auditor(self, question: Question) -> list[int]:
        """Where the auditor signs, if that is asked for."""
        firm = auditor_of(self._index.document) if asks_for_auditor(question.lowered) else None
        if firm is None:
            return []
        place = SentenceRef(self._index.document.id, firm.sentence.section, firm.sentence.index, firm.start, firm.end)
        return [self._index.document.block(place).order]

    def search(self, query: str, shown: Document) -> Excerpt:
        """Return what is shown with the places that fit a query, and all statements that it names or needs."""
        asked = read_question(query)
        found = self._askable(find_places(self._index, asked, most=2 * _PLACES))
        before = {block.order for block in shown.blocks}
        # If the best places are shown already, show others too: the solver lacks something.
        new = [place for place in found if place.block not in before][:_NEW]
        places = [place for place in found if place in found[:_SEARCHED] or place in new]
        needed = needed_statements(self._index, asked, ())
        lacking = [order for order in needed if order not in before]
        if new or lacking:
            before |= {block.order for block in excerpt_for(self._index, new, self._most, needed=lacking).blocks}
        return Excerpt(self._index.document.excerpt(before), dict.fromkeys(needed, 0.0) | self._weights(places))

    def _askable(self, places: Sequence[Place]) -> list[Place]:
        table = self._index.document.table
        return [place for place in places if place.table is None or not table(place.table).is_too_large]

    def _worth(self, places: Sequence[Place]) -> list[Place]:
        """Without those that are large and much less likely than the best."""
        least = _LIKELY * max((place.score for place in places), default=0.0)
        blocks = self._index.document.blocks
        return [p for p in places if p is places[0] or p.score >= least or tokens_of(blocks[p.block]) <= _LARGE]

    def _refuse(self, places: Sequence[Place]) -> None:
        document = self._index.document
        table = next(document.table(place.table) for place in places if place.table is not None)
        raise InputError(
            f"{document.id}: table {table.index} has {table.cell_count:,} cells, but only tables of up to "
            f"{MOST_CELLS_ASKED:,} are used to answer questions: ask about a file with the relevant rows "
            "(`quaestor find` searches all rows)"
        )

    def _statements(self) -> Document:
        """The primary statements, else the first tables, as far as there is room; all of a short document."""
        if fits_excerpt(self._index.document, self._most):
            return self._index.document
        tables = [
            block
            for block in self._index.document.blocks
            if isinstance(block.content, Table) and not block.content.is_too_large
        ]
        roles = self._index.roles
        tables.sort(key=lambda block: not roles[block.order].is_statement)
        orders: list[int] = []
        room = self._most
        for block in tables or self._index.document.blocks:
            if not orders or tokens_of(block) <= room:
                orders.append(block.order)
                room -= tokens_of(block)
        return self._index.document.excerpt(orders)

    def _weights(self, places: Sequence[Place]) -> dict[int, float]:
        """The log of each score beside the best; a primary statement is what is meant where nothing tells another."""
        logs = {place.block: math.log(max(place.score, _LEAST)) + self._of_role(place.block) for place in places}
        best = max(logs.values(), default=0.0)
        return {block: log - best for block, log in logs.items()}

    def _of_role(self, block: int) -> float:
        role = self._index.roles.get(block)
        return _STATEMENT * (role is not None and role.is_statement)
