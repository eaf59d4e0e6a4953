"""A year that a question names and the line that answers it does not have: "net sales in 2024" of a report on 2021.

Such a year may stand elsewhere in the document, as that of a debt that is due. Owns how certain it is that the number
of another year is no answer: only of a cell with a year, in a line without a number of the one that was asked for.
"""

from quaestor.plan.steps import Extract, Plan
from quaestor.questions.question import Question
from quaestor.solvers.embedded.page.matrix import NumberMatrix
from quaestor.solvers.embedded.silence.years import years_asked


def other_year_answered(question: Question, plan: Plan | None, leaves: NumberMatrix) -> int | None:
    """Returns the year that a question asks for, where the cell that answers it is of another one.

    None where its line has a number of that year, and where anything is uncertain.

    Args:
        question: What is asked.
        plan: How it is answered; of anything but the look-up of one cell nothing is said.
        leaves: The numbers of the page.
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
