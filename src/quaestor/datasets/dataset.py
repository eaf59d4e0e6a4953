"""Conversations about documents, without answers: listing, lazy reading, selection, and validation of questions."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import overload

from quaestor.core.answer_value import AnswerKinds
from quaestor.documents.document import Document
from quaestor.documents.repairs import WarningKind, show_warning
from quaestor.errors import DatasetError, QuestionError, UnknownConversationError, unknown_name
from quaestor.readers.content import FileContent
from quaestor.readers.json_records import JsonRecords

# A large file has more pages than fit into memory, so its conversations are listed, and read on access.


@dataclass(frozen=True, slots=True)
class ListedPage:
    """Page in the list of a file."""

    id: str
    digest: str
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class ListedConversation:
    """Conversation in the list of a file."""

    id: str
    page: ListedPage
    questions: int


class ConversationListing:
    """Lists conversations and computes their digest as they are read, without keeping them."""

    def __init__(self, conversations: "Iterable[Conversation]" = ()) -> None:
        self._listed: list[ListedConversation] = []
        self._places: dict[str, int] = {}
        self._pages: dict[ListedPage, ListedPage] = {}
        self._digest = hashlib.sha256(b"[")
        for conversation in conversations:
            self.add(conversation)

    @property
    def listed(self) -> tuple[ListedConversation, ...]:
        """The conversations added so far."""
        return tuple(self._listed)

    def find(self, id: str) -> int | None:
        """Return the first index of an id, or None."""
        return self._places.get(id)

    def add(self, conversation: "Conversation") -> bool:
        """Add the next conversation; return whether it is the first about its page.

        Only independent questions are marked in the digest, so that files with chained conversations keep the digest of
        earlier releases.
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
        """SHA-256 over all conversations added."""
        whole = self._digest.copy()
        whole.update(b"]")
        return whole.hexdigest()


