"""Runs one conversation: asks its questions one at a time, with the solver's own answers as history.

Interactive questions are turns of such a conversation too.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from time import monotonic

from quaestor.conversation.answer import Answer
from quaestor.conversation.references.expressions import References
from quaestor.conversation.turn import Memory, Turn
from quaestor.core.computing import compute, compute_little, computing_limit, little_work
from quaestor.core.serial import Triple
from quaestor.datasets.dataset import Conversation, check_questions
from quaestor.documents.document import Document
from quaestor.errors import DocumentError, OutageError, QuestionTimeoutError
from quaestor.evaluation.context_selection import ContextSelector
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.recording import (
    FROZEN,
    ConversationResult,
    describe_failure,
    fatal_error,
    named_failure,
    status_for_failure,
)
from quaestor.evaluation.watchers import TurnBegun, Watcher, watched_trace
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.llm.session import ModelSession
from quaestor.llm.usage import Usage
from quaestor.plan.execute import StepResult
from quaestor.questions.question import Question, read_question
from quaestor.readers.cache import ByteCache
from quaestor.solvers.answering import verify_answer
from quaestor.solvers.base import NO_ANSWER_ERRORS, Excerpts, Session, Solver, TurnContext, WholeSolver
from quaestor.store.records import now

SolverFactory = Callable[[], Solver]


async def answer_conversation(
    conversation: Conversation,
    solver: Solver,
    graphs: GraphProvider | None = None,
    session: ModelSession | None = None,
    excerpts: Excerpts | None = None,
) -> tuple[Turn, ...]:
    """Ask all questions of a conversation in order; independent questions get an empty memory.

    Args:
        graphs: The ontology for graphs; by default the document's own.
        excerpts: The excerpts of a long document; None shows all of it.
    """
    return await ConversationRunner(conversation, solver, graphs, session, excerpts=excerpts).run_all_turns()


class ConversationRunner:
    """Conversation in progress; its finished turns remain available even if it fails."""

    def __init__(
        self,
        conversation: Conversation,
        solver: Solver,
        graphs: GraphProvider | None = None,
        session: ModelSession | None = None,
        watcher: Watcher | None = None,
        stored: Sequence[Triple] | None = None,
        excerpts: Excerpts | None = None,
        seconds: float | None = None,
        cache: ByteCache | None = None,
    ) -> None:
        self._seconds, self._cache = seconds, cache
        self._conversation, self._solver, self._graphs, self._session = conversation, solver, graphs, session
        self._watcher, self._stored, self._excerpts = watcher, stored, excerpts
        self._context_selector: ContextSelector | None = None
        self._started = now()
        self._turns: list[Turn] = []
        self._memory, self._solver_session = Memory(), Session()
        self._open: tuple[TurnBegun, TurnContext] | None = None

    async def run_all_turns(self, *, continue_after_timeout: bool = False) -> tuple[Turn, ...]:
        """Ask all questions and return the turns; after a timeout, stop or continue with the next question."""
        check_questions(self._conversation)
        await self.begin()
        for question in self._conversation.questions:
            try:
                await self.run_next_turn(question)
            except QuestionTimeoutError as late:
                if not continue_after_timeout:
                    raise
                await self.add_failed_turn(question, late)
        return tuple(self._turns)

    async def begin(self, turns: Sequence[Turn] = ()) -> None:
        """Prepare for the first question."""
        document, graphs = self._conversation.document, self._graphs
        if document.refusal is not None:
            raise DocumentError(f"{document.id}: {document.refusal}")
        with computing_limit(self._seconds):
            if graphs is None:
                graphs = self._graphs = await compute(GraphProvider.of, [document])
            if self._stored is None and self._excerpts is None:
                self._stored = await graphs.stored(document)
            selector = ContextSelector(document, graphs, self._excerpts, self._stored)
            if self._excerpts is None:
                await compute(selector.graph)
        selector.remember(turns)
        self._context_selector, self._turns, self._memory = selector, [*turns], Memory(tuple(turns))

    async def continue_from(self, turns: Sequence[Turn], document: Document, excerpts: Excerpts | None) -> None:
        """Continue after corrections, with corrected turns and a corrected document."""
        self._conversation = replace(self._conversation, document=document)
        # Graphs, the cache and the solver's session belong to the document before the correction.
        self._excerpts, self._stored, self._solver_session, self._open = excerpts, None, Session(), None
        self._cache = None
        await self.begin(turns)

    @property
    def _solver_reads_whole(self) -> bool:
        """Whether the document is long and the solver reads all of it."""
        solver = self._solver
        long = self._excerpts is not None and self._excerpts.is_long
        return long and isinstance(solver, WholeSolver) and solver.reads_whole

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns so far."""
        return tuple(self._turns)

    async def graph(self) -> KnowledgeGraph | None:
        """Return the graph of everything shown so far, or None."""
        return await compute(self._context_selector.graph) if self._context_selector else None

    async def ask(self, text: str) -> None:
        """Run the next turn with a question as typed, after `begin`."""
        await self.run_next_turn(" ".join(text.split()))

    async def run_next_turn(self, question: str) -> Turn:
        """Run the next turn, after `begin`."""
        selector, graphs = self._context_selector, self._graphs
        assert selector is not None
        assert graphs is not None
        with self._forward_exchanges(), little_work(selector.is_small), computing_limit(self._seconds):
            context, graph = await compute_little(self._make_context, question, selector, graphs)
            of = None if graph is None else graph.digest_of_document
            begun = TurnBegun(len(self._turns), question, now(), self._memory.turns, context.references, of, graph)
            self._open = begun, context
            turn = await self._run_watched_turn(begun, context)
        self._add(turn)
        return turn

    async def add_failed_turn(self, question: str, failure: Exception) -> None:
        """Add a turn without an answer for the next question, because of a failure."""
        index, error = len(self._turns), named_failure(failure)
        turn = self.get_broken_turn(error)
        if turn is None:  # it failed before the watcher was notified
            begun = TurnBegun(index, question, now(), self._memory.turns, References())
            turn = begun.unanswered(error)
            if self._watcher is not None:
                await self._watcher.on_turn(begun)
        if self._watcher is not None:
            await self._watcher.on_answer(index, turn)
        self._add(turn)

    def _add(self, turn: Turn) -> None:
        self._turns.append(turn)
        self._open = None
        if self._context_selector is not None:
            self._context_selector.remember([turn])
        if self._conversation.chained:
            self._memory = self._memory.add(turn)

    def _make_context(
        self, question: str, selector: ContextSelector, graphs: GraphProvider
    ) -> tuple[TurnContext, KnowledgeGraph | None]:
        """Return the solver's context for a question, and for the watcher the graph of everything shown so far."""
        parsed_question = read_question(question)
        selected = selector.select(parsed_question, self._memory, whole=self._solver_reads_whole)
        context = TurnContext(
            selected.excerpt.document,
            self._memory,
            selected.graph,
            graphs.ontology,
            question=parsed_question,
            references=_resolve_references(parsed_question, self._memory),
            session=self._solver_session,
            search=selected.search,
            normalized=selected.excerpt.normalized,
            cache=self._cache,
        )
        return context, selected.graph if self._watcher is None else selector.graph()

    @contextmanager
    def _forward_exchanges(self) -> Iterator[None]:
        if self._session is None or self._watcher is None:
            yield
        else:
            with self._session.exchanges.listen(self._conversation.id, self._watcher.on_exchange):
                yield

    async def _run_watched_turn(self, begun: TurnBegun, context: TurnContext) -> Turn:
        session, watcher, place = self._session, self._watcher, (self._conversation.id, begun.index)
        if watcher is not None:
            context.trace = watched_trace(watcher, begun.index, context)
            await watcher.on_turn(begun)
        if session is None:
            turn = await run_turn(begun.question, context, self._solver)
        else:
            context.model, context.models = session.connection, session.roles
            with session.trace_turn(*place, self._solver.name) as traced:
                turn = await run_turn(begun.question, context, self._solver)
                traced.ended(turn.error, session.used(*place))
            turn = replace(turn, usage=turn.usage + session.used(*place))
        if watcher is not None:
            await watcher.on_answer(begun.index, turn)
        return turn

    async def result(self, failure: Exception | None = None) -> ConversationResult:
        """Return the result of the conversation."""
        id, session = self._conversation.id, self._session
        error = None if failure is None else describe_failure(failure)
        # Before `take`, which drops the exchanges with the usage of the failed turn.
        broken = None if error is None else self.get_broken_turn(error)
        exchanges, usage = session.take(id) if session else ((), Usage())
        graph, triples, statistics = await compute(self._describe_graph)
        return ConversationResult(
            started=self._started,
            finished=max(self._started, now()),
            turns=tuple(self._turns),
            broken=broken,
            status="complete" if failure is None else status_for_failure(failure),
            error=error,
            graph=triples,
            graph_of=graph.digest_of_document if graph else None,
            kg_stats=statistics,
            exchanges=exchanges,
            usage=usage,
            end=fatal_error(failure),
        )

    def _describe_graph(self) -> tuple[KnowledgeGraph | None, tuple[Triple, ...], dict[str, int | str]]:
        """Return the graph of everything shown, its triples, and its statistics."""
        graph = self._context_selector.graph() if self._context_selector else None
        if graph is None:
            return None, (), {}
        return graph, graph.triples(), graph.statistics() | ({} if self._stored is None else {FROZEN: "yes"})

    def get_broken_turn(self, error: str) -> Turn | None:
        """Return the unfinished turn as far as it got, or None."""
        if self._open is None:
            return None
        begun, context = self._open
        used = self._session.used(self._conversation.id, begun.index) if self._session else Usage()
        return begun.unanswered(error, context.trace.events, context.tool_calls, context.usage + used)


