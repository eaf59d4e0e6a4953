"""Runs a conversation in worker processes, turn by turn; watchers are notified in this process."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from quaestor.application.answer_workers import AnswerWorkers, WorkerPage
from quaestor.application.ask_service import AskRequest, make_runner
from quaestor.application.resolve import DocumentInCorpus
from quaestor.conversation.events import Event
from quaestor.conversation.turn import ToolCall, Turn
from quaestor.core.computing import compute
from quaestor.core.loop_workers import LostWorkerError
from quaestor.core.serial import Triple
from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document
from quaestor.errors import EngineError
from quaestor.evaluation.conversation_result import (
    ConversationResult,
    describe_failure,
    fatal_error,
    status_for_failure,
)
from quaestor.evaluation.runner import ConversationRunner
from quaestor.evaluation.watchers import EventRelay, TurnBegun, Watcher
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.graph.writing import graph_from_triples
from quaestor.llm.usage import Usage
from quaestor.solvers.base import Excerpts
from quaestor.store.records import now

_ATTEMPTS = 2
"""The number of attempts at a question if its worker dies before it has answered."""


@dataclass(frozen=True, slots=True)
class _ConversationSoFar:
    """The earlier turns, and the document if a person corrected it."""

    turns: tuple[Turn, ...]
    document: Document | None


@dataclass(frozen=True, slots=True)
class _ShownGraph:
    """The graph of the facts shown so far; `graph` is empty if the watcher already has it."""

    graph_of: str | None = None
    graph: tuple[Triple, ...] = ()
    statistics: dict[str, int | str] | None = None


class RemoteRunner:
    """A conversation in progress, like `ConversationRunner`; the `JobListener` of its questions."""

    def __init__(
        self, workers: AnswerWorkers, page: DocumentInCorpus, request: AskRequest, document: Document, watcher: Watcher
    ) -> None:
        """Set the conversation, the workers, and the watcher."""
        self._workers, self._page, self._request, self._watcher = workers, page, request, watcher
        self._document = document
        self._started = now()
        self._turns: list[Turn] = []
        self._open: tuple[TurnBegun, list[Event], list[ToolCall]] | None = None
        self._shown = _ShownGraph()
        self._key = secrets.token_bytes(8)
        self._asked = False

    async def begin(self, turns: Sequence[Turn] = ()) -> None:
        """Prepare for the next question, after some turns."""
        self._turns = [*turns]

    async def continue_from(self, turns: Sequence[Turn], document: Document, excerpts: Excerpts | None) -> None:
        """Continue from other turns, and from a document with corrected numbers."""
        self._document, self._open = document, None
        self._key, self._asked = secrets.token_bytes(8), False
        await self.begin(turns)

    async def ask(self, text: str) -> None:
        """Run the next turn; the watcher is notified of it."""
        before = len(self._turns)
        for _ in range(_ATTEMPTS):
            try:
                self._shown = await self._do(partial(_ask, text))
            except LostWorkerError:
                if len(self._turns) > before:
                    break
            else:
                return
        raise EngineError("the worker process that was to answer died (killed, or out of memory): ask again")

    async def graph(self) -> KnowledgeGraph | None:
        """Return the graph of the facts shown so far, or None before the first question."""
        shown: _ShownGraph = await self._do(_get_shown_graph)
        return await compute(graph_from_triples, shown.graph, self._page.document.id) if shown.graph_of else None

    async def _do(self, work: Any) -> Any:
        """Do work in the conversation; the state that the worker lacks is sent."""
        sent = None if self._asked else self._conversation_so_far()
        self._asked = True
        while True:
            result = await self._workers.do(
                self._page, self._request, partial(_do_work, self._key, len(self._turns), sent, work), self, self._key
            )
            if result is not None:
                return result
            sent = self._conversation_so_far()

    def _conversation_so_far(self) -> _ConversationSoFar:
        return _ConversationSoFar(tuple(self._turns), None if self._document is self._page.document else self._document)

    def receive(self, message: tuple[Any, ...]) -> None:
        """Record an event of the open turn, and notify the watcher."""
        _, _, index, event, call = message
        if self._open is not None:
            _, events, calls = self._open
            events.append(event)
            if call is not None:
                calls.append(call)
        self._watcher.on_event(index, event, call)

    async def answer(self, request: tuple[Any, ...]) -> None:
        """Record the start of a turn or its answer, and notify the watcher."""
        match request:
            case ("turn", _, begun):
                begun = replace(begun, history=tuple(self._turns))
                self._open = begun, [], []
                await self._watcher.on_turn(begun)
            case ("answer", _, index, turn):
                await self._watcher.on_answer(index, turn)
                self._turns.append(turn)
                self._open = None

    def get_broken_turn(self, error: str) -> Turn | None:
        """Return the interrupted turn with its events so far; None if no turn is open."""
        if (begun_turn := self._open) is None:
            return None
        begun, events, calls = begun_turn
        return begun.unanswered(error, events, calls)

    async def result(self, failure: Exception | None = None) -> ConversationResult:
        """Return the result of the conversation."""
        error, shown = None if failure is None else describe_failure(failure), self._shown
        return ConversationResult(
            started=self._started,
            finished=max(self._started, now()),
            turns=tuple(self._turns),
            broken=None if error is None else self.get_broken_turn(error),
            status="complete" if failure is None else status_for_failure(failure),
            error=error,
            graph=shown.graph,
            graph_of=shown.graph_of,
            kg_stats=shown.statistics or {},
            exchanges=(),
            usage=Usage(),
            end=fatal_error(failure),
        )


async def _do_work(key: bytes, count: int, so_far: _ConversationSoFar | None, work: Any, here: WorkerPage) -> Any:
    """Do work in a conversation, in a worker; None if the conversation is not cached and was not sent."""
    runner, relay = here.runners.pop(key, (None, None))
    if runner is None or relay is None or len(runner.turns) != count:
        if so_far is None:
            return None
        assert here.line is not None  # this is a worker
        document, relay = so_far.document or here.page.document, EventRelay(here.line, here.page.document.id)
        excerpts = await compute(here.excerpts)
        if excerpts is not None and so_far.document is not None:
            excerpts = excerpts.over(document)
        conversation = Conversation(here.page.document.id, document, ())
        runner = make_runner(conversation, await here.get_active_solver(), await here.get_graphs(), excerpts, relay)
        await runner.begin(so_far.turns)
    result = await work(runner, relay)
    # Only now: an interrupted conversation is restarted from its turns.
    here.keep(key, runner, relay)
    return result


async def _ask(text: str, runner: ConversationRunner, relay: EventRelay) -> _ShownGraph:
    await runner.ask(text)
    graph = await runner.graph()
    if graph is None:
        return _ShownGraph()
    is_known = relay.graph_of == graph.digest_of_document
    return _ShownGraph(graph.digest_of_document, () if is_known else graph.triples(), graph.statistics())


async def _get_shown_graph(runner: ConversationRunner, relay: EventRelay) -> _ShownGraph:
    graph = await runner.graph()
    return _ShownGraph() if graph is None else _ShownGraph(graph.digest_of_document, graph.triples())
