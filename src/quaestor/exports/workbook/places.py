"""Assigns the numbers of conversations to cells of a workbook: a sheet per used table, and one for text.

A number is in the same cell as in its table. A number that is not alone in its cell, or that is in a sentence, has a
separate line with the words around it. Conversations about one page share its sheets.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from quaestor.core.free_names import FreeNames
from quaestor.core.provenance import CellRef, Source
from quaestor.core.quantity import Quantity
from quaestor.exports.rows import ExportedConversation
from quaestor.graph.facts import Heading, MentionFact, Observation, TextCell
from quaestor.graph.knowledge_graph import KnowledgeGraph
from quaestor.plan.steps import CellGroup, Compute, Extract, RowRef

_CELL = re.compile(r"(?:[a-z]{1,3}\d{1,7}|r\d*c\d*|r|c|true|false)", re.IGNORECASE)
_LONGEST = 60
_NOT_IN_SHEETS = re.compile(r"[\[\]:*?/\\'\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")
_LONGEST_SHEET = 31


def take_cell_name(wanted: str, names: FreeNames) -> str:
    """Return a valid name that no other cell has, similar to the one wanted.

    >>> names = FreeNames()
    >>> [take_cell_name(wanted, names) for wanted in ("net sales, 2012", "net sales 2012", "tax2012")]
    ['net_sales_2012', 'net_sales_2012_2', 'tax2012_']
    """
    plain = re.sub(r"\W+", "_", wanted, flags=re.ASCII).strip("_").lower()[:_LONGEST] or "number"
    plain = f"_{plain}" if plain[0].isdigit() else plain
    plain = f"{plain}_" if _CELL.fullmatch(plain) else plain
    return names.take(plain)


class SheetNames:
    """Allocates unique names for sheets, regardless of case."""

    def __init__(self, *used: str) -> None:
        # Excel reserves the name History.
        self._used = {name.casefold() for name in (*used, "History")}

    def take(self, wanted: str, ending: str = "") -> str:
        """Return a valid name that no other sheet has, similar to the one wanted.

        >>> names = SheetNames("Text")
        >>> names.take("JKHY/2009/page_28", " T1"), names.take("jkhy 2009 page_28", " T1"), names.take("text")
        ('JKHY 2009 page_28 T1', 'jkhy 2009 page_28 T1 (2)', 'text (2)')
        """
        plain, end = (" ".join(_NOT_IN_SHEETS.sub(" ", part).split()) for part in (wanted, ending))
        end = f" {end}" if end else ""
        again = 1
        while True:
            last = end if again == 1 else f"{end} ({again})"
            name = f"{plain[: _LONGEST_SHEET - len(last)].strip()}{last}".strip() or "Sheet"
            if name.casefold() not in self._used:
                self._used.add(name.casefold())
                return name
            again += 1


TEXT_SHEET = "Text"
_SUFFIXES = (".gz", ".pdf", ".html", ".htm", ".xlsx", ".csv", ".md", ".txt")

PlanInput = tuple[Source, Quantity]
"""An input of plans: the place of a number, and the number."""


@dataclass(frozen=True, slots=True)
class InputCell:
    """The cell of an input in the workbook, with a note if the number was corrected."""

    sheet: str
    row: int
    column: int
    name: str
    quantity: Quantity
    note: str | None = None


@dataclass(frozen=True, slots=True)
class TableSheet:
    """The sheet of a table."""

    name: str
    document: str
    section: str
    caption: str
    texts: dict[tuple[int, int], str]
    numbers: dict[tuple[int, int], Quantity]


@dataclass(frozen=True, slots=True)
class QuotedNumber:
    """A number with the words around it."""

    words: str
    printed: str
    document: str
    section: str


@dataclass(frozen=True, slots=True)
class Places:
    """The cells of all inputs of conversations."""

    inputs: tuple[dict[PlanInput, InputCell], ...]
    cells: tuple[InputCell, ...]
    tables: tuple[TableSheet, ...]
    lines: tuple[QuotedNumber, ...]


def places_of(conversations: Sequence[ExportedConversation], names: FreeNames, sheets: SheetNames) -> Places:
    """Assign a cell to each number that the plans of conversations use."""
    pages = _pages([conversation.graph for conversation in conversations])
    inputs_of = [_label_inputs(conversation) for conversation in conversations]
    tables = _tables(conversations, pages, inputs_of, sheets)
    cells: dict[tuple[int, PlanInput], InputCell] = {}
    lines: list[QuotedNumber] = []
    for conversation, page, labels in zip(conversations, pages, inputs_of, strict=True):
        for (source, quantity), label in labels.items():
            if (page, (source, quantity)) in cells:
                continue
            name = take_cell_name(label, names)
            sheet = tables.get((page, source.table)) if isinstance(source, CellRef) else None
            place = (source.row + 1, source.column) if isinstance(source, CellRef) else (0, 0)
            if sheet is None or sheet.numbers.get(place) != quantity:
                lines.append(_quote(source, quantity, conversation.graph))
                cell = InputCell(TEXT_SHEET, len(lines), 0, name, quantity, conversation.note(source))
            else:
                cell = InputCell(sheet.name, *place, name, quantity, conversation.note(source))
            cells[page, (source, quantity)] = cell
    inputs = tuple({pair: cells[page, pair] for pair in labels} for page, labels in zip(pages, inputs_of, strict=True))
    return Places(inputs, tuple(cells.values()), tuple(tables.values()), tuple(lines))


def _pages(graphs: Sequence[KnowledgeGraph]) -> list[int]:
    """Return the number of the page of each graph; graphs of one document are of one page unless their facts conflict.

    Conversations show different parts of a long document, and two files may have the same name.
    """
    known: dict[str, list[tuple[int, dict[tuple[Source, int], Quantity]]]] = {}
    numbers: list[int] = []
    for graph in graphs:
        facts: tuple[Observation | MentionFact, ...] = (*graph.observations, *graph.mentions)
        printed = {(fact.source, fact.order): fact.quantity for fact in facts}
        candidates = known.setdefault(graph.document, [])
        for number, others in candidates:
            if all(others.get(place, quantity) == quantity for place, quantity in printed.items()):
                others.update(printed)
                numbers.append(number)
                break
        else:
            candidates.append((1 + max(numbers, default=-1), printed))
            numbers.append(candidates[-1][0])
    return numbers


def _tables(
    conversations: Sequence[ExportedConversation],
    pages: Sequence[int],
    labelled: Sequence[Iterable[PlanInput]],
    sheets: SheetNames,
) -> dict[tuple[int, int], TableSheet]:
    """Return the sheets of the tables that are used, by page and index of the table."""
    used: dict[tuple[int, int], str] = {}
    for page, pairs in zip(pages, labelled, strict=True):
        used.update({(page, ref.table): ref.document for ref, _ in pairs if isinstance(ref, CellRef)})
    alone = len({page for page, _ in used}) == 1
    table_sheets: dict[tuple[int, int], TableSheet] = {}
    for (page, index), document in sorted(used.items()):
        short = reduce(str.removesuffix, _SUFFIXES, document)
        name = sheets.take(f"Table {index + 1}") if alone else sheets.take(short, f"T{index + 1}")
        parts = (
            _table(one.graph, index, name) for one, about in zip(conversations, pages, strict=True) if about == page
        )
        first = next(parts)
        for other in parts:
            first.texts.update({**other.texts, **first.texts})
            first.numbers.update(other.numbers)
        table_sheets[page, index] = first
    return table_sheets


def _quote(source: Source, quantity: Quantity, graph: KnowledgeGraph) -> QuotedNumber:
    """Return a number with the words around it."""
    if isinstance(source, CellRef):
        section = next((fact.section for fact in graph.tables if fact.index == source.table), "")
        words = next((fact.label for fact in graph.observations if fact.source == source), "")
    else:
        section, place = source.section, (source.section, source.sentence)
        mentions = (fact for fact in graph.mentions if (fact.source.section, fact.source.sentence) == place)
        words = next((fact.sentence for fact in mentions), "")
    return QuotedNumber(words, quantity.text, source.document, " > ".join(graph.path_of(section)))


def _label_inputs(conversation: ExportedConversation) -> dict[PlanInput, str]:
    """Return the numbers that plans use, each with its first label."""
    labels: dict[PlanInput, str] = {}
    for turn in conversation.turns:
        steps = turn.answer.plan.steps if turn.answer.plan is not None and turn.registers else ()
        names = {variable.source: variable.name for variable in turn.answer.variables if variable.source is not None}
        for step in steps:
            for number, label in _step_inputs(step, names):
                labels.setdefault(number, label)
    return labels


def _step_inputs(step: Extract | Compute, names: Mapping[Source, str]) -> Iterator[tuple[PlanInput, str]]:
    """Yield the numbers that a step takes from the page, each with its label."""
    if isinstance(step, Extract):
        if step.quantity is not None:
            yield (step.source, step.quantity), names.get(step.source, step.label)
        return
    for operand in step.operands:
        if isinstance(operand, RowRef | CellGroup):
            labels = operand.labels if isinstance(operand, CellGroup) else ("",) * len(operand.values)
            for source, quantity, label in zip(operand.sources, operand.values, labels, strict=True):
                yield (source, quantity), f"{operand.text} {label}"


def _table(graph: KnowledgeGraph, index: int, name: str) -> TableSheet:
    """Return a table rebuilt from the facts of the page, with each cell one row lower than on the page."""
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
    section = " > ".join(graph.path_of(fact.section)) if fact else ""
    return TableSheet(name, graph.document, section, fact.caption if fact else "", texts, numbers)
