"""The conversations of a file without holding them: what is known of each, and each read again as it is asked for.

A large file has more pages than fit into memory, and whoever plays them needs few at once.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from quaestor.datasets.dataset import Conversation


@dataclass(frozen=True, slots=True)
class ListedPage:
    """What is known of a page without reading it again.

    Attributes:
        refusal: Why nothing of it was read, in a line; None of every other.
    """

    id: str
    digest: str
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class ListedConversation:
    """What is known of a conversation without reading it again.

    Attributes:
        page: What it is about; conversations about one page have an equal one.
    """

    id: str
    page: ListedPage
    questions: int


class ConversationListing:
    """Lists conversations as they are read, and digests them; holds none of them."""

    def __init__(self) -> None:
        self._listed: list[ListedConversation] = []
        self._places: dict[str, int] = {}
        self._pages: dict[ListedPage, ListedPage] = {}
        self._digest = hashlib.sha256(b"[")

    @property
    def listed(self) -> tuple[ListedConversation, ...]:
        """What is known of the conversations so far."""
        return tuple(self._listed)

    def find(self, id: str) -> int | None:
        """Return the first place of an id; None if it was not added."""
        return self._places.get(id)

    def add(self, conversation: "Conversation") -> bool:
        """Add the next conversation; return whether it is the first about its page.

        That questions are independent counts in the digest, that they are chained not: so the digest of a file of
        chained conversations is that of the releases before there were others.
        """
        document, known = conversation.document, len(self._pages)
        page = ListedPage(document.id, document.digest, document.refusal)
        page = self._pages.setdefault(page, page)
        read = [conversation.id, page.digest, conversation.questions]
        read += [] if conversation.chained else ["independent"]
        self._digest.update((", " * bool(self._listed) + json.dumps(read)).encode())
        self._places.setdefault(conversation.id, len(self._listed))
        self._listed.append(ListedConversation(conversation.id, page, len(conversation.questions)))
        return len(self._pages) > known

    @property
    def digest(self) -> str:
        """SHA-256 over all that was added."""
        whole = self._digest.copy()
        whole.update(b"]")
        return whole.hexdigest()


class FileConversations(Sequence["Conversation"]):
    """The conversations of a file, each read as it is asked for: as many as there may be, few are held at once.

    Equal to every sequence of the same conversations. Pickled it is a tuple of them.
    """

    def __init__(self, listed: Sequence[ListedConversation], read: "Callable[[int], Conversation]") -> None:
        """Take what is known of the conversations.

        Args:
            listed: Each of them, in the file's order.
            read: Reads one by its place among those listed; it may raise DatasetError.
        """
        self.listed: Sequence[ListedConversation] = listed
        self._read = read

    def __len__(self) -> int:
        return len(self.listed)

    @overload
    def __getitem__(self, index: int) -> "Conversation": ...
    @overload
    def __getitem__(self, index: slice) -> "FileConversations": ...
    def __getitem__(self, index: int | slice) -> "Conversation | FileConversations":
        """Return a conversation, or some of them.

        Raises:
            DatasetError: The file has changed since.
        """
        if isinstance(index, slice):
            return self.taking(range(len(self))[index])
        return self._read(range(len(self))[index])

    def __iter__(self) -> "Iterator[Conversation]":
        return (self._read(place) for place in range(len(self)))

    def taking(self, places: Sequence[int]) -> "FileConversations":
        """Return those at some places, in their order."""
        read = self._read
        return FileConversations([self.listed[place] for place in places], lambda place: read(places[place]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(one == same for one, same in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # what is equal to it has others

    def __repr__(self) -> str:
        return f"<{len(self)} conversations of a file>"

    def __reduce__(self) -> "tuple[type[tuple[Conversation, ...]], tuple[tuple[Conversation, ...]]]":
        return tuple, (tuple(self),)
