"""The blocks of a document that a measure is computed from, for the excerpt that its question is answered from."""

from collections.abc import Sequence

from quaestor.documents.document import Document
from quaestor.questions.measures import asked_measure
from quaestor.questions.question import Question
from quaestor.retrieval.measures.binding import ResolvedMeasure, bound_measure


def blocks_of_measure(document: Document, question: Question, earlier: Sequence[Question]) -> tuple[int, ...]:
    """Return the places of the blocks that print the figures of the measure asked for; none of other questions.

    Args:
        earlier: The questions before, oldest first.
    """
    asked = asked_measure(question, earlier)
    bound = bound_measure(document, asked) if asked is not None and not document.is_page else None
    if not isinstance(bound, ResolvedMeasure):
        return ()
    return tuple(dict.fromkeys(document.block(cell).order for cell in bound.cells.values()))
