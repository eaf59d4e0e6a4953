"""Retrieval beside the answers: how soon what is shown of a long document has the evidence of a question.

What is shown first are the statements that a question needs, then the places that fit it best.
"""

from collections.abc import Sequence
from decimal import Decimal

from quaestor.conversation.answer import Answer
from quaestor.core.words import words
from quaestor.documents.document import Block, Document
from quaestor.documents.table import Table
from quaestor.retrieval.index import load_index
from quaestor.retrieval.question_texts import search_question
from quaestor.scoring.filing_answers import Evidence

LOOKED_AT = 5
"""Blocks that are shown first."""
_LEAST_SHARE = 0.7


def evidence_rank(evidence: Evidence, document: Document, shown: Sequence[int]) -> int | None:
    """Return which of the blocks that are shown is the first with the evidence, from 1; 0 if none has it.

    Returns:
        None if the evidence is not known, or is found nowhere in the document as it was read.
    """
    fitting = {block.order for block in document.blocks if _has_evidence(evidence, block)}
    if not fitting:
        return None
    return next((rank for rank, order in enumerate(shown, 1) if order in fitting), 0)


def first_blocks(
    document: Document, question: str, earlier: Sequence[str], answers: Sequence[Answer | None]
) -> tuple[int, ...]:
    """Return the blocks of a document that a question is shown first, by their places."""
    sources = [answer.sources if answer else () for answer in answers]
    found = search_question(load_index(document, None), question, earlier, sources, LOOKED_AT)
    return tuple(dict.fromkeys((*found.needed, *(place.block for place in found.places))))[:LOOKED_AT]


def _has_evidence(evidence: Evidence, block: Block) -> bool:
    if evidence.pages:
        return block.page in evidence.pages
    if evidence.numbers:
        return not evidence.numbers.isdisjoint(_numbers_of(block))
    wanted = {*words(evidence.text.lower())}
    return bool(wanted) and len(wanted & {*words(_text_of(block).lower())}) >= _LEAST_SHARE * len(wanted)


def _numbers_of(block: Block) -> set[Decimal]:
    if isinstance(block.content, Table):
        cells = (cell for row in block.content.cells for cell in row)
        return {abs(quantity.value) for cell in cells for quantity in cell.quantities}
    sentences = getattr(block.content, "sentences", ())
    return {abs(mention.quantity.value) for sentence in sentences for mention in sentence.mentions}


def _text_of(block: Block) -> str:
    if isinstance(block.content, Table):
        return " ".join(cell.text for row in block.content.cells for cell in row)
    return " ".join(sentence.text for sentence in getattr(block.content, "sentences", ()))
