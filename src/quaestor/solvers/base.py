"""Protocols of solvers and the context of a turn."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import ReplyRejected, ToolCalled, Trace
from quaestor.conversation.references.expressions import References
from quaestor.conversation.turn import Memory, ToolCall
from quaestor.core.provenance import Source
from quaestor.core.renaming import renamed_attributes
from quaestor.documents.document import Block, Document
from quaestor.errors import GraphError, MissingModelError, PlanError, QuantityError, SolverError
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.llm.usage import Usage
from quaestor.ontology.ontology import Ontology
from quaestor.questions.question import NO_QUESTION, Question, read_question
from quaestor.readers.cache import ByteCache
from quaestor.retrieval.document_parts import Reading, SentenceQuery

if TYPE_CHECKING:
    from quaestor.llm.models import Connection

T = TypeVar("T")

_LONGEST_QUERY = 600

NO_ANSWER_ERRORS = (SolverError, PlanError, GraphError, QuantityError)
"""Errors of a solver that leave a question unanswered while the conversation continues.

An `OutageError` may be among them and must be caught first."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The part of a document that a question is likely about.

    Attributes:
        weights: For each block index that a search found, the log of the probability that the block contains the
            answer, relative to the most likely block, which has 0.
        normalized: This question and earlier ones by their original text, rewritten in the document's words, if they
            are misspelled or name the company.
    """

    document: Document
    weights: Mapping[int, float] = field(default_factory=dict)
    normalized: Mapping[str, str] = field(default_factory=dict)


class Excerpts(Protocol):
    """Source of the excerpts of one document that questions are answered from."""

    @property
    def is_long(self) -> bool:
        """Whether the document is too long to be shown whole."""
        ...

    def select(self, question: Question, memory: Memory) -> Excerpt:
        """Return the excerpt to answer a question from, including the source blocks of earlier answers."""
        ...

    def search(self, query: str, shown: Document) -> Excerpt:
        """Add the passages that match a query to an excerpt."""
        ...


@dataclass(frozen=True, slots=True)
class WidenedExcerpt:
    """An excerpt extended by a search.

    Attributes:
        found: The blocks that match the query, most likely first, including those shown before; the blocks of a
            section are in document order.
    """

    excerpt: Excerpt
    graph: KnowledgeGraph
    found: Sequence[Block]


Query = str | Reading | SentenceQuery | tuple[Source, ...]
"""A search query: words, a section, the words of a sentence, or the sources of an answer."""

Search = Callable[[Query, Document], WidenedExcerpt]
"""Function that adds the blocks matching a query to the shown document."""


@renamed_attributes(kept="get_or_create")
class Session:
    """State that solvers keep between the turns of one conversation.

    A solver object is shared by concurrent conversations, so it must not store their state itself.

    >>> session, solver = Session(), object()
    >>> session.get_or_create(solver, list).append("read")
    >>> session.get_or_create(solver, list)
    ['read']
    """

    def __init__(self) -> None:
        self._kept: dict[int, tuple[object, Any]] = {}
        self._lock = threading.Lock()

    def get_or_create(self, owner: object, begin: Callable[[], T]) -> T:
        """Return the state of an owner, created on first use.

        No lock is needed to change the state, because the turns of a conversation run one after another.

        Args:
            owner: Key of the state, usually a solver; two solvers of one conversation do not share state.
        """
        with self._lock:
            if id(owner) not in self._kept:
                self._kept[id(owner)] = owner, begin()  # the reference to the owner keeps its id from being reused
            found: T = self._kept[id(owner)][1]
            return found


@dataclass(slots=True)
class TurnContext:
    """Everything that a solver sees besides the question: no store, no settings, no reference answers.

    Attributes:
        document: The page, or the excerpt of a long document that the question is answered from.
        model: The model, if the run has one. The caller counts and records requests to it.
        models: Models for single roles by the solver's role names; `model` serves all other roles.
        feedback: Why earlier answers to this question were rejected, one sentence each; empty on the first attempt.
        references: What the question refers to in earlier turns, resolved by rules; the same for every solver.
        usage: Usage of models other than `model` and `models`, to be added by the solver.
        search: Searches the rest of a long document, used by `widen`; None if the whole document is shown.
    """

    document: Document
    memory: Memory
    graph: KnowledgeGraph
    ontology: Ontology
    model: "Connection | None" = None
    models: "Mapping[str, Connection]" = field(default_factory=dict)
    feedback: tuple[str, ...] = ()
    question: Question = NO_QUESTION
    references: References = field(default_factory=References)
    trace: Trace = field(default_factory=Trace)
    tool_calls: list[ToolCall] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    session: Session = field(default_factory=Session)
    search: Search | None = None
    normalized: Mapping[str, str] = field(default_factory=dict)
    cache: ByteCache | None = None
    searched: bool = field(default=False, init=False)

    @property
    def is_long(self) -> bool:
        """Whether the document is too long to be shown whole: `document` is an excerpt, which may be empty at first."""
        return self.document.whole is not None

    def model_for(self, role: str | None = None) -> "Connection":
        """Return the model of a role, or the turn's model if the role has no separate one.

        Raises:
            MissingModelError: The turn has no model.
        """
        found = self.model if role is None else self.models.get(role, self.model)
        if found is None:
            raise MissingModelError("the solver needs a model, but this turn has none")
        return found

    def widen(self, query: Query) -> Sequence[Block]:
        """Add the blocks of the long document that match a query to the excerpt and return them, most likely first.

        Args:
            query: Words, a section, words of a sentence, or sources. Nothing is found if the whole document is shown.
        """
        if self.search is None:
            return ()
        self.searched = True
        widened = self.search(query, self.document)
        self.document, self.graph = widened.excerpt.document, widened.graph
        return widened.found

    def widen_once(self, question: str, missing: str) -> bool:
        """Widen the excerpt before concluding that it has no answer; return False if nothing was added."""
        shown = self.document
        if not self.searched:
            self.widen(f"{question} {missing}"[:_LONGEST_QUERY])
        return self.document.blocks != shown.blocks

    def note_call(self, call: ToolCall) -> None:
        """Record a tool call in the order of the trace."""
        self.tool_calls.append(call)
        self.trace.append(ToolCalled(call.tool, len(self.tool_calls)))

    def note_rejected(self, phase: str, wanted: str, number: int, faults: tuple[str, ...]) -> None:
        """Record a rejected reply of the model."""
        self.trace.append(ReplyRejected(phase, wanted, number, faults))

    def normalize(self, question: str) -> "tuple[str, TurnContext]":
        """Return the question and the context with all questions in the words of the document.

        Both are returned unchanged if there are no `normalized` questions.
        """
        if not self.normalized:
            return question, self
        turns = tuple(
            replace(turn, question=self.normalized.get(turn.question, turn.question)) for turn in self.memory.turns
        )
        normalized = self.normalized.get(question, question)
        return normalized, replace(self, question=read_question(normalized), memory=Memory(turns))

    def read(self, question: str) -> Question:
        """Return the parsed form of a question; that of this turn is not parsed again."""
        return self.question if question == self.question.text else read_question(question)


@runtime_checkable
class Solver(Protocol):
    """Finds the plan that answers a question. Implementations share no base class.

    A solver object serves several conversations at once. Keep the state of a conversation in `context.session`.
    """

    name: str

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the answer to `question`.

        Raises:
            SolverError: No plan was found; the turn is recorded as wrong and the conversation continues.
            OutageError: A model is not available.
            MissingModelError: The solver needs a model, but the turn has none.
        """
        ...


@runtime_checkable
class WholeSolver(Solver, Protocol):
    """A solver that can answer from a whole long document instead of an excerpt."""

    reads_whole: bool


@runtime_checkable
class LazySolver(Solver, Protocol):
    """A solver that loads its weights when a question first needs them."""

    def load(self) -> None:
        """Load the weights now, for a process that will answer questions soon."""
        ...


@runtime_checkable
class RankingSolver(Solver, Protocol):
    """A solver that yields alternative answers, to replace one that is rejected."""

    def answers(self, question: str, context: TurnContext) -> Iterator[Answer]:
        """Yield the answers to `question`, most likely first, without duplicate results."""
        ...
