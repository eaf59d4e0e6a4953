"""A solver that explains how the first row of the first table grew, with a quoted sentence and a threshold."""

from decimal import Decimal

from quaestor.conversation.answer import Answer
from quaestor.core.provenance import SentenceRef
from quaestor.documents.document import Document
from quaestor.plan.steps import Compute, Constant, Extract, Plan, Ref, Step
from quaestor.solvers.answering import answer_from_plan
from quaestor.solvers.base import TurnContext

SENTENCES = ("It changed by {#4} to {#2}, above {#5} <b>.", 'The report says "{#1}" [#1].')


class ExplainingSolver:
    """Answer with a value and an explanation, or with an explanation alone if the question starts with "why"."""

    name = "explaining"

    async def solve(self, question: str, context: TurnContext) -> Answer:
        steps = explaining_steps(context.document)
        if question.startswith("why"):
            named = tuple(Ref(step.id) for step in steps)
            return answer_from_plan(Plan((*steps, Compute(6, "explain", named)), explanation=SENTENCES), context)
        value = Compute(6, "identity", (Ref(4),))
        return answer_from_plan(Plan((*steps, value), explanation=SENTENCES), context, question=question)


def explaining_steps(document: Document) -> tuple[Step, ...]:
    """Return steps for a sentence, two numbers of a row, their relative change and a threshold."""
    table = document.tables[0]
    one, other = [cell for row in table.cells[1:] for cell in row[1:] if cell.quantity is not None][:2]
    sentence = document.sentences[0]
    place = SentenceRef(document.id, sentence.section, sentence.index, 0, len(sentence.text))
    return (
        Extract(1, place, "why", None, text=sentence.text),
        Extract(2, one.ref, "one", one.quantity),
        Extract(3, other.ref, "other", other.quantity),
        Compute(4, "percentage_change", (Ref(2), Ref(3))),
        Compute(5, "identity", (Constant(Decimal("0.05"), "5%"),)),
    )
