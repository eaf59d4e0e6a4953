"""The concurrent conversations of many users: each answers questions in order, is open while used, and can be resumed.

All calls must come from one event loop.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

from quaestor.application.answer_workers import AnswerWorkers, WorkerPage, open_workers
from quaestor.application.ask_service import AskRequest
from quaestor.application.askable import find_askable
from quaestor.application.chat_service import Chat, read_ledger
from quaestor.application.choices import DEFAULT, SolverChoice, find_answerer
from quaestor.application.document_library import ConcurrencyLimiter, DocumentLibrary, open_uploads
from quaestor.application.document_tools import DocumentTools
from quaestor.application.exporting import read_conversations
from quaestor.application.fixing import Fix
from quaestor.application.resolve import DocumentInCorpus
from quaestor.application.saved_conversations import (
    LONGEST_TITLE,
    SavedConversation,
    SavedConversations,
    open_conversations,
)
from quaestor.application.solver_options import NO_OVERRIDES
from quaestor.conversation.events import Event
from quaestor.conversation.turn import Correction, ToolCall, Turn, missing_answer
from quaestor.core.computing import compute
from quaestor.documents.document import Document
from quaestor.documents.shown import shorten_text
from quaestor.errors import (
    BusyError,
    InputError,
    QuestionStoppedError,
    QuestionTimeoutError,
    SettingsError,
    StoreError,
    UnknownConversationError,
    UnknownRunError,
)
from quaestor.evaluation.watchers import TurnBegun, Watcher
from quaestor.exports.rows import ExportedConversation
from quaestor.repair.ledger import Ledger
from quaestor.settings import Settings
from quaestor.solvers.registry import make_solver
from quaestor.store.base import RunStore, open_store
from quaestor.store.records import now

_EXAMPLES = 100
"""The number of documents whose example questions are cached."""

_LOCK_SECONDS = 60.0
"""The seconds to wait for a conversation that another server of the same store uses."""

_TIDY_SECONDS = 60.0
"""The seconds between two checks for idle conversations."""

_LOCK_RETRY_SECONDS = 0.05
"""The seconds between two attempts to lock a conversation."""


@dataclass(frozen=True, slots=True)
class ConversationState:
    """The current state of a conversation, with its document."""

    saved: SavedConversation
    page: DocumentInCorpus
    ledger: Ledger
    answerer: SolverChoice
    unkept: str | None = None

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns, with corrected answers."""
        return self.ledger.turns

    @property
    def document(self) -> Document:
        """The document, with corrected numbers."""
        return self.ledger.document

    def require_turn(self, number: int) -> None:
        """Raise an error if there is no answer with a number, counted from 1."""
        if number > len(self.turns):
            raise UnknownConversationError(missing_answer(number, self.turns))

    @property
    def corrected_page(self) -> DocumentInCorpus:
        """The corrected document with its corpus."""
        return replace(self.page, document=self.document)


@dataclass(frozen=True, slots=True)
class AnsweredNow:
    """The state of a conversation right after a question; `first` is the number of the question's first turn."""

    turns: tuple[Turn, ...]
    first: int
    document: Document
    run: str | None
    unkept: str | None
    page: DocumentInCorpus
    solver: str


Listener = Callable[[str, Event | Turn], None]
"""Called in the event loop with a question of the conversation, and with one of its events or its answer."""


class _EventForwarder(Watcher):
    """Watcher of an open conversation that calls the listener in the event loop, from any thread."""

    def __init__(self, session: "_Session") -> None:
        self._session = session
        self._loop = asyncio.get_running_loop()
        self._question = ""

    async def on_turn(self, begun: TurnBegun) -> None:
        self._question = begun.question

    def on_event(self, index: int, event: Event, call: ToolCall | None) -> None:
        self._pass_on(event)

    async def on_answer(self, index: int, turn: Turn) -> None:
        self._pass_on(turn)

    def _pass_on(self, news: Event | Turn) -> None:
        if (listener := self._session.listener) is not None:
            self._loop.call_soon_threadsafe(listener, self._question, news)


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """Seconds until an idle conversation is closed, and the most open conversations and questions.

    `waiting` is per conversation; `questions` counts all that are in progress or wait.
    """

    idle: float = 900.0
    open: int = 64
    waiting: int = 8
    questions: int = 100


