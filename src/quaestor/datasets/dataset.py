"""Conversations about documents, without answers: how they are listed, read from a file, and chosen."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import overload

from quaestor.core.answer_value import AnswerKinds
from quaestor.documents.document import Document
from quaestor.documents.repairs import WarningKind, show_warning
from quaestor.errors import DatasetError, UnknownConversationError, unknown_name

# A large file has more pages than fit into memory: its conversations are listed, and each is read when it is used.


@dataclass(frozen=True, slots=True)
class ListedPage:
    """A page in the list of a file."""

    id: str
    digest: str
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class ListedConversation:
    """A conversation in the list of a file."""

    id: str
    page: ListedPage
    questions: int


class ConversationListing:
    """Lists and digests conversations as they are read, without keeping them."""

    def __init__(self) -> None:
        self._listed: list[ListedConversation] = []
        self._places: dict[str, int] = {}
        self._pages: dict[ListedPage, ListedPage] = {}
        self._digest = hashlib.sha256(b"[")

    @property
    def listed(self) -> tuple[ListedConversation, ...]:
        """The list so far."""
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
    """The conversations of a file, each read when it is used, so that few are in memory.

    Equal to every sequence of the same conversations. Pickled it is a tuple of them.
    """

    def __init__(self, listed: Sequence[ListedConversation], read: "Callable[[int], Conversation]") -> None:
        """Set the list and the reader."""
        self.listed: Sequence[ListedConversation] = listed
        self._read = read

    def __len__(self) -> int:
        return len(self.listed)

    @overload
    def __getitem__(self, index: int) -> "Conversation": ...
    @overload
    def __getitem__(self, index: slice) -> "FileConversations": ...
    def __getitem__(self, index: int | slice) -> "Conversation | FileConversations":
        """Return a conversation, or some of them."""
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


@dataclass(frozen=True, slots=True)
class Conversation:
    """A document and the questions asked about it, in order.

    Attributes:
        document: Shared by all conversations about the same page.
        questions: As asked; none if the file is only a document.
        chained: Whether a question may refer to the ones before it; if not, each is asked with an empty memory.
        joined: Whether it was made of two conversations about the same page, one after the other.
        company: The company of the document, for splits that keep its documents together; "" if unknown.
    """

    id: str
    document: Document
    questions: tuple[str, ...]
    chained: bool = True
    joined: bool = False
    company: str = ""

    def __post_init__(self) -> None:
        """Fold the white space of the questions, since patterns match single blanks."""
        object.__setattr__(self, "questions", tuple(" ".join(text.split()) for text in self.questions))


@dataclass(frozen=True, slots=True)
class Dataset:
    """The conversations of one file.

    Attributes:
        format: The name of the format that it was read as: `original`, `cleaned`.
        digest: SHA-256 over ids, documents and questions; answers do not change it.
        conversations: In the file's order; those of a large file are read when they are used. `listed` has their ids
            and pages.
        warnings: What the format lost and which tables have no number, one line each.
        answers: The kinds of answers of its questions, by its format.
        folder: The folder of the documents that the questions are about; None if they are in the file.
        unanswerable: Whether some of the questions may have no answer.
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
        listed = conversations if isinstance(conversations, FileConversations) else tuple(conversations)
        return cls(path, format, listing.digest, listed, tuple(warnings), answers)

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


def list_records(
    read: Callable[[int], Conversation], count: int, path: str, id_name: str = "id"
) -> tuple[FileConversations, str, list[str]]:
    """Return the first conversations of a file, their digest, and what their pages lack; each is read once for this."""
    listing, losses = ConversationListing(), list[str]()
    for number in range(count):
        conversation = read(number)
        if (first := listing.find(conversation.id)) is not None:
            raise DatasetError(
                f"{path}, record {number}: duplicate {id_name} {conversation.id!r}, also used by record {first}"
            )
        if listing.add(conversation):
            losses += shown_losses(conversation.document)
    return FileConversations(listing.listed, read), listing.digest, losses


def text_field(value: object, what: str, *, empty: bool = False, benchmark: str = "ConvFinQA") -> str:
    """Return a field that must be text, valid Unicode and, unless `empty`, not blank."""
    if not isinstance(value, str):
        raise DatasetError(f"{what} is missing or is not text; is this a {benchmark} file?")
    if not empty and not value.strip():
        raise DatasetError(f"{what} is empty")
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise DatasetError(f"{what} contains invalid Unicode; save the file as UTF-8") from None
    return value


def shown_losses(document: Document) -> tuple[str, ...]:
    """Return what a page lacks to be asked about, one line each: nothing of it was read, a table has no number."""
    return tuple(
        f"{document.id}: {show_warning(warning)}"
        for warning in document.warnings
        if warning.kind in (WarningKind.NO_NUMBER, WarningKind.REFUSED)
    )


# Which conversations of a file are taken: some by their ids, or a sample.
#
# A larger sample of one seed holds the smaller, and a conversation that is added to the file changes it by one at
# most.


@dataclass(frozen=True, slots=True)
class Selection:
    """Some conversations of a file, as a run keeps it.

    Attributes:
        conversations: Their ids, in the file's order; none if a sample is drawn.
        sample: How many are drawn; None where ids are given.
    """

    conversations: tuple[str, ...] = ()
    sample: int | None = None
    seed: int = 0

    def of(self, dataset: Dataset) -> Dataset:
        """Return the dataset of what is taken, in the file's order; of a sample that is larger than it, all."""
        if self.sample is None:
            chosen_ids = self.conversations
        else:
            chosen_ids = tuple(sorted((one.id for one in dataset.listed), key=self._place)[: self.sample])
        chosen = Dataset.of(dataset.path, dataset.format, dataset.taking(chosen_ids))
        return replace(dataset, digest=chosen.digest, conversations=chosen.conversations)

    def _place(self, id: str) -> tuple[str, str]:
        return hashlib.sha256(f"{self.seed} {id}".encode()).hexdigest(), id
