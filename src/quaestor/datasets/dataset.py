"""Conversations about documents, and the file that they come from."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from quaestor.core.answer_value import AnswerKinds
from quaestor.datasets.listed import ConversationListing, FileConversations, ListedConversation, ListedPage
from quaestor.documents.document import Document
from quaestor.errors import UnknownConversationError, unknown_name


@dataclass(frozen=True, slots=True)
class Conversation:
    """A document and the questions asked about it, in order.

    Attributes:
        document: Shared by all conversations about the same page.
        questions: As asked; none if the file is a document alone.
        chained: Whether a question may build on the ones before it. Where not, each is asked with an empty memory.
        joined: Whether it was made of two conversations about the same page, one after the other.
        company: Whose document it is, for splits that keep the documents of a company together; "" where unknown.
    """

    id: str
    document: Document
    questions: tuple[str, ...]
    chained: bool = True
    joined: bool = False
    company: str = ""

    def __post_init__(self) -> None:
        """Fold the white space of the questions: what reads them matches single blanks."""
        object.__setattr__(self, "questions", tuple(" ".join(text.split()) for text in self.questions))


@dataclass(frozen=True, slots=True)
class Dataset:
    """The conversations of one file.

    Attributes:
        format: The name of the format that it was read as: `original`, `cleaned`.
        digest: SHA-256 over ids, documents and questions; answers do not change it.
        conversations: In the file's order. Those of a large file are read as they are asked for; whoever wants no
            more than their ids or pages takes `listed`.
        warnings: What the format lost and which tables hold no number, one line each.
        answers: Which answers its questions have, as its format says; in the digest of a run it is where a solver
            does otherwise for it.
        folder: Where the documents lie that the questions are about; None if they are in the file.
        unanswerable: Whether some of the questions may have no answer, so that it can be right to give none.
    """

    path: str
    format: str
    digest: str
    conversations: Sequence[Conversation]
    warnings: tuple[str, ...] = ()
    answers: AnswerKinds = "all"
    folder: str | None = None
    unanswerable: bool = False

    @classmethod
    def of(
        cls,
        path: str,
        format: str,
        conversations: Sequence[Conversation],
        warnings: Sequence[str] = (),
        answers: AnswerKinds = "all",
    ) -> "Dataset":
        """Return the dataset of some conversations, with its digest.

        Args:
            format: The name of the format that it was read as.
            conversations: In the file's order.
            warnings: What the format lost, one line each.
            answers: Which answers the questions have: only `numbers`, where the format is one of such questions alone.
        """
        listing = ConversationListing()
        for conversation in conversations:
            listing.add(conversation)
        kept = conversations if isinstance(conversations, FileConversations) else tuple(conversations)
        return cls(path, format, listing.digest, kept, tuple(warnings), answers)

    @property
    def listed(self) -> Sequence[ListedConversation]:
        """What is known of the conversations without reading them again, in the file's order."""
        if isinstance(self.conversations, FileConversations):
            return self.conversations.listed
        listing = ConversationListing()
        for conversation in self.conversations:
            listing.add(conversation)
        return listing.listed

    def taking(self, ids: Iterable[str]) -> Sequence[Conversation]:
        """Return the conversations with some ids, in the file's order."""
        wanted = set(ids)
        places = [place for place, one in enumerate(self.listed) if one.id in wanted]
        if isinstance(self.conversations, FileConversations):
            return self.conversations.taking(places)
        return tuple(self.conversations[place] for place in places)

    def documents(self) -> Iterator[Document]:
        """Yield each page once, as its last conversation has it, in the order of the first ones."""
        return (self.conversations[place].document for place in self._last_of_pages())

    def pages(self) -> Iterator[ListedPage]:
        """Yield the same pages, without reading them again."""
        listed = self.listed
        return (listed[place].page for place in self._last_of_pages())

    def _last_of_pages(self) -> list[int]:
        """Return the place of each page's last conversation."""
        return list({one.page.id: place for place, one in enumerate(self.listed)}.values())

    def conversation(self, id: str) -> Conversation:
        """Return the conversation of that id.

        Raises:
            UnknownConversationError: There is none; the message names the nearest ids.
        """
        known = [one.id for one in self.listed]
        if id not in known:
            raise UnknownConversationError(unknown_name("conversation", id, known, where=f"in {self.path}", most=3))
        return self.conversations[known.index(id)]