@dataclass(slots=True)
class _Session:
    """A conversation in use.

    Attributes:
        seen: The saved state when the conversation was last used here; if it differs now, another server of the same
            store has continued it.
        asking: The tasks that answer questions or wait to; stopped ones are removed.
    """

    answerer: SolverChoice
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    chat: Chat | None = None
    listener: Listener | None = None
    seen: SavedConversation | None = None
    unlisted: str | None = None
    used: float = field(default_factory=monotonic)
    waiting: int = 0
    asking: "set[asyncio.Task[Any]]" = field(default_factory=set)


class SessionManager:
    """The open conversations of a server, with its documents and its store."""

    def __init__(
        self,
        asking: AskRequest,
        library: DocumentLibrary,
        saved: SavedConversations,
        store: RunStore,
        limits: SessionLimits = SessionLimits(),
        workers: AnswerWorkers | None = None,
    ) -> None:
        self.asking, self.library, self.saved = asking, library, saved
        self._store, self._limits, self._workers = store, limits, workers
        refusal = "too many questions are being answered: ask again in a moment"
        self._questions = ConcurrencyLimiter(limits.questions, refusal)
        self._open: dict[str, _Session] = {}
        self._examples: dict[str, asyncio.Future[tuple[str, ...]]] = {}

    async def begin(self, document: str, title: str = "", answerer: str | None = None) -> SavedConversation:
        """Create a conversation about a document of the library."""
        chosen = DEFAULT if answerer is None else find_answerer(self.asking, answerer).id
        page = await self.library.open(document)
        return self.saved.begin(document, page.document.id, title, chosen)

    async def read_state(self, id: str) -> ConversationState:
        """Return the current state of a conversation without opening it."""
        saved = self.saved.get(id)
        page = await self.library.open(saved.document)
        session = self._open.get(id)
        if session is not None and (chat := session.chat) is not None and not self._is_outdated(session, saved):
            return ConversationState(saved, page, chat.ledger, session.answerer, chat.unkept or session.unlisted)
        ledger = await self._ledger(saved, page)
        return ConversationState(saved, page, ledger, session.answerer if session else self._choice_of(saved))

    async def ask(
        self, id: str, text: str, listener: Listener | None = None, answerer: str | None = None
    ) -> AnsweredNow:
        """Answer a question in a conversation."""
        found = None if answerer is None else find_answerer(self.asking, answerer)
        with self._questions.enter(), self._stoppable(id):
            async with self._lock_session(id) as session:
                if found is not None:
                    await self._change(id, session, found)
                chat = await self._chat(id, session)
                session.listener = listener
                try:
                    turns = await chat.ask(text)
                finally:
                    session.listener = None
                    self._record_progress(id, session, chat)
                first, unkept = len(chat.turns) - len(turns) + 1, chat.unkept or session.unlisted
                return AnsweredNow(chat.turns, first, chat.document, chat.run, unkept, chat.page, session.answerer.name)

    @contextmanager
    def _stoppable(self, id: str) -> Iterator[None]:
        """Let `stop` cancel the current task within the block."""
        asking, task = self._session(id).asking, asyncio.current_task()
        assert task is not None
        asking.add(task)
        try:
            yield
        except asyncio.CancelledError:
            if task in asking:  # cancelled by something other than `stop`
                raise
            task.uncancel()
            raise QuestionStoppedError("the question was stopped before it was answered") from None
        finally:
            asking.discard(task)

    def stop(self, id: str) -> int:
        """Stop the questions of a conversation that are in progress or waiting, and return their number."""
        self.saved.get(id)
        session = self._open.get(id)
        stopped = list(session.asking) if session else []
        for task in stopped:
            task.cancel()
        if session:
            session.asking.clear()
        return len(stopped)

    async def examples(self, id: str) -> tuple[str, ...]:
        """Return example questions that the document is known to answer, found without a model."""
        saved = self.saved.get(id)
        pending = self._examples.get(saved.document)
        if pending is None:
            while len(self._examples) >= _EXAMPLES:
                self._examples.pop(next(iter(self._examples)))
            pending = self._examples[saved.document] = asyncio.ensure_future(self._find_examples(saved.document))
        try:
            return await asyncio.shield(pending)
        except Exception:
            self._examples.pop(saved.document, None)
            raise

    async def _find_examples(self, document: str) -> tuple[str, ...]:
        page = await self.library.open(document)
        settings = replace(self.asking.settings, solver=Settings().solver)
        request = replace(self.asking, settings=settings, overrides=NO_OVERRIDES, model_named=False, solver=None)
        try:
            if self._workers is not None:
                return await self._workers.do(page, request, _examples)
            await _prepare(request)
            return (await find_askable(page, request)).examples
        except QuestionTimeoutError:
            return ()

    async def undo(self, id: str) -> tuple[Turn, ...]:
        """Undo the last question, and return its turns; empty if there are none."""
        async with self._lock_session(id) as session:
            chat = await self._chat(id, session)
            turns = await chat.undo()
            if turns:
                await chat.keep()
            self._record_progress(id, session, chat)
            return turns

    async def correct(self, id: str, fix: Callable[[Ledger], Fix], author: str) -> Correction:
        """Apply a person's correction in a conversation, and compute dependent answers again."""
        async with self._lock_session(id) as session:
            chat = await self._chat(id, session)
            wanted = await compute(fix, chat.ledger)
            if wanted.act is None:
                raise InputError("no correction given: choose one of the possible corrections")
            correction = await chat.correct(wanted.act, author, wanted.reason)
            self._record_progress(id, session, chat)
            return correction

    async def change(self, id: str, answerer: str) -> None:
        """Continue with another solver or model."""
        found = find_answerer(self.asking, answerer)
        async with self._lock_session(id) as session:
            await self._change(id, session, found)

    async def _change(self, id: str, session: _Session, found: SolverChoice) -> None:
        if session.chat is not None and found.id != session.answerer.id:
            await session.chat.change(found.request)
        session.answerer, saved = found, self.saved.get(id)
        if saved.answerer != found.id:
            self._save(session, saved, replace(saved, answerer=found.id))

    async def export(self, id: str) -> ExportedConversation:
        """Return a conversation ready for export."""
        saved = self.saved.get(id)
        session = self._open.get(id)
        if session is not None and session.chat is not None and not self._is_outdated(session, saved):
            async with self._lock_session(id):
                return await session.chat.export()
        if saved.run is None:
            raise InputError("nothing is answered yet: ask something first")
        (found,) = await read_conversations(self._store, saved.run)
        return found

    def rename(self, id: str, title: str) -> SavedConversation:
        """Change the title of a conversation, and return it."""
        before, session = self.saved.get(id), self._open.get(id)
        renamed = self.saved.rename(id, title)
        if session is not None and session.seen == before:
            session.seen = renamed
        return renamed

    async def delete(self, id: str) -> None:
        """Stop the questions of a conversation, and delete it with its runs in the store."""
        self.stop(id)
        async with self._lock_session(id) as session:
            await self._close_chat(session)
            for run in self.saved.get(id).runs:
                with suppress(UnknownRunError):
                    await self._store.delete_run(run)
            self.saved.forget(id)
        self._open.pop(id, None)

    async def close_idle(self) -> None:
        """Close idle conversations, and those beyond the limit."""
        by_use = sorted(self._open.items(), key=lambda item: item[1].used)
        beyond = len(by_use) - self._limits.open
        for number, (id, session) in enumerate(by_use):
            old = monotonic() - session.used > self._limits.idle
            if (old or number < beyond) and not session.lock.locked() and self._resumable(session):
                async with session.lock:
                    await self._close_chat(session)
                if not session.waiting:
                    self._open.pop(id, None)

    async def close(self) -> None:
        """Stop all questions, and close all conversations."""
        for id in list(self._open):
            with suppress(UnknownConversationError):
                self.stop(id)
        for pending in self._examples.values():
            pending.cancel()
        await asyncio.gather(*self._examples.values(), return_exceptions=True)
        for session in list(self._open.values()):
            async with session.lock:
                await self._close_chat(session)
        self._open.clear()

    @asynccontextmanager
    async def _lock_session(self, id: str) -> AsyncIterator[_Session]:
        """Yield a conversation for exclusive use, first come, first served, also among servers of one store."""
        session = self._session(id)
        if session.waiting > self._limits.waiting:
            raise BusyError("too many questions wait in this conversation: wait for their answers")
        session.waiting += 1
        try:
            async with session.lock:
                session.used = monotonic()
                await self._lock(id)
                try:
                    self.saved.get(id)
                    yield session
                finally:
                    self.saved.unlock(id)
        finally:
            session.waiting -= 1
            session.used = monotonic()

    async def _lock(self, id: str) -> None:
        """Wait until no other server uses a conversation."""
        until = monotonic() + _LOCK_SECONDS
        while not self.saved.lock(id):
            if monotonic() > until:
                raise BusyError("this conversation is being used in another server of the same store: try again later")
            await asyncio.sleep(_LOCK_RETRY_SECONDS)

    def _session(self, id: str) -> _Session:
        saved = self.saved.get(id)
        session = self._open.get(id)
        if session is None:
            session = self._open[id] = _Session(self._choice_of(saved))
        return session

    async def _chat(self, id: str, session: _Session) -> Chat:
        """Return the open chat, resumed from the store if it was closed or another server continued it."""
        saved = self.saved.get(id)
        if self._is_outdated(session, saved):
            await self._close_chat(session)
        if session.chat is None:
            await self.close_idle()
            page = await self.library.open(saved.document)
            await _prepare(session.answerer.request)
            chat = Chat(page, session.answerer.request, _EventForwarder(session), self._workers)
            try:
                await chat.open(saved.run)
            except UnknownRunError:  # the run was deleted from the store
                await chat.open()
            session.chat, session.seen = chat, saved
        return session.chat

    def _is_outdated(self, session: _Session, saved: SavedConversation) -> bool:
        """Return whether another server has continued and stored a conversation that is open here."""
        return session.chat is not None and session.seen != saved and saved.run is not None and self._resumable(session)

    def _choice_of(self, saved: SavedConversation) -> SolverChoice:
        """Return the solver choice of a conversation, or the default if it is no longer available."""
        with suppress(InputError):
            return find_answerer(self.asking, saved.answerer)
        return find_answerer(self.asking, DEFAULT)

    async def _ledger(self, saved: SavedConversation, page: DocumentInCorpus) -> Ledger:
        if saved.run is not None:
            with suppress(UnknownRunError):  # the run may have been deleted from the store
                return await read_ledger(self.asking.settings.store, saved.run, page)
        return Ledger(page.document)

    def _record_progress(self, id: str, session: _Session, chat: Chat) -> None:
        """Save the title, runs and size of the conversation; if that fails, the answers are returned all the same."""
        saved, run = self.saved.get(id), chat.run
        runs = saved.runs if run is None or run in saved.runs else (*saved.runs, run)
        title = shorten_text(saved.title or (chat.turns[0].full_question if chat.turns else ""), LONGEST_TITLE)
        try:
            self._save(session, saved, replace(saved, title=title, runs=runs, turns=len(chat.turns), used=now()))
            session.unlisted = None
        except StoreError as error:
            session.unlisted = str(error)

    def _save(self, session: _Session, before: SavedConversation, saved: SavedConversation) -> None:
        self.saved.save(saved)
        if session.seen == before:
            session.seen = saved

    async def _close_chat(self, session: _Session) -> None:
        if session.chat is not None:
            with suppress(StoreError):
                await session.chat.close()
            session.chat = None

    @staticmethod
    def _resumable(session: _Session) -> bool:
        """Return whether a conversation can be closed without loss: an unsaved one exists only while it is open."""
        if session.chat is None or not session.chat.turns:
            return True
        return session.chat.request.keep and session.chat.unkept is None and session.unlisted is None