class FileConversations(Sequence["Conversation"]):
    """Conversations of a file, each read on access, so that few are in memory.

    Equal to any sequence of the same conversations. Pickled as a tuple of them.
    """

    def __init__(self, listed: Sequence[ListedConversation], read: "Callable[[int], Conversation]") -> None:
        self.listed: Sequence[ListedConversation] = listed
        self._read = read

    def __len__(self) -> int:
        return len(self.listed)

    @overload
    def __getitem__(self, index: int) -> "Conversation": ...
    @overload
    def __getitem__(self, index: slice) -> "FileConversations": ...
    def __getitem__(self, index: int | slice) -> "Conversation | FileConversations":
        """Return a conversation, or some of them for a slice."""
        if isinstance(index, slice):
            return self.taking(range(len(self))[index])
        return self._read(range(len(self))[index])

    def __iter__(self) -> "Iterator[Conversation]":
        return (self._read(place) for place in range(len(self)))

    def taking(self, places: Sequence[int]) -> "FileConversations":
        """Return the conversations at some indexes, in that order."""
        read = self._read
        return FileConversations([self.listed[place] for place in places], lambda place: read(places[place]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(one == same for one, same in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # equal sequences of other types have other hashes

    def __repr__(self) -> str:
        return f"<{len(self)} conversations of a file>"

    def __reduce__(self) -> "tuple[type[tuple[Conversation, ...]], tuple[tuple[Conversation, ...]]]":
        return tuple, (tuple(self),)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A document and the questions asked about it, in order.

    Attributes:
        document: Shared by all conversations about the same page.
        questions: As asked; empty if the file is only a document.
        chained: Whether questions may refer to earlier ones; otherwise each is asked with an empty memory.
        joined: Whether it was joined from two conversations about the same page.
        company: The company of the document, for splits that keep its documents together; "" if unknown.
    """

    id: str
    document: Document
    questions: tuple[str, ...]
    chained: bool = True
    joined: bool = False
    company: str = ""

    def __post_init__(self) -> None:
        """Normalise white space in the questions, since patterns match single blanks."""
        object.__setattr__(self, "questions", tuple(" ".join(text.split()) for text in self.questions))


@dataclass(frozen=True, slots=True)
class Dataset:
    """Conversations of one file.

    Attributes:
        format: Name of the file's format, such as `original` or `cleaned`.
        digest: SHA-256 over ids, documents and questions; independent of answers.
        conversations: In the file's order; those of a large file are read on access. `listed` has their ids and pages.
        warnings: Losses of the format, and tables without numbers, one line each.
        answers: Kinds of answers to its questions, according to the format.
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
        """Build the dataset of some conversations, with its digest."""
        digest = ConversationListing(conversations).digest
        listed = conversations if isinstance(conversations, FileConversations) else tuple(conversations)
        return cls(path, format, digest, listed, tuple(warnings), answers)

    @property
    def listed(self) -> Sequence[ListedConversation]:
        """The ids and pages of the conversations, in the file's order, without reading them again."""
        if isinstance(self.conversations, FileConversations):
            return self.conversations.listed
        return ConversationListing(self.conversations).listed

    def taking(self, ids: Iterable[str]) -> Sequence[Conversation]:
        """Return the conversations with some ids, in the file's order."""
        wanted = set(ids)
        places = [place for place, one in enumerate(self.listed) if one.id in wanted]
        if isinstance(self.conversations, FileConversations):
            return self.conversations.taking(places)
        return tuple(self.conversations[place] for place in places)

    def documents(self) -> Iterator[Document]:
        """Yield each page once, as read with its last conversation, in order of first occurrence."""
        return (self.conversations[place].document for place in self._last_of_pages())

    def pages(self) -> Iterator[ListedPage]:
        """Yield the same pages from the list, without reading them again."""
        listed = self.listed
        return (listed[place].page for place in self._last_of_pages())

    def _last_of_pages(self) -> list[int]:
        return list({one.page.id: place for place, one in enumerate(self.listed)}.values())

    def conversation(self, id: str) -> Conversation:
        """Return the conversation with an id."""
        known = [one.id for one in self.listed]
        if id not in known:
            raise UnknownConversationError(unknown_name("conversation", id, known, where=f"in {self.path}", most=3))
        return self.conversations[known.index(id)]


def first_record(content: FileContent) -> Mapping[str, object]:
    """Return the first record of a JSON list; empty if the file is something else."""
    if content.outline is None or content.outline.kind != "list":
        return {}
    first = next(iter(content.records(content.outline.parts.values())), None)
    return first if isinstance(first, Mapping) else {}


def records_of_list(content: FileContent, benchmark: str) -> JsonRecords:
    """Return the records of a JSON list. Raises DatasetError if the file is something else."""
    if content.outline is None or content.outline.kind != "list":
        raise DatasetError(f"{content.path}: expected a list of records; is this a {benchmark} file?")
    return content.records(content.outline.parts.values())


def require_object(record: object, where: str, benchmark: str) -> Mapping[str, object]:
    """Return a record that must be an object. Raises DatasetError if it is something else."""
    if not isinstance(record, Mapping):
        raise DatasetError(f"{where}: expected an object; is this a {benchmark} file?")
    return record


def list_records(
    read: Callable[[int], Conversation], count: int, path: str, id_name: str = "id"
) -> tuple[FileConversations, str, list[str]]:
    """Read the first conversations of a file once; return them, their digest, and the losses of their pages."""
    listing, losses = ConversationListing(), list[str]()
    for number in range(count):
        conversation = read(number)
        if (first := listing.find(conversation.id)) is not None:
            raise DatasetError(
                f"{path}, record {number}: duplicate {id_name} {conversation.id!r}, also used by record {first}"
            )
        if listing.add(conversation):
            losses += describe_losses(conversation.document)
    return FileConversations(listing.listed, read), listing.digest, losses


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of JSON Lines that are not blank, with their numbers from 1."""
    return ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())


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


def describe_losses(document: Document) -> tuple[str, ...]:
    """Return what is missing in a page, one line each: it was refused, or a table has no number."""
    return tuple(
        f"{document.id}: {show_warning(warning)}"
        for warning in document.warnings
        if warning.kind in (WarningKind.NO_NUMBER, WarningKind.REFUSED)
    )


# Selection of conversations of a file, by id or as a sample.
#
# With the same seed, larger samples include smaller ones, and adding a conversation to the file changes at most one.


@dataclass(frozen=True, slots=True)
class Selection:
    """Selection of conversations, as stored with a run.

    Attributes:
        conversations: Their ids in the file's order; empty for a sample.
        sample: Size of the sample; None if ids are given.
    """

    conversations: tuple[str, ...] = ()
    sample: int | None = None
    seed: int = 0

    def of(self, dataset: Dataset) -> Dataset:
        """Return the dataset of the selected conversations, in the file's order; all if the sample is larger."""
        if self.sample is None:
            chosen_ids = self.conversations
        else:
            chosen_ids = tuple(sorted((one.id for one in dataset.listed), key=self._place)[: self.sample])
        chosen = Dataset.of(dataset.path, dataset.format, dataset.taking(chosen_ids))
        return replace(dataset, digest=chosen.digest, conversations=chosen.conversations)

    def _place(self, id: str) -> tuple[str, str]:
        return hashlib.sha256(f"{self.seed} {id}".encode()).hexdigest(), id


MAX_QUESTION = 4_000
"""Maximum number of characters in a question."""


def check_questions(conversation: Conversation) -> None:
    """Raise QuestionError if a question of a conversation is invalid."""
    for number, question in enumerate(conversation.questions, start=1):
        alone = len(conversation.questions) == 1  # also true for each question of an interactive conversation
        check_question(question, "the question" if alone else f"question {number} of {conversation.id}")


def check_question(question: str, where: str) -> None:
    """Raise QuestionError if a question is invalid."""
    if not question.strip():
        raise QuestionError(f"{where} is empty")
    if not any(character.isalnum() for character in question):
        raise QuestionError(f"{where} has neither words nor numbers")
    if len(question) > MAX_QUESTION:
        raise QuestionError(f"{where} has {len(question):,} characters; the maximum is {MAX_QUESTION:,}")
    if any("\ud800" <= character <= "\udfff" for character in question):
        raise QuestionError(f"{where} is not valid UTF-8; in a terminal, use a UTF-8 locale or set PYTHONUTF8=1")
