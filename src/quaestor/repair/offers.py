"""Lists possible corrections of an answer: other readings, the likeliest other cells for each step, other operations.

Each offer is computed before it is shown; one that cannot be computed is left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quaestor.conversation.answer import OtherReading
from quaestor.conversation.display import show_number, show_source
from quaestor.conversation.turn import (
    Act,
    Choice,
    NumberCorrection,
    OperationChoice,
    ReadingChoice,
    SourceChoice,
    Undo,
    active_corrections,
    missing_answer,
)
from quaestor.core.provenance import CellRef, Source
from quaestor.core.renaming import renamed_fields
from quaestor.documents.document import Document
from quaestor.errors import InputError
from quaestor.plan.steps import Compute, Extract
from quaestor.repair.ledger import Ledger

_CELLS = 6
"""The maximum number of other cells offered for a step."""
_ROWS_AWAY = 3
_OPERATIONS = ("subtract", "percentage_change", "divide", "percentage", "add", "multiply", "average")


@renamed_fields(says="description", gives="result")
@dataclass(frozen=True, slots=True)
class Offer:
    """A possible correction, with its description and the resulting answer."""

    act: Act
    description: str
    result: str


def possible_corrections(ledger: Ledger, turn: int) -> tuple[Offer, ...]:
    """Return the possible corrections of an answer: readings, then cells by step, then operations."""
    if not 0 <= turn < len(ledger.turns):
        raise InputError(missing_answer(turn + 1, ledger.turns))
    found: list[Offer] = []
    for choice, words in _choices(ledger, turn):
        try:
            would_be = ledger.would_be(choice)[turn]
        except InputError:
            continue
        offer = Offer(choice, words, show_number(would_be.answer))
        if would_be.error is None and not _is_redundant(offer, found, show_number(ledger.turns[turn].answer)):
            found.append(offer)
    return tuple(found)


def _is_redundant(offer: Offer, found: Sequence[Offer], now: str) -> bool:
    """Return whether an operation gives the current answer, or the same as another operation offered."""
    if not isinstance(offer.act, OperationChoice):
        return False
    return offer.result in (now, *(one.result for one in found if isinstance(one.act, OperationChoice)))


def _choices(ledger: Ledger, turn: int) -> Iterator[tuple[Choice, str]]:
    given, now = ledger.answered[turn].answer, ledger.turns[turn].answer
    acts = (correction.act for correction in active_corrections(ledger.corrections))
    if given.plan is not None and any(
        not isinstance(act, NumberCorrection | Undo) and act.turn == turn for act in acts
    ):
        yield ReadingChoice(turn, 0), "original reading"
    for number, reading in enumerate(given.other_readings, start=1):
        yield ReadingChoice(turn, number), f"read as: {reading.description or reading.shown}"
    if now.plan is None:
        return
    for step in now.plan.steps:
        if isinstance(step, Extract):
            if step.quantity is not None:
                for source in _other_sources(step, ledger.document, given.other_readings):
                    yield SourceChoice(turn, step.id, source), f"step {step.id}: {_words(source, ledger.document)}"
        elif len(step.operands) == 2:
            yield from _operations(step, turn)


def _operations(step: Compute, turn: int) -> Iterator[tuple[Choice, str]]:
    if step.operation in _OPERATIONS:
        for operation in _OPERATIONS:
            if operation != step.operation:
                words = operation.replace("_", " ")
                yield OperationChoice(turn, step.id, operation), f"step {step.id}: {words}"
    yield OperationChoice(turn, step.id, step.operation, swapped=True), f"step {step.id}: swap the operands"


def _other_sources(step: Extract, document: Document, readings: tuple[OtherReading, ...]) -> list[Source]:
    """Return the numbers closest to the one of a step: those of other readings, of its row, of its column."""
    read = [other.source for reading in readings for other in reading.plan.extracts if other.quantity is not None]
    near = (
        _near_in_table(step.source, document)
        if isinstance(step.source, CellRef)
        else [mention.ref for mention in document.sentence(step.source).mentions]
    )
    found = [source for source in dict.fromkeys((*read, *near)) if source != step.source]
    return found[:_CELLS]


def _near_in_table(cell: CellRef, document: Document) -> list[Source]:
    body = [one.ref for one in document.table(cell.table).body() if one.quantity is not None]
    row = [ref for ref in body if ref.row == cell.row]
    column = [ref for ref in body if ref.column == cell.column and 0 < abs(ref.row - cell.row) <= _ROWS_AWAY]
    row.sort(key=lambda ref: (abs(ref.column - cell.column), ref.column))
    column.sort(key=lambda ref: (abs(ref.row - cell.row), ref.row))
    # Even a long row leaves room for cells of the column.
    return [*row[: _CELLS - 1], *column]


def _words(source: Source, document: Document) -> str:
    shown = show_source(source, document)
    return f"{shown.place} | {shown.span}"
