"""A conversation as it is handed on: its questions, its answers step by step, and the facts of its page."""

from dataclasses import dataclass

from quaestor.conversation.answer import Answer
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.execute import StepResult


@dataclass(frozen=True, slots=True)
class ExportedTurn:
    """One question with its answer.

    Attributes:
        question: As asked.
        answer: What was answered.
        registers: What each step of its plan came to; empty where there is no plan.
        error: The named error that left it without an answer, or None.
    """

    question: str
    answer: Answer
    registers: tuple[StepResult, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ExportedConversation:
    """A conversation.

    Attributes:
        id: Its id.
        graph: The facts of the page that it is about.
        turns: In order.
    """

    id: str
    graph: KnowledgeGraph
    turns: tuple[ExportedTurn, ...]
