"""Where the numbers of a conversation stand in a workbook: a sheet for each table that is used, one for the text.

A number stands in the cell that its table prints it in. One that is not alone in its cell, or stands in a sentence, has
a line of its own beside the words around it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.core.quantity import Quantity
from quaestor.exports.conversation import ExportedConversation
from quaestor.exports.workbook.names import CellNames
from quaestor.graph.facts import Heading, Observation, TextCell
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.steps import CellGroup, Compute, Extract, RowRef

TEXT_SHEET = "Text"

Taken = tuple[Source, Quantity]
"""A number that plans take, and where it is printed."""


@dataclass(frozen=True, slots=True)
class InputCell:
    """A number that answers rest on, in its cell of the workbook.

    Attributes:
        sheet: The sheet's name.
        row: From 0.
        column: From 0.
        name: What formulas call it.
        quantity: As printed.
    """

    sheet: str
    row: int
    column: int
    name: str
    quantity: Quantity


@dataclass(frozen=True, slots=True)
class TableSheet:
    """A table of the page.

    Attributes:
        name: The sheet's name.
        caption: What is printed over the table, or "".
        texts: Headings and cells of words, by row and column from 0.
        numbers: The numbers, likewise.
    """

    name: str
    caption: str
    texts: dict[tuple[int, int], str]
    numbers: dict[tuple[int, int], Quantity]


@dataclass(frozen=True, slots=True)
class QuotedNumber:
    """A number beside the words that it stands in.

    Attributes:
        words: The sentence, or the whole cell with its row and column.
        printed: The number as printed.
    """

    words: str
    printed: str


@dataclass(frozen=True, slots=True)
class Places:
    """All inputs of a conversation.

    Attributes:
        inputs: By the place on the page and the number there.
        tables: One sheet a table.
        lines: Of the sheet of the text, from its second row on.
    """

    inputs: dict[Taken, InputCell]
    tables: tuple[TableSheet, ...]
    lines: tuple[QuotedNumber, ...]


def places_of(conversation: ExportedConversation, names: CellNames) -> Places:
    """Returns where each number that the plans of a conversation take stands in its workbook.

    Args:
        conversation: The conversation.
        names: Gives out the names of cells.
    """
    wanted = dict.fromkeys(pair for pair, _ in _taken(conversation))
    labels = dict(reversed(list(_taken(conversation))))
    used = sorted({source.table for source, _ in wanted if isinstance(source, CellRef)})
    tables = {index: _table(conversation.graph, index) for index in used}
    inputs: dict[Taken, InputCell] = {}
    lines: list[QuotedNumber] = []
    for source, quantity in wanted:
        name = names.take(labels[source, quantity])
        sheet = tables.get(source.table) if isinstance(source, CellRef) else None
        place = (source.row + 1, source.column) if isinstance(source, CellRef) else (0, 0)
        if sheet is not None and sheet.numbers.get(place) == quantity:
            inputs[source, quantity] = InputCell(sheet.name, *place, name, quantity)
        else:
            lines.append(QuotedNumber(_around(source, conversation.graph), quantity.text))
            inputs[source, quantity] = InputCell(TEXT_SHEET, len(lines), 0, name, quantity)
    return Places(inputs, tuple(tables.values()), tuple(lines))


def _taken(conversation: ExportedConversation) -> Iterator[tuple[Taken, str]]:
    """Yields the numbers that plans take, with what each is called."""
    for turn in conversation.turns:
        steps = turn.answer.plan.steps if turn.answer.plan is not None and turn.registers else ()
        called = {variable.source: variable.name for variable in turn.answer.variables if variable.source is not None}
        for step in steps:
            if isinstance(step, Extract):
                if step.quantity is not None:
                    yield (step.source, step.quantity), called.get(step.source, step.label)
            else:
                yield from _of_groups(step)


def _of_groups(step: Compute) -> Iterator[tuple[Taken, str]]:
    for operand in step.operands:
        if isinstance(operand, RowRef):
            for source, quantity in zip(operand.sources, operand.values, strict=True):
                yield (source, quantity), operand.text
        elif isinstance(operand, CellGroup):
            for source, quantity, label in zip(operand.sources, operand.values, operand.labels, strict=True):
                yield (source, quantity), f"{operand.text} {label}"


def _table(graph: KnowledgeGraph, index: int) -> TableSheet:
    """Returns a table as the facts of the page have it, each cell where the page has it, one row lower."""
    fact = next((table for table in graph.tables if table.index == index), None)
    texts: dict[tuple[int, int], str] = {}
    printed: dict[tuple[int, int], list[Observation]] = {}
    heads: dict[int, Heading] = {}
    cells: tuple[Observation | TextCell, ...] = (*graph.observations, *graph.text_cells)
    for cell in (cell for cell in cells if cell.source.table == index):
        row, column = cell.source.row + 1, cell.source.column
        texts[row, 0] = " > ".join(dict.fromkeys((*cell.row.levels, cell.row.label)))
        heads[column] = cell.column
        if isinstance(cell, Observation):
            printed.setdefault((row, column), []).append(cell)
        else:
            texts[row, column] = cell.text
    first = min((row for row, _ in (*printed, *texts)), default=1)
    for column, head in heads.items():
        texts[first - 1, column] = " > ".join(dict.fromkeys((*head.levels, head.label)))
    numbers: dict[tuple[int, int], Quantity] = {}
    for place, found in printed.items():
        if len(found) == 1:
            numbers[place] = found[0].quantity
        else:
            texts[place] = " ".join(one.quantity.text for one in found)
    return TableSheet(f"Table {index + 1}", fact.caption if fact else "", texts, numbers)


def _around(source: Source, graph: KnowledgeGraph) -> str:
    """Returns the words that a number stands in."""
    if isinstance(source, SentenceRef):
        found = next((m for m in graph.mentions if (m.source.section, m.source.sentence) == _sentence(source)), None)
        return found.sentence if found is not None else ""
    cell = next((o for o in graph.observations if o.source == source), None)
    return cell.label if cell is not None else ""


def _sentence(source: SentenceRef) -> tuple[str, int]:
    return source.section, source.sentence
