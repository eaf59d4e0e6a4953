"""A number of another kind than a question asks for: no yes or no, no count of those things."""

from quaestor.conversation.answer import Answer
from quaestor.core.provenance import CellRef
from quaestor.documents.document import Document
from quaestor.plan.steps import Extract
from quaestor.questions.question import Question
from quaestor.solvers.embedded.decode.kinds_asked import KindAsked, kind_asked
from quaestor.solvers.embedded.decode.spoken_periods import is_adjusted, spoken_period
from quaestor.solvers.embedded.page.matrix import NumberMatrix
from quaestor.solvers.embedded.page.number import CandidateNumber


def other_kind_answered(question: Question, nearest: Answer, leaves: NumberMatrix, document: Document) -> str | None:
    """Return what a document lacks, in words, where the number found is none of those that a question asks for."""
    if question.wants.kind == "yes_no" and nearest.kind == "number":
        return "the two values to compare were not found"
    if not document.is_page and (lacking := _undue_summed(question, nearest, leaves, document)):
        return lacking
    step = nearest.plan.steps[0] if nearest.plan is not None and len(nearest.plan.steps) == 1 else None
    if document.is_page or not isinstance(step, Extract) or step.quantity is None:
        return None
    leaf, asked = leaves.index.get((step.source, step.quantity.value)), kind_asked(question)
    if leaf is not None and not asked.is_met(leaves.leaves[leaf], document):
        return asked.lacking
    return _other_basis(question, step.source, document) if isinstance(step.source, CellRef) else None


def _other_basis(question: Question, source: CellRef, document: Document) -> str | None:
    """What is lacking where an adjusted amount is asked for and one as reported was found, or the reverse."""
    table, asked = document.table(source.table), is_adjusted(question.text)
    row, column = table.rows[source.row], table.columns[source.column]
    if asked:
        heads = (*row.levels, row.label, *column.levels, column.label, table.title, table.caption)
        return None if any(map(is_adjusted, heads)) else "this line has no adjusted number"
    if question.stands_alone and is_adjusted(row.label) and not spoken_period(question).restated:
        return "the document has this line adjusted only"
    return None


def _undue_summed(question: Question, nearest: Answer, leaves: NumberMatrix, document: Document) -> str | None:
    """What is lacking where several numbers are calculated with, and one is of nothing that is due as asked."""
    asked = kind_asked(question)
    if nearest.plan is None or not (asked.within or asked.due) or len(nearest.plan.steps) == 1:
        return None
    taken = (leaves.index.get((s.source, s.quantity.value)) for s in nearest.plan.extracts if s.quantity is not None)
    due = all(leaf is None or _falls_due(asked, leaves.leaves[leaf], document) for leaf in taken)
    return None if due else asked.lacking


def _falls_due(asked: KindAsked, leaf: CandidateNumber, document: Document) -> bool:
    if asked.is_met(leaf, document):
        return True
    # The sum of several years to come is one of what is due within them.
    heads = [leaf.year, leaf.other_year]
    return asked.within and any(year > _reported(document) for year in heads if year)


def _reported(document: Document) -> int:
    """The latest year that columns of the document are of, as the statements have it."""
    tables = (document.whole or document).tables
    years = [
        c.period.year for table in tables for c in table.columns if c.period is not None and c.period.kind == "date"
    ]
    return max(years, default=0)
