"""Answer conversations about the facts of a filing with the weights of the package."""

from quaestor.core.answer_value import AnswerValue
from quaestor.facts.table import FactTable
from quaestor.solvers.embedded.filings.deciding import decide_question
from quaestor.solvers.embedded.filings.loading import load_filing_weights
from quaestor.solvers.embedded.filings.turns import PastTurn


def answer_last(table: FactTable, *questions: str) -> AnswerValue:
    """Return the answer to the last question of a conversation."""
    weights = load_filing_weights()
    past: list[PastTurn] = []
    for question in questions:
        best = decide_question(question, past, table, weights).results[0]
        past.append(PastTurn(question, best.proposal.plan, best.right))
    return best.value
