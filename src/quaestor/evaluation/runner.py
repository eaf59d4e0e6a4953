"""One conversation, played: questions one at a time, the solver's own answers as history.

Owns what the solver is shown and the second, independent execution of every plan. Knows nothing of stores, other
conversations or reference answers.
"""

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from quaestor.conversation.answer import Answer
from quaestor.conversation.memory import Memory
from quaestor.conversation.references.resolving import resolve
from quaestor.conversation.turn import Turn
from quaestor.core.computing import compute
from quaestor.core.triples import Triple
from quaestor.datasets.dataset import Conversation
from quaestor.documents.document import Document
from quaestor.errors import (
    BudgetExceededError,
    EngineError,
    GraphError,
    InputError,
    ModelError,
    OntologyError,
    OutageError,
    PlanError,
    QuaestorError,
    QuantityError,
    QuestionError,
    SettingsError,
    SolverError,
    StoreError,
)
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.llm.session import ModelSession
from quaestor.llm.usage import Usage
from quaestor.plan.execute import execute
from quaestor.plan.operations import require_in_range
from quaestor.questions.question import read_question
from quaestor.solvers.base import Solver, TurnContext
from quaestor.solvers.session import Session
from quaestor.store.records import ExampleStatus, now

if TYPE_CHECKING:
    from quaestor.llm.transcript import Exchange

MAX_QUESTION = 10_000

SolverFactory = Callable[[], Solver]

WRONG_ANSWERS = (SolverError, PlanError, GraphError, QuantityError)
"""What a solver may fail with: the turn counts as wrong, and the conversation goes on. Outages apart."""

_MISCONFIGURED = (SettingsError, ModelError, OntologyError, StoreError, EngineError)
"""What no other conversation of a run would be spared, and no answer can be blamed for."""


@dataclass(frozen=True, slots=True)
class ConversationResult:
    """How a conversation went.

    Attributes:
        started: When it was begun.
        finished: When it ended.
        turns: One a question; empty unless `status` is `complete`.
        status: `complete`, `failed` (a page without a graph, a defect in the solver) or `outage`.
        error: Why it is not complete.
        graph: The triples of the page's graph; empty where there is none.
        kg_stats: The counts of the graph.
        exchanges: With the model, as far as they came.
        usage: What they used.
        end: What no other conversation of the run would be spared: the budget is used up, there is no such model, no
            key, no server, no such recording; the solver lacks a setting, a model or its weights.
    """

    started: datetime
    finished: datetime
    turns: tuple[Turn, ...] = ()
    status: ExampleStatus = "complete"
    error: str | None = None
    graph: tuple[Triple, ...] = ()
    kg_stats: Mapping[str, int | str] = field(default_factory=dict)
    exchanges: "tuple[Exchange, ...]" = ()
    usage: Usage = field(default_factory=Usage)
    end: QuaestorError | None = None


def check_questions(conversation: Conversation) -> None:
    """Makes sure that every question of a conversation can be asked.

    Raises:
        QuestionError: One is empty, over 10,000 characters, or not valid text.
    """
    for number, question in enumerate(conversation.questions, start=1):
        where = f"question {number} of {conversation.id}"
        if not question.strip():
            raise QuestionError(f"{where} is empty: ask something")
        if len(question) > MAX_QUESTION:
            raise QuestionError(f"{where} has {len(question):,} characters: {MAX_QUESTION:,} are the most")
        if any("\ud800" <= character <= "\udfff" for character in question):
            raise QuestionError(f"{where} holds half a surrogate pair: the file is not valid Unicode")


async def play_conversation(
    conversation: Conversation, solver: Solver, graphs: GraphProvider | None = None, session: ModelSession | None = None
) -> tuple[Turn, ...]:
    """Returns the turns of a conversation, played in order; independent questions each with an empty memory.

    Args:
        conversation: The page and the questions.
        solver: Who answers.
        graphs: The ontology that the page's graph is built with; by default the page's own.
        session: The model that the solver asks, where it asks one.

    Raises:
        QuestionError: A question cannot be asked; nothing was.
        GapError: The ontology does not have a label of the page, and the policy is `strict`.
        OutageError: A service that the solver needs does not answer.
        MissingModelError: The solver asks a model, and there is none.
        QuaestorError: Anything else that is no fault of an answer: a setting, weights, a store.
    """
    check_questions(conversation)
    document = conversation.document
    if graphs is None:
        graphs = await compute(GraphProvider.of, [document])
    graph, memory, kept = await compute(graphs.graph, document), Memory(), Session()
    turns: list[Turn] = []
    for index, question in enumerate(conversation.questions):
        context = await compute(_context, question, document, memory, graph, graphs, kept)
        if session is None:
            turn = await play_turn(question, context, solver)
        else:
            context.model, context.models = session.connection, session.roles
            with session.asking(conversation.id, index):
                turn = await play_turn(question, context, solver)
            turn = replace(turn, usage=turn.usage + session.used(conversation.id, index))
        turns.append(turn)
        if conversation.chained:
            memory = memory.add(turn)
    return tuple(turns)


