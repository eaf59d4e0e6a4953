"""A simple `Excerpts`: the tables that share the most words with a question, and those of earlier answers."""

from quaestor.conversation.turn import Memory
from quaestor.documents.document import Document
from quaestor.documents.table import Table
from quaestor.questions.question import Question
from quaestor.questions.stems import stems
from quaestor.solvers.base import Excerpt


class WordExcerpts:
    """Select tables by shared words and record the queries."""

    is_long = True

    def __init__(self, document: Document, most: int = 1) -> None:
        self.document, self.most = document, most
        self.queries: list[str] = []

    def select(self, question: Question, memory: Memory) -> Excerpt:
        self.queries.append(question.text)
        earlier = {self.document.block(source).order for answer in memory.answers for source in answer.sources}
        found = self._best(question.stems)
        return Excerpt(self.document.excerpt({*earlier, *found}))

    def search(self, query: str, shown: Document) -> Excerpt:
        self.queries.append(query)
        found = self._best(stems(query))
        return Excerpt(self.document.excerpt({*found, *(block.order for block in shown.blocks)}), found)

    def _best(self, wanted: tuple[str, ...]) -> dict[int, float]:
        scores = {
            block.order: float(len({*wanted} & {*_words(self.document, block.content)}))
            for block in self.document.blocks
            if isinstance(block.content, Table)
        }
        best = sorted(scores, key=lambda order: -scores[order])[: self.most]
        return {order: scores[order] - scores[best[0]] for order in best}


def _words(document: Document, table: Table) -> tuple[str, ...]:
    title = document.section_of(table).title
    return stems(" ".join((title, table.title, *(row.label for row in table.rows))))
