"""Finds the parts of a long document that a question is about, with its index."""

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
from quaestor.retrieval.question_texts import needed_statements, search_question
from quaestor.retrieval.retrieval_query import FindingContext, parse_retrieval_query
from quaestor.solvers.base import Excerpt

_PLACES = 6
_SEARCHED, _NEW = 3, 3
"""Number of places to answer a question from; number of places that a search returns, and that it adds."""
_LIKELY, _LARGE = 0.7, 500
"""A place with more than `_LARGE` tokens needs this share of the best score."""
_MOST_AFTER_TABLE = 400
"""Maximum tokens of the passages after a table."""
_LEAST = 0.01
_STATEMENT = 0.15


class PlaceFinder:
    """Finds the parts of one document with its index."""

    def __init__(self, index: PlaceIndex, most: int) -> None:
        self._index, self._most = index, most

    def select(self, question: Question, memory: Memory) -> Excerpt:
        """Return an excerpt with the places of the question and of earlier answers, or else the statements."""
        sources = tuple(answer.sources for answer in memory.answers)
        found = search_question(self._index, question.text, memory.questions, sources, _PLACES)
        question, context, normalized = found.question, found.context, found.normalized
        places = self._usable(found.places)
        needed = (*found.needed, *self._blocks_of_last_answer(question, context), *self._auditor_blocks(question))
        if found.places and not places:
            self._refuse(found.places)
        earlier = [source for of_turn in reversed(sources) for source in of_turn]
        if not places and not earlier and not needed:
            return Excerpt(self._statements(), normalized=normalized)
        shown = excerpt_for(
            self._index, self._likely_places(places), self._most, earlier, needed, self._shortener(question, context)
        )
        return Excerpt(shown, normalized=normalized)

    def _shortener(self, question: Question, context: FindingContext) -> Callable[[Block], Block]:
        """Return a function that drops parts of a block, except reasons and sources of earlier answers."""
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

    def _blocks_of_last_answer(self, question: Question, context: FindingContext) -> list[int]:
        """Return the blocks of the last answer with sources; if asked why, also the passages after its tables."""
        turns = earlier_blocks(self._index, context)
        last = [self._index.document.blocks[order] for order, ago in turns.items() if ago == min(turns.values())]
        blocks = [b for b in last if not (isinstance(b.content, Table) and b.content.is_too_large)]
        if words_asked(question.lowered) in ("cause", "ground"):
            blocks += [after for block in blocks for after in self._passages_after(block)]
        return [block.order for block in blocks]

    def _passages_after(self, block: Block) -> Iterator[Block]:
        """Yield the passages directly after a table, which often explain its numbers."""
        room = _MOST_AFTER_TABLE
        for after in self._index.document.blocks[block.order + 1 :] if isinstance(block.content, Table) else ():
            room -= tokens_of(after)
            if room < 0 or after.section != block.section or not isinstance(after.content, Paragraph):
                break
            yield after

    def _auditor_blocks(self, question: Question) -> list[int]:
        """Return the block with the auditor's signature, if the question asks for the auditor."""
        firm = auditor_of(self._index.document) if asks_for_auditor(question.lowered) else None
        if firm is None:
            return []
        place = SentenceRef(self._index.document.id, firm.sentence.section, firm.sentence.index, firm.start, firm.end)
        return [self._index.document.block(place).order]

    def search(self, query: str, shown: Document) -> Excerpt:
        """Return the shown part extended by places that match a query, and all statements that it names or needs."""
        question = read_question(query)
        found = self._usable(find_places(self._index, question, most=2 * _PLACES))
        before = {block.order for block in shown.blocks}
        # If the best places are already shown, add others, because the solver is missing something.
        new = [place for place in found if place.block not in before][:_NEW]
        places = [place for place in found if place in found[:_SEARCHED] or place in new]
        needed = needed_statements(self._index, question, ())
        lacking = [order for order in needed if order not in before]
        if new or lacking:
            before |= {block.order for block in excerpt_for(self._index, new, self._most, needed=lacking).blocks}
        return Excerpt(self._index.document.excerpt(before), dict.fromkeys(needed, 0.0) | self._weights(places))

    def _usable(self, places: Sequence[Place]) -> list[Place]:
        table = self._index.document.table
        return [place for place in places if place.table is None or not table(place.table).is_too_large]

    def _likely_places(self, places: Sequence[Place]) -> list[Place]:
        """Drop places that are large and much less likely than the best."""
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
        """Return the primary statements, or else the first tables, up to the limit; or a short document as a whole."""
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
        """Return the log of each score relative to the best, with a bonus for primary statements."""
        logs = {place.block: math.log(max(place.score, _LEAST)) + self._role_bonus(place.block) for place in places}
        best = max(logs.values(), default=0.0)
        return {block: log - best for block, log in logs.items()}

    def _role_bonus(self, block: int) -> float:
        role = self._index.roles.get(block)
        return _STATEMENT * (role is not None and role.is_statement)
