"""Cells without a number that a question asks for: of a line that it names or means again, and of its time."""

from quaestor.core.provenance import CellRef
from quaestor.core.stop_words import FUNCTION_WORDS
from quaestor.core.words import search_words
from quaestor.documents.repairs import Repair, RepairKind
from quaestor.documents.table import Cell
from quaestor.plan.steps import Extract, Plan
from quaestor.questions.question import Question
from quaestor.questions.times import AskedTime, times_asked
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.abstention.named_lines import NamedCells, cells_beside, named_cells
from quaestor.solvers.embedded.decode.off_question import asks_for_change
from quaestor.solvers.embedded.decode.spoken_periods import is_of_change

_LONGEST = 40
"""Of what a cell prints so much is said at most."""


def empty_cell_asked(question: str, context: TurnContext) -> str | None:
    """Return what the cells say that a question asks for, where none of them has a number; None if one may.

    It is certain where each cell of the line and of a time that is asked for prints nothing, a dash or words, and no
    sentence has a number that the year and the line's words go with.
    """
    read, document = context.read(question), context.document
    for named in named_cells(read, document) if read.names else _line_before(context):
        for time in _times(read, named):
            cells = named.cells if time is None else named.at(time, document)
            cells = cells if asks_for_change(read) else _amounts(cells, context)
            if not cells or any(cell.quantities for cell in cells) or _in_text(named, time, context):
                continue
            when = "" if time is None else f" for {time.said}"
            return f"{named.name} {_printed(cells)}{when} on the page"
    return None


def other_line_taken(question: Question, plan: Plan | None, context: TurnContext) -> str | None:
    """Return the line that a question names and nothing else, where an answer takes numbers of others; None otherwise.

    Only where the line has no number, or not those that a change needs, of the time that is asked for.
    """
    named = named_cells(question, context.document)
    sources = [step.source for step in plan.extracts] if plan is not None else []
    if len(named) != 1 or not named[0].exact or not sources or named[0].words <= FUNCTION_WORDS:
        return None
    line, document = named[0], context.document
    if all(not isinstance(source, CellRef) or _is_of(source, line, context) for source in sources):
        return None
    times = [time for time in times_asked(question) if time.year or time.is_fine]
    numbers = [cell for cell in line.cells if cell.quantities]
    for time in times:
        there = line.at(time, document)
        if not any(cell.quantities for cell in there):
            return f"{line.name} {_printed(there) if there else 'has no number'} for {time.said}"
    if asks_for_change(question) and len(numbers) <= 1:
        return f"{line.name} has no two numbers to compare"
    return None if numbers else f"{line.name} has no number"


def _amounts(cells: tuple[Cell, ...], context: TurnContext) -> tuple[Cell, ...]:
    """The cells that are in no column of changes."""
    document = context.document.whole or context.document
    return tuple(cell for cell in cells if not is_of_change(document.table(cell.ref.table), cell.ref))


def _is_of(source: CellRef, line: NamedCells, context: TurnContext) -> bool:
    """Whether a cell is of a line, or of one whose name has all its words."""
    if any(cell.ref == source for cell in line.cells):
        return True
    table = context.document.table(source.table)
    row, column = table.rows[source.row], table.columns[source.column]
    return line.words <= set(search_words(" ".join((*row.levels, row.label, *column.levels, column.label)).lower()))


def _times(question: Question, named: NamedCells) -> list[AskedTime | None]:
    """The times that are asked for; of a line with a year in its name ("notes due 2021") the other ones."""
    if asked := times_asked(question):
        return list(asked)
    if question.relative_periods:
        return []
    return [AskedTime(str(year), year) for year in question.years if str(year) not in named.name] or [None]


def _printed(cells: tuple[Cell, ...]) -> str:
    if any(cell.repair == Repair(RepairKind.NO_STORED_VALUE) for cell in cells):
        return "is a formula without a stored value (open the file in a spreadsheet program and save it)"
    said = next((cell.text.strip() for cell in cells if any(map(str.isalnum, cell.text)) and not cell.is_dash), "")
    return f'prints "{said[:_LONGEST]}", which is not a number,' if said else "is empty"


def _line_before(context: TurnContext) -> tuple[NamedCells, ...]:
    """The line of the last answer, where that was one cell of a table."""
    plan = context.memory.answers[-1].plan if context.memory.answers else None
    steps = plan.steps if plan is not None else ()
    if len(steps) != 1 or not isinstance(steps[0], Extract) or not isinstance(steps[0].source, CellRef):
        return ()
    return (cells_beside(steps[0].source, context.document),)


def _in_text(named: NamedCells, time: AskedTime | None, context: TurnContext) -> bool:
    """Whether a sentence gives a number for the year that goes with the words."""
    year = None if time is None else time.year
    near = (m for m in context.graph.mentions if year is None or str(year) in m.sentence or m.year == year)
    return any(named.words <= set(search_words(m.sentence.lower())) for m in near)
