"""One conversation, played: questions one at a time, the solver's own answers as history."""

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
from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document
from quaestor.errors import (
    DocumentError,
    GraphError,
    OutageError,
    PlanError,
    QuantityError,
    QuestionTimeoutError,
    SolverError,
)
from quaestor.evaluation.checked_questions import check_questions
from quaestor.evaluation.conversation_result import FROZEN, ConversationResult
from quaestor.evaluation.excerpting import ContextSelector
from quaestor.evaluation.failures import describe_failure, fatal_error, named_failure, status_for_failure
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.evaluation.watchers import TurnBegun, Watcher, watched_trace
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.llm.session import ModelSession
from quaestor.llm.usage import Usage
from quaestor.plan.execute import StepResult
from quaestor.questions.question import Question, read_question
from quaestor.solvers.answering import verified_answer
from quaestor.solvers.base import Excerpts, Session, Solver, TurnContext, WholeSolver
from quaestor.store.records import now

SolverFactory = Callable[[], Solver]

WRONG_ANSWERS = (SolverError, PlanError, GraphError, QuantityError)
"""What a solver may fail with: the turn counts as wrong, and the conversation goes on. Outages apart."""


async def play_conversation(
    conversation: Conversation,
    solver: Solver,
    graphs: GraphProvider | None = None,
    session: ModelSession | None = None,
    excerpts: Excerpts | None = None,
) -> tuple[Turn, ...]:
    """Return the turns of a conversation, played in order; independent questions each with an empty memory.

    Args:
        graphs: The ontology that graphs are built with; by default the document's own.
        excerpts: What finds the parts of a long document; None shows all of it.

    Raises:
        QuestionError: A question cannot be asked; nothing was.
        GapError: The ontology does not have a label of the page, and the policy is `strict`.
        OutageError: A service that the solver needs does not answer.
        MissingModelError: The solver asks a model, and there is none.
        QuaestorError: Anything else that is not a fault of an answer: a setting, weights, a store.
    """
    return await ConversationRunner(conversation, solver, graphs, session, excerpts=excerpts).turns_to_end()


