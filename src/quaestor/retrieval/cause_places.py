"""The passages of a document that say why something moved, as places: for questions that ask for a cause.

Which sentences say it, and how well, says `causes`.
"""

from collections.abc import Iterator, Sequence

from quaestor.documents.document import Paragraph
from quaestor.questions.question import Question
from quaestor.retrieval.causes import PART, CauseCandidate, cause_asked, find_causes
from quaestor.retrieval.index import PlaceIndex
from quaestor.retrieval.place import Place, Reason

_TEXT = 240
_MOST = 3
"""Passages about the thing itself: others say the same, or why a part of it moved."""


def places_of_causes(
    indexes: Sequence[PlaceIndex], question: Question, earlier: Sequence[Question], most: int
) -> list[Place]:
    """Return the passages that say the cause that a question asks for, the best first; none if it asks for none.

    Args:
        earlier: The questions before, oldest first.
        most: How many at most.
    """
    asked = cause_asked(question, earlier)
    if asked is None:
        return []
    found = [(index, cause) for index in indexes for cause in find_causes(asked, index.document)]
    found.sort(key=lambda each: -each[1].fit)
    own = [each for each in found if each[1].fit >= PART][:_MOST]
    places = (place for index, cause in (own or found[:most]) for place in _places(index, cause))
    return list({(place.document, place.block): place for place in places}.values())[:most]


def _places(index: PlaceIndex, cause: CauseCandidate) -> Iterator[Place]:
    """Yield the passage of a sentence, and those of the points that it leads to."""
    stated = cause.stated
    for place, order in ((stated.place, stated.block), *((0, order) for _, order in stated.listed)):
        block = index.document.blocks[order]
        assert isinstance(block.content, Paragraph)
        path, text = index.path(block), block.content.sentences[place].text
        yield Place(
            index.document.id,
            order,
            "passage",
            (),
            (place,),
            round(min(1.0, cause.fit), 3),
            (Reason("cause", ""),),
            text if len(text) <= _TEXT else f"{text[: _TEXT - 3].rstrip()}...",
            page=block.page,
            section=path,
            title=path[-1] if path else "",
            anchor=block.anchor,
        )
