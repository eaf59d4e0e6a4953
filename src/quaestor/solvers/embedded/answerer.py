"""What each kind of answer comes from: a protocol with one implementation a kind, asked in turn."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from quaestor.conversation.answer import Answer
from quaestor.solvers.embedded.decode.readings import AskedTurn


class Answerer(Protocol):
    """Answers the questions that ask for its kind of answer, and leaves all others to those after it."""

    def answers(self, asked: AskedTurn, least: float) -> Iterator[Answer]:
        """Yield the answers to a question, best first, each result once; none if it asks for something else.

        Args:
            asked: The question, the page and the conversation.
            least: Answers that are less sure than this share of the first need not be given.
        """
        ...


def first_answered(answerers: Iterable[Answerer], asked: AskedTurn, least: float) -> Iterator[Answer]:
    """Yield the answers of the first of several that has one.

    Args:
        answerers: In the order in which they are asked.
        asked: The question, the page and the conversation.
    """
    for answerer in answerers:
        found = answerer.answers(asked, least)
        if (best := next(found, None)) is not None:
            yield best
            yield from found
            return
