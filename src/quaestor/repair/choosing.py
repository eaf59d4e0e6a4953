"""Applies a person's choice to a plan, and finds the numbers that a person names by labels of row and column.

Never guesses: if several cells match, the error lists them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from quaestor.conversation.answer import Answer
from quaestor.conversation.turn import Choice, OperationChoice, ReadingChoice, SourceChoice
from quaestor.core.parsing import parse_cell
from quaestor.core.provenance import CellRef, SentenceRef, Source
from quaestor.core.quantity import Quantity, Scale
from quaestor.documents.document import Document
from quaestor.documents.table import Header, Table
from quaestor.errors import InputError, unknown_name
from quaestor.plan.operations import OPERATIONS
from quaestor.plan.steps import Compute, Extract, Plan, Step

_CONTEXT_WORDS = 6


def plan_of_reading(answer: Answer, choice: ReadingChoice) -> Plan | None:
    """Return the plan of a reading, with the numbers at the time of the answer."""
    if not choice.reading:
        return answer.plan
    if not 1 <= choice.reading <= len(answer.other_readings):
        count = len(answer.other_readings)
        count_words = f"has {count} other reading{'s' * (count != 1)}" if count else "has no other readings"
        raise InputError(f"answer {choice.turn + 1} {count_words}, so there is no reading {choice.reading + 1}")
    return answer.other_readings[choice.reading - 1].plan


def with_choice(plan: Plan | None, choice: Choice, document: Document) -> Plan:
    """Return a plan with another number for a step, or another operation."""
    if plan is None:
        raise InputError(f"answer {choice.turn + 1} has no steps to correct")
    if isinstance(choice, ReadingChoice):
        return plan
    step = _step(plan, choice)
    if isinstance(choice, SourceChoice):
        return _replace_step(plan, _take_source(step, choice, document))
    return _replace_step(plan, _compute_with(step, choice))


def _step(plan: Plan, choice: SourceChoice | OperationChoice) -> Step:
    if not 1 <= choice.step <= len(plan.steps):
        count_words = f"{len(plan.steps)} step{'s' * (len(plan.steps) != 1)}"
        raise InputError(f"answer {choice.turn + 1} has {count_words}, but not step {choice.step}")
    return plan.steps[choice.step - 1]


def _replace_step(plan: Plan, step: Step) -> Plan:
    return replace(plan, steps=tuple(step if one.id == step.id else one for one in plan.steps))


def _take_source(step: Step, choice: SourceChoice, document: Document) -> Extract:
    if not isinstance(step, Extract):
        raise InputError(
            f"step {choice.step} of answer {choice.turn + 1} computes ({step.operation}) and does not read a cell"
        )
    label, source = place_label(document, choice.source), choice.source
    if step.quantity is None:
        words = " ".join(document.cell(source).text.split()) if isinstance(source, CellRef) else ""
        if not words:
            raise InputError(f"no text at {label}")
        return Extract(step.id, source, label, None, step.reading, text=words)
    quantity = quantity_at(document, source)
    if quantity is None:
        raise InputError(f"no number at {label}")
    return Extract(step.id, source, label, quantity, step.reading)


def _compute_with(step: Step, choice: OperationChoice) -> Compute:
    if not isinstance(step, Compute):
        raise InputError(f"step {choice.step} of answer {choice.turn + 1} reads a number and does not compute")
    if choice.operation not in OPERATIONS:
        raise InputError(unknown_name("operation", choice.operation, OPERATIONS))
    if choice.swapped and len(step.operands) != 2:
        raise InputError(f"step {choice.step} of answer {choice.turn + 1} does not have two operands to swap")
    operands = step.operands[::-1] if choice.swapped else step.operands
    return replace(step, operation=choice.operation, operands=operands)


def quantity_at(document: Document, source: Source) -> Quantity | None:
    """Return the number at a place of a document, or None if there is none."""
    try:
        if isinstance(source, CellRef):
            if min(source.table, source.row, source.column) < 0 or document.cell(source).ref != source:
                raise IndexError
            return document.cell(source).quantity
        mentions = document.sentence(source).mentions
    except (IndexError, LookupError) as error:
        raise InputError(f"{document.id} does not have {place_words(source)}") from error
    return next((mention.quantity for mention in mentions if mention.ref == source), None)


def place_label(document: Document, source: Source) -> str:
    """Return a label for the number at a place: `net revenue, 2008`, or in a sentence the words around it."""
    quantity_at(document, source)
    if isinstance(source, CellRef):
        table = document.table(source.table)
        heads = table.rows[source.row].label, table.columns[source.column].label
        return ", ".join(filter(None, heads)) or place_words(source)
    text = document.sentence(source).text
    before, after = text[: source.start].split()[-_CONTEXT_WORDS:], text[source.end :].split()[:_CONTEXT_WORDS]
    return " ".join((*before, text[source.start : source.end], *after))


def place_words(source: Source) -> str:
    """Describe a place by its numbers, counted from 1."""
    if isinstance(source, SentenceRef):
        return f"{source.section}, sentence {source.sentence + 1}"
    return f"table {source.table + 1}, row {source.row + 1}, column {source.column + 1}"


_SHOWN = 3
_LONGEST_NUMBER = 60


def find_cell(
    document: Document, row: str, column: str, near: Sequence[Source] = (), table: int | None = None, first: int = 1
) -> CellRef:
    """Return the cell with the given labels; among several, one that the answer or its tables use."""
    named = f"{row} | {column}" if column else row
    if table is not None and not first <= table < first + len(document.tables):
        raise InputError(
            f"{document.id} has {len(document.tables)} tables, counted from {first}, but not table {table}"
        )
    tables = document.tables if table is None else document.tables[table - first : table - first + 1]
    found = [pair for one in tables for pair in _cells(one, row, column)]
    least = min((rank for rank, _ in found), default=0)
    best = [ref for rank, ref in found if rank == least]
    used = {source.table for source in near if isinstance(source, CellRef)}
    for narrowed in ([ref for ref in best if ref in near], [ref for ref in best if ref.table in used], best):
        if len(narrowed) == 1:
            return narrowed[0]
    if not best:
        raise InputError(f"{document.id} has no cell {named[:80]!r}: give its row and column labels")
    places = "; ".join(f"table {ref.table + first}: {_label_path(document, ref)}" for ref in best[:_SHOWN])
    more = f" and {len(best) - _SHOWN} more" if len(best) > _SHOWN else ""
    raise InputError(f"{len(best)} cells match {named[:80]!r}: give row and column, or the table ({places}{more})")


def read_corrected(text: str, was: Quantity | None) -> Quantity:
    """Parse a number that a person typed; a scale or unit that it lacks is taken from the earlier reading."""
    typed = " ".join(text.split())
    found = parse_cell(typed) if len(typed) <= _LONGEST_NUMBER else ()
    if len(found) != 1:
        raise InputError(f"{typed[:_LONGEST_NUMBER]!r} is not a number as printed in tables, such as 5,400 or (435)")
    scale = was.scale if was is not None and found[0].scale is Scale.ONE else found[0].scale
    return Quantity(found[0].value, scale, found[0].unit or (was.unit if was is not None else None), typed)


def _cells(table: Table, row: str, column: str) -> Iterator[tuple[int, CellRef]]:
    """Yield cells that match the labels, with their rank: 0 for an exact match."""
    for cell in table.body():
        heads = table.rows[cell.ref.row], table.columns[cell.ref.column]
        for first, second in (heads, heads[::-1]):
            ranks = _rank(first, row), _rank(second, column) if column else 0
            if None not in ranks and (cell.quantity is not None or column):
                yield sum(rank or 0 for rank in ranks), cell.ref
                break


def _rank(header: Header, words: str) -> int | None:
    """Return 0 if a heading equals the words, 1 if it contains them, else None."""
    wanted = _plain(words)
    names = [_plain(name) for name in (header.label, *header.levels, " > ".join(header.levels)) if name]
    if wanted in names or (header.period is not None and wanted == str(header.period.year)):
        return 0
    return 1 if wanted and any(wanted in name for name in names) else None


def _plain(words: str) -> str:
    return " ".join(words.casefold().split()).strip(" :.\"'")


def _label_path(document: Document, ref: CellRef) -> str:
    table = document.table(ref.table)
    return " | ".join(filter(None, (table.rows[ref.row].label, table.columns[ref.column].label)))
