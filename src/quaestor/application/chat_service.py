"""A chat: a conversation that takes one question at a time and stores each answer as the next turn of one run.

Undone and interrupted turns stay in the store, in an earlier attempt. Continuing with another solver, or from an
earlier conversation, creates a new run that starts with a copy of the turns.
"""

from contextlib import AsyncExitStack
from dataclasses import replace

from quaestor.application.answer_workers import AnswerWorkers, RemoteRunner, WorkerPage
from quaestor.application.ask_service import (
    ActiveSolver,
    AskRequest,
    AskRunWriter,
    OntologySnapshot,
    load_knowledge,
    make_runner,
    resolve_solver,
    result_after,
)
from quaestor.application.resolve import DocumentInCorpus, require_askable
from quaestor.application.run_service import find_run
from quaestor.application.stored_turns import find_conversation, stored_corrections, turn_of_record
from quaestor.conversation.turn import Act, Correction, Turn, active_corrections
from quaestor.core.computing import compute
from quaestor.datasets.dataset import Conversation, Dataset, check_questions
from quaestor.documents.document import Document
from quaestor.errors import InputError, QuestionError
from quaestor.evaluation.context_selection import PlaceExcerpts
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.recording import describe_failure
from quaestor.evaluation.runner import ConversationRunner
from quaestor.evaluation.watchers import TurnBegun, Watcher, Watchers
from quaestor.exports.rows import ExportedConversation
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.llm.usage import Usage
from quaestor.repair.ledger import Ledger
from quaestor.store.base import open_store

INTERRUPTED = "interrupted"
"""The error of a question that a person interrupted."""


