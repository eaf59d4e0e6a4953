"""The interface of solvers: the context of a turn, and the protocols."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from quaestor.conversation.answer import Answer
from quaestor.conversation.events import ReplyRejected, ToolCalled, Trace
from quaestor.conversation.references.expressions import References
from quaestor.conversation.turn import Memory, ToolCall
from quaestor.core.provenance import Source
from quaestor.documents.document import Block, Document
from quaestor.errors import GraphError, MissingModelError, PlanError, QuantityError, SolverError
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.llm.usage import Usage
from quaestor.ontology.ontology import Ontology
from quaestor.questions.question import NO_QUESTION, Question, read_question
from quaestor.retrieval.document_parts import Reading, SentenceQuery

if TYPE_CHECKING:
    from quaestor.llm.models import Connection

T = TypeVar("T")

_LONGEST_QUERY = 600

NO_ANSWER_ERRORS = (SolverError, PlanError, GraphError, QuantityError)
"""Errors of a solver that leave a question without an answer while the conversation continues.

An `OutageError` may be one of them, and has to be handled before."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The part of a document that a question is likely about.

    Attributes:
        document: The blocks that were taken, as `Document.excerpt` gives them; a short document whole.
        weights: The log of how likely a block has the answer, by the block's place, relative to the likeliest block,
            which has 0. Blocks without a weight are unknown. Empty if the document is taken whole.
        normalized: Questions in the words of the document, by their original text: this one and earlier ones if they
            are misspelled or name the company.
    """

    document: Document
    weights: Mapping[int, float] = field(default_factory=dict)
    normalized: Mapping[str, str] = field(default_factory=dict)


class Excerpts(Protocol):
    """The excerpts of one document that questions are answered from."""

    @property
    def is_long(self) -> bool:
        """Whether the document is too long to be shown whole."""
        ...

    def select(self, question: Question, memory: Memory) -> Excerpt:
        """Return what a question is answered from, with the blocks of the sources of earlier answers."""
        ...

    def search(self, query: str, shown: Document) -> Excerpt:
        """Return what is shown with the places that fit a query added to it.

        Args:
            shown: An excerpt, all of which stays.
        """
        ...


@dataclass(frozen=True, slots=True)
class WidenedExcerpt:
    """An excerpt that a search has added to.

    Attributes:
        found: The blocks that fit the query, those among them that were shown before too, the likeliest first; those of
            a section in their order.
    """

    excerpt: Excerpt
    graph: KnowledgeGraph
    found: Sequence[Block]


Query = str | Reading | SentenceQuery | tuple[Source, ...]
"""What is looked for: places that words name, a section, sentences that have words, or the sources of an answer."""

Search = Callable[[Query, Document], WidenedExcerpt]
"""Widens what is shown by what is found."""


class Session:
    """The state that solvers keep between the turns of one conversation.

    Conversations that run at the same time share a solver object, which therefore has no state of any of them.

    >>> session, solver = Session(), object()
    >>> session.kept(solver, list).append("read")
    >>> session.kept(solver, list)
    ['read']
    """

    def __init__(self) -> None:
        """Hold nothing yet."""
        self._kept: dict[int, tuple[object, Any]] = {}
        self._lock = threading.Lock()

    def kept(self, owner: object, begin: Callable[[], T]) -> T:
        """Return what an owner keeps of the conversation.

        The turns of a conversation follow each other, so what is kept needs no lock of its own.

        Args:
            owner: Who keeps it, mostly a solver: two solvers of one conversation do not meet.
            begin: Makes what is kept, the first time that the owner asks; always of one type for one owner.
        """
        with self._lock:
            if id(owner) not in self._kept:
                self._kept[id(owner)] = owner, begin()  # with the owner, so that no other one gets its id
            found: T = self._kept[id(owner)][1]
            return found


@dataclass(slots=True)
class TurnContext:
    """All that a solver sees besides the question: no store, no settings, no reference answers.

    Attributes:
        document: The page; of a long document the excerpt that the question is answered from.
        model: The model to ask, of a run that has one. What is asked is counted and kept by whoever plays the turn.
        models: Other models for single roles, by the names that a solver gives its roles; `model` plays all others.
        feedback: Why an earlier answer to this question was not accepted, a sentence each; empty for the first.
        references: What the question refers to of the turns before it, by rule; the same for every solver.
        tool_calls: The calls of tools, in order. Append only, by `note_call`.
        usage: What a solver has asked of models besides `model` and `models`, which are counted for it; it adds to it.
        session: What solvers keep of the conversation between its turns; of a turn played alone, nothing.
        weights: How likely an answer is in a block of an excerpt, as `Excerpt.weights`; empty of a page.
        search: Finds more of a long document, for `widen`; None if all of it is shown.
        normalized: Questions in the words of the document, as `Excerpt.normalized`.
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
    weights: Mapping[int, float] = field(default_factory=dict)
    search: Search | None = None
    normalized: Mapping[str, str] = field(default_factory=dict)
    searched: bool = field(default=False, init=False)

    @property
    def is_long(self) -> bool:
        """Whether the document is too long to be shown whole: what is shown is an excerpt, empty at first for some."""
        return self.document.whole is not None

    def model_for(self, role: str | None = None) -> "Connection":
        """Return the model to ask: that of a role if it has one of its own, else the turn's.

        Raises:
            MissingModelError: The turn comes without one.
        """
        found = self.model if role is None else self.models.get(role, self.model)
        if found is None:
            raise MissingModelError("the solver needs a model, but this turn has none")
        return found

    def widen(self, query: Query) -> Sequence[Block]:
        """Return the blocks of the long document that fit a query, the likeliest first; all of them are shown then.

        Args:
            query: Words, a section, words of a sentence, or sources. If all of a document is shown, nothing is found.
        """
        if self.search is None:
            return ()
        self.searched = True
        widened = self.search(query, self.document)
        self.document, self.graph = widened.excerpt.document, widened.graph
        return widened.found

    def widen_once(self, question: str, missing: str) -> bool:
        """Show more of a long document before it is believed not to have an answer; False if that was done before."""
        shown = self.document
        if not self.searched:
            self.widen(f"{question} {missing}"[:_LONGEST_QUERY])
        return self.document.blocks != shown.blocks

    def note_call(self, call: ToolCall) -> None:
        """Put a call of a tool on record, in the order of everything else."""
        self.tool_calls.append(call)
        self.trace.append(ToolCalled(call.tool, len(self.tool_calls)))

    def note_rejected(self, phase: str, wanted: str, number: int, faults: tuple[str, ...]) -> None:
        """Put a model's reply that could not be used on record."""
        self.trace.append(ReplyRejected(phase, wanted, number, faults))

    def normalize(self, question: str) -> "tuple[str, TurnContext]":
        """Return the question in the words of the document, and the context with all questions in these words.

        Without `normalized` questions both are returned unchanged.
        """
        if not self.normalized:
            return question, self
        turns = tuple(
            replace(turn, question=self.normalized.get(turn.question, turn.question)) for turn in self.memory.turns
        )
        meant = self.normalized.get(question, question)
        return meant, replace(self, question=read_question(meant), memory=Memory(turns))

    def read(self, question: str) -> Question:
        """Return the parsed question of this turn; any other question is parsed now."""
        return self.question if question == self.question.text else read_question(question)


@runtime_checkable
class Solver(Protocol):
    """Finds the plan that answers a question. Implementations share no base class.

    One solver answers several conversations at a time. State of a conversation belongs in `context.session`.
    """

    name: str

    async def solve(self, question: str, context: TurnContext) -> Answer:
        """Return the answer to `question`.

        Raises:
            SolverError: No plan was found; the turn is recorded as wrong and the conversation goes on.
            OutageError: A model that it asks is not available.
            MissingModelError: It asks a model, but the turn does not have one.
        """
        ...


@runtime_checkable
class WholeSolver(Solver, Protocol):
    """A solver that can answer from the whole of a long document instead of an excerpt.

    Attributes:
        reads_whole: Whether it does, with its options.
    """

    reads_whole: bool


@runtime_checkable
class LazySolver(Solver, Protocol):
    """A solver that loads what it learned when a question needs it."""

    def load(self) -> None:
        """Load it now, in a process that is to answer soon."""
        ...


@runtime_checkable
class RankingSolver(Solver, Protocol):
    """A solver that has several answers, so that the next one can replace one that is not accepted."""

    def answers(self, question: str, context: TurnContext) -> Iterator[Answer]:
        """Yield the answers to `question`, the likeliest first, each result once."""
        ...
