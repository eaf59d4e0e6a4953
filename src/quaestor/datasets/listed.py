"""The conversations of a file without holding them: what is known of each, and each read again as it is asked for.

A large file has more pages than fit into memory, and whoever plays them needs few at once.
"""

import hashlib
import json
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from quaestor.core.texts import Texts

if TYPE_CHECKING:
    from quaestor.datasets.dataset import Conversation


@dataclass(frozen=True, slots=True)
class ListedPage:
    """What is known of a page without reading it again.

    Attributes:
        id: Of the document.
        digest: Of what is printed.
        refusal: Why nothing of it was read, in a line; None of every other.
    """

    id: str
    digest: str
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class ListedConversation:
    """What is known of a conversation without reading it again.

    Attributes:
        id: As in the file.
        page: What it is about; conversations about one page have an equal one.
        questions: How many there are.
    """

    id: str
    page: ListedPage
    questions: int


class ListedConversations(Sequence[ListedConversation]):
    """What is known of many conversations, in little room: each is made as it is looked at.

    Equal to every sequence of the same.

    Attributes:
        ids: Those of the conversations.
    """

    def __init__(self) -> None:
        self.ids = Texts()
        self._pages, self._refusals = Texts(), dict[int, str]()
        self._page_of, self._questions = array("I"), array("I")

    def add(self, one: ListedConversation) -> bool:
        """Adds the next; returns whether it is the first about its page."""
        known, page = len(self._pages), self._pages.place(f"{one.page.digest}\0{one.page.id}")
        if one.page.refusal is not None:
            self._refusals[page] = one.page.refusal
        self.ids.add(one.id)
        self._page_of.append(page)
        self._questions.append(one.questions)
        return len(self._pages) > known

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, index: int) -> ListedConversation: ...
    @overload
    def __getitem__(self, index: slice) -> list[ListedConversation]: ...
    def __getitem__(self, index: int | slice) -> ListedConversation | list[ListedConversation]:
        if isinstance(index, slice):
            return [self[place] for place in range(len(self))[index]]
        page = self._page_of[index]
        digest, _, id = self._pages[page].partition("\0")
        listed = ListedPage(id, digest, self._refusals.get(page))
        return ListedConversation(self.ids[index], listed, self._questions[index])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(one == same for one, same in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # what is equal to it has others


class ConversationListing:
    """Lists conversations as they are read, and digests them; holds none of them.

    Attributes:
        listed: What is known of them.
    """

    def __init__(self) -> None:
        self.listed = ListedConversations()
        self._digest = hashlib.sha256(b"[")

    def add(self, conversation: "Conversation") -> bool:
        """Adds the next conversation; returns whether it is the first about its page.

        That questions are independent counts in the digest, that they are chained not: so the digest of a file of
        chained conversations is that of the releases before there were others.
        """
        document = conversation.document
        page = ListedPage(document.id, document.digest, document.refusal)
        read = [conversation.id, page.digest, conversation.questions]
        read += [] if conversation.chained else ["independent"]
        self._digest.update((", " * bool(self.listed) + json.dumps(read)).encode())
        return self.listed.add(ListedConversation(conversation.id, page, len(conversation.questions)))

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
        """Takes what is known of the conversations.

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
        """Returns a conversation, or some of them.

        Raises:
            DatasetError: The file has changed since.
        """
        if isinstance(index, slice):
            return self.taking(range(len(self))[index])
        return self._read(range(len(self))[index])

    def __iter__(self) -> "Iterator[Conversation]":
        return (self._read(place) for place in range(len(self)))

    def taking(self, places: Sequence[int]) -> "FileConversations":
        """Returns those at some places, in their order."""
        read, listed = self._read, ListedConversations()
        for place in places:
            listed.add(self.listed[place])
        return FileConversations(listed, lambda place: read(places[place]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(one == same for one, same in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # what is equal to it has others

    def __repr__(self) -> str:
        return f"<{len(self)} conversations of a file>"

    def __reduce__(self) -> "tuple[type[tuple[Conversation, ...]], tuple[tuple[Conversation, ...]]]":
        return tuple, (tuple(self),)
