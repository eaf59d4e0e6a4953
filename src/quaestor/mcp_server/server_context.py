"""The objects shared by all calls: opened once by the server and passed to each call, never global."""

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
    """The shared objects of a server; conversations are listed only to a single client."""

    sessions: SessionManager
    reading: FolderLibrary
    bench: DocumentTools
    store: RunStore
    exports: Path | None = None
    new_conversations: list[str] = field(default_factory=list)
    lists: bool = False

    def note(self, conversation: str) -> None:
        """Remember a new conversation, if conversations are listed."""
        if self.lists:
            self.new_conversations.append(conversation)

    async def find_state(self, conversation: str) -> ConversationState:
        """Return the current state of a conversation; documents of earlier sessions are looked up in the folders."""
        return await self._retry(conversation, lambda: self.sessions.read_state(conversation))

    async def ask(self, conversation: str, text: str, listener: Listener | None, answerer: str | None) -> AnsweredNow:
        """Answer each question in a text; documents of earlier sessions are looked up in the folders."""
        return await self._retry(conversation, lambda: self.sessions.ask(conversation, text, listener, answerer))

    async def _retry(self, conversation: str, work: Callable[[], Awaitable[T]]) -> T:
        """Run an operation on a conversation; if its document is unknown, load all documents and run it again."""
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
        """Return a document by name, or the corrected document of a conversation."""
        require_either(document, conversation)
        if document is not None:
            return (await self.reading.open(document)).page
        assert conversation is not None
        return (await self.find_state(conversation)).corrected_page


def require_either(document: str | None, conversation: str | None) -> None:
    """Raise InputError unless exactly one of document and conversation is given."""
    if (document is None) == (conversation is None):
        raise InputError("give either `document` or `conversation`")


@asynccontextmanager
async def open_context(
    asking: AskRequest, folders: Folders, exports: Path | None = None, *, lists: bool = False, processes: int = 0
) -> AsyncIterator[ServerContext]:
    """Open the shared objects of a server."""
    async with open_sessions(asking, processes=processes) as (sessions, bench, store):
        yield ServerContext(sessions, FolderLibrary(folders, sessions.library), bench, store, exports, lists=lists)
