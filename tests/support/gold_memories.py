"""Labelled conversations with their reference answers in memory, including cells and periods."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from gold_plans import GoldPlans

from quaestor.conversation.turn import Memory, Turn
from quaestor.documents.document import Document
from quaestor.evaluation.knowledge import GraphProvider
from quaestor.learning.examples import Example
from quaestor.learning.references import LabelledReference, labelled_references
from quaestor.plan.expressions import TableRows, benchmark_rows, bind_labels
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext

WHEN = datetime(2026, 1, 5, 9, 30, tzinfo=UTC)


@dataclass(frozen=True)
class GoldConversation:
    """A conversation with all its reference answers."""

    example: Example
    memory: Memory

    def references(self) -> Iterator[LabelledReference]:
        """Yield each question but the first, with the memory of the turns before it."""
        for item in labelled_references([self.example]):
            yield replace(item, memory=Memory(self.memory.turns[: item.turn]))


def gold_conversations(examples: Sequence[Example]) -> Iterator[GoldConversation]:
    """Answer every turn with its reference program, in conversations that come with their page."""
    documents = [example.document for example in examples if example.document is not None]
    provider = GraphProvider.of(documents)
    for example in examples:
        if example.document is None:
            continue
        graph, memory, rows = provider.graph(example.document), Memory(), table_rows(example.document)
        plans = GoldPlans(graph)
        for question, gold in zip(example.questions, example.gold, strict=True):
            plan = bind_labels(plans.add(question, gold.program), rows)
            context = TurnContext(example.document, memory, graph, provider.ontology)
            answer = answer_from_plan(plan, context, question=question)
            memory = memory.add(Turn(question, answer, verified=True, started=WHEN, finished=WHEN))
        yield GoldConversation(example, memory)


def table_rows(document: Document) -> list[TableRows]:
    """Return the rows of each table as operations over rows read them."""
    return [
        benchmark_rows([[(cell.text, cell.ref) for cell in row] for row in table.cells]) for table in document.tables
    ]
