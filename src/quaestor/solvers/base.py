"""What a solver is given, and what it gives back."""

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from quaestor.conversation.answer import Answer
from quaestor.conversation.memory import Memory
from quaestor.documents.document import Document


@dataclass(slots=True)
class TurnContext:
    """All that a solver sees besides the question: no store, no settings, no gold.

    Attributes:
        document: The page.
        memory: The turns so far, with the solver's own answers.
        trace: Lines that the solver appends: how it came to its plan. Append only.
    """

    document: Document
    memory: Memory
    trace: list[str] = field(default_factory=list)


@runtime_checkable
class Solver(Protocol):
    """A way to find a plan. A callable protocol: implementations share no base class."""

    name: str

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Returns the answer to `question`.

        Raises:
            SolverError: No plan was found; the turn is recorded as wrong and the conversation goes on.
        """
        ...
