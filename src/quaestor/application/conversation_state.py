"""A conversation with its document as a desk has it, and what was just answered in it."""

from dataclasses import dataclass, replace

from quaestor.application.choices import SolverChoice
from quaestor.application.kept_conversations import KeptConversation
from quaestor.application.resolve import CorpusPage
from quaestor.conversation.turn import Turn
from quaestor.documents.document import Document
from quaestor.repair.ledger import Ledger


@dataclass(frozen=True, slots=True)
class ConversationState:
    """A conversation with its document, as it is now.

    Attributes:
        ledger: What is answered, with its corrections.
    """

    kept: KeptConversation
    page: CorpusPage
    ledger: Ledger
    answerer: SolverChoice
    unkept: str | None = None

    @property
    def turns(self) -> tuple[Turn, ...]:
        """What is answered, as it reads now."""
        return self.ledger.turns

    @property
    def document(self) -> Document:
        """What it is about, with the numbers that hold now."""
        return self.ledger.document

    @property
    def corrected_page(self) -> CorpusPage:
        """The same, with what it is read among."""
        return replace(self.page, document=self.document)


@dataclass(frozen=True, slots=True)
class AnsweredNow:
    """What was just asked.

    Attributes:
        first: The number of the first of them that was just answered, from 1.
        document: What was asked about, with the numbers that hold.
        page: What it is about, as it was read.
    """

    turns: tuple[Turn, ...]
    first: int
    document: Document
    run: str | None
    unkept: str | None
    page: CorpusPage
    solver: str
