"""Detects cells without a number that a question asks for, and numbers of a kind or time that it does not ask for."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from quaestor.conversation.answer import Answer
from quaestor.core.caching import BoundedCache
from quaestor.core.patterns import lazy_regex
from quaestor.core.periods import find_periods
from quaestor.core.provenance import CellRef
from quaestor.core.words import FUNCTION_WORDS, STOP_WORDS, search_words, singular
from quaestor.documents.document import Document
from quaestor.documents.repairs import Repair, RepairKind
from quaestor.documents.table import Cell, Table
from quaestor.plan.steps import Extract, Plan
from quaestor.questions.question import Question
from quaestor.questions.question_times import QuestionTime, times_asked, without_time_words, years_asked
from quaestor.questions.stems import without_owner
from quaestor.retrieval.colloquial_words import expand_abbreviations, in_words_of_reports
from quaestor.solvers.base import TurnContext
from quaestor.solvers.embedded.page import NumberMatrix
from quaestor.solvers.embedded.period_fit import (
    is_of_change,
    is_of_other_time,
    read_printed_time,
)
from quaestor.solvers.embedded.plan_rules import asks_for_change

_RATE = lazy_regex(r"(?<!\d)\d++(?:\.\d++)?\s*+%")
_ASIDE = lazy_regex(r"\([^()]*+\)")
_NOT_NAMES = frozenset("calculated percent percentage rate % absolute reported value figure amount company".split())
"""Words besides `FUNCTION_WORDS` that do not name another thing beside a line."""
_MOST_LABELS = 2
"""Maximum number of labels in a question."""
_LABELS_CACHE = BoundedCache[str, "dict[Words, list[NamedLine]]"](16)

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NamedLine:
    """Row or column of a table.

    Attributes:
        table: The index of the table.
        place: The index of the row or column.
        is_row: Whether it is a row.
    """

    table: int
    place: int
    is_row: bool


@dataclass(frozen=True, slots=True)
class NamedCells:
    """Cells of a line that a question names, or the cell where a named row and a named column cross.

    Attributes:
        exact: Whether the question names nothing else.
    """

    name: str
    cells: tuple[Cell, ...]
    words: frozenset[str]
    exact: bool

    def at(self, time: QuestionTime, document: Document) -> tuple[Cell, ...]:
        """Return the cells of a time."""
        return tuple(cell for cell in self.cells if _is_at(cell, time, document))


def _find_named_cells(question: Question, document: Document) -> tuple[NamedCells, ...]:
    """Return the cells that a question names by complete labels; none if its other words may mean another cell."""
    labels = _LABELS_CACHE.get(document.digest, lambda: _index_labels(document))
    question_words = _read_words(without_owner(in_words_of_reports(without_time_words(question.lowered))))
    found = tuple(_find_labels(question_words, labels))
    # A function word such as "growth" counts as a label only if no other label is named.
    found = tuple(words for words in found if set(words) - FUNCTION_WORDS) or found
    left = set(question_words) - {word for words in found for word in words} - FUNCTION_WORDS - _NOT_NAMES
    if not 0 < len(found) <= _MOST_LABELS or any(word in label for word in left for label in labels):
        return ()
    lines = [labels[words] for words in found]
    if len(found) == _MOST_LABELS and (crossed := tuple(_cross_lines(lines[0], lines[1], document))):
        words = frozenset(word for label in found for word in label)
        return (NamedCells(_name_cell(crossed[0], document), crossed, words, not left),)
    return tuple(
        NamedCells(_read_label(own[0], document), tuple(_list_cells(own, document)), frozenset(words), not left)
        for words, own in zip(found, lines, strict=True)
    )


def _read_line_cells(cell: CellRef, document: Document) -> NamedCells:
    """Return the cells of the line that contains a cell: its row, or its column if the rows are years."""
    is_row = document.table(cell.table).orientation != "rows"
    line = NamedLine(cell.table, cell.row if is_row else cell.column, is_row)
    label = _read_label(line, document)
    return NamedCells(label, tuple(_list_cells([line], document)), frozenset(_read_words(label)), exact=True)


def _cross_lines(first: Sequence[NamedLine], second: Sequence[NamedLine], document: Document) -> Iterator[Cell]:
    for one in first:
        for other in second:
            if one.table == other.table and one.is_row is not other.is_row:
                row, column = (one, other) if one.is_row else (other, one)
                yield document.table(row.table).cells[row.place][column.place]


def _list_cells(lines: Iterable[NamedLine], document: Document) -> Iterator[Cell]:
    for line in lines:
        yield from _read_cells(document.table(line.table), line)


def _read_label(line: NamedLine, document: Document) -> str:
    table = document.table(line.table)
    return (table.rows if line.is_row else table.columns)[line.place].label


def _name_cell(cell: Cell, document: Document) -> str:
    table = document.table(cell.ref.table)
    return f"{table.rows[cell.ref.row].label}, {table.columns[cell.ref.column].label}"


def _find_labels(words: Words, labels: "dict[Words, list[NamedLine]]") -> Iterator[Words]:
    """Yield the labels contained in some words, longest first, without overlaps."""
    used_places: set[int] = set()
    for size in range(min(len(words), max(map(len, labels), default=0)), 0, -1):
        for start in range(len(words) - size + 1):
            span = range(start, start + size)
            if used_places.isdisjoint(span) and words[start : start + size] in labels:
                used_places.update(span)
                yield words[start : start + size]


def _index_labels(document: Document) -> "dict[Words, list[NamedLine]]":
    """Return the rows and columns with values of a document by the words of their labels."""
    found: dict[Words, list[NamedLine]] = {}
    for table in document.tables:
        for line in _list_lines(table):
            head = table.rows[line.place] if line.is_row else table.columns[line.place]
            plain = _RATE.sub(" ", head.label.lower())
            forms = {head.label, plain, _ASIDE.sub(" ", plain), expand_abbreviations(plain), without_time_words(plain)}
            for words in {_read_words(form) for form in forms}:
                if set(words) - STOP_WORDS and not all(word.isdigit() for word in words):
                    found.setdefault(words, []).append(line)
    return found


def _list_lines(table: Table) -> Iterator[NamedLine]:
    for place in range(table.header_rows, len(table.rows)):
        # A row without cells is a heading of the rows below it.
        if table.rows[place].period is None and any(cell.text.strip() for cell in table.cells[place][1:]):
            yield NamedLine(table.index, place, is_row=True)
    for place in range(1, len(table.columns)):
        if table.columns[place].label and not find_periods(table.columns[place].label):
            yield NamedLine(table.index, place, is_row=False)


def _read_cells(table: Table, line: NamedLine) -> Sequence[Cell]:
    if line.is_row:
        return table.cells[line.place][1:]
    return [row[line.place] for row in table.cells[table.header_rows :]]


def _read_words(label: str) -> Words:
    return tuple(singular(word) for word in search_words(label.lower()))


def _is_at(cell: Cell, time: QuestionTime, document: Document) -> bool:
    if time.is_fine and is_of_other_time(time, cell.ref, document):
        return False
    printed = read_printed_time(document.table(cell.ref.table), cell.ref)
    if time.year is None or printed.year is None:
        return time.year is None or time.year in printed.named
    return time.year in {printed.year, *printed.named} or time.is_fine


def find_lookup(plan: Plan | None) -> Extract | None:
    """Return the step of a plan that only looks something up; None for other plans."""
    step = plan.steps[0] if plan is not None and len(plan.steps) == 1 else None
    return step if isinstance(step, Extract) else None


_LONGEST = 40
"""Maximum number of characters of a cell to display."""


def describe_empty_cell(question: Question, context: TurnContext) -> str | None:
    """Describe the cells that a question asks for if they certainly have no number; otherwise return None.

    This is certain if all cells of the line and the time are empty, a dash or words, and no sentence has a number with
    the year and the words of the line.
    """
    document = context.document
    for named in _find_named_cells(question, document) if question.names else _find_line_before(context):
        for time in _list_times(question, named):
            cells = named.cells if time is None else named.at(time, document)
            cells = cells if asks_for_change(question) else _drop_changes(cells, context)
            if not cells or any(cell.quantities for cell in cells) or _is_in_text(named, time, context):
                continue
            when = "" if time is None else f" for {time.wording}"
            return f"{named.name} {_describe_print(cells)}{when} on the page"
    return None


def describe_other_line(question: Question, plan: Plan | None, context: TurnContext) -> str | None:
    """Describe the missing numbers of the one line that a question names, if a plan uses other lines instead.

    Return None unless the line lacks a number of the time that is asked for, or the two numbers that a change needs.
    """
    named = _find_named_cells(question, context.document)
    sources = [step.source for step in plan.extracts] if plan is not None else []
    if len(named) != 1 or not named[0].exact or not sources or named[0].words <= FUNCTION_WORDS:
        return None
    line, document = named[0], context.document
    if all(not isinstance(source, CellRef) or _is_of(source, line, context) for source in sources):
        return None
    times = [time for time in times_asked(question) if time.year or time.is_fine]
    numbers = [cell for cell in line.cells if cell.quantities]
    for time in times:
        cells = line.at(time, document)
        if not any(cell.quantities for cell in cells):
            return f"{line.name} {_describe_print(cells) if cells else 'has no number'} for {time.wording}"
    if asks_for_change(question) and len(numbers) <= 1:
        return f"{line.name} has no two numbers to compare"
    return None if numbers else f"{line.name} has no number"


def _drop_changes(cells: tuple[Cell, ...], context: TurnContext) -> tuple[Cell, ...]:
    """Drop the cells in columns of changes."""
    document = context.document
    return tuple(cell for cell in cells if not is_of_change(document.table(cell.ref.table), cell.ref))


def _is_of(source: CellRef, line: NamedCells, context: TurnContext) -> bool:
    """Whether a cell is of a line, or of another line whose name contains all its words."""
    if any(cell.ref == source for cell in line.cells):
        return True
    heads = context.document.table(source.table).heads_at(source.row, source.column)
    return line.words <= set(search_words(" ".join(heads).lower()))


def _list_times(question: Question, named: NamedCells) -> list[QuestionTime | None]:
    """Return the times that are asked for, except years in the name of the line ("notes due 2021")."""
    if times := times_asked(question):
        return list(times)
    if question.relative_periods:
        return []
    return [QuestionTime(str(year), year) for year in question.years if str(year) not in named.name] or [None]


def _describe_print(cells: tuple[Cell, ...]) -> str:
    if any(cell.repair == Repair(RepairKind.NO_STORED_VALUE) for cell in cells):
        return "is a formula without a stored value (open the file in a spreadsheet program and save it)"
    text = next((cell.text.strip() for cell in cells if any(map(str.isalnum, cell.text)) and not cell.is_dash), "")
    return f'prints "{text[:_LONGEST]}", which is not a number,' if text else "is empty"


def _find_line_before(context: TurnContext) -> tuple[NamedCells, ...]:
    """Return the line of the last answer, if that was one cell of a table."""
    step = find_lookup(context.memory.answers[-1].plan) if context.memory.answers else None
    if step is None or not isinstance(step.source, CellRef):
        return ()
    return (_read_line_cells(step.source, context.document),)


def _is_in_text(named: NamedCells, time: QuestionTime | None, context: TurnContext) -> bool:
    """Whether a sentence with the words of the line gives a number for the year."""
    year = None if time is None else time.year
    near = (m for m in context.graph.mentions if year is None or str(year) in m.sentence or m.year == year)
    return any(named.words <= set(search_words(m.sentence.lower())) for m in near)


def describe_other_kind(question: Question, nearest: Answer) -> str | None:
    """Describe what a document lacks if the nearest answer is of another kind than the question asks for."""
    asks_whether = question.wants.kind == "yes_no" and nearest.kind == "number"
    return "the two values to compare were not found" if asks_whether else None


# ---- Numbers of another time than a question asks for: "revenue in Q3 2024", but only columns of the first quarter.
#
# A number of another year than the named one may still be an answer, such as that of a debt that is due.


def find_other_time(question: Question, plan: Plan | None, leaves: NumberMatrix, document: Document) -> str | None:
    """Return the time that a question asks for if the numbers of the plan are of another time; otherwise None."""
    times, sources = times_asked(question), [step.source for step in plan.extracts] if plan is not None else []
    if all(time.is_fine for time in times) and len(sources) >= max(1, len(times)):
        lacking = (t.wording for t in times if all(is_of_other_time(t, source, document) for source in sources))
        if (name := next(lacking, None)) is not None:
            return name
    year = _find_other_year(question, plan, leaves)
    return None if year is None else str(year)


def _find_other_year(question: Question, plan: Plan | None, leaves: NumberMatrix) -> int | None:
    """Return the year that a question asks for if the cell that answers it is of another year.

    None for a calculation, if the line of the cell has a number of the year, or if anything is uncertain.
    """
    step = find_lookup(plan)
    asked = years_asked(question)
    leaf = None if step is None or len(asked) != 1 else leaves.find(step)
    if leaf is None or leaves.table[leaf] < 0 or not leaves.year[leaf]:
        return None
    line = leaves.in_line_of(leaf)
    of_year = (leaves.year == asked[0]) | (leaves.other_year == asked[0])
    # A balance on January 1 is also that of the end of the year before.
    of_year |= (leaves.boundary < 0) & (leaves.year == asked[0] + 1)
    # A number of the line without a year may be of the year that is asked for.
    return None if (line & (of_year | (leaves.year == 0))).any() else asked[0]