def _context(
    question: str, document: Document, memory: Memory, graph: KnowledgeGraph, graphs: GraphProvider, kept: Session
) -> TurnContext:
    """Returns what a solver is given for a question: the question read, and what it points back to resolved."""
    asked = read_question(question)
    return TurnContext(
        document,
        memory,
        graph,
        graphs.ontology,
        question=asked,
        references=resolve(asked, memory),
        session=kept,
    )


async def play_turn(question: str, context: TurnContext, solver: Solver) -> Turn:
    """Returns one turn. What a solver fails with, or its plan (`WRONG_ANSWERS`), leaves it without an answer.

    Args:
        question: As asked.
        context: What the solver is given: page, graph, history, and the model where it asks one.
        solver: Who answers.

    Raises:
        OutageError: A service that the solver needs does not answer.
        MissingModelError: The solver asks a model, and the turn comes without one.
        QuaestorError: Anything else that is no fault of the answer: a setting, weights, a store.
    """
    answer, verified, error = Answer(value=None), False, None
    started = now()
    try:
        answer = await solver.solve(question, context)
        verified = await compute(_verify, answer, context.memory)
    except OutageError:
        raise
    except WRONG_ANSWERS as failure:
        # What the solver said besides the number (its plan above all) stays, for whoever looks into the failure.
        answer, error = replace(answer, value=None, reason=str(failure)), _named(failure)
    return Turn(
        question=question,
        answer=answer,
        verified=verified,
        started=started,
        finished=now(),
        events=context.trace.events,
        references=context.references,
        tool_calls=tuple(context.tool_calls),
        usage=context.usage,
        error=error,
    )


def _verify(answer: Answer, memory: Memory) -> bool:
    """Returns whether the answer's plan, executed again, gives its value.

    Raises:
        PlanError: The plan cannot be run, or the value is no number that can be held.
    """
    if answer.value is None:
        return False
    if answer.number is not None:
        require_in_range(answer.number)
    if answer.plan is None:
        return False
    result = execute(answer.plan, memory.registers).result
    return (result.value, result.scale) == (answer.value, answer.scale)


async def run_conversation(
    conversation: Conversation, solver: Solver, graphs: GraphProvider | None = None, session: ModelSession | None = None
) -> ConversationResult:
    """Returns how a conversation went, whatever the page says and the solver does.

    Args:
        conversation: The page and the questions.
        solver: Who answers.
        graphs: The ontology that the page's graph is built with; by default the page's own.
        session: The model that the solver asks, where it asks one.
    """
    started = now()
    if graphs is None:
        graphs = await compute(GraphProvider.of, [conversation.document])
    try:
        graph = await compute(graphs.graph, conversation.document)
    except GraphError as failure:
        return ConversationResult(started, now(), status="failed", error=_named(failure))
    played = await _attempt(conversation, solver, graphs, session)
    exchanges, usage = session.take(conversation.id) if session else ((), Usage())
    return replace(
        played,
        started=started,
        graph=await compute(graph.triples),
        kg_stats=await compute(graph.statistics),
        exchanges=exchanges,
        usage=usage,
    )


async def _attempt(
    conversation: Conversation, solver: Solver, graphs: GraphProvider, session: ModelSession | None
) -> ConversationResult:
    started = now()
    try:
        turns = await play_conversation(conversation, solver, graphs, session)
    except OutageError as failure:
        # What a person has to mend, and a budget, stop the run; a service in trouble may answer the next one.
        end = failure if isinstance(failure, InputError | BudgetExceededError) else None
        return ConversationResult(started, now(), status="outage", error=_named(failure), end=end)
    except _MISCONFIGURED as failure:
        return ConversationResult(started, now(), status="outage", error=_named(failure), end=failure)
    except Exception as failure:  # noqa: BLE001 - a solver's defect must not cost a long run its other conversations
        frame = traceback.extract_tb(failure.__traceback__)[-1]
        error = f"{_named(failure)} (in {frame.name}, {Path(frame.filename).name}:{frame.lineno})"
        return ConversationResult(started, now(), status="failed", error=error)
    return ConversationResult(started, now(), turns)


def _named(failure: Exception) -> str:
    return f"{type(failure).__name__}: {failure}"