class ConversationRunner:
    """One conversation while it is played: what has been answered stays, however it ends."""

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
    ) -> None:
        """Take what is played, by whom and with what, who hears of it, and what finds the parts of a long document.

        Args:
            graphs: The ontology that graphs are built with; by default the document's own.
            watcher: Who hears of it as it happens.
            stored: The page's graph, if it is frozen.
            excerpts: What finds the parts of a long document; None shows all of it.
            seconds: How long a turn may compute; waiting for a model does not count. None means no limit.
        """
        self._seconds = seconds
        self._conversation, self._solver, self._graphs, self._session = conversation, solver, graphs, session
        self._watcher, self._stored, self._excerpts = watcher, stored, excerpts
        self._shown: ContextSelector | None = None
        self._started = now()
        self._turns: list[Turn] = []
        self._memory, self._solver_session = Memory(), Session()
        self._open: tuple[TurnBegun, TurnContext] | None = None

    async def turns_to_end(self, *, late_fail: bool = False) -> tuple[Turn, ...]:
        """Play all turns, and return them.

        Args:
            late_fail: Whether a turn that takes too long is left without an answer; otherwise it ends the play.

        Raises:
            QuestionError: A question cannot be asked; nothing was.
            QuestionTimeoutError: A turn took too long.
            QuaestorError: Whatever is no fault of an answer: an outage, a setting, weights, a store.
        """
        check_questions(self._conversation)
        await self.begin()
        for question in self._conversation.questions:
            try:
                await self.next_turn(question)
            except QuestionTimeoutError as late:
                if not late_fail:
                    raise
                await self.fail_turn(question, late)
        return tuple(self._turns)

    async def begin(self, turns: Sequence[Turn] = ()) -> None:
        """Make ready to ask.

        Args:
            turns: What was asked and answered before, which is the conversation so far; nobody hears of it.
        """
        document, graphs = self._conversation.document, self._graphs
        if document.refusal is not None:
            raise DocumentError(f"{document.id}: {document.refusal}")
        with computing_limit(self._seconds):
            if graphs is None:
                graphs = self._graphs = await compute(GraphProvider.of, [document])
            if self._stored is None and self._excerpts is None:
                self._stored = await graphs.stored(document)
            shown = ContextSelector(document, graphs, self._excerpts, self._stored)
            if self._excerpts is None:
                await compute(shown.graph)
        shown.remember(turns)
        self._shown, self._turns, self._memory = shown, [*turns], Memory(tuple(turns))

    async def go_on(self, turns: Sequence[Turn], document: Document, excerpts: Excerpts | None) -> None:
        """Goes on with another conversation so far, and a document in which a person corrected numbers.

        Args:
            turns: What was asked so far, with the answers that hold.
            document: What is asked about from now on.
            excerpts: What finds the parts of that document; None shows all of it.
        """
        self._conversation = replace(self._conversation, document=document)
        # What was made of the document as it was read is not of this one, nor what the solver has kept of it.
        self._excerpts, self._stored, self._solver_session, self._open = excerpts, None, Session(), None
        await self.begin(turns)

    @property
    def _reads_whole(self) -> bool:
        """Whether the solver reads the document, a long one, whole."""
        solver = self._solver
        long = self._excerpts is not None and self._excerpts.is_long
        return long and isinstance(solver, WholeSolver) and solver.reads_whole

    @property
    def turns(self) -> tuple[Turn, ...]:
        """What was answered so far."""
        return tuple(self._turns)

    async def graph(self) -> KnowledgeGraph | None:
        """Return the graph of all that was shown so far; None if nothing was."""
        return await compute(self._shown.graph) if self._shown else None

    async def ask(self, text: str) -> None:
        """Play the turn of a text, once it has begun. The watcher is given it.

        Raises:
            QuestionTimeoutError: It took too long.
        """
        await self.next_turn(" ".join(text.split()))

    async def next_turn(self, question: str) -> Turn:
        """Play the next turn, once it has begun.

        Raises:
            QuestionTimeoutError: It took too long.
        """
        shown, graphs = self._shown, self._graphs
        assert shown is not None
        assert graphs is not None
        with self._let_watcher_hear(), little_work(shown.little), computing_limit(self._seconds):
            context, graph = await compute_little(self._make_context, question, shown, graphs)
            of = None if graph is None else graph.digest_of_document
            begun = TurnBegun(len(self._turns), question, now(), self._memory.turns, context.references, of, graph)
            self._open = begun, context
            turn = await self._turn(begun, context)
        self._add(turn)
        return turn

    async def fail_turn(self, question: str, failure: Exception) -> None:
        """Leave the next question without an answer, because of a failure, and go on with the conversation."""
        index, error = len(self._turns), named_failure(failure)
        turn = self.broken(error)
        if turn is None:  # it failed before anybody was told of it
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
        if self._shown is not None:
            self._shown.remember([turn])
        if self._conversation.chained:
            self._memory = self._memory.add(turn)

    def _make_context(
        self, question: str, shown: ContextSelector, graphs: GraphProvider
    ) -> tuple[TurnContext, KnowledgeGraph | None]:
        """Return what a solver is given for a question, and the graph of all that was shown by then."""
        context = _read_context(question, shown, self._memory, graphs, self._solver_session, whole=self._reads_whole)
        return context, context.graph if self._watcher is None else shown.graph()

    @contextmanager
    def _let_watcher_hear(self) -> Iterator[None]:
        """Let the watcher hear what the model is asked."""
        if self._session is None or self._watcher is None:
            yield
        else:
            with self._session.exchanges.listen(self._conversation.id, self._watcher.on_exchange):
                yield

    async def _turn(self, begun: TurnBegun, context: TurnContext) -> Turn:
        session, watcher, place = self._session, self._watcher, (self._conversation.id, begun.index)
        if watcher is not None:
            context.trace = watched_trace(watcher, begun.index, context)
            await watcher.on_turn(begun)
        if session is None:
            turn = await play_turn(begun.question, context, self._solver)
        else:
            context.model, context.models = session.connection, session.roles
            with session.asking(*place, self._solver.name) as traced:
                turn = await play_turn(begun.question, context, self._solver)
                traced.ended(turn.error, session.used(*place))
            turn = replace(turn, usage=turn.usage + session.used(*place))
        if watcher is not None:
            await watcher.on_answer(begun.index, turn)
        return turn

    async def result(self, failure: Exception | None = None) -> ConversationResult:
        """Return how the conversation went.

        Args:
            failure: What `turns_to_end` ended with, where it did.
        """
        id, session = self._conversation.id, self._session
        error = None if failure is None else describe_failure(failure)
        # Before `take` forgets the exchanges: what the turn that broke off has used is among them.
        broken = None if error is None else self.broken(error)
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
        """Return the graph of all that was shown, its triples, and what is counted of it."""
        graph = self._shown.graph() if self._shown else None
        if graph is None:
            return None, (), {}
        return graph, graph.triples(), graph.statistics() | ({} if self._stored is None else {FROZEN: "yes"})

    def broken(self, error: str) -> Turn | None:
        """Return the turn that broke off, as far as it came; None if none is open.

        Args:
            error: Why it did.
        """
        if self._open is None:
            return None
        begun, context = self._open
        used = self._session.used(self._conversation.id, begun.index) if self._session else Usage()
        return begun.unanswered(error, context.trace.events, context.tool_calls, context.usage + used)