@asynccontextmanager
async def open_sessions(
    asking: AskRequest, files: Sequence[str] = (), processes: int = 0, limits: SessionLimits = SessionLimits()
) -> AsyncIterator[tuple[SessionManager, DocumentTools, RunStore]]:
    """Yield the services of a server, and close them; without worker processes, this process answers."""
    settings = asking.settings
    async with open_workers(asking, processes) as workers, open_store(settings.store) as store:
        with open_uploads(settings) as uploads, open_conversations(settings) as saved:
            library = DocumentLibrary(files, uploads, asking.cache)
            sessions = SessionManager(asking, library, saved, store, limits, workers)
            closing = asyncio.ensure_future(_close_idle_regularly(sessions))
            try:
                yield sessions, DocumentTools(asking, workers), store
            finally:
                closing.cancel()
                await asyncio.gather(closing, return_exceptions=True)
                await sessions.close()


async def _close_idle_regularly(sessions: SessionManager) -> None:
    while True:
        await asyncio.sleep(_TIDY_SECONDS)
        await sessions.close_idle()


async def _examples(here: WorkerPage) -> tuple[str, ...]:
    return (await find_askable(here.page, here.request)).examples


async def _prepare(request: AskRequest) -> None:
    """Load the data of a solver in a thread, so that the event loop does not wait; it takes a second the first time."""
    if request.solver is None:
        with suppress(SettingsError):  # opening it reports the error
            await asyncio.to_thread(make_solver, request.settings.solver)
