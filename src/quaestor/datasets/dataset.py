"""Conversations about documents, and the file that they come from."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from quaestor.core.answer_value import AnswerKinds
from quaestor.documents.document import Document
from quaestor.errors import UnknownConversationError
from quaestor.questions.splitting import QuestionPart


@dataclass(frozen=True, slots=True)
class Conversation:
    """A document and the questions asked about it, in order.

    Attributes:
        id: As in the file.
        document: Shared by all conversations about the same page.
        questions: As asked; none where the file is a document alone.
        chained: Whether a question may build on the ones before it. Where not, each is asked with an empty memory.
        joined: Whether it was made of two conversations about the same page, one after the other.
        company: Whose document it is, for splits that keep the documents of a company together; "" where unknown.
        parts: Of each question which part it is of several questions in one, as a person asked them, else None; empty
            where none is.
    """

    id: str
    document: Document
    questions: tuple[str, ...]
    chained: bool = True
    joined: bool = False
    company: str = ""
    parts: tuple[QuestionPart | None, ...] = ()

    def part(self, index: int) -> QuestionPart | None:
        """Returns which part of several questions in one a question is, from 0; None where it is asked alone."""
        return self.parts[index] if self.parts else None


@dataclass(frozen=True, slots=True)
class Dataset:
    """The conversations of one file.

    Attributes:
        path: Where it was read from.
        format: The name of the format that it was read as: `original`, `cleaned`.
        digest: SHA-256 over ids, documents and questions; answers do not change it.
        conversations: In the file's order.
        warnings: What the format lost and which tables hold no number, one line each.
        answers: Which answers its questions have, as its format says; in the digest of a run it is where a solver
            does otherwise for it.
    """

    path: str
    format: str
    digest: str
    conversations: tuple[Conversation, ...]
    warnings: tuple[str, ...] = ()
    answers: AnswerKinds = "all"

    @classmethod
    def of(
        cls,
        path: str,
        format: str,
        conversations: Sequence[Conversation],
        warnings: Sequence[str] = (),
        answers: AnswerKinds = "all",
    ) -> "Dataset":
        """Returns the dataset of some conversations, with its digest.

        Args:
            path: Where it was read from.
            format: The name of the format that it was read as.
            conversations: In the file's order.
            warnings: What the format lost, one line each.
            answers: Which answers the questions have: only `numbers`, where the format is one of such questions alone.
        """
        return cls(path, format, _digest(conversations), tuple(conversations), tuple(warnings), answers)

    def conversation(self, id: str) -> Conversation:
        """Returns the conversation of that id.

        Raises:
            UnknownConversationError: There is none; the message names the nearest ids.
        """
        found = next((conversation for conversation in self.conversations if conversation.id == id), None)
        if found is None:
            from rapidfuzz import process

            known = [conversation.id for conversation in self.conversations]
            nearest = ", ".join(match for match, _, _ in process.extract(id, known, limit=3))
            raise UnknownConversationError(
                f"{self.path} has no conversation {id[:80]!r}; the nearest ids are {nearest}"
            )
        return found


def _digest(conversations: Sequence[Conversation]) -> str:
    """Returns the SHA-256 over all that was read; that questions are independent counts, that they are chained not.

    So the digest of a file of chained conversations is that of the releases before there were others.
    """
    read = [
        [conversation.id, conversation.document.digest, conversation.questions]
        + ([] if conversation.chained else ["independent"])
        for conversation in conversations
    ]
    return hashlib.sha256(json.dumps(read).encode()).hexdigest()