def _read_context(
    question: str, parts: ContextSelector, memory: Memory, graphs: GraphProvider, session: Session, *, whole: bool
) -> TurnContext:
    """Return what a solver is given for a question: the question read, and what it points back to resolved."""
    asked = read_question(question)
    shown = parts.of(asked, memory, whole=whole)
    return TurnContext(
        shown.excerpt.document,
        memory,
        shown.graph,
        graphs.ontology,
        question=asked,
        references=_resolve_references(asked, memory),
        session=session,
        weights=shown.excerpt.weights,
        search=shown.search,
        meant=shown.excerpt.meant,
    )


def _resolve_references(asked: Question, memory: Memory) -> References:
    """Return what a question refers to of earlier turns; the rules are loaded if there are any."""
    if not memory.turns:
        return References()
    from quaestor.conversation.references.resolving import resolve

    return resolve(asked, memory)


async def play_turn(question: str, context: TurnContext, solver: Solver) -> Turn:
    """Return one turn. What a solver fails with, or its plan (`WRONG_ANSWERS`), leaves it without an answer.

    Args:
        context: What the solver is given: page, graph, history, and the model where it asks one.

    Raises:
        OutageError: A service that the solver needs does not answer.
        MissingModelError: The solver asks a model, and the turn comes without one.
        QuaestorError: Anything else that is not a fault of the answer: a setting, weights, a store.
    """
    answer, verified, error = Answer(value=None), False, None
    registers: tuple[StepResult, ...] = ()
    started, began = now(), monotonic()
    try:
        answer = await solver.solve(question, context)
        whole = context.document.whole or context.document
        verified, registers = await compute_little(verified_answer, answer, context.memory, whole)
        answer = _with_doubts(answer, question, context.document)
    except OutageError:
        raise
    except WRONG_ANSWERS as failure:
        # What the solver said besides the number (its plan above all) stays, for whoever looks into the failure.
        answer, error = replace(answer, value=None, reason=str(failure)), named_failure(failure)
    return Turn(
        question=question,
        answer=answer,
        verified=verified,
        started=started,
        # How long it took, though somebody sets the clock meanwhile.
        finished=started + timedelta(milliseconds=int(1000 * (monotonic() - began))),
        events=context.trace.events,
        references=context.references,
        tool_calls=tuple(context.tool_calls),
        usage=context.usage,
        error=error,
        registers=registers,
    )


def _with_doubts(answer: Answer, question: str, document: Document) -> Answer:
    """Return an answer about a file with what a reader should doubt of the tables that it rests on."""
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
    """Return how a conversation went, whatever the page says and the solver does.

    A turn that takes too long has no answer, and the conversation goes on. A long document is shown in parts.

    Args:
        graphs: The ontology that the page's graph is built with; by default the page's own.
        watcher: Who hears of it as it happens.
        stored: The page's graph, where it is frozen and `graphs` cannot ask the store; by default it is asked.
        seconds: How long a turn may compute; None means no limit.
    """
    parts = await compute(graphs.excerpts, conversation.document) if graphs is not None else None
    play = ConversationRunner(conversation, solver, graphs, session, watcher, stored, parts, seconds)
    try:
        await play.turns_to_end(late_fail=True)
    except Exception as failure:  # noqa: BLE001 - a solver's defect must not cost a long run its other conversations
        return await play.result(failure)
    return await play.result()