class Chat:
    """A conversation about a document. All calls must come from one event loop, one after the other."""

    def __init__(
        self,
        page: DocumentInCorpus,
        request: AskRequest,
        watcher: Watcher | None = None,
        workers: AnswerWorkers | None = None,
    ) -> None:
        require_askable(page.document)
        self.page: DocumentInCorpus = page
        self.request: AskRequest = request
        self._watcher, self._workers = watcher, workers
        self._unkept: str | None = None
        # Set by `open`, as is `_runner`: the solver, its resources, and the usage of its model before it was opened.
        self._active: ActiveSolver
        self._resources: AsyncExitStack | None = None
        self._used = Usage()
        self._graphs: GraphProvider | None = None
        self._ontology: OntologySnapshot | None = None
        self._excerpts: PlaceExcerpts | None = None
        self._runners, self._runner_id = 0, ""
        self._runner: ConversationRunner | RemoteRunner
        self.ledger = Ledger(page.document)  # only for reading outside of this module
        self._writer: AskRunWriter | None = None
        self._begun = False
        self._failure: BaseException | None = None

    @property
    def document(self) -> Document:
        """The document, with corrected numbers."""
        return self.ledger.document

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The conversation so far, with corrected answers."""
        return self.ledger.turns

    @property
    def run(self) -> str | None:
        """The id of the stored run; None before the first question, or if the conversation is not stored."""
        return self._writer.run if self._writer else None

    @property
    def solver(self) -> str:
        """The name of the solver."""
        return self._active.name

    @property
    def unkept(self) -> str | None:
        """The error if a part of the conversation could not be stored."""
        return self._unkept or (self._writer.unkept if self._writer else None)

    async def open(self, resume: str | None = None) -> None:
        """Prepare for questions; `resume` names a run whose conversation about the document is continued."""
        if resume is not None:
            self.ledger = await read_ledger(self.request.settings.store, resume, self.page)
        self._active, self._resources = await _open_solver(self.request, self._used)
        await self._begin_run()

    async def ask(self, text: str) -> tuple[Turn, ...]:
        """Return the turn of a question, in a tuple of one.

        Raises:
            QuestionError: The question is invalid; nothing was asked.
            QuestionTimeoutError: The question took too long; earlier answers remain.
            QuaestorError: An outage, a setting or missing weights prevented the answer. The conversation may continue.
        """
        check_questions(Conversation(self.document.id, self.document, (text,)))
        if self._failure is not None:
            await self._restart()
        first = len(self.turns)
        try:
            await self._runner.ask(text)
        except QuestionError:
            raise
        except BaseException as failure:
            await self._record_failure(failure)
            raise
        return self.turns[first:]

    async def undo(self) -> tuple[Turn, ...]:
        """Undo the last question, and return its turn in a tuple of one; the tuple is empty if there is none.

        The store keeps the turn in an earlier attempt at the conversation.
        """
        turns = self.turns[-1:]
        if not turns:
            return ()
        self.ledger.take_back(len(self.turns) - 1)
        await self._restart()
        return turns

    async def keep(self) -> None:
        """Store the conversation now, even if nothing was asked since it was resumed."""
        if self._writer is not None and not self._begun:
            await self._keep(self._writer)

    async def correct(self, act: Act, author: str, reason: str = "") -> Correction:
        """Apply a correction, compute dependent answers again without a model, and store it beside the turns."""
        correction = await compute(self.ledger.correct, act, author, reason)
        return await self._apply(correction)

    async def undo_correction(self, author: str, number: int | None = None) -> Correction:
        """Undo a correction, and return the record of the undo."""
        return await self._apply(await compute(self.ledger.undo, author, number))

    @property
    def corrected_last(self) -> bool:
        """Whether the last action was a correction that is still active, rather than a question."""
        active = active_corrections(self.ledger.corrections)
        return bool(active) and active[-1].turns == len(self.turns)

    async def save(self) -> str | None:
        """Store the conversation if it is not stored yet, and return the id of its run, or None if storing failed."""
        if not self.turns:
            raise InputError("no answers yet: ask a question first")
        if self._writer is None:
            self.request = replace(self.request, keep=True)
            await self._begin_run()
        await self.keep()
        return self.run

    async def _apply(self, correction: Correction) -> Correction:
        await self._runner.continue_from(self.turns, self.document, self._current_excerpts())
        if self._writer is not None:
            if self._begun:
                await self._writer.add_corrections(correction)
            else:
                await self._keep(self._writer)
        return correction

    async def change(self, request: AskRequest) -> None:
        """Continue with another solver or model; if it cannot be opened, nothing changes."""
        session = self._active.session
        used = self._used if session is None else session.connection.meter.total
        active, resources = await _open_solver(request, used)
        await self.close()
        self.request, self._active, self._resources, self._used, self._failure = request, active, resources, used, None
        await self._begin_run()

    async def graph(self) -> KnowledgeGraph | None:
        """Return the graph of the facts used so far, or None before the first question."""
        return await self._runner.graph()

    async def export(self) -> ExportedConversation:
        """Return the conversation so far, ready for export."""
        graph = await self.graph()
        if graph is None or not self.turns:
            raise InputError("no answers yet: ask a question first")
        return ExportedConversation(
            self.document.id, graph, tuple(self.turns), active_corrections(self.ledger.corrections)
        )

    async def close(self) -> None:
        """Store how the conversation ended, and release the model and the store."""
        if self._resources is not None:
            if self._writer is not None and self._begun:
                await self._writer.end(await result_after(self._runner, self._failure))
                self._begun = False
            await self._resources.aclose()
            self._resources = None

    def _make_run(self) -> AskRunWriter | None:
        """Return the writer that stores the conversation from its first question on, or None if it is not stored."""
        if not self.request.keep:
            return None
        if self._ontology is None:
            assert self._graphs is not None
            self._ontology = OntologySnapshot.of(self._graphs)
        document = self.page.document
        conversation = Conversation(document.id, document, ())
        return AskRunWriter(self.page, conversation, self._active, self._ontology)

    async def _begin_run(self) -> None:
        await self._load_knowledge()
        self._unkept, self._writer = self.unkept, self._make_run()
        await self._begin()

    async def _begin(self) -> None:
        """Start a new runner that continues from the turns so far. The solver's own state is lost."""
        # The usage of a model is counted by conversation and turn, and a turn may be asked again: use a new id.
        self._runners += 1
        self._runner_id = f"{self.document.id}~{self._runners}"
        watcher = Watchers([one for one in (_LedgerWatcher(self), self._writer, self._watcher) if one is not None])
        runner: ConversationRunner | RemoteRunner
        if self._remote_workers is not None:
            runner = RemoteRunner(self._remote_workers, self.page, self.request, self.document, watcher)
        else:
            excerpts = self._current_excerpts()
            conversation = Conversation(self._runner_id, self.document, ())
            seconds = self.request.settings.question_seconds
            runner = make_runner(conversation, self._active, self._graphs, excerpts, watcher, seconds)
        await runner.begin(self.turns)
        self._runner = runner

    def _current_excerpts(self) -> PlaceExcerpts | None:
        """Return the excerpts of the document with its corrected numbers."""
        if self._excerpts is None or self.document is self.page.document:
            return self._excerpts
        return self._excerpts.over(self.document)

    @property
    def _remote_workers(self) -> AnswerWorkers | None:
        """The workers that answer, or None if only this process has the model or the solver."""
        here = self._active.session is not None or self.request.solver is not None
        return None if here else self._workers

    async def _load_knowledge(self) -> None:
        """Load the ontology, graphs and excerpts in the process that answers."""
        if self._remote_workers is not None:
            self._ontology = self._ontology or await self._remote_workers.do(
                self.page, self.request, _describe_knowledge
            )
        elif self._graphs is None:
            corrected_page = replace(self.page, document=self.document)
            self._graphs, self._excerpts = await load_knowledge(corrected_page, self.request)

    async def _keep(self, writer: AskRunWriter) -> None:
        """Create the run, with the turns answered so far."""
        await writer.begin(self.request.settings.store, self.ledger.answered, self.ledger.corrections)
        self._begun = True
        if writer.run is not None and self.request.on_start is not None:
            self.request.on_start(writer.run)

    async def _restart(self) -> None:
        """Continue from the turns so far in a new attempt; if this is interrupted, the next question retries it."""
        self._failure = self._failure or InterruptedError(INTERRUPTED)
        session = self._active.session
        used = session.take(self._runner_id)[1] if session else Usage()
        await self._begin()
        if self._writer is not None and self._begun:
            await self._writer.restart(self.ledger.answered, used, self.ledger.corrections)
        self._failure = None

    async def _record_failure(self, failure: BaseException) -> None:
        self._failure = failure
        error = describe_failure(failure) if isinstance(failure, Exception) else INTERRUPTED
        broken = self._runner.get_broken_turn(error)
        if self._writer is not None and broken is not None:
            await self._writer.add_broken_turn(len(self.turns), broken)