def _resolve_references(question: Question, memory: Memory) -> References:
    """Resolve a question's references to earlier turns; the rules are loaded only if there are any."""
    if not memory.turns:
        return References()
    from quaestor.conversation.references.resolving import resolve

    return resolve(question, memory)


async def run_turn(question: str, context: TurnContext, solver: Solver) -> Turn:
    """Ask a solver a question and verify the answer; after `NO_ANSWER_ERRORS` the turn has no value."""
    answer, verified, error = Answer(value=None), False, None
    registers: tuple[StepResult, ...] = ()
    started, began = now(), monotonic()
    try:
        answer = await solver.solve(question, context)
        whole = context.document.whole or context.document
        verified, registers = await compute_little(verify_answer, answer, context.memory, whole)
        answer = _with_doubts(answer, question, context.document)
    except OutageError:
        raise
    except NO_ANSWER_ERRORS as failure:
        # The plan and the rest of the answer are kept, so that the failure can be examined.
        answer, error = replace(answer, value=None, reason=str(failure)), named_failure(failure)
    return Turn(
        question=question,
        answer=answer,
        verified=verified,
        started=started,
        # By the monotonic clock, since the system clock may be changed during the turn.
        finished=started + timedelta(milliseconds=int(1000 * (monotonic() - began))),
        events=context.trace.events,
        references=context.references,
        tool_calls=tuple(context.tool_calls),
        usage=context.usage,
        error=error,
        registers=registers,
    )


def _with_doubts(answer: Answer, question: str, document: Document) -> Answer:
    """Add doubts about the tables that an answer uses to its reason."""
    if answer.value is None or document.is_page:
        return answer
    from quaestor.documents.health import doubts_of_answer

    doubts = doubts_of_answer(document, answer.sources, question)
    return replace(answer, reason="; ".join(filter(None, (answer.reason, *doubts)))) if doubts else answer


async def run_conversation(
    conversation: Conversation,
    solver: Solver,
    graphs: GraphProvider | None = None,
    session: ModelSession | None = None,
    watcher: Watcher | None = None,
    stored: Sequence[Triple] | None = None,
    seconds: float | None = None,
) -> ConversationResult:
    """Run a conversation of a dataset; errors become part of its result, and turns that time out have no answer."""
    excerpts = await compute(graphs.excerpts, conversation.document) if graphs is not None else None
    runner = ConversationRunner(conversation, solver, graphs, session, watcher, stored, excerpts, seconds)
    try:
        await runner.run_all_turns(continue_after_timeout=True)
    except Exception as failure:  # noqa: BLE001 - a solver's defect must not cost a long run its other conversations
        return await runner.result(failure)
    return await runner.result()
