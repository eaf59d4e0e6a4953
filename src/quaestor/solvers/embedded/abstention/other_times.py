"""A number of another time than a question asks for: "revenue in Q3 2024" beside columns of the first quarter.

How two times are compared, `decode.cell_times` says. Of a year alone it says how certain it is that the number of
another one is not an answer: it may stand elsewhere in the document, as that of a debt that is due.
"""

from quaestor.core.provenance import CellRef
from quaestor.documents.document import Document
from quaestor.plan.steps import Extract, Plan
from quaestor.questions.question import Question
from quaestor.questions.times import times_asked, years_asked
from quaestor.solvers.embedded.decode.cell_times import is_of_other_time
from quaestor.solvers.embedded.page.matrix import NumberMatrix


def other_time_answered(question: Question, plan: Plan | None, leaves: NumberMatrix, document: Document) -> str | None:
    """Return the time that a question asks for and an answer's numbers are not of; None if they may be."""
    asked, taken = times_asked(question), [step.source for step in plan.extracts] if plan is not None else []
    if all(time.is_fine for time in asked) and len(taken) >= max(1, len(asked)):
        lacking = (t.said for t in asked if all(is_of_other_time(t, source, document) for source in taken))
        if (said := next(lacking, None)) is not None:
            return said
    year = _other_year(question, plan, leaves)
    return None if year is None else str(year)


def _other_year(question: Question, plan: Plan | None, leaves: NumberMatrix) -> int | None:
    """The year that a question asks for, where the cell that answers it is of another one.

    None of a calculation, where the cell's line has a number of that year, and where anything is uncertain.
    """
    step = plan.steps[0] if plan is not None and len(plan.steps) == 1 else None
    asked = years_asked(question)
    if not isinstance(step, Extract) or step.quantity is None or len(asked) != 1:
        return None
    leaf = leaves.index.get((step.source, step.quantity.value))
    if leaf is None or leaves.table[leaf] < 0 or not leaves.year[leaf]:
        return None
    line = (leaves.table == leaves.table[leaf]) & (leaves.line == leaves.line[leaf])
    of_year = (leaves.year == asked[0]) | (leaves.other_year == asked[0])
    # What there is on the first of January there was at the end of the year before.
    of_year |= (leaves.boundary < 0) & (leaves.year == asked[0] + 1)
    # Where a number of the line has no year, it may be of that one.
    return None if (line & (of_year | (leaves.year == 0))).any() else asked[0]


def is_of_unread_year(question: Question, plan: Plan | None, document: Document) -> bool:
    """Return whether a year is asked for and a cell is told of a table with several columns, of which none has a year.

    Benchmark pages are exempt: its questions name the year of the page, whatever its tables say.

    Args:
        document: The document that contains the cell.
    """
    step = plan.steps[0] if plan is not None and len(plan.steps) == 1 else None
    if document.is_page or not isinstance(step, Extract) or not isinstance(step.source, CellRef):
        return False
    table = document.table(step.source.table)
    said = " ".join(
        (table.title, table.caption, *table.rows[step.source.row].levels, table.rows[step.source.row].label)
    )
    years = [year for year in years_asked(question) if str(year) not in said]
    heads = (*table.columns, *table.rows)
    filled = [cell for cell in table.cells[step.source.row][1:] if cell.quantities]
    return bool(years) and len(filled) > 1 and table.period is None and all(head.period is None for head in heads)
