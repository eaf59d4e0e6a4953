"""What a server is on: opened once, handed to every call. Nothing of it is global."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from quaestor.application.ask_service import AskRequest
from quaestor.application.document_tools import DocumentTools
from quaestor.application.folder_library import FolderLibrary, Folders
from quaestor.application.resolve import DocumentInCorpus
from quaestor.application.session_manager import AnsweredNow, ConversationState, Listener, SessionManager, open_sessions
from quaestor.errors import InputError, UnknownUploadError
from quaestor.store.base import RunStore

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ServerContext:
    """A server's own.

    Attributes:
        exports: The folder that exports are written to; None if none was named, and nothing is written.
        begun: The conversations that were begun here, the latest last.
        lists: Whether those are listed: where one client alone speaks with the server.
    """

    sessions: SessionManager
    reading: FolderLibrary
    bench: DocumentTools
    store: RunStore
    exports: Path | None = None
    begun: list[str] = field(default_factory=list)
    lists: bool = False

    def note(self, conversation: str) -> None:
        """Remembers a conversation that was begun, where those are listed."""
        if self.lists:
            self.begun.append(conversation)

    async def look(self, conversation: str) -> ConversationState:
        """Return a conversation as it is now; one of before finds its document in the folders.

        Raises:
            UnknownConversationError: There is none of this id.
            InputError: Its document is not there any more.
        """
        return await self._retry(conversation, lambda: self.sessions.look(conversation))

    async def ask(self, conversation: str, text: str, listener: Listener | None, answerer: str | None) -> AnsweredNow:
        """Answer each question in a text; a conversation of before finds its document in the folders.

        Args:
            answerer: The id of who answers from now on; None is who did before.

        Raises:
            UnknownConversationError: There is none of this id.
            InputError: Its document is not there any more.
            QuaestorError: Whatever `SessionManager.ask` refuses.
        """
        return await self._retry(conversation, lambda: self.sessions.ask(conversation, text, listener, answerer))

    async def _retry(self, conversation: str, work: Callable[[], Awaitable[T]]) -> T:
        """Return what some work in a conversation gives, done again with all documents known where it lacks its."""
        try:
            return await work()
        except UnknownUploadError:
            await self.reading.know_again()
        try:
            return await work()
        except UnknownUploadError:
            about = self.sessions.saved.get(conversation).about
            raise UnknownUploadError(
                f"the document {about} is not loaded; read it first, then continue the conversation"
            ) from None

    async def page_of(self, document: str | None, conversation: str | None) -> DocumentInCorpus:
        """Return the document that is named, or the one of a conversation with the numbers that hold in it.

        Raises:
            InputError: Neither exists, or not exactly one of them is named.
        """
        require_either(document, conversation)
        if document is not None:
            return (await self.reading.open(document)).page
        assert conversation is not None
        return (await self.look(conversation)).corrected_page


def require_either(document: str | None, conversation: str | None) -> None:
    """Raise InputError unless one of a document and a conversation is named."""
    if (document is None) == (conversation is None):
        raise InputError("give either `document` or `conversation`")


@asynccontextmanager
async def open_house(
    asking: AskRequest, folders: Folders, exports: Path | None = None, *, lists: bool = False, processes: int = 0
) -> AsyncIterator[ServerContext]:
    """Give what a server is on, and close it.

    Args:
        processes: How many worker processes answer without a model; 0 answers in this process.

    Raises:
        StoreError: The store cannot be opened.
    """
    async with open_sessions(asking, processes=processes) as (sessions, bench, store):
        yield ServerContext(sessions, FolderLibrary(folders, sessions.library), bench, store, exports, lists=lists)