class _LedgerWatcher(Watcher):
    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    async def on_turn(self, begun: TurnBegun) -> None:
        await self._chat.keep()

    async def on_answer(self, index: int, turn: Turn) -> None:
        self._chat.ledger.add(turn)


async def _open_solver(request: AskRequest, used: Usage) -> tuple[ActiveSolver, AsyncExitStack]:
    stack = AsyncExitStack()
    return await stack.enter_async_context(resolve_solver(request, used)), stack


async def _describe_knowledge(here: WorkerPage) -> OntologySnapshot:
    return OntologySnapshot.of(await here.get_graphs())


async def read_ledger(store: str, run: str, page: DocumentInCorpus) -> Ledger:
    """Return the complete turns of a stored conversation with its corrections."""
    document = page.document
    async with open_store(store, create=False) as opened:
        record = await find_run(opened, run)
        if record.kind != "ask":
            raise InputError(f"run {record.id} is over a dataset: only saved conversations can be resumed")
        name = await find_conversation(opened, record.id, document.id)
        records = [turn for turn in await opened.turns(record.id, name) if turn.status == "complete"]
        corrections = await stored_corrections(opened, record.id, name)
    turns = tuple(map(turn_of_record, records))
    conversation = Conversation(document.id, document, ())
    known = (conversation, replace(conversation, questions=tuple(turn.question for turn in turns)))
    if record.dataset_digest not in {Dataset.of(page.name, "asked", [one]).digest for one in known}:
        raise InputError(
            f"run {record.id} did not finish, or {document.id} has changed since: start a new conversation"
        )
    return Ledger(document, turns, corrections)
